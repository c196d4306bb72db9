"""The histogram of a number: which bars it has, where a value lies on its axis, and what a brush over bars means.

Bins of a model hold about equally many rows each, so that bars of them would all be alike. Bars here have equal widths, at
round values, whatever the bins are; a number of few values has a bar for each. They are counted from values: those that the
model keeps, weighted by its law, and the table's own. The first bar has all that lies below it, the last all above.
"""

import datetime as dt
import itertools
import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Variable
from depnet.data.binning.bins import Kind, Numbers
from depnet.explorer.known import Held, condition_of
from depnet.inference.answer.numbers import NumberLaw, shown, value_of
from depnet.inference.answer.profile import DAY, UNITS, even_edges, reach_of, round_step, tidy
from depnet.model.conditions import MISSING, interpret

BARS = 24
"""Bars at most."""

TICKS = 6
MOST_TEXT = 34
"""Ticks of an axis, and the signs of all of them together, that there is room for."""
ROUND_TICKS = (1.0, 2.0, 2.5, 5.0, 10.0)

SKEWED = 3.0
"""How much farther the 95 % quantile is from the median than the 5 % quantile, where a log axis is offered."""


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """The bars of a number: bar k has the values from `edges[k]` to below `edges[k + 1]`.

    `points` are the values that have a bar each, where these are few.
    """

    variable: Variable
    kind: Kind
    edges: FloatArray
    points: tuple[int | float, ...] = ()
    log: bool = False
    skewed: bool = False

    @classmethod
    def of(cls, variable: Variable, law: NumberLaw, *, log: bool = False) -> "Axis":
        """The axis for a law of the number; `log`: bars have equal widths of the logarithm."""
        values, _ = law.ascending
        skewed = _is_skewed(law)
        points = _points(values, law.kind)
        if points:
            middles = [(a + b) / 2 for a, b in itertools.pairwise(points)]
            return cls(variable, law.kind, np.array([-np.inf, *middles, np.inf]), points)
        low, high = reach_of(law)
        if log and skewed:
            return cls(variable, law.kind, _log_edges(low, high, law.kind), log=True, skewed=True)
        return cls(variable, law.kind, even_edges(low, high, law.kind, BARS), skewed=skewed)

    def __len__(self) -> int:
        """How many bars it has."""
        return len(self.edges) - 1

    def bars(self, values: Numbers, weights: FloatArray) -> FloatArray:
        """[bar]: the sum of the weights of the values in it."""
        codes = np.searchsorted(self.edges[1:-1], values, side="right")
        return np.bincount(codes, weights, minlength=len(self)).astype(np.float64)

    def place(self, number: float) -> float:
        """Where a value lies on the axis, in percent of it."""
        if self.points:
            middles = (np.arange(len(self)) + 0.5) * 100 / len(self)
            return float(np.interp(number, np.array(self.points, dtype=np.float64), middles))
        at, edges = (math.log(max(number, 1e-300)), np.log(self.edges)) if self.log else (number, self.edges)
        return round(float(np.interp(at, edges, np.linspace(0, 100, len(edges)))), 3)

    def text(self, number: float) -> str:
        return group_digits(shown(_plain(number, self.kind)))

    def label(self, k: int) -> str:
        """What bar k stands for, in words."""
        if self.points:
            return self.text(self.points[k])
        low, high = self.edges[k], self._last(k)
        if k == 0:
            return f"{'up to' if self._whole else 'below'} {self.text(high)}"
        if k == len(self) - 1:
            return f"{self.text(low)} and more"
        return f"{self.text(low)} to {self.text(high)}" if low != high else self.text(low)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Round values with their places, as many as there is room for."""
        if self.points:
            every = math.ceil(len(self) / TICKS) if len(self) > 8 else 1
            return [(self.place(point), self.text(point)) for point in self.points[::every]]
        low, high, step = float(self.edges[0]), float(self.edges[-1]), 1.0
        if self.kind in ("date", "datetime"):
            return [(self.place(at), text) for at, text in _calendar(low, high, self.kind)]
        if self.log:
            decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            each = [m * 10.0**d for d in decades for m in (1, 2, 5) if low <= m * 10.0**d <= high]
            return [(self.place(at), self.text(at)) for at in each[:: math.ceil(len(each) / TICKS)]]
        unit = next(u for u in reversed(UNITS["duration"]) if high - low >= 2 * u) if self._is_time else 1
        step = round_step((high - low) / unit / TICKS, ROUND_TICKS) * unit
        there = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        found = [(self.place(k * step), self.text(tidy(k * step, step))) for k in there]
        return found[:: 2 if sum(len(text) for _, text in found) > MOST_TEXT else 1]

    def held(self, first: int, last: int) -> Held | None:
        """What is known when the bars from one to the other are brushed, as a condition; None: all are."""
        first, last = sorted((first, last))
        if first == 0 and last == len(self) - 1:
            return None
        if self.points:
            if first == last:
                return (self._state(self.points[first]),)
            low, high = (self._write(self.points[at]) for at in (first, last))
        else:
            low, high = self._write(self.edges[first]), self._write(self._last(last))
        if first == 0:
            return f"<={high}" if self._whole or self.points else f"<{high}"
        return f">={low}" if last == len(self) - 1 else f"{low}..{high}"

    def allowed(self, held: Held, law: NumberLaw) -> list[float]:
        """[bar]: the share of it that what is known allows, by the values of a law."""
        if held == MISSING:
            return [0.0] * len(self)
        condition = interpret(self.variable, condition_of(held))
        bins, values, states = self.variable.bins, law.values, self.variable.present_states
        codes = np.searchsorted(np.array(states), values) if bins is None else bins.locate(values)
        met = condition.rows(codes, None, values)
        every = self.bars(values, law.weights)
        some = self.bars(values, law.weights * met)
        return [round(a / b, 3) if b > 0 else 0.0 for a, b in zip(some.tolist(), every.tolist(), strict=True)]

    @property
    def _whole(self) -> bool:
        return self.kind != "float"

    @property
    def _is_time(self) -> bool:
        return self.kind == "duration"

    def _last(self, k: int) -> float:
        """The last value of bar k: of whole numbers it is in it, else it is where the next one begins."""
        return float(self.edges[k + 1]) - (1 if self._whole else 0)

    def _write(self, number: float) -> str:
        """A number as conditions have it."""
        bins = self.variable.bins
        if bins is None:
            return f"{number:.12g}"
        return bins.text(int(number) if self._whole else float(number))

    def _state(self, number: float) -> Any:
        """The state of a value that has a bar of its own, or the value as text where states are bins."""
        return number if self.variable.bins is None else self._write(number)


class HistogramLaw:
    """A law of a number on an axis: its bars by the model, by the table's own values, and by both."""

    def __init__(self, axis: Axis, law: NumberLaw) -> None:
        own = len(law.states)
        self.axis, self.law = axis, law
        self.model = axis.bars(law.values[:own], law.weights[:own] / (law.share or 1.0))
        self.table = None
        if len(law.values) > own and law.share < 1.0:
            self.table = axis.bars(law.values[own:], law.weights[own:] / (1 - law.share))

    @cached_property
    def joined(self) -> FloatArray:
        return (
            self.model
            if self.table is None
            else self.law.share * self.model + (1 - self.law.share) * self.table
        )

    @cached_property
    def errors(self) -> FloatArray:
        """The errors of computing them."""
        own = self.law.values[: len(self.law.states)]
        if not self.law.spread.errors.any():
            return np.zeros(len(self.axis))
        codes = np.searchsorted(self.axis.edges[1:-1], own, side="right")
        return np.array([self.law.error((codes == k).astype(np.float64)) for k in range(len(self.axis))])


def group_digits(text: str) -> str:
    """A number as text with its digits in groups of three and a true minus; any other text as it is.

    >>> group_digits("51235"), group_digits("-1234.5"), group_digits("2024-02-29"), group_digits("-7.5")
    ('51,235', '−1,234.5', '2024-02-29', '−7.5')
    """
    found = re.fullmatch(r"(-?)(\d+)(\.\d+)?", text)
    if found is None:
        return text
    sign, whole, rest = found.groups()
    return f"{'−' if sign else ''}{int(whole):,}{rest or ''}"


def state_label(variable: Variable, code: int) -> str:
    """A state as people read it: of a bin its ends; the code after the last state is that of missing values.

    >>> from depnet.data import Bins
    >>> bins = Bins((-10, -7.5, 12151), ((-8.0,), (5.0,)), "float")
    >>> state_label(Variable("x", bins.ranges, bins), 0), state_label(Variable("x", (1, 2)), 2)
    ('−10 to −7.5', 'missing')
    """
    if code >= len(variable.present_states):
        return "missing"
    text = str(variable.states[code])
    ends = re.fullmatch(r"[\[(](.+), (.+)[\])]", text) if variable.bins is not None else None
    return group_digits(text) if ends is None else " to ".join(map(group_digits, ends.groups()))


def _plain(number: float, kind: Kind) -> Any:
    if kind in ("integer", "float"):
        return int(number) if number == int(number) and abs(number) < 1e15 else float(number)
    return value_of(number, kind)


def _points(values: Numbers, kind: Kind) -> tuple[int | float, ...]:
    """The values that get a bar each: all whole numbers of a short range, or the few that there are; none: too many."""
    low, high = values[0], values[-1]
    if kind == "integer" and high - low < BARS:
        return tuple(range(int(low), int(high) + 1))
    found = np.unique(values)
    return tuple(found.tolist()) if len(found) <= BARS // 2 else ()


def _is_skewed(law: NumberLaw) -> bool:
    values, _ = law.ascending
    if law.kind not in ("integer", "float") or not values[0] > 0:
        return False
    low, middle, high = (float(law.quantile(level)[0]) for level in (0.05, 0.5, 0.95))
    return high - middle > SKEWED * (middle - low)


def _log_edges(low: float, high: float, kind: Kind) -> FloatArray:
    """Equal steps of the logarithm, at values of three digits."""
    each = np.geomspace(low, high * 1.001, BARS + 1)
    tidy = [float(f"{edge:.3g}") for edge in each]
    tidy = [math.floor(edge) if kind == "integer" else edge for edge in tidy]
    return np.unique(np.array(tidy, dtype=np.float64))


def _calendar(low: float, high: float, kind: Kind) -> list[tuple[float, str]]:
    """Ticks of days and moments: at years, months, days or hours."""
    unit = 1 if kind == "date" else DAY
    days = (high - low) / unit
    first = dt.datetime(1970, 1, 1) + dt.timedelta(days=low / unit)
    if days < 3:
        hours = max(1, math.ceil(24 * days / TICKS))
        start = first.replace(minute=0, second=0, microsecond=0)
        moments = [start + dt.timedelta(hours=k * hours) for k in range(1, TICKS + 1)]
        form = "%H:%M"
    elif days < 100:
        step, start = math.ceil(days / TICKS), first.replace(hour=0, minute=0, second=0, microsecond=0)
        moments, form = [start + dt.timedelta(days=k * step) for k in range(1, TICKS + 1)], "%Y-%m-%d"
    else:
        months = next((m for m in (1, 2, 3, 6, 12) if days / 30.4 / m <= TICKS), 12)
        years = max(1, math.ceil(days / 365.25 / TICKS)) if months == 12 else 1
        step, form = months * years, "%Y" if months == 12 else "%Y-%m"
        at = 12 * first.year + math.ceil((first.month - 1) / min(step, 12)) * min(step, 12)
        every = range(at, at + (TICKS + 3) * step, step)
        moments = [dt.datetime(m // 12, m % 12 + 1, 1) for m in every if m // 12 <= dt.MAXYEAR]
    placed = [
        ((moment - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1) * unit, moment) for moment in moments
    ]
    return [(at, moment.strftime(form)) for at, moment in placed if low <= at <= high]
