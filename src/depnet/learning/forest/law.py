r"""The law of a number: what its forest says, moved by a correction and calibrated on rows not seen.

Calibration: u = F(y | x) of rows that trees have not drawn would be uniform if the laws were right. With G the distribution
of these u, the quantile at level a is asked for at

.. math:: a' = G^{-1}(a)

instead, drawn towards a itself where rows are few. Before that, the correction of the mean may move the whole law, and draw
it together around the new mean, which knows more than the forest does:

.. math:: y' = m' + s \, (y + m' - m - m'), \qquad s \in \{1, 0.8, \dots\}

Whether, and by how much, is decided by the CRPS of these rows: a column of a few heaped values keeps them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.learning.crps import crps
from depnet.learning.forest.column import Forest, Unseen
from depnet.learning.forest.ridge import Correction, fit_correction
from depnet.learning.forest.tree import Values

LEVELS = np.arange(1, 20) / 20
AS_IS = 10.0
"""Rows that the levels as they are count for."""

SCALES = (1.0, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05)
"""Of the spread of a law that is moved."""


@dataclass(frozen=True, eq=False)
class NumberLaw:
    """A number's forest, what is added to its mean, and how its quantiles are asked for."""

    forest: Forest
    others: Sequence[int]
    """The columns that the correction reads, before the forest's own mean."""
    correction: Correction
    scale: float
    """Of the spread of a law that the correction moves; 0 where it moves the mean alone, and the law stays as it is."""
    ranks: FloatArray
    """u of rows not seen, ascending."""
    low: float
    high: float
    """No mean lies beyond what was observed."""

    def corrected(self, mean: FloatArray, centre: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The mean of some rows, corrected, and what was added; `centre` [row, column] are all columns' means."""
        added = self.correction.of(np.column_stack([centre[:, list(self.others)], mean]))
        whole = np.clip(mean + added, self.low, self.high)
        return whole, whole - mean

    def quantiles(
        self,
        tables: Sequence[Values],
        rows: NDArray[np.int32],
        mean: FloatArray,
        added: FloatArray,
        levels: Sequence[float],
        rng: np.random.Generator,
    ) -> FloatArray:
        """[row, level] of some rows, whose corrected means and what was added to them are given."""
        members = self.forest.members(tables, rows, rng)
        found = quantiles_of(members, _asked(self.ranks, np.asarray(levels)))
        if not self.scale:
            return found
        return np.clip(_moved(found, mean, added, self.scale), self.low, self.high)


def number_law(
    forest: Forest,
    unseen: Unseen,
    target: FloatArray,
    others: Sequence[int],
    centre: FloatArray,
    rng: np.random.Generator,
) -> NumberLaw:
    """The law of a number, from what its forest says of rows not seen; `target` and `centre` are of all rows."""
    truth = target[unseen.rows]
    columns = np.column_stack([centre[unseen.rows][:, list(others)], unseen.mean])
    correction = fit_correction(columns, truth - unseen.mean)
    added = correction.of(columns)[unseen.judged]
    mean = unseen.mean[unseen.judged] + added
    truth = truth[unseen.judged]
    quantiles = quantiles_of(unseen.members, LEVELS)
    scale, least = 0.0, crps(quantiles, truth, LEVELS).mean()
    for candidate in SCALES if added.any() else ():
        now = crps(_moved(quantiles, mean, added, candidate), truth, LEVELS).mean()
        if now < least:
            scale, least = candidate, now
    members = _moved(unseen.members, mean, added, scale) if scale else unseen.members
    count = (~np.isnan(members)).sum(axis=1)
    below = (members < truth[:, None]).sum(axis=1)
    until = (members <= truth[:, None]).sum(axis=1)
    ranks = np.sort((below + rng.random(len(truth)) * (until - below)) / np.maximum(count, 1))
    observed = target[unseen.rows]
    return NumberLaw(forest, others, correction, scale, ranks, float(observed.min()), float(observed.max()))


def _moved(values: FloatArray, mean: FloatArray, added: FloatArray, scale: float) -> FloatArray:
    """Values [row, ...] moved by what is added, and drawn together around the mean."""
    return np.asarray(mean[:, None] + scale * (values + (added - mean)[:, None]))


def _asked(ranks: FloatArray, levels: FloatArray) -> FloatArray:
    if not len(ranks):
        return levels
    calibrated = np.quantile(ranks, levels)
    return np.asarray((len(ranks) * calibrated + AS_IS * levels) / (len(ranks) + AS_IS))


def quantiles_of(members: FloatArray, levels: FloatArray) -> FloatArray:
    """[row, level] of rows of ascending values, nan at their ends.

    >>> quantiles_of(np.array([[1.0, 2.0, 3.0, np.nan]]), np.array([0.0, 0.5, 1.0])).tolist()
    [[1.0, 2.0, 3.0]]
    """
    count = (~np.isnan(members)).sum(axis=1)[:, None]
    place = np.minimum((levels * count).astype(np.int64), np.maximum(count - 1, 0))
    return np.asarray(np.take_along_axis(members, place, axis=1))
