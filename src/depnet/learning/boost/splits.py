"""The tests that stages may split on: low <= x <= high of a variable.

A variable of two states has one test. Of one with an order, numbers or ordered labels, they are its cuts: the states
from each on. Of any other they are its states, each against all others; of very many, those that rows have most often.
"""

import numpy as np

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Variable
from depnet.model.stages import Test

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
