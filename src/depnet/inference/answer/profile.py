"""A column of a table for a picture: the shares of its states, what is missing, of a number bars of equal widths.

Bins of a model hold about equally many rows each, so that bars of them would all be alike. Bars count values: those of the
rows, or those that the model keeps, by its law. Their edges are at round values; where a few values lie far out, which would
leave one bar for all others, the bars end before these.
"""

import math
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Domain, Holed, Variable
from depnet.data.binning.bins import Kind
from depnet.inference.answer.numbers import NumberLaw, NumberSummary
from depnet.inference.answer.observed import MatchingRows
from depnet.inference.answer.part import Spread
from depnet.inference.answer.target import targets_of
from depnet.model.evidence import NOTHING
from depnet.model.marginals import MarginalCounts

ENDS = (0.005, 0.995)
"""Bars go from the one quantile to the other; to the ends of the values where these are near."""
ROUND = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""Widths of bars, but for powers of ten."""
SECOND, MINUTE, HOUR, DAY = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000
UNITS = {"date": (1,), "datetime": (1, SECOND, MINUTE, HOUR, DAY), "duration": (1, SECOND, MINUTE, HOUR, DAY)}
"""What whole widths of times are counted in, from the smallest."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """`counts` of its known states, the share of its cells that are `missing`, of a number its summary."""

    counts: FloatArray
    missing: float
    numbers: NumberSummary | None

    @property
    def shares(self) -> FloatArray:
        return np.asarray(self.counts / max(float(self.counts.sum()), 1.0))


def column_of(domain: Domain, data: Holed | None, counts: MarginalCounts | None, i: int) -> Profile | None:
    """Column i of a table; without one, from 1-way counts; None where there is neither."""
    if data is not None and data.total:
        return _of_table(data, i)
    if counts is None or not counts.total:
        return None
    return of_counts(domain.variables[i], counts.singles[i].astype(np.float64), counts.total)


def of_counts(variable: Variable, counts: FloatArray, total: float) -> Profile:
    """A column of which only the states are counted, that of missing values too; `total` counts all its cells."""
    each = counts[: len(variable.present_states)].astype(np.float64)
    shares = each / max(float(each.sum()), 1.0)
    law = None if variable.bins is None else NumberLaw.of(variable, shares, Spread(np.zeros(len(shares))))
    numbers = None if law is None else NumberSummary(variable, law)
    return Profile(each, 1 - float(each.sum()) / max(total, 1.0), numbers)


def _of_table(data: Holed, i: int) -> Profile:
    variable = data.domain.variables[i]
    rows = MatchingRows.of(data.domain, NOTHING, data)
    seen, missing = rows.seen(targets_of(data.domain, variable.name)), rows.missing_share(i)
    counts = np.nan_to_num(seen.frequencies) * seen.rows
    if seen.numbers is None or variable.bins is None:
        return of_counts(variable, counts, seen.rows / max(1 - missing, 1e-12))
    return Profile(counts, missing, NumberSummary(variable, seen.numbers))


def bar_edges(law: NumberLaw, bars: int) -> FloatArray:
    """The edges of at most so many bars; whole numbers lie in the middle of theirs, or of those that share it.

    >>> bar_edges(NumberLaw.of_rows("integer", np.array([1, 2, 4]), np.ones(3)), 10).tolist()
    [0.5, 1.5, 2.5, 3.5, 4.5]
    """
    low, high = reach_of(law)
    if low == high:
        return np.array([low - 0.5, low + 0.5])
    return even_edges(low, high, law.kind, bars) - (0.5 if law.kind == "integer" else 0.0)


def share_of_bars(law: NumberLaw, edges: FloatArray) -> FloatArray:
    """[bar]: the share of the values from its edge to the next; what lies beyond the last is in none."""
    inside = (law.values >= edges[0]) & (law.values < edges[-1])
    codes = np.searchsorted(edges[1:-1], law.values[inside], side="right")
    return np.bincount(codes, law.weights[inside], minlength=len(edges) - 1).astype(np.float64)


def reach_of(law: NumberLaw) -> tuple[float, float]:
    """What bars go from and to: where a few values lie far out, not to these."""
    values, upto = law.ascending
    low, high = map(float, values[np.minimum(np.searchsorted(upto, ENDS), len(values) - 1)])
    room = (high - low) / 8
    first, last = float(values[0]), float(values[-1])
    return first if low - first <= room else low, last if last - high <= room else high


def even_edges(low: float, high: float, kind: Kind, bars: int) -> FloatArray:
    unit = 1
    if kind in UNITS:
        unit = [u for u in UNITS[kind] if high - low >= bars * u or u == 1][-1]
        step: float = unit * math.ceil((high - low + 1) / bars / unit)
    else:
        step = round_step((high - low) / bars, ROUND)
        if kind == "integer":
            step = max(1.0, math.ceil(step))
    while True:
        first = math.floor(low / step + 1e-9)
        count = math.floor(high / step + 1e-9) + 1 - first
        if count <= bars:
            break
        more = 1.01 * step
        step = round_step(more, ROUND) if kind == "float" else unit * math.ceil(more / unit)
    edges = [tidy((first + k) * step, step) for k in range(count + 1)]
    return np.array(edges, dtype=np.float64)


def round_step(step: float, mantissas: tuple[float, ...]) -> float:
    """The smallest round number that is no less."""
    tens = 10.0 ** math.floor(math.log10(step))
    return next((m * tens for m in mantissas if m * tens >= step * (1 - 1e-9)), 10 * tens)


def tidy(number: float, step: float) -> float:
    """A multiple of a step without the dust of floating point."""
    return round(number, max(3 - math.floor(math.log10(step)), 0))
