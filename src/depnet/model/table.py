"""Conditional distribution tables theta_i(X_i | Y_i) (Sec. 2.1, Theorem 4)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.errors import ModelError

ROW_SUM_TOLERANCE = 1e-9
"""How far a row given as probabilities may be from summing to one; it is then normalised."""


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalTable:
    """`probabilities[leaf, state]` is theta_i(state | leaf); every row is a distribution.

    Where it was learned, `counts` are the rows of data behind it and `smoothing` the pseudo-count of
    each cell, so that smoothing can change and new rows be added without relearning.
    """

    probabilities: FloatArray
    counts: IntArray | None = None
    smoothing: float | None = None

    @classmethod
    def from_probabilities(cls, probabilities: ArrayLike) -> "ConditionalTable":
        """A table from its rows, each of which must be a distribution (to 1e-9; then normalised)."""
        rows = np.array(probabilities, dtype=np.float64, order="C")
        if rows.ndim != 2 or 0 in rows.shape:
            raise ModelError(f"a conditional table is [leaf, state]; got the shape {rows.shape}.")
        totals = rows.sum(axis=1)
        good = (rows >= 0).all(axis=1) & (np.abs(totals - 1) <= ROW_SUM_TOLERANCE)
        if not good.all():
            r = int(np.flatnonzero(~good)[0])
            raise ModelError(
                f"row {r} of the conditional table is not a distribution: it sums to {totals[r]:.12g} and its "
                f"least entry is {rows[r].min():.6g}. Build it from counts with "
                "ConditionalTable.from_counts(counts, smoothing=0.5)."
            )
        rows /= totals[:, None]
        return cls(read_only(rows))

    @classmethod
    def from_counts(cls, counts: ArrayLike, smoothing: float = 0.0) -> "ConditionalTable":
        r"""The table learned from counts N_yx, with a pseudo-count s per cell.

        .. math:: \theta(x \mid y) = \frac{N_{yx} + s}{N_y + s\,|X|}

        With `smoothing=0` this is the paper's p^D(X_i | Y_i) (Theorem 4); an empty leaf is uniform.

        >>> ConditionalTable.from_counts([[3, 1], [0, 0]]).probabilities.tolist()
        [[0.75, 0.25], [0.5, 0.5]]
        """
        smoothing = checked_smoothing(smoothing)
        raw = np.asarray(counts)
        if raw.ndim != 2 or 0 in raw.shape or raw.dtype.kind not in "ui":
            raise ModelError(f"counts are integers [leaf, state]; got shape {raw.shape} of {raw.dtype}.")
        if raw.min() < 0:
            leaf, state = np.argwhere(raw < 0)[0]
            raise ModelError(
                f"the count of leaf {leaf}, state {state} is {raw[leaf, state]}; counts are not negative."
            )
        whole = np.array(raw, dtype=np.int64, order="C")
        cells = whole + smoothing
        totals = cells.sum(axis=1, keepdims=True)
        uniform = np.full_like(cells, 1.0 / cells.shape[1])
        rows = np.divide(cells, totals, out=uniform, where=totals > 0)
        return cls(read_only(rows), read_only(whole), smoothing)

    @property
    def size(self) -> int:
        """The number of leaves, |Y_i|."""
        return int(self.probabilities.shape[0])

    @property
    def states(self) -> int:
        """The number of states of the target, |X_i|."""
        return int(self.probabilities.shape[1])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConditionalTable):
            return NotImplemented
        if (self.counts is None) != (other.counts is None) or self.smoothing != other.smoothing:
            return False
        if (
            self.counts is not None
            and other.counts is not None
            and not np.array_equal(self.counts, other.counts)
        ):
            return False
        return np.array_equal(self.probabilities, other.probabilities)

    __hash__ = None  # type: ignore[assignment]


def checked_smoothing(smoothing: float) -> float:
    """`smoothing` as a finite float of at least 0."""
    if isinstance(smoothing, bool) or not isinstance(smoothing, (int, float, np.number)):
        raise ModelError(f"smoothing is a number of at least 0; got {smoothing!r}.")
    value = float(smoothing)
    if not (math.isfinite(value) and value >= 0):
        raise ModelError(f"smoothing is a finite number of at least 0; got {smoothing!r}.")
    return value
