"""Rows that nodes are boosted from, as bits: which of them pass each test.

They are put in an order of their own, that of their hashes, equal rows one after the other, and a row of weight w stands
there w times. The random words of the rounding belong to places in this order: so neither the order of the rows in
the table matters, nor whether they come as weights or as repetitions.

A test is low <= x <= high of a variable. A variable of two states has one. Of one with an order, numbers or ordered labels,
they are its cuts: the states from each on. Of any other they are its states, each against all others; of very many, those
that rows have most often.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from depnet._native import boost as native
from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Variable
from depnet.errors import LearningError
from depnet.learning.rows.some_rows import distinct_rows, some_rows
from depnet.model.stages import Test

MOST_ROWS = 100_000_000
"""Weights included."""


@dataclass(frozen=True, eq=False)
class BoostRows:
    """Rows in their own order, each once for its weight, and the tests that stages may split on."""

    dataset: Dataset
    tests: Sequence[Test]

    @classmethod
    def of(cls, dataset: Dataset, tests: Sequence[Test]) -> "BoostRows":
        """The rows of a dataset, put in order."""
        if dataset.total > MOST_ROWS:
            raise LearningError(
                f"`boost` goes through each row by itself, and the table has {dataset.total:,} with their weights; at most "
                f"{MOST_ROWS:,} are possible. Boost a sample of the rows, or leave `boost` out."
            )
        distinct = distinct_rows(dataset)
        order = np.repeat(distinct.rows, distinct.counts)
        return cls(some_rows(Dataset(dataset.domain, dataset.codes, None), order), tests)

    @cached_property
    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.uint16], NDArray[np.uint16]]:
        """The tests as arrays: variable, low, high."""
        flat = np.array(self.tests, dtype=np.int64).reshape(-1, 3)
        return flat[:, 0].astype(np.int32), flat[:, 1].astype(np.uint16), flat[:, 2].astype(np.uint16)

    @cached_property
    def bits(self) -> native.BitTable:
        """The native table of bits, made once."""
        return native.BitTable(self.dataset.codes, *self.arrays)

    def own(self, i: int) -> NDArray[np.uint16]:
        """The states of variable i."""
        return np.ascontiguousarray(self.dataset.column(i), dtype=np.uint16)


MOST_TESTS = 255
"""Of a variable: all cuts between as many bins as codes of one byte have, but one for what is missing."""


def tests_of(variable: Variable, i: int, counts: IntArray) -> list[Test]:
    """The tests of variable i, whose states are in the rows as often as `counts` says.

    >>> tests_of(Variable("class", ("1st", "2nd", "3rd")), 4, np.array([5, 0, 9]))
    [Test(variable=4, low=0, high=0), Test(variable=4, low=2, high=2)]
    >>> tests_of(Variable("rooms", (1, 2, 3)), 0, np.array([5, 2, 9]))
    [Test(variable=0, low=1, high=2), Test(variable=0, low=2, high=2)]
    """
    k = len(variable.present_states)
    missing = [] if variable.missing is None else [Test(i, k, k)]
    if variable.has_cuts:
        cuts = np.unique(np.rint(np.linspace(0, k, min(MOST_TESTS, k - 1) + 2)[1:-1]).astype(int))
        return [*(Test(i, cut, k - 1) for cut in cuts.tolist()), *missing]
    if variable.cardinality == 2:
        return [Test(i, 1, 1)]
    most = np.argsort(-counts[:k], kind="stable")[:MOST_TESTS]
    return [*(Test(i, code, code) for code in np.sort(most[counts[most] > 0]).tolist()), *missing]


def all_tests(dataset: Dataset) -> list[Test]:
    """The tests of all variables of a table, in their order."""
    found: list[Test] = []
    for i, variable in enumerate(dataset.domain.variables):
        counts = np.bincount(dataset.column(i), weights=dataset.weights, minlength=variable.cardinality)
        found += tests_of(variable, i, counts.astype(np.int64))
    return found
