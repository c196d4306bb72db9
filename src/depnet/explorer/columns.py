"""What the cells of a column are, from the table itself or from what the model file has counted: shares, numbers, holes."""

from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Domain, Holed, Variable
from depnet.inference.answer.numbers import NumberLaw, NumberSummary
from depnet.inference.answer.observed import MatchingRows
from depnet.inference.answer.part import Spread
from depnet.inference.answer.target import targets_of
from depnet.model.evidence import NOTHING
from depnet.model.marginals import MarginalCounts

BARS = 16
"""Bars of a small picture; of more states, the first."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """`counts` of its known states, the share of its cells that are `missing`, of a number its summary and a picture."""

    counts: FloatArray
    missing: float
    numbers: NumberSummary | None
    heights: FloatArray
    """Of a category a bar for each state, of a number a histogram of equal widths."""

    @property
    def shares(self) -> FloatArray:
        return np.asarray(self.counts / max(float(self.counts.sum()), 1.0))


def column_of(domain: Domain, data: Holed | None, counts: MarginalCounts | None, i: int) -> Column | None:
    """Column i of a table; without one, from 1-way counts; None where there is neither."""
    if data is not None and data.total:
        return _of_table(data, i)
    if counts is None or not counts.total:
        return None
    return of_counts(domain.variables[i], counts.singles[i].astype(np.float64), counts.total)


def of_counts(variable: Variable, counts: FloatArray, total: float) -> Column:
    """A column of which only the states are counted, that of missing values too; `total` counts all its cells."""
    each = counts[: len(variable.present_states)].astype(np.float64)
    shares = each / max(float(each.sum()), 1.0)
    law = None if variable.bins is None else NumberLaw.of(variable, shares, Spread(np.zeros(len(shares))))
    numbers = None if law is None else NumberSummary(variable, law)
    heights = shares[:BARS] if law is None else _histogram(law, shares)
    return Column(each, 1 - float(each.sum()) / max(total, 1.0), numbers, heights)


def _of_table(data: Holed, i: int) -> Column:
    variable = data.domain.variables[i]
    rows = MatchingRows.of(data.domain, NOTHING, data)
    seen, missing = rows.seen(targets_of(data.domain, variable.name)), rows.missing_share(i)
    counts = np.nan_to_num(seen.frequencies) * seen.rows
    if seen.numbers is None or variable.bins is None:
        return of_counts(variable, counts, seen.rows / max(1 - missing, 1e-12))
    law = seen.numbers.law(variable.bins.kind)
    heights = _histogram(law, np.nan_to_num(seen.frequencies))
    return Column(counts, missing, NumberSummary(variable, law), heights)


def _histogram(law: NumberLaw, shares: FloatArray) -> FloatArray:
    """Bars of equal widths from the 1 % to the 99 % quantile: what lies beyond is in the first bar and the last.

    Bins hold about equally many rows, so that bars of them would all be alike. A number of one or two states has these.
    """
    if len(shares) <= 2:
        return shares
    low, high = (float(law.quantile(level)[0]) for level in (0.01, 0.99))
    if low == high:
        return shares[:BARS]
    clipped = np.clip(law.values.astype(np.float64), low, high)
    return np.histogram(clipped, BARS, (low, high), weights=law.weights)[0]
