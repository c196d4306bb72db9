"""How people write numbers, dates and times of day as text: $1,234.50, 12,50, 84.4%, 9/30/1990 0:00:00, 2:30 PM.

A column of text whose cells all have one such form is a column of numbers, dates, or times of day (kept as durations since
midnight); what is drawn or filled in is written in the same form. A form is text, too, and is kept in the model file:

- of numbers, an example with its signs, as spreadsheets have it: "$#,##0.00", "0,00", "0.0%". All cells have the same
  currency, or a percent sign, or neither, and the same decimal sign; "$-5", "-$5" and "($5)" are minus five.
- of dates and times, what `strptime` takes; "%-m" is a month without a leading zero.

Where day and month could be either, dates with slashes have the month first, all others the day.
"""

import datetime as dt
import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.data.binning.times import DAY, days_of, microseconds_of
from depnet.data.binning.times import is_form as is_moment_form
from depnet.data.binning.times import texts_in as moments_in

LEAST = 3
"""Fewer different texts stay labels."""

FEW_TIMES = 200
"""The number of texts that show in which form most dates are, where a column is said to have dates."""

_CURRENCY = r"US\$|[$€£¥₹]|USD|EUR|GBP|CHF"
_DIGITS = {
    ".": r"(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)",
    ",": r"(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,[0-9]+)?",
}
"""Digits by their decimal sign: the other one stands between thousands."""

_NUMBER_TEXT = re.compile(
    rf"[-+(]?(?P<before>(?:{_CURRENCY}) ?)?-?[0-9.,]+(?P<after> ?(?:{_CURRENCY}|%))?\)?", re.ASCII
)
_NUMBER_FORM = re.compile(
    rf"(?P<before>(?:{_CURRENCY}) ?)?"
    r"(?P<digits>0|#[,.]##0)((?P<point>[.,])(?P<decimals>0+))?"
    rf"(?P<after> ?(?:{_CURRENCY}|%))?",
    re.ASCII,
)
_DAYS = (
    *("%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%m/%d/%y", "%d/%m/%y"),
    *("%d.%m.%Y", "%Y.%m.%d", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
)
_CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p")
_TIME_FORMS: dict[str, str] = {
    **dict.fromkeys(_DAYS, "date"),
    **dict.fromkeys(map(" ".join, itertools.product(_DAYS, _CLOCKS)), "datetime"),
    **dict.fromkeys(_CLOCKS, "duration"),
}
"""Forms of dates, dates with times, and times of day, with the kind of number that each is kept as."""


def _marks(text: str) -> str:
    """What stands between the letters and digits of a text, or the fields of a form, in its order."""
    return re.sub("%[A-Za-z]|[A-Za-z0-9]", "", re.sub(r"\s+", " ", text))


@functools.cache
def _marked_forms() -> dict[str, list[tuple[str, str]]]:
    """The forms of times by their marks."""
    found: dict[str, list[tuple[str, str]]] = {}
    for form, kind in _TIME_FORMS.items():
        found.setdefault(_marks(form), []).append((form, kind))
    return found


def _forms_like(text: str) -> Iterator[tuple[str, str]]:
    """The forms of times, each with its kind, that have the marks of a text: to try one is slow."""
    return iter(_marked_forms().get(_marks(text), ()))


class Form(NamedTuple):
    """What a column of text holds, as a kind of `Bins`, and how it is written."""

    kind: Any
    text: str


def find_form(texts: Sequence[str]) -> Form | None:
    """The form that all these different texts have; None where they have none, or are plain numbers or ISO dates.

    >>> find_form(("$5.00", "$1,234.50", "-$3.1")), find_form(("12,5", "3,75", "8"))
    (Form(kind='float', text='$#,##0.00'), Form(kind='float', text='0,00'))
    >>> find_form(("9/30/1990", "10/1/1990", "2/29/1992")), find_form(("2:30 PM", "11:05 AM", "2:00 AM"))
    (Form(kind='date', text='%-m/%-d/%Y'), Form(kind='duration', text='%-I:%M %p'))
    >>> find_form(("red", "green", "blue")), find_form(("$5", "€5", "$6"))
    (None, None)
    """
    if len(texts) < LEAST or not all(text[:40].strip(" ") == text for text in texts[:LEAST]):
        return None
    form = _find_number_form(texts) or _find_time_form(texts)
    return None if form is None or len({number_in(text, form.text) for text in texts}) < LEAST else form


def likely_form(texts: Sequence[str], kinds: Sequence[str]) -> Form | None:
    """The form that most of these texts have, of columns that are said to be of some kinds; None where none has any.

    >>> likely_form(("$5.00", "7", "many"), ("integer", "float")), likely_form(("9/30/1990", "?"), ("date", "datetime"))
    (Form(kind='float', text='$0.00'), Form(kind='date', text='%-m/%-d/%Y'))
    """
    if "float" in kinds:
        found = [text for text in texts if _NUMBER_TEXT.fullmatch(text)]
        signs = Counter(_signs(text) for text in found)
        if len(signs) > 1:
            del signs["", ""]  # which may be left out beside others
        if not signs:
            return None
        before, after = max(signs, key=lambda pair: signs[pair])
        both = [_with_point(found, before, point, after) for point in (".", ",")]
        some = max(both, key=len)
        return _number_form(some, before, ".,"[both.index(some)], after) if some else None
    ways: dict[str, list[str]] = {form: [] for form, kind in _TIME_FORMS.items() if kind in kinds}
    for text in texts[:FEW_TIMES]:
        for form, _ in _forms_like(text):
            if form in ways and _has_form(text, form):
                ways[form].append(text)
    most = max(ways.values(), key=len)
    return _find_time_form(most) if most else None


def _signs(text: str) -> tuple[str, str]:
    found = _NUMBER_TEXT.fullmatch(text)
    assert found is not None
    return found["before"] or "", found["after"] or ""


def _with_point(texts: Sequence[str], before: str, point: str, after: str) -> list[str]:
    """The texts that are numbers with this decimal sign, with their signs or without."""
    patterns = [
        re.compile(_number_pattern(*ends), re.ASCII) for ends in ((before, point, after), ("", point, ""))
    ]
    return [text for text in texts if any(pattern.fullmatch(text) for pattern in patterns)]


def _has_form(text: str, form: str) -> bool:
    try:
        return dt.datetime.strptime(text, form) is not None
    except ValueError:
        return False


def _find_number_form(texts: Sequence[str]) -> Form | None:
    if _NUMBER_TEXT.fullmatch(texts[0]) is None:
        return None
    before, after = _signs(texts[0])
    for point, other in ((".", ","), (",", ".")):
        pattern = re.compile(_number_pattern(before, point, after), re.ASCII)
        if not all(pattern.fullmatch(text) for text in texts):
            continue
        if not (before or after or point == "," or any(other in text for text in texts)):
            return None
        return _number_form(texts, before, point, after)
    return None


def _number_form(texts: Sequence[str], before: str, point: str, after: str) -> Form:
    """The form of texts that are all numbers with these signs."""
    other = "." if point == "," else ","
    decimals = max(len(text.rstrip(")").removesuffix(after).partition(point)[2]) for text in texts)
    digits = f"#{other}##0" if any(other in text for text in texts) else "0"
    digits += point + "0" * min(decimals, 9) if decimals else ""
    return Form("float" if decimals else "integer", before + digits + after)


def _number_pattern(before: str, point: str, after: str) -> str:
    """What all numbers of a form match, in Python and in SQL."""
    sign = re.escape(before)
    return rf"[-+(]?{sign}-?{_DIGITS[point]}{re.escape(after)}\)?"


def _find_time_form(texts: Sequence[str]) -> Form | None:
    for form, kind in _forms_like(texts[0]):
        try:
            found = [(text, dt.datetime.strptime(text, form)) for text in texts]
        except ValueError:
            continue
        fields = ("", "[HI]", "[md]", "[mdHI]")  # those without a leading zero
        written = [re.sub(f"%({some})", r"%-\1", form) if some else form for some in fields]
        same = (
            way
            for way in written
            if all(_write_time(when, way).casefold() == text.casefold() for text, when in found)
        )
        return Form(kind, next(same, written[-1]))
    return None


def is_form(form: str, kind: str) -> bool:
    """Is it a way in which text may have numbers of this kind?"""
    if kind in ("float", "integer"):
        return _NUMBER_FORM.fullmatch(form) is not None
    return _TIME_FORMS.get(form.replace("%-", "%")) == kind or (kind == "datetime" and is_moment_form(form))


def number_in(text: str, form: str) -> int | float:
    """The number that a text of a form says: of a date its day, of a moment or a time of day its microseconds.

    The sign of a currency or of percent may be left out, and so may a moment's time.

    >>> number_in("($1,234.50)", "$#,##0.00"), number_in("9/30/1990", "%-m/%-d/%Y"), number_in("0:00:01", "%-H:%M:%S")
    (-1234.5, 7577, 1000000)
    """
    text, shape = text.strip(), _NUMBER_FORM.fullmatch(form)
    if shape is not None:
        point, before, after = _point(shape), shape["before"] or "", shape["after"] or ""
        patterns = (_number_pattern(before, point, after), _number_pattern("", point, ""))
        if not any(re.fullmatch(pattern, text, re.ASCII) for pattern in patterns):
            raise ValueError("another form")
        plain = re.sub(r"[^0-9(,.-]", "", text).translate(str.maketrans(*_TRANSLATED[point]))
        return float(plain) if "." in plain else int(plain)
    form = form.replace("%-", "%")
    kind = _TIME_FORMS[form]
    try:
        when = dt.datetime.strptime(text, form)
    except ValueError:
        if kind != "datetime":
            raise
        when = dt.datetime.strptime(text, next(day for day in _DAYS if form.startswith(day)))
    if kind == "date":
        return days_of(when)
    return microseconds_of(when) % DAY if kind == "duration" else microseconds_of(when)


_TRANSLATED: dict[str, tuple[Any, ...]] = {".": ("(", "-", ","), ",": ("(,", "-.", ".")}
"""By the decimal sign: what becomes a minus sign and a point, and what goes."""


def _point(shape: "re.Match[str]") -> str:
    """The decimal sign of a form of numbers; without decimals, not the one between thousands."""
    return shape["point"] or ("," if shape["digits"] == "#.##0" else ".")


def number_sql(text: str, form: Form, *, loose: bool = False) -> str:
    """As `number_in`, in SQL: a number, date, moment or time, NULL where the text has another form.

    Only where it is `loose` may signs and times be left out.
    """
    shape = _NUMBER_FORM.fullmatch(form.text)
    if shape is None:
        kept = {"date": "DATE", "datetime": "TIMESTAMP", "duration": "TIME"}[form.kind]
        ways = [form.text.replace("%-", "%")]
        if loose and form.kind == "datetime":
            ways += [day for day in _DAYS if ways[0].startswith(day)][:1]
        parsed = ", ".join(f"try_strptime({text}, '{way}')" for way in ways)
        return f"CAST(coalesce({parsed}) AS {kept})"
    point = _point(shape)
    pattern = _number_pattern(shape["before"] or "", point, shape["after"] or "")
    if loose:
        pattern = f"({pattern})|({_number_pattern('', point, '')})"
    signs, instead, gone = _TRANSLATED[point]
    plain = f"translate(regexp_replace({text}, '[^0-9(,.-]', '', 'g'), '{signs}{gone}', '{instead}')"
    number = f"TRY_CAST({plain} AS {'DOUBLE' if form.kind == 'float' else 'BIGINT'})"
    return f"CASE WHEN regexp_full_match({text}, '{pattern}') THEN {number} END"


def texts_in(numbers: NDArray[Any], form: str) -> NDArray[Any]:
    """Numbers as text of a form: what `number_in` reads back, but for what is beyond the form's decimals.

    >>> texts_in(np.array([-1234.5, 0.25]), "$#,##0.00").tolist(), texts_in(np.array([7577]), "%-m/%-d/%Y").tolist()
    (['-$1,234.50', '$0.25'], ['9/30/1990'])
    """
    if is_moment_form(form):
        return moments_in(numbers, form)
    distinct, places = np.unique(numbers, return_inverse=True)
    shape = _NUMBER_FORM.fullmatch(form)
    if shape is not None:
        cells = [_write_number(number, shape) for number in distinct.tolist()]
    else:
        unit = "D" if _TIME_FORMS[form.replace("%-", "%")] == "date" else "us"
        moments = distinct.astype(np.int64).view(f"datetime64[{unit}]").astype("datetime64[us]")
        cells = [_write_time(when, form) for when in moments.tolist()]
    return np.array(cells, dtype=object)[places]


def _write_number(number: float, shape: "re.Match[str]") -> str:
    decimals = len(shape["decimals"] or "")
    text = f"{abs(number):,.{decimals}f}" if shape["digits"] != "0" else f"{abs(number):.{decimals}f}"
    if _point(shape) == ",":
        text = text.translate(str.maketrans(",.", ".,"))
    minus = "-" if number < 0 and any(digit in text for digit in "123456789") else ""
    return f"{minus}{shape['before'] or ''}{text}{shape['after'] or ''}"


def _write_time(when: dt.datetime, form: str) -> str:
    def write(field: "re.Match[str]") -> str:
        text = (
            f"{when.year:04}" if field[2] == "Y" else when.strftime(f"%{field[2]}")
        )  # strftime writes year 33 as 33
        return text.removeprefix("0") if field[1] else text

    return re.sub("%(-?)([A-Za-z])", write, form)
