r"""How alike two tables are, column by column and pair by pair, as SDMetrics defines it: 1 is the same, 0 nothing alike.

Of numbers the complement of the Kolmogorov-Smirnov distance, of categories that of the total variation distance,

.. math:: 1 - \max_x |F(x) - G(x)| \quad\text{and}\quad 1 - \tfrac12 \sum_x |p(x) - q(x)|;

of two columns of numbers how near their correlations are, and of all other pairs the complement of the total variation
distance of both together, numbers in ten bins of one width and holes a state of their own,

.. math:: 1 - \tfrac12 |r - s| \quad\text{and}\quad 1 - \tfrac12 \sum_{x, y} |p(x, y) - q(x, y)|.

Of a real column's range, and of its categories, how much another table covers. Columns are arrays as `tables` has them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray

BINS = 10


def ks_complement(real: FloatArray, other: FloatArray) -> float:
    real, other = (np.sort(each[~np.isnan(each)]) for each in (real, other))
    if not len(real) or not len(other):
        return np.nan
    every = np.concatenate([real, other])
    shares = [np.searchsorted(each, every, side="right") / len(each) for each in (real, other)]
    return 1 - float(np.abs(shares[0] - shares[1]).max())


def tv_complement(real: FloatArray, other: FloatArray) -> float:
    return alike(*(each[~np.isnan(each)].astype(np.int64) for each in (real, other)))


def alike(real: IntArray, other: IntArray) -> float:
    """The complement of the total variation distance of states; nan where one side has none."""
    if not len(real) or not len(other):
        return np.nan
    states, ids = np.unique(np.concatenate([real, other]), return_inverse=True)
    parts = (ids[: len(real)], ids[len(real) :])
    p, q = (np.bincount(part, minlength=len(states)) / len(part) for part in parts)
    return 1 - float(np.abs(p - q).sum()) / 2


def range_coverage(real: FloatArray, other: FloatArray) -> float:
    """The share of the real range between the other's ends; nan where there is no range."""
    if np.isnan(real).all() or np.isnan(other).all() or np.nanmin(real) == np.nanmax(real):
        return np.nan
    low, high, width = np.nanmin(real), np.nanmax(real), np.nanmax(real) - np.nanmin(real)
    beyond = max((np.nanmin(other) - low) / width, 0) + max((high - np.nanmax(other)) / width, 0)
    return float(max(1 - beyond, 0))


def category_coverage(real: FloatArray, other: FloatArray) -> float:
    """The share of the real categories that the other table has, too."""
    states = np.unique(real[~np.isnan(real)])
    return float(np.isin(states, other).mean()) if len(states) else np.nan


def correlation_similarity(real: FloatArray, other: FloatArray) -> float:
    """Of two columns of numbers [row, 2], Pearson's; nan where a column is constant."""
    found = []
    for pair in (real, other):
        a, b = pair[~np.isnan(pair).any(axis=1)].T
        if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
            return np.nan
        found.append(np.corrcoef(a, b)[0, 1])
    return 1 - float(abs(found[0] - found[1])) / 2


def states_of(values: FloatArray, real: FloatArray, number: bool, *, right: bool = False) -> IntArray:
    """Every cell's state: its place, or the number's bin among the real ones, and one more for holes.

    A number on an edge is in the bin above, or with `right` in that below.
    """
    hidden = np.isnan(values)
    found = np.where(hidden, -1, values).astype(np.int64) if not number else np.full(len(values), -1)
    if number and not np.isnan(real).all():
        edges = np.histogram_bin_edges(real[~np.isnan(real)], BINS)[1:-1]
        found = np.where(hidden, -1, np.searchsorted(edges, values, side="left" if right else "right"))
    return np.asarray(found + 1)


def contingency_similarity(real: NDArray[Any], other: NDArray[Any]) -> float:
    """Of two columns of states [row, 2], as `states_of` has them."""
    width = max(int(real[:, 1].max()), int(other[:, 1].max())) + 1
    return alike(real[:, 0] * width + real[:, 1], other[:, 0] * width + other[:, 1])
