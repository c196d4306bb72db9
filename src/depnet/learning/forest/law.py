r"""The law of a number: what its forest says, moved by a correction and calibrated on rows not seen.

Calibration: u = F(y | x) of rows that trees have not drawn would be uniform if the laws were right. With G the distribution
of these u, the quantile at level a is asked for at

.. math:: a' = G^{-1}(a)

instead, drawn towards a itself where rows are few. Whether the correction of the mean moves the whole law is decided by the
CRPS of these rows: a column of a few heaped values keeps them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.learning.forest.column import Forest, Unseen
from depnet.learning.forest.ridge import Correction, fit_correction
from depnet.learning.forest.tree import Values

LEVELS = np.arange(1, 20) / 20
AS_IS = 50.0
"""Rows that the levels as they are count for."""


@dataclass(frozen=True, eq=False)
class NumberLaw:
    """A number's forest, what is added to its mean, and how its quantiles are asked for."""

    forest: Forest
    others: Sequence[int]
    """The columns that the correction reads, before the forest's own mean."""
    correction: Correction
    moved: bool
    """Does the correction move the whole law, and not its mean alone?"""
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
        added: FloatArray,
        levels: Sequence[float],
        rng: np.random.Generator,
    ) -> FloatArray:
        """[row, level] of some rows."""
        members = self.forest.members(tables, rows, rng)
        asked = _asked(self.ranks, np.asarray(levels))
        found = quantiles_of(members, asked)
        return np.clip(found + added[:, None], self.low, self.high) if self.moved else found


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
    added = correction.of(columns)[unseen.judged][:, None]
    truth = truth[unseen.judged]
    moved = bool(
        added.any()
        and crps(quantiles_of(unseen.members, LEVELS) + added, truth, LEVELS).mean()
        < crps(quantiles_of(unseen.members, LEVELS), truth, LEVELS).mean()
    )
    members = unseen.members + added if moved else unseen.members
    count = (~np.isnan(members)).sum(axis=1)
    below = (members < truth[:, None]).sum(axis=1)
    until = (members <= truth[:, None]).sum(axis=1)
    ranks = np.sort((below + rng.random(len(truth)) * (until - below)) / np.maximum(count, 1))
    observed = target[unseen.rows]
    return NumberLaw(forest, others, correction, moved, ranks, float(observed.min()), float(observed.max()))


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


def crps(quantiles: FloatArray, truth: FloatArray, levels: FloatArray) -> FloatArray:
    """Of each row, twice the mean pinball loss of its quantiles [row, level]: about its continuous ranked probability score.

    >>> crps(np.array([[0.0]]), np.array([1.0]), np.array([0.5])).tolist()
    [1.0]
    """
    above = truth[:, None] - quantiles
    return np.asarray(2 * np.maximum(levels * above, (levels - 1) * above).mean(axis=1))
