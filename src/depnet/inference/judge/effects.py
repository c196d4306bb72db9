r"""What the tables of a target say of every variable: where it would lead the target, and what it would tell of it.

With z_j(x) the measure of the target (`measure`) given what is known and X_j = x, variable j can lead it anywhere between
the least and the greatest z_j. A state that hardly ever comes should not decide that: X_j is seen as it is given what is
known, and the *reach* of j goes from the 2 % to the 98 % quantile of z_j(X_j): all but the rarest facts about X_j lead to
somewhere within. What a fact about X_j is expected to tell is

.. math:: I(T; X_j \mid x_C) = \sum_{t, x} P(t, x) \log_2 \frac{P(t, x)}{P(t) P(x)} \text{ bits}

(P given what is known). Where tables were drawn, standard errors are of the jackknife: each batch of draws is left out
once. It also takes off what chance adds to an information. What no draw has met shows in no batch: so one more draw, as
far off as the target itself varies, is counted into every error.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.variable import Variable
from depnet.inference.judge.measure import Measure
from depnet.inference.ordered.target_tables import TargetTables

LEVEL = 0.02
"""The share of facts beyond each end of a reach."""
TABLE_CELLS, MOST_CLASSES = 1 << 20, 32
"""States of the target are taken together in classes where there are more than this, or tables would be larger than that."""


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """One variable: z_j(x) of each state with its standard error (nan: no draw), and what the variable would tell."""

    variable: Variable
    probabilities: FloatArray
    """P(x) given what is known."""
    values: FloatArray
    errors: FloatArray
    low: int
    """The state at the lower end of the reach."""
    high: int
    bits: float
    bits_error: float

    @property
    def width(self) -> float:
        """Of the reach."""
        return float(self.values[self.high] - self.values[self.low])

    @property
    def error(self) -> float:
        """The larger standard error of its ends; infinite where one is not known."""
        larger = max(float(self.errors[self.low]), float(self.errors[self.high]))
        return math.inf if math.isnan(larger) else larger


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """What tables say of the measure, and of every variable, the widest reach first."""

    value: float
    error: float
    deviation: float
    """The standard deviation of what is measured."""
    each: tuple[Effect, ...]
    law: FloatArray | None
    """Of the target, unless its states are too many to be kept apart."""
    entropy: float
    """Of the target, in bits: no fact can tell more."""

    @property
    def error_of_ends(self) -> float:
        """The largest standard error at an end of a reach that has two."""
        return max((effect.error for effect in self.each if effect.width > 0), default=0.0)


def columns_of(measure: Measure, cells: int) -> FloatArray:
    """[state, k]: the classes of the target's states, then g h, then h."""
    states = len(measure.values)
    classes = min(states, max(2, min(MOST_CLASSES, TABLE_CELLS // max(cells, 1))))
    of_state = np.arange(states) * classes // states
    counted = np.stack([measure.values * measure.counts, measure.counts], axis=1)
    return np.concatenate([np.eye(classes)[of_state], counted], axis=1)


def effects_of(
    tables: TargetTables, variables: Sequence[Variable], measure: Measure, columns: FloatArray
) -> Effects:
    """What follows from the tables; of exact ones all errors are 0."""
    sums, totals = tables.sums.sum(axis=0), tables.totals.sum(axis=0)
    p, z, bits = sums[:, :-2].sum(axis=1), _ratio(sums), _bits(sums, totals, tables.begin)
    value = float(totals[-2] / totals[-1]) if totals[-1] > 0 else math.nan
    deviation = _deviation(totals, measure, columns)
    z_errors, bits_errors, error = np.zeros_like(z), np.zeros_like(bits), 0.0
    batches = len(tables.sums)
    if batches > 1:
        left = [(sums - part, totals - own) for part, own in zip(tables.sums, tables.totals, strict=True)]
        one_more = 1 / (tables.effective * p + 2)
        z_errors = np.hypot(_jackknife([_ratio(part) for part, _ in left]), deviation * one_more)
        error = float(_jackknife([np.array([own[-2] / own[-1]]) for _, own in left])[0])
        error = math.hypot(error, deviation / (tables.effective + 2))
        without = [_bits(part, own, tables.begin) for part, own in left]
        bits_errors = np.hypot(_jackknife(without), _entropy(totals[:-2]) / (tables.effective + 2))
        bits = np.maximum(batches * bits - (batches - 1) * np.mean(without, axis=0), 0.0)
    found = []
    for v, variable in enumerate(variables):
        cells = slice(tables.begin[v], tables.begin[v + 1])
        low, high = reach(p[cells], z[cells])
        found.append(
            Effect(
                variable,
                p[cells],
                z[cells],
                z_errors[cells],
                low,
                high,
                float(bits[v]),
                float(bits_errors[v]),
            )
        )
    effects = sorted(found, key=lambda effect: (-effect.width, -effect.bits))
    law = totals[:-2] if len(totals) - 2 == len(measure.values) else None
    return Effects(value, error, deviation, tuple(effects), law, _entropy(totals[:-2]))


def _deviation(totals: FloatArray, measure: Measure, columns: FloatArray) -> float:
    """The standard deviation of g(T) as far as the classes of T show it."""
    law, classes = totals[:-2], columns[:, :-2]
    size = classes.T @ measure.counts
    values = (classes.T @ (measure.values * measure.counts)) / np.maximum(size, 1)
    law = law * (size > 0)
    if not law.sum() > 0:
        return 0.0
    law = law / law.sum()
    return float(np.sqrt(max(law @ values**2 - (law @ values) ** 2, 0.0)))


def _entropy(law: FloatArray) -> float:
    """In bits; 0 log 0 is 0."""
    positive = law[law > 0]
    return max(0.0, -float(positive @ np.log2(positive)))


def reach(probabilities: FloatArray, values: FloatArray, level: float = LEVEL) -> tuple[int, int]:
    """The states at the quantiles `level` and 1 - `level` of the values, weighed by their probabilities.

    >>> reach(np.array([0.01, 0.49, 0.5]), np.array([0.9, 0.1, 0.3]))
    (1, 2)
    """
    order = [x for x in np.argsort(values, kind="stable").tolist() if not math.isnan(values[x])]
    if not order:
        return 0, 0
    up = np.cumsum(probabilities[order])
    low = int(np.searchsorted(up, level * up[-1], side="left"))
    down = np.cumsum(probabilities[order[::-1]])
    high = int(np.searchsorted(down, level * down[-1], side="left"))
    return order[min(low, len(order) - 1)], order[max(len(order) - 1 - high, 0)]


def _ratio(sums: FloatArray) -> FloatArray:
    """z(x) of every cell; nan where it has no mass."""
    found = np.full(len(sums), np.nan)
    np.divide(sums[:, -2], sums[:, -1], out=found, where=sums[:, -1] > 0)
    return found


def _bits(sums: FloatArray, totals: FloatArray, begin: IntArray) -> FloatArray:
    """I(T; X_j) of each variable, T by its classes, in bits; sums need not be normalised."""
    joint = sums[:, :-2]
    if not len(joint):
        return np.zeros(0)
    whole = float(totals[:-2].sum())
    alone = joint.sum(axis=1, keepdims=True) * (totals[:-2] / whole)
    ratio = np.divide(joint, alone, out=np.ones_like(joint), where=(joint > 0) & (alone > 0))
    told = (joint * np.log2(ratio)).sum(axis=1) / whole
    return np.asarray(np.maximum(np.add.reduceat(told, begin[:-1]), 0.0))


def _jackknife(without: Sequence[FloatArray]) -> FloatArray:
    """Standard errors of estimates from what they are without each batch; nan where one cannot do without a batch."""
    each = np.stack(without)
    return np.asarray(np.sqrt((len(each) - 1) / len(each) * ((each - each.mean(axis=0)) ** 2).sum(axis=0)))
