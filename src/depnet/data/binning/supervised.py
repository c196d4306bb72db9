r"""Supervised bins: cut a column of numbers where another column changes (Fayyad and Irani 1993).

A set S of N rows with k classes and entropy H(S), in bits, is cut in two, S_1 and S_2, at the value with the
largest gain :math:`G = H(S) - \sum_j |S_j| / N \; H(S_j)`, if the gain pays for its description:

.. math:: N G > \log_2(N - 1) + \log_2(3^k - 2) - [k H(S) - k_1 H(S_1) - k_2 H(S_2)]

and both parts are cut again. The largest N G goes first, so that a limit on the number of bins keeps the best.
"""

import heapq
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.data.binning.bins import Bins, Kind, Numbers
from depnet.data.binning.cut import bins_at
from depnet.errors import DataError, brief

MAX_COUNTS = 2**22
"""Where different values times classes are more, cuts are sought between cells of about as many rows each."""

_EQUAL = 1e-9
"""Gains (N G, in bits) that differ by less are equal: the first cut is taken."""


@dataclass(frozen=True, slots=True)
class SupervisedCut:
    """Bin a column, or all numeric ones, by what it says about the column `target`.

    >>> SupervisedCut("survived").target
    'survived'
    """

    target: str

    def __post_init__(self) -> None:
        if not isinstance(self.target, str):
            raise DataError(f"a supervised cut has the name of a column; got {brief(self.target)}.")


def supervised_bins(values: Numbers, classes: NDArray[np.int64], kind: Kind, max_bins: int) -> Bins:
    """Bins of `values` cut against the classes 0, 1, ... of the same rows; one bin where no cut pays.

    >>> supervised_bins(np.arange(20.0), np.repeat([0, 1], 10), "float", 16).labels
    ('[0, 10)', '[10, 20]')
    """
    order = np.argsort(values, kind="stable")
    ordered, labels = values[order], classes[order]
    first = np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))
    number = np.arange(len(first))
    width = int(labels.max()) + 1
    cells = max(2, MAX_COUNTS // width)
    if len(first) > cells:
        targets = np.arange(cells) * len(ordered) // cells
        number = np.unique(np.searchsorted(first, targets))  # distinct values at which a cell begins
        number = number[number < len(first)]
    begin = first[number]
    cell = np.repeat(np.arange(len(begin)), np.diff(np.append(begin, len(ordered))))
    counts = np.bincount(cell * width + labels, minlength=len(begin) * width).reshape(-1, width)
    cuts = best_cuts(counts, max_bins)
    return bins_at(ordered, number[np.array(cuts, dtype=np.int64)], kind)


def best_cuts(counts: NDArray[np.int64], max_bins: int) -> list[int]:
    """Where to cut cells with these class counts [cells, classes]: the numbers of cells that begin a part.

    >>> best_cuts(np.array([[9, 0], [9, 0], [0, 9], [0, 9]]), 16)
    [2]
    """
    below = np.vstack([np.zeros(counts.shape[1], dtype=np.int64), np.cumsum(counts, axis=0)])
    waiting: list[tuple[float, int, int, int]] = []

    def consider(start: int, stop: int) -> None:
        found = _best_cut(below, start, stop)
        if found is not None:
            heapq.heappush(waiting, (-found[0], start, found[1], stop))

    consider(0, len(counts))
    cuts: list[int] = []
    while waiting and len(cuts) + 1 < max_bins:
        _, start, cut, stop = heapq.heappop(waiting)
        cuts.append(cut)
        consider(start, cut)
        consider(cut, stop)
    return sorted(cuts)


def _best_cut(below: NDArray[np.int64], start: int, stop: int) -> tuple[float, int] | None:
    """N G of the best cut of the cells from start up to stop, and the cut; None where none pays."""
    if stop - start < 2:
        return None
    whole = below[stop] - below[start]
    left = below[start + 1 : stop] - below[start]
    right = whole - left
    rows = whole.sum()
    bits, bits_left, bits_right = _bits(whole), _bits(left), _bits(right)
    gains = bits - bits_left - bits_right
    best = int(np.argmax(gains >= gains.max() - _EQUAL))
    k, k_left, k_right = ((part > 0).sum() for part in (whole, left[best], right[best]))
    n_left, n_right = left[best].sum(), right[best].sum()
    saved = k * bits / rows - k_left * bits_left[best] / n_left - k_right * bits_right[best] / n_right
    price = np.log2(rows - 1) + _log2_of_power_of_3_less_2(int(k)) - saved
    return (float(gains[best]), start + 1 + best) if gains[best] > price + _EQUAL else None


def _log2_of_power_of_3_less_2(k: int) -> float:
    return math.log2(3**k - 2)  # Python's whole numbers have no end


def _bits(counts: NDArray[np.int64]) -> FloatArray:
    """N H(S), in bits, of class counts along the last axis."""
    terms = np.where(counts > 0, counts * np.log2(np.maximum(counts, 1)), 0.0).sum(axis=-1)
    rows = counts.sum(axis=-1)
    bits: FloatArray = rows * np.log2(np.maximum(rows, 1)) - terms
    return bits
