r"""Answers about numbers are numbers: mean, standard deviation, quantiles and shares, with standard errors.

A model's law of a number is the mixture of the values that its bins keep, by the probabilities p_k of the bins
(`depnet.data.binning.levels`); a table's has its values themselves, and an answer joins the two. Where it can be missing,
all is said of the numbers that are there. With m_k and F_k(c) the mean of bin k and its share up to c, to first order (the
delta method)

.. math:: d\,mean = \sum_k (m_k - mean)\, dp_k, \qquad d\,F(c) = \sum_k (F_k(c) - F(c))\, dp_k ,

whose standard errors a `Spread` has. A quantile's error is Woodruff's: where s is the standard error of F at the quantile q
of level a, the farther of the quantiles of a - s and a + s from q. The standard deviation's is found in the same way, from
the variance and its standard error. All are Monte Carlo errors, 0 of exact answers: none speaks of learning, nor of how few
values a bin keeps.
"""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Kind, Numbers
from depnet.data.binning.levels import SLACK
from depnet.data.binning.times import DAY, FIRST_DAY, LAST_DAY
from depnet.data.table.variable import Variable
from depnet.errors import DataError, InferenceError, brief
from depnet.inference.answer.intervals import mean_ends
from depnet.inference.answer.part import LevelLaw, Spread
from depnet.model.spans import ends_of
from depnet.plots import SEPARATED

LAW_ROWS = 200.0
"""What matching rows are worth, at most, that only the law knows of: it smooths what they say."""


LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles of a summary."""

FEW_ROWS = 30
"""The spread of fewer is not well known."""

Value: TypeAlias = Any
"""What a number's kind has: int or float, a date for dates, a date and time (UTC, without a zone) for moments, a
timedelta for durations."""
Length: TypeAlias = Any
"""A difference of two values: a float, or a timedelta."""


@dataclass(frozen=True, eq=False)
class NumberLaw:
    """A law of a number, in plain numbers (days, microseconds): `values` with their `weights`, which sum to 1.

    Those of a model come first and are the values that its states keep: value v is of `states[v]`, and has the share
    `inside[v]` of it. Those of a table come after them.
    """

    kind: Kind
    values: Numbers
    weights: FloatArray
    states: IntArray
    inside: FloatArray
    spread: Spread
    present: float = 1.0
    """The probability, by the model, that the number is known."""
    share: float = 1.0
    """What the model has of it; the rest is the table's."""

    @classmethod
    def of(
        cls, variable: Variable, probabilities: FloatArray, spread: Spread, present: float = 1.0
    ) -> "NumberLaw | None":
        """A model's law, from the probabilities of the known states; None where the variable is no number."""
        levels = variable.levels()
        if levels is None:
            return None
        states = np.repeat(np.arange(len(levels)), levels.sizes)
        inside = 1 / levels.sizes[states]
        shares = probabilities[: len(levels)]
        total = float(shares.sum())
        if not total > 0:
            return None
        return cls(
            levels.kind,
            levels.values,
            shares[states] * inside / total,
            states,
            inside,
            spread,
            present * total,
        )

    @classmethod
    def of_levels(cls, kind: Kind, levels: LevelLaw) -> "NumberLaw":
        """A model's law, from that of its levels, given that the number is known."""
        states = np.arange(len(levels.values))
        return cls(kind, levels.values, levels.weights, states, np.ones(len(states)), levels.spread)

    @classmethod
    def of_rows(cls, kind: Kind, values: Numbers, weights: FloatArray) -> "NumberLaw":
        """A table's law: each value by its share of the rows."""
        none = np.zeros(0)
        return cls(
            kind, values, weights / weights.sum(), none.astype(np.int64), none, Spread(none), share=0.0
        )

    def joined(self, rows: "NumberLaw", share: float) -> "NumberLaw":
        """The mixture of this law, which has a `share` of it, and of a table's."""
        values = np.concatenate([self.values, rows.values])
        weights = np.concatenate([share * self.weights, (1 - share) * rows.weights])
        return replace(self, values=values, weights=weights, share=share * self.share)

    def worth_beside(self, rows: "NumberLaw", n: float, worth: float) -> float:
        """What this law counts as beside n rows, if it is worth `worth` of them in general (`worth_of_mean`)."""
        of_rows, deviation = rows.centre
        of_law, law_deviation = self.centre
        return worth_of_mean(worth, n, deviation, law_deviation, of_rows - of_law)

    def error(self, function: FloatArray) -> float:
        """The standard error of the mean of a function of the values, by the model's own error."""
        if not self.share or not self.spread.errors.any():
            return 0.0
        own = slice(len(self.states))
        of_state = np.bincount(self.states, self.inside * function[own])
        value = float(function[own] @ self.weights[own]) / max(float(self.weights[own].sum()), 1e-300)
        g = np.zeros(len(self.spread.errors))
        g[: len(of_state)] = (of_state - value) / self.present
        return self.share * self.spread.error(g)

    @cached_property
    def centre(self) -> tuple[float, float]:
        """Mean and standard deviation."""
        values, scale = self._scaled
        mean = self._mean(values)
        return scale * mean, scale * math.sqrt(self._mean((values - mean) ** 2))

    @property
    def mean_error(self) -> float:
        values, scale = self._scaled
        return scale * self.error(values)

    @property
    def deviation_error(self) -> float:
        values, scale = self._scaled
        squares = (values - self._mean(values)) ** 2
        variance, moved = self._mean(squares), self.error(squares)
        deviation = math.sqrt(variance)
        up, down = math.sqrt(variance + moved), math.sqrt(max(variance - moved, 0.0))
        return scale * max(up - deviation, deviation - down)

    def _mean(self, function: FloatArray) -> float:
        """Of a function of the values; BLAS would wake threads for it, and its sums depend on how many."""
        return float((self.weights * function).sum())

    @cached_property
    def _scaled(self) -> tuple[FloatArray, float]:
        """The values divided by the largest, so that no square is too large; and that."""
        values = self.values.astype(np.float64)
        scale = float(np.abs(values).max()) or 1.0
        return values / scale, scale

    def above(self, number: float) -> tuple[float, float]:
        larger = (self.values > number).astype(np.float64)
        return min(self._mean(larger), 1.0), self.error(larger)

    def quantile(self, level: float) -> tuple[int | float, float]:
        """The quantile of a level, and its standard error (Woodruff's)."""
        if not (isinstance(level, (int, float)) and 0 < level < 1):
            raise InferenceError(f"the level of a quantile is between 0 and 1; got {brief(level)}.")
        (at,) = self.at_levels([level])
        _, moved = self.above(at)
        low, high = self.at_levels([max(level - moved, 1e-9), min(level + moved, 1.0)])
        return at, float(max(high - at, at - low))

    def at_levels(self, levels: list[float]) -> list[int | float]:
        """The smallest values up to which the law has at least these levels."""
        values, upto = self.ascending
        places = np.searchsorted(upto, np.array(levels) - SLACK)
        return list(values[np.minimum(places, len(values) - 1)].tolist())

    @cached_property
    def ascending(self) -> tuple[Numbers, FloatArray]:
        """The values in their order, and the share up to each."""
        order = np.argsort(self.values, kind="stable")
        cumulated = np.cumsum(self.weights[order])
        return self.values[order], cumulated / cumulated[-1]


def intervals_of(laws: Sequence[NumberLaw], rows: Sequence[float]) -> list[tuple[float, float]]:
    """Where the means of populations lie, of laws that are known as from so many rows: between their values, as any mean."""
    means, deviations = np.array([law.centre for law in laws]).T
    low, high = mean_ends(means, deviations, np.array([law.mean_error for law in laws]), np.array(rows))
    low = np.maximum(low, [float(law.values.min()) for law in laws])
    high = np.minimum(high, [float(law.values.max()) for law in laws])
    return [*zip(low.tolist(), high.tolist(), strict=True)]


def worth_of_mean(worth: float, n: float, deviation: float, of_law: float, apart: float = 0.0) -> float:
    r"""How many rows a law's mean of a number counts as beside n rows that vary less, or more, than the law says.

    A law that is worth s rows has a mean as sure as that of s rows of its own, whose variance is V / s. That of the n rows
    is v / n, and two means are best joined by one over their variances: by n and s v / V. Of few rows v is hardly known, and
    one row more is taken to vary as the law says, v + V / n in place of v. More than s rows it never counts as: where rows
    vary more than the law says, it errs.

    .. math:: s_{mean} = s \min\big(1,\; v / V + 1 / n\big)

    Where both means are `apart` by more than these variances allow, the law is not as sure as that: what is left of the
    square of their distance is its variance then. Two standard errors are allowed, more where rows are few, whose own
    spread is not well known: the square is divided by 4 (1 + 30 / n).

    >>> worth_of_mean(20, 100, 0.0, 5.0), worth_of_mean(20, 100, 5.0, 5.0), worth_of_mean(20, 1, 0.0, 5.0)
    (0.2, 20.0, 20.0)
    >>> [round(worth_of_mean(20, n, 5.0, 5.0, apart=10.0), 2) for n in (1, 30, 300)]
    [20.0, 2.22, 1.11]
    """
    if not (of_law > 0 and n > 0):
        return worth
    variance = (deviation / of_law) ** 2 + 1 / n  # of the rows, in units of the law's
    left = (apart / of_law) ** 2 / (4 * (1 + FEW_ROWS / n)) - variance / n
    most = variance / left if left > 0 else math.inf
    return min(worth * min(1.0, variance), most)


class NumberSummary:
    """What an answer says of a number: its mean, standard deviation and quantiles, each with its standard error.

    Of a variable that can be missing it speaks of the numbers that are there; `present` is the probability of that, by the
    model. Of an answer that is `combined`, `interval` is where the mean of the population lies that the rows come from,
    90 % sure; `plain_interval` is the same in plain numbers, days or microseconds. It rests on `rows`.

    >>> ages = Variable("age", (10, 20, 30))
    >>> found = NumberSummary.of(ages, np.array([0.25, 0.5, 0.25]), Spread(np.zeros(3)))
    >>> found.mean, found.median, found.above(15)
    (20.0, 20, (0.75, 0.0))
    """

    def __init__(self, variable: Variable, law: NumberLaw, rows: float | None = None) -> None:
        self.variable, self.law = variable, law
        self.name, self.kind, self.present = variable.name, law.kind, law.present
        mean, deviation = law.centre
        self.mean, self.mean_error = value_of(mean, law.kind), length_of(law.mean_error, law.kind)
        self.standard_deviation = length_of(deviation, law.kind)
        self.plain_interval: tuple[float, float] | None = None
        self.interval: tuple[Value, Value] | None = None
        if rows is not None:
            ((low, high),) = intervals_of([law], [rows])
            self.plain_interval = low, high
            self.interval = value_of(low, law.kind), value_of(high, law.kind)

    @classmethod
    def of(cls, variable: Variable, probabilities: FloatArray, spread: Spread) -> "NumberSummary | None":
        """By the probabilities of its states; None where these are no numbers, or nothing is known of them."""
        law = NumberLaw.of(variable, probabilities, spread)
        return None if law is None else cls(variable, law)

    @property
    def standard_deviation_error(self) -> Length:
        return length_of(self.law.deviation_error, self.kind)

    @cached_property
    def _quantiles(self) -> dict[float, tuple[Value, Length]]:
        return {level: self.quantile(level) for level in LEVELS}

    @property
    def quantiles(self) -> Mapping[float, Value]:
        """By level: 0.05, 0.25, 0.5, 0.75 and 0.95."""
        return {level: at for level, (at, _) in self._quantiles.items()}

    @property
    def quantile_errors(self) -> Mapping[float, Length]:
        return {level: error for level, (_, error) in self._quantiles.items()}

    @property
    def median(self) -> Value:
        """The quantile of level 0.5."""
        return value_of(self.law.at_levels([0.5])[0], self.kind)

    @property
    def median_error(self) -> Length:
        return self._quantiles[0.5][1]

    def quantile(self, level: float) -> tuple[Value, Length]:
        """The quantile of any level, and its standard error."""
        at, error = self.law.quantile(level)
        return value_of(at, self.kind), length_of(error, self.kind)

    def above(self, value: object) -> tuple[float, float]:
        try:
            _, last = ends_of(self.variable, value)
        except DataError as error:
            raise InferenceError(f"{self.name!r} above a value: {error}") from None
        return self.law.above(last)

    @property
    def said_interval(self) -> str:
        """The ends of the mean's interval, for people; empty where it has none."""
        return "" if self.interval is None else " to ".join(map(shown, self.interval))

    def __repr__(self) -> str:
        return f"NumberSummary({self.name}: {self})"

    def __str__(self) -> str:
        """One line: mean, median, and where nine of ten are."""
        mean = with_error(self.mean, self.mean_error)
        median = with_error(self.median, self.median_error)
        low, high = shown(self.quantiles[0.05]), shown(self.quantiles[0.95])
        there = (
            "" if self.present > 1 - 1e-9 else f" (among the {100 * self.present:.1f} % of rows that have it)"
        )
        sure = f" [{self.said_interval}]" if self.interval else ""
        line = f"mean {mean}{sure}, median {median}, 5 % to 95 %: {low} to {high}{there}"
        return f"{line}, ±: of computing" if "±" in line else line


def shown(value: Value | Length, digits: int = 4) -> str:
    """A value for people: a number with `digits` digits, and all before its point; a date; a time in a unit that fits.

    >>> shown(51234.56), shown(0.123456), shown(dt.date(2024, 2, 29)), shown(dt.timedelta(days=2, hours=12))
    ('51235', '0.1235', '2024-02-29', '2.5 days')
    """
    if isinstance(value, dt.timedelta):
        for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
            if abs(value.total_seconds()) >= unit:
                return f"{shown(value.total_seconds() / unit, digits)} {name}"
        return f"{shown(value.total_seconds(), digits)} s"
    if isinstance(value, dt.datetime):
        return value.isoformat(" ", "minutes").removesuffix(" 00:00")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, int):
        return str(value)
    if value == 0 or not 1e-4 <= abs(value) < 1e15:
        return f"{value:.{digits}g}"
    text = f"{value:.{max(digits - 1 - math.floor(math.log10(abs(value))), 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def shown_long(value: Value) -> str:
    """The same, a long number with thousands separators.

    >>> shown_long(51234.56), shown_long(2024)
    ('51,235', '2024')
    """
    long = isinstance(value, (int, float)) and abs(value) >= SEPARATED
    return f"{value:,.0f}" if long else shown(value)


def with_error(value: Value, error: Length) -> str:
    """A value and the error of computing it, two digits of it, where that changes a digit that is shown.

    >>> with_error(34077.2, 218.3), with_error(34077, 0.0), with_error(34077, 0.4)
    ('34077 ± 218', '34077', '34077')
    """
    return f"{shown(value)} ± {shown(error, 2)}" if error > _unit(value) / 2 else shown(value)


def _unit(value: Value) -> Length:
    """What the last shown digit of a value stands for."""
    if isinstance(value, dt.timedelta):
        seconds = abs(value.total_seconds())
        unit = next((unit for unit in (86_400, 3_600, 60) if seconds >= unit), 1)
        return dt.timedelta(seconds=unit * _unit(seconds / unit))
    if isinstance(value, dt.date):
        return dt.timedelta(minutes=1) if isinstance(value, dt.datetime) else dt.timedelta(days=1)
    if isinstance(value, int) or value == 0:
        return 1.0 if value else 1e-4
    last = math.floor(math.log10(abs(value))) - 3
    return 10.0 ** (min(last, 0) if 1e-4 <= abs(value) < 1e15 else last)


def value_of(number: float, kind: Kind) -> Value:
    """A number as its kind has it; a mean of dates is the day that it falls on."""
    if kind == "date":
        day = min(max(math.floor(number), FIRST_DAY), LAST_DAY)
        return dt.date.fromordinal(day + dt.date(1970, 1, 1).toordinal())
    if kind == "datetime":
        moment = min(max(round(number), FIRST_DAY * DAY), (LAST_DAY + 1) * DAY - 1)
        return dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=moment)
    return dt.timedelta(microseconds=round(number)) if kind == "duration" else number


def length_of(number: float, kind: Kind) -> Length:
    """A difference of numbers as its kind has it."""
    if kind == "date":
        return dt.timedelta(days=number)
    return dt.timedelta(microseconds=number) if kind in ("datetime", "duration") else number
