"""Bins: a numeric or date column as an ordered variable, and the way back to numbers.

With edges e_0 < e_1 < ... < e_K, bin k holds the values of [e_k, e_{k+1}). What lies below e_0 belongs to the
first bin and what lies at or above e_K to the last, so that every number has a bin. Whole numbers stand for dates
(days since 1970-01-01), for moments (microseconds since then, in UTC) and for durations (microseconds).
"""

import bisect
import contextlib
import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.data.binning import times
from depnet.data.binning.forms import is_form, number_in
from depnet.errors import DataError, brief

Kind: TypeAlias = Literal["float", "integer", "date", "datetime", "duration"]
KINDS: tuple[str, ...] = get_args(Kind)

TIMES: tuple[Kind, ...] = ("date", "datetime", "duration")
"""Those that are kept as whole numbers, and that a column of text may hold, too."""

TIME_NUMBERS: dict[str, Callable[[object], int]] = {
    "date": times.days_of,
    "datetime": times.microseconds_of,
    "duration": times.duration_of,
}
"""The number of a value of such a kind, which may be text."""

TIME_TEXTS: dict[str, Callable[[int], str]] = {
    "date": times.text_of_day,
    "datetime": times.text_of_moment,
    "duration": times.text_of_duration,
}
"""And the text of a number, as people write it."""

RANGES = {
    "integer": (-(2**63), 2**63 - 1),
    "date": (times.FIRST_DAY, times.LAST_DAY + 1),
    "datetime": (times.FIRST_DAY * times.DAY, (times.LAST_DAY + 1) * times.DAY),
    "duration": (1 - 2**63, 2**63 - 1),
}
"""What whole numbers a kind has: 64 bits (of durations but the one that numpy takes for none), or the days and moments of
the years 1 to 9999 (and the next)."""

_WANTED = {
    "date": "a date",
    "datetime": "a date and time",
    "duration": "a duration, such as '2 days' or '01:30:00'",
}

MAX_QUANTILES = 32
"""A bin keeps at most this many values to draw from."""

Number: TypeAlias = int | float
Numbers: TypeAlias = NDArray[Any]
"""int64, or float64."""


@dataclass(frozen=True, slots=True)
class Bins:
    """K bins by their K + 1 `edges`; `quantiles[k]` are values of bin k, ascending, to draw from.

    The first edge may be -inf and the last inf; all others are finite, and whole unless the kind is "float". `form` says how
    values were written that came as text (`depnet.data.binning.forms`, `depnet.data.binning.times.form_of`).

    >>> ages = Bins((0, 18, 65, 99), ((3, 9, 17), (30, 40), (70,)), "integer")
    >>> ages.labels, ages.ranges[-1]
    (('[0, 18)', '[18, 65)', '70'), '[65, 99)')
    >>> ages.locate([17, 18, 120]).tolist()
    [0, 1, 2]
    """

    edges: tuple[Number, ...]
    quantiles: tuple[tuple[Number, ...], ...]
    kind: Kind = "float"
    form: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise DataError(f"the kind of bins is one of {', '.join(KINDS)}; got {brief(self.kind)}.")
        edges = _plain(self.edges, self.kind, "edges of bins")
        if len(edges) < 2:
            raise DataError(f"K bins have K + 1 edges, so at least 2; got {len(edges)}.")
        for k, edge in enumerate(edges):
            if (
                edge in (-math.inf, math.inf)
                and not (k == 0 and edge < 0)
                and not (k == len(edges) - 1 and edge > 0)
            ):
                raise DataError(
                    f"edge {k} is {edge}; only the first edge may be -inf and only the last one inf."
                )
            if k and not edges[k - 1] < edge:
                raise DataError(f"edges ascend; edge {k} is {edge} after {edges[k - 1]}.")
        object.__setattr__(self, "edges", edges)
        if self.form is not None and not (isinstance(self.form, str) and is_form(self.form, self.kind)):
            raise DataError(
                f'the form of text is one such as "$#,##0.00" or "%Y-%m-%d %H:%M:%S+02:00"; got {brief(self.form)}.'
            )
        if not isinstance(self.quantiles, Iterable) or isinstance(self.quantiles, (str, bytes)):
            raise DataError(f"quantiles are one tuple of values a bin; got {brief(self.quantiles)}.")
        object.__setattr__(self, "quantiles", self._checked_quantiles(tuple(self.quantiles)))

    def _checked_quantiles(self, given: tuple[Iterable[Number], ...]) -> tuple[tuple[Number, ...], ...]:
        if len(given) != len(self):
            raise DataError(f"{len(self)} bins have {len(self)} tuples of quantiles; got {len(given)}.")
        checked = []
        for k, values in enumerate(given):
            plain = _plain(values, self.kind, f"quantiles of bin {k}")
            if not 1 <= len(plain) <= MAX_QUANTILES:
                raise DataError(f"bin {k} has {len(plain)} quantiles; expected 1 to {MAX_QUANTILES}.")
            if any(later < value for value, later in itertools.pairwise(plain)):
                raise DataError(f"the quantiles of bin {k} ascend; got {brief(plain)}.")
            if plain[0] == -math.inf or plain[-1] == math.inf:
                raise DataError(f"the quantiles of bin {k} are finite; got {brief(plain)}.")
            if (k and plain[0] < self.edges[k]) or (k + 1 < len(self) and plain[-1] >= self.edges[k + 1]):
                raise DataError(
                    f"the quantiles of bin {k} lie in it; it is {self._range(k)} and they go from "
                    f"{self.text(plain[0])} to {self.text(plain[-1])}."
                )
            checked.append(plain)
        return tuple(checked)

    def __len__(self) -> int:
        return len(self.edges) - 1

    @property
    def labels(self) -> tuple[str, ...]:
        """One readable label a bin, such as "[18, 25)"; a bin that keeps one value only is that value."""
        kept = zip(self.ranges, self.quantiles, strict=True)
        return tuple(self.text(values[0]) if values[0] == values[-1] else range_ for range_, values in kept)

    @property
    def ranges(self) -> tuple[str, ...]:
        """The labels of bins at edges that somebody gave: they may hold other values than those they keep."""
        return tuple(self._range(k) for k in range(len(self)))

    def locate(self, numbers: object) -> IntArray:
        """The bin of every number (dates as days, moments and durations as microseconds)."""
        values = np.asarray(numbers)
        whole = self.kind != "float" and values.dtype.kind in "iu"
        inner = np.array(self.edges[1:-1], dtype=np.int64 if whole else np.float64)
        return np.searchsorted(inner, values, side="right")

    def code(self, value: object) -> int:
        """The bin of one number, date, moment or duration, or of one as text.

        >>> Bins((0, 18, 65), ((3,), (30,)), "integer").code("40")
        1
        """
        return bisect.bisect_right(self.edges, self.number(value), 1, len(self)) - 1

    def middle(self) -> Numbers:
        """One value for each bin: its median, a value that it keeps."""
        return self._array([values[(len(values) - 1) // 2] for values in self.quantiles])

    def draw(self, codes: NDArray[Any], rng: np.random.Generator) -> Numbers:
        """A value for each code, drawn from the quantiles of its bin, all as likely."""
        sizes = np.array([len(values) for values in self.quantiles])
        first = np.cumsum(sizes) - sizes
        place = (rng.random(len(codes)) * sizes[codes]).astype(np.int64)
        drawn: Numbers = self.every()[first[codes] + place]
        return drawn

    def every(self) -> Numbers:
        """All values that `draw` can give, bin by bin."""
        return self._array([value for values in self.quantiles for value in values])

    def number(self, value: object) -> Number:
        """The number that a value means: a number, for such bins a date, moment or duration, or one of them as text.

        >>> import datetime
        >>> Bins((0, 366), ((0,),), "date").number(datetime.date(1970, 3, 1))
        59
        """
        if isinstance(value, str) and self.form is not None:
            with contextlib.suppress(ValueError, KeyError):  # it may be plain
                return number_in(value, self.form)
        try:
            if self.kind in TIME_NUMBERS:
                return TIME_NUMBERS[self.kind](value)
            number = _number(float(value) if isinstance(value, str) else value)
        except (TypeError, ValueError, OverflowError):
            raise DataError(f"expected {_WANTED.get(self.kind, 'a number')}; got {brief(value)}.") from None
        if number != number:  # NaN
            raise DataError(f"expected a number; got {brief(value)}.")
        return number

    def text(self, number: Number) -> str:
        """A number of these bins as people write it: 25, 0.5, 2024-02-29, 2024-02-29 12:00, 01:30:00."""
        if number in (-math.inf, math.inf):
            return str(number)
        if self.kind in TIME_TEXTS:
            return TIME_TEXTS[self.kind](int(number))
        whole = self.kind == "integer" or (abs(number) < 1e15 and number == int(number))
        return str(int(number)) if whole else repr(float(number))

    def _range(self, k: int) -> str:
        low, high = self.edges[k], self.edges[k + 1]
        if low == -math.inf and high == math.inf:
            return "all"
        if self.kind != "float" and high == low + 1:
            return self.text(low)
        if low == -math.inf:
            return f"< {self.text(high)}"
        if high == math.inf:
            return f">= {self.text(low)}"
        return f"[{self.text(low)}, {self.text(high)}{']' if self.kind == 'float' and k + 1 == len(self) else ')'}"

    def _array(self, values: list[Number]) -> Numbers:
        return np.array(values, dtype=np.float64 if self.kind == "float" else np.int64)


def _number(value: object) -> Number:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return value


def _plain(values: object, kind: Kind, what: str) -> tuple[Number, ...]:
    """Plain numbers: floats, or whole numbers (and infinities) in the range of a whole kind."""
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes)):
        raise DataError(f"{what} are numbers; got {brief(values)}.")
    plain: list[Number] = []
    for value in values:
        try:
            number = _number(value)
            if kind == "float":
                number = float(number) + 0.0  # -0.0 is 0
        except (TypeError, OverflowError):
            raise DataError(f"{what} are numbers; got {brief(value)}.") from None
        if isinstance(number, float) and math.isnan(number):
            raise DataError(f"{what} are numbers; got {brief(value)}.")
        if kind != "float" and not (isinstance(number, float) and math.isinf(number)):
            low, high = RANGES[kind]
            if number != int(number) or not low <= number <= high:
                raise DataError(
                    f"{what} of the kind {kind!r} are whole numbers from {low:,} to {high:,}; got {brief(value)}."
                )
            number = int(number)
        plain.append(number)
    return tuple(plain)
