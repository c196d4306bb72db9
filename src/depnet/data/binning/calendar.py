"""Dates as whole numbers: days since 1970-01-01, and microseconds since then in UTC."""

import datetime as dt
import re
from typing import Literal

import numpy as np

DAY = 86_400_000_000
"""Microseconds a day."""

_EPOCH = dt.date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = dt.date.min.toordinal() - _EPOCH, dt.date.max.toordinal() - _EPOCH
"""0001-01-01 and 9999-12-31: the days that Python's dates know."""

DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
MOMENT = DATE + r"([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}(:[0-9]{2})?)?)?"
"""How a cell of text says a date, and a date with or without a time; it must also be one that there was."""

_DATE, _MOMENT = (re.compile(pattern, re.ASCII) for pattern in (DATE, MOMENT))


def kind_of_dates(texts: tuple[str, ...]) -> Literal["date", "datetime"] | None:
    """What all these texts are: dates, dates with times, or neither.

    >>> kind_of_dates(("2024-02-29", "2024-03-01")), kind_of_dates(("2024-02-29 12:30",)), kind_of_dates(("2023-02-29",))
    ('date', 'datetime', None)
    """
    if not texts or not all(_MOMENT.fullmatch(text) for text in texts):
        return None
    try:
        for text in texts:
            dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return "date" if all(_DATE.fullmatch(text) for text in texts) else "datetime"


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
