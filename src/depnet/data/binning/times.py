"""Dates and durations as whole numbers, and as text: days since 1970-01-01, microseconds since then in UTC, microseconds.

Durations are read as pandas reads them: numbers with units, "2 days", "1.5 h", "1h30min", then perhaps hours, minutes and
seconds, "2 days 03:00:00", or these alone, "-01:30:00"; or as ISO 8601 has them, "P1DT2H". A sign before numbers with
units is that of all of them, and what follows them is added: "-1 days +23:00:00" is minus one hour.
"""

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

DAY = 86_400_000_000
"""Microseconds a day."""

_EPOCH = dt.date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = dt.date.min.toordinal() - _EPOCH, dt.date.max.toordinal() - _EPOCH
"""0001-01-01 and 9999-12-31: the days that Python's dates know."""

DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
MOMENT = DATE + r"([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}(:[0-9]{2})?)?)?"
"""How a cell of text says a date, and a date with or without a time; it must also be one that there was."""

_FORM = re.compile(
    r"%Y-%m-%d(?P<between>[ T])%H:%M(?P<seconds>:%S(\.%(?P<digits>[1-9])f)?)?"
    r"(?P<zone>Z|(?P<sign>[+-])(?P<hours>[0-9]{2})(:(?P<minutes>[0-9]{2}))?)?",
    re.ASCII,
)


def days_of(value: object) -> int:
    """The day of a date, of a moment, or of either as ISO text or numpy.datetime64.

    >>> days_of("1970-02-01"), days_of(dt.datetime(1970, 1, 2, 12, 0))
    (31, 1)
    """
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value.toordinal() - _EPOCH
    return microseconds_of(value) // DAY


def microseconds_of(value: object) -> int:
    """The moment of a date or a date and time; without a time zone it is taken as UTC.

    >>> microseconds_of(dt.date(1970, 1, 2)) == DAY
    True
    """
    if isinstance(value, str):
        value = dt.datetime.fromisoformat(value.strip())
    if isinstance(value, np.datetime64):
        if np.isnat(value):
            raise ValueError("not a time")
        return int(value.astype("datetime64[us]").astype(np.int64))
    if isinstance(value, dt.datetime):
        zoned = value if value.tzinfo else value.replace(tzinfo=dt.UTC)
        since = zoned - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if isinstance(value, dt.date):
        return days_of(value) * DAY
    raise TypeError("not a date")


def text_of_day(day: int) -> str:
    """A day in ISO form.

    >>> text_of_day(59)
    '1970-03-01'
    """
    return str(np.datetime64(day, "D"))


def text_of_moment(moment: int) -> str:
    """A moment in ISO form, as short as it can be said.

    >>> text_of_moment(DAY), text_of_moment(DAY // 2)
    ('1970-01-02', '1970-01-01 12:00')
    """
    if moment % DAY == 0:
        return text_of_day(moment // DAY)
    unit = "m" if moment % 60_000_000 == 0 else "s" if moment % 1_000_000 == 0 else "us"
    return str(np.datetime64(moment, "us").astype(f"datetime64[{unit}]")).replace("T", " ")


def form_of(texts: Iterable[str], counts: Iterable[int]) -> str | None:
    """How a column writes moments: as most of its cells do, but with all the digits that any has; None without times.

    It is what `strftime` takes, but that "%3f" are three digits after the point, and that the zone stands as it is.

    >>> form_of(["2024-02-29T12:30:00Z", "2024-02-29T12:30:00.250Z", "2024-02-29"], [5, 1, 9])
    '%Y-%m-%dT%H:%M:%S.%3fZ'
    """
    between, zones, length = Counter[str](), Counter[str](), 0
    for text, count in zip(texts, counts, strict=True):
        if len(text) > 10:
            zone = re.search("[Z+-].*|$", text[11:])
            assert zone is not None
            between[text[10]] += count
            zones[zone[0]] += count
            length = max(length, 11 + zone.start())
    if not length:
        return None
    digits = length - 20
    exact = "" if digits < -1 else ":%S" if digits < 1 else f":%S.%{min(digits, 9)}f"
    return f"%Y-%m-%d{_most(between)}%H:%M{exact}{_most(zones)}"


def _most(times: Mapping[str, int]) -> str:
    """The most frequent text; of equally frequent ones the first."""
    return max(sorted(times), key=times.__getitem__)


def is_form(form: str) -> bool:
    """Is it one of the ways in which text may have moments?"""
    return _FORM.fullmatch(form) is not None


def texts_in(moments: NDArray[Any], form: str) -> NDArray[Any]:
    """Moments as text of a form.

    >>> texts_in(np.array([0, DAY // 2]), "%Y-%m-%dT%H:%M+02:00").tolist()
    ['1970-01-01T02:00+02:00', '1970-01-01T14:00+02:00']
    """
    found = _FORM.fullmatch(form)
    assert found is not None
    digits = int(found["digits"] or 0)
    end = 16 if found["seconds"] is None else 19 + digits + (digits > 0)
    ahead = 60 * int(found["hours"] or 0) + int(found["minutes"] or 0)
    local = np.asarray(moments, dtype=np.int64) + (-1 if found["sign"] == "-" else 1) * ahead * 60_000_000
    distinct, places = np.unique(local, return_inverse=True)
    texts = np.datetime_as_string(distinct.view("datetime64[us]"))
    between, zone = found["between"], found["zone"] or ""
    cells = [f"{text[:10]}{between}{text.ljust(end, '0')[11:end]}{zone}" for text in texts.tolist()]
    return np.array(cells, dtype=object)[places]


HOUR, MINUTE, SECOND = 3_600_000_000, 60_000_000, 1_000_000
"""Microseconds."""

DURATION = r"-?[0-9]{1,7} days?( \+?[0-9]{2}:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?)?"
"""How a cell of text says one, as pandas writes it: with its days, for hours and minutes alone may be a time of day."""

_CLOCK = r"(?P<hours>\d+):(?P<minutes>\d{1,2}):(?P<seconds>\d{1,2}(\.\d*)?)"
_TEXT = re.compile(
    rf"(?P<sign>[-+]?)\s*(?P<parts>(\d+(\.\d*)?\s*[A-Za-zµ]+[\s,]*)*)(?P<plus>\+?)({_CLOCK})?", re.ASCII
)
_PART = re.compile(r"(\d+(?:\.\d*)?)\s*([A-Za-zµ]+)", re.ASCII)
_ISO = re.compile(
    r"(?P<sign>[-+]?)P(?=.)((?P<W>\d+)W)?((?P<D>\d+)D)?(T(?=.)((?P<H>\d+)H)?((?P<M>\d+)M)?((?P<S>\d+(\.\d*)?)S)?)?",
    re.ASCII,
)
_UNITS = {
    **dict.fromkeys(("w", "week", "weeks"), 7 * DAY),
    **dict.fromkeys(("d", "day", "days"), DAY),
    **dict.fromkeys(("h", "hr", "hour", "hours"), HOUR),
    **dict.fromkeys(("m", "min", "minute", "minutes"), MINUTE),
    **dict.fromkeys(("s", "sec", "second", "seconds"), SECOND),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1_000),
    **dict.fromkeys(("us", "µs", "microsecond", "microseconds"), 1),
}


def duration_of(value: object) -> int:
    """The microseconds of a `timedelta` (pandas has one, too), of numpy's timedelta64, or of either as text.

    >>> duration_of("1h 30min") == duration_of("01:30:00") == duration_of(dt.timedelta(minutes=90)) == 90 * MINUTE
    True
    """
    if isinstance(value, str):
        return _of_text(value.strip())
    if isinstance(value, np.timedelta64):
        if np.isnat(value) or np.datetime_data(value.dtype)[0] == "generic":
            raise ValueError("not a duration")
        return int(value.astype("timedelta64[us]").astype(np.int64))
    if isinstance(value, dt.timedelta):
        return (value.days * 86_400 + value.seconds) * SECOND + value.microseconds
    raise TypeError("not a duration")


def _of_text(text: str) -> int:
    iso = _ISO.fullmatch(text)
    if iso:
        lengths = {"W": 7 * DAY, "D": DAY, "H": HOUR, "M": MINUTE, "S": SECOND}
        total = sum(Fraction(iso[name] or 0) * length for name, length in lengths.items())
        return math.floor(-total if iso["sign"] == "-" else total)
    found = _TEXT.fullmatch(text)
    if not found or not (found["parts"] or found["hours"]) or (found["plus"] and not found["parts"]):
        raise ValueError("not a duration")
    total, clock = Fraction(0), Fraction(0)
    for number, unit in _PART.findall(found["parts"]):
        if unit == "M" or unit.lower() not in _UNITS:  # months have no length
            raise ValueError("not a unit of time")
        total += Fraction(number) * _UNITS[unit.lower()]
    if found["hours"]:
        clock = (
            int(found["hours"]) * HOUR
            + int(found["minutes"]) * MINUTE
            + Fraction(found["seconds"].rstrip(".")) * SECOND
        )
    minus = -1 if found["sign"] == "-" else 1
    return math.floor(minus * total + clock if found["parts"] else minus * clock)


def text_of_duration(length: int) -> str:
    """A duration, as short as it can be said.

    >>> [text_of_duration(hours * HOUR) for hours in (0, 1, 24, 51, -1, -51)]
    ['00:00:00', '01:00:00', '1 day', '2 days 03:00:00', '-01:00:00', '-3 days +21:00:00']
    """
    days, rest = divmod(length, DAY)
    if length and not rest:
        return f"{days} {'day' if days == 1 else 'days'}"
    if abs(length) < DAY:
        return f"{'-' if length < 0 else ''}{_clock(abs(length))}"
    return cell_of_duration(length)


def cell_of_duration(length: int) -> str:
    """A duration in a cell of text, as pandas writes it.

    >>> cell_of_duration(90 * MINUTE), cell_of_duration(-HOUR)
    ('0 days 01:30:00', '-1 days +23:00:00')
    """
    days, rest = divmod(length, DAY)
    return f"{days} days {'+' if days < 0 else ''}{_clock(rest)}"


def _clock(rest: int) -> str:
    seconds, fraction = divmod(rest, SECOND)
    shown = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{shown}.{fraction:06}" if fraction else shown
