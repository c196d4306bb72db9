"""Durations as whole numbers of microseconds, and as text.

They are read as pandas reads them: numbers with units, "2 days", "1.5 h", "1h30min", then perhaps hours, minutes and
seconds, "2 days 03:00:00", or these alone, "-01:30:00"; or as ISO 8601 has them, "P1DT2H". A sign before numbers with
units is that of all of them, and what follows them is added: "-1 days +23:00:00" is minus one hour.
"""

import datetime as dt
import math
import re
from fractions import Fraction

import numpy as np

from depnet.data.binning.calendar import DAY

HOUR, MINUTE, SECOND = 3_600_000_000, 60_000_000, 1_000_000
"""Microseconds."""

DURATION = r"-?[0-9]{1,7} days?( \+?[0-9]{2}:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?)?"
"""How a cell of text says one, as pandas writes it: with its days, for hours and minutes alone may be a time of day."""

_CELL = re.compile(DURATION, re.ASCII)
_CLOCK = r"(?P<hours>\d+):(?P<minutes>\d{1,2}):(?P<seconds>\d{1,2}(\.\d*)?)"
_TEXT = re.compile(
    rf"(?P<sign>[-+]?)\s*(?P<parts>(\d+(\.\d*)?\s*[A-Za-zµ]+[\s,]*)*)(?P<plus>\+?)({_CLOCK})?", re.ASCII
)
_PART = re.compile(r"(\d+(?:\.\d*)?)\s*([A-Za-zµ]+)", re.ASCII)
_ISO = re.compile(
    r"(?P<sign>[-+]?)P(?=.)((?P<W>\d+)W)?((?P<D>\d+)D)?(T(?=.)((?P<H>\d+)H)?((?P<M>\d+)M)?((?P<S>\d+(\.\d*)?)S)?)?",
    re.ASCII,
)
_NAMES: dict[int, tuple[str, ...]] = {
    7 * DAY: ("w", "week", "weeks"),
    DAY: ("d", "day", "days"),
    HOUR: ("h", "hr", "hour", "hours"),
    MINUTE: ("m", "min", "minute", "minutes"),
    SECOND: ("s", "sec", "second", "seconds"),
    1_000: ("ms", "millisecond", "milliseconds"),
    1: ("us", "µs", "microsecond", "microseconds"),
}
_UNITS = {name: length for length, names in _NAMES.items() for name in names}


def are_durations(texts: tuple[str, ...]) -> bool:
    """Do all these texts say durations, as cells of a file do?

    >>> are_durations(("0 days 01:30:00", "-1 days +23:00:00", "2 days")), are_durations(("01:30:00",))
    (True, False)
    """
    return bool(texts) and all(_CELL.fullmatch(text) for text in texts)


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
