r"""A linear model of coded inputs, for stages to start from: a sum of one effect for every state (ours, beyond the paper).

.. math:: l(x) = b_0 + \sum_j b_j \cdot e_j(x_j) = \sum_j f_j[x_j]

Of an input with an order e_j is the number that a state stands for, in standard deviations; of any other it says which of
the states it is, as it says which rows have no value. b is found by least squares with a ridge. Stages need many steps
for a straight line, which this says at once. Columns are whole numbers, so that their sums of products are exact; what is
solved is solved in a fixed order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Variable

ONE = 2**10
"""What 1 is in columns."""
FARTHEST = 8.0
"""Standard deviations that a number may lie from the mean."""
MOST_COLUMNS = 200
"""Inputs past these are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """[state, column] of each input: what its states are in the columns of the linear model, after a first one of ones."""

    tables: tuple[IntArray, ...]

    @classmethod
    def of(cls, domain: Domain, codes: CodeArray) -> "Design":
        """The columns of the inputs of a domain, as its rows have them."""
        tables, width = [], 1
        for i, variable in enumerate(domain.variables):
            counts = np.bincount(codes[:, i], minlength=variable.cardinality)
            table = _columns(variable, counts)
            width += table.shape[1]
            tables.append(table if width <= MOST_COLUMNS else table[:, :0])
        return cls(tuple(tables))

    @property
    def width(self) -> int:
        """The number of columns."""
        return 1 + sum(int(table.shape[1]) for table in self.tables)

    def columns(self, codes: CodeArray) -> IntArray:
        """[row, column] of codes [N, n]."""
        ones = np.full((len(codes), 1), ONE, dtype=np.int64)
        return np.concatenate([ones, *(t[codes[:, i]] for i, t in enumerate(self.tables))], axis=1)

    def effects(self, weights: FloatArray) -> "Effects":
        """The effect of every state, by the weights of the columns, rounded to whole numbers."""
        found, at = [], 1
        for table in self.tables:
            own = weights[at : at + table.shape[1]]
            found.append(np.rint((table * own).sum(axis=1)).astype(np.int32))
            at += table.shape[1]
        return Effects(int(np.rint(ONE * weights[0])), tuple(found))


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """l(x) in whole numbers: a first one, and one for every state of every input."""

    first: int
    states: tuple[IntArray, ...]

    def sums(self, codes: CodeArray) -> IntArray:
        """L of every row of codes [N, n]."""
        total = np.full(len(codes), self.first, dtype=np.int64)
        for i, own in enumerate(self.states):
            total += own[codes[:, i]]
        return total


def ridge(products: IntArray, moments: IntArray, rows: float) -> FloatArray:
    """The weights b of least squares, (Z'Z + rows I) b = Z'y, by elimination; the first, of ones, is free.

    >>> z = ONE * np.array([[1, 0], [1, 1], [1, 2]])
    >>> (ONE * ridge(z.T @ z, z.T @ np.array([3, 5, 7]), 1e-9)).round(3).tolist()
    [3.0, 2.0]
    """
    a = products / ONE**2
    a[np.arange(1, len(a)), np.arange(1, len(a))] += rows
    b = moments / ONE
    for k in range(len(a)):
        below = a[k + 1 :, k] / a[k, k]
        a[k + 1 :] -= below[:, None] * a[k]
        b[k + 1 :] -= below * b[k]
    found = np.zeros(len(a))
    for k in reversed(range(len(a))):
        found[k] = (b[k] - (a[k, k + 1 :] * found[k + 1 :]).sum()) / a[k, k]
    return found / ONE


def _columns(variable: Variable, counts: IntArray) -> IntArray:
    """[state, column] of one input."""
    states = variable.cardinality
    if variable.scale != "number" or not variable.has_cuts:
        seen = np.flatnonzero(counts)
        return np.asarray(ONE * np.eye(states, dtype=np.int64)[:, seen[1:] if len(seen) == 2 else seen])
    k = len(variable.present_states)
    values = _values(variable)
    share = counts[:k] / max(int(counts[:k].sum()), 1)
    mean = float((share * values).sum())
    width = float((share * (values - mean) ** 2).sum()) ** 0.5
    z = np.clip((values - mean) / width, -FARTHEST, FARTHEST) if width > 0 else np.zeros(k)
    table = np.zeros((states, 1 if variable.missing is None else 2), dtype=np.int64)
    table[:k, 0] = np.rint(ONE * z)
    if variable.missing is not None:
        table[k, 1] = ONE
    return table


def _values(variable: Variable) -> FloatArray:
    """The number that each state stands for."""
    if variable.bins is None:
        return np.array(variable.present_states, dtype=np.float64)
    kept: Sequence[Sequence[float]] = variable.bins.quantiles
    return np.array([sum(map(float, values)) / len(values) for values in kept])
