r"""How far out a number lies: which share of its column's values lies at least as far, also beyond all that were seen.

Bins keep some of the values of a column (`depnet.data.binning.bins`). The m values that the last bin keeps stand in the
middle of m parts of it, all as likely, so that a share 1 - (k - 1/2) / m of the bin is at or above its k-th value, straight
lines in between. No row is its own witness: the *end* is the last kept value that another row reaches, too. The middle of a
part of c / m rows has c / 2m of them at or beyond it, so that of at most 2m rows the last kept value is the extreme of the
column itself, which may be a mistake, and the end is the last but one (if it is not the lowest of all); of more, the extreme
is not kept. Beyond the end lies what is left: half a part, or one and a half, and never less than one in n + 1 of all
values. That falls as an exponential,

.. math:: P(X > end + z) = P(X > end) \exp(-z / scale), \qquad scale = (end - q) / \log \frac{P(X \ge q)}{P(X \ge end)},

the one that also goes through q, above which a tenth of all values lies (half of them, or all, where a tenth is at the end
itself). All of the column's mass is thus somewhere, once, and multiplied numbers have the same shares. The low end is the
high end of the numbers with another sign.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.data.binning.bins import Bins, Numbers

OUTER = (0.1, 0.5, 1.0)
"""The shares above q: the first that tells q from the end."""

FARTHEST = 600.0
"""No number counts as further out than so many scales: e^-600 is a number, if a small one."""


@dataclass(frozen=True, slots=True, eq=False)
class Tail:
    """One end of a column: of the outermost bin, the `shares` at or beyond kept `values`, and how it falls past the last."""

    sign: int
    """1 of the high end, -1 of the low one: `values` are numbers times this, and ascend."""
    values: FloatArray
    shares: FloatArray
    beyond: float
    """The share of the bin past the last of the values."""
    scale: float

    @classmethod
    def high(cls, kept: Sequence[FloatArray], masses: FloatArray, rows: int, sign: int = 1) -> "Tail":
        """The high tail of bins that keep these values, ascending, and have these shares of the `rows` of a column."""
        own, mass = kept[-1], max(float(masses[-1]), 1e-300)
        size = len(own)
        left = 0.5
        if size > 1 and mass * rows < 2 * size + 0.5 and own[-2] > kept[0][0]:  # masses are smoothed counts
            own, left = own[:-1], 1.5
        values, first = np.unique(own, return_index=True)
        least = min(1.0, 1 / (rows + 1) / mass)
        if size == 1:  # all values of the bin are this one
            shares, beyond, at_end = np.ones(1), least, mass
        else:
            shares, beyond = np.maximum(1 - (first + 0.5) / size, least), max(left / size, least)
            at_end = mass * left / size
        return cls(sign, values, shares, min(beyond, 1.0), _scale(kept, masses, float(values[-1]), at_end))

    def log_share(self, numbers: Numbers) -> FloatArray:
        """The log of the share of the bin that lies at least as far out as each number of it.

        >>> tail = tails_of(Bins((0, 5, 10), ((1, 2), (6, 8)), "integer"), np.array([0.5, 0.5]), 4)[1]
        >>> np.exp(tail.log_share(np.array([5, 6, 8]))).round(3).tolist()
        [1.0, 0.75, 0.507]
        """
        out = self.sign * np.asarray(numbers, dtype=np.float64)
        end = self.values[-1]
        found = np.log(np.interp(out, self.values, self.shares, left=1.0))
        past = np.flatnonzero(out > end)
        with np.errstate(over="ignore"):
            far = np.minimum((out[past] - end) / self.scale, FARTHEST)
        found[past] = math.log(self.beyond) - far
        return np.asarray(found)


def tails_of(bins: Bins, masses: FloatArray, rows: int) -> tuple[Tail, Tail]:
    """The low and the high end of a column of so many rows, whose bins have these shares of them."""
    kept = [np.array(values, dtype=np.float64) for values in bins.quantiles]
    turned = [-values[::-1] for values in reversed(kept)]
    return Tail.high(turned, masses[::-1], rows, -1), Tail.high(kept, masses, rows)


def log_shares(
    bins: Bins, masses: FloatArray, rows: int, numbers: Numbers, codes: NDArray[np.integer]
) -> FloatArray:
    """For each number and its bin, the log of the share of an outermost bin that is at least as far out; 0 inside.

    Where there is but one bin, of the nearer end.
    """
    found = np.zeros(len(codes))
    for code, tail in zip((0, len(bins) - 1), tails_of(bins, masses, rows), strict=True):
        own = np.flatnonzero(codes == code)
        found[own] = np.minimum(found[own], tail.log_share(numbers[own]))
    return found


def _scale(kept: Sequence[FloatArray], masses: FloatArray, end: float, at_end: float) -> float:
    """How far the exponential goes to fall to a part in e; infinite where all values are one."""
    values = np.concatenate(kept)
    each = np.repeat(masses / np.array([len(own) for own in kept]), [len(own) for own in kept])
    above = np.cumsum(each[::-1])[::-1]
    for share in OUTER:
        at = int(np.flatnonzero(above >= min(share, float(above[0])))[-1])
        if values[at] < end and above[at] > at_end > 0:
            return (end - float(values[at])) / math.log(float(above[at]) / at_end)
    return math.inf
