"""1- and 2-way counts, and the bound on the support of evidence that they give."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from depnet import Dataset, titanic
from depnet.errors import DataError
from depnet.model.evidence import Evidence
from depnet.model.marginals import MarginalCounts, _pairs_by_passes, _pairs_by_product
from tests.strategies import datasets, seeds


@given(datasets(weighted=True))
def test_both_ways_of_counting_equal_a_loop(dataset: Dataset) -> None:
    assert dataset.weights is not None
    counts = MarginalCounts.of(dataset)
    assert counts.total == dataset.total
    for pairs in (counts.pairs or {}, _pairs_by_passes(dataset), _pairs_by_product(dataset, chunk=7)):
        for (i, j), table in pairs.items():
            slow = np.zeros_like(table)
            for row, weight in zip(dataset.codes, dataset.weights, strict=True):
                slow[row[i], row[j]] += weight
            assert np.array_equal(table, slow)


@given(datasets(min_variables=2), seeds)
def test_the_bound_is_never_below_the_support(dataset: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = MarginalCounts.of(dataset)
    given_labels = {}
    matches = np.ones(dataset.rows, dtype=bool)
    for i, variable in enumerate(dataset.domain.variables):
        if rng.random() < 0.7:
            states = rng.choice(
                variable.cardinality, size=rng.integers(1, variable.cardinality + 1), replace=False
            )
            given_labels[variable.name] = {int(s) for s in states}
            matches &= np.isin(dataset.column(i), states)
    evidence = Evidence.parse(dataset.domain, given_labels)
    assert counts.support_bound(evidence) >= matches.sum()
    if len(given_labels) <= 2:
        assert counts.support_bound(evidence) == matches.sum(), "one or two parts: the bound is exact"


def test_the_bound_of_the_titanic_table() -> None:
    people = titanic()
    counts = MarginalCounts.of(people)

    def bound(**given: Any) -> int:
        return counts.support_bound(Evidence.parse(people.domain, given))

    assert bound() == 2201
    assert bound(survived="No") == 1490
    assert bound(sex="female", survived="No") == 126
    assert bound(sex="female", survived="No", age="child") == 45  # girls; 17 of them died: a bound
    assert bound(sex={"female": 2, "male": 1}, survived="No") == 1490  # of weights, that they are positive


def test_too_many_cells_leave_the_pairs_out() -> None:
    dataset = Dataset.from_codes([[0, 1], [2, 0]], [3, 2])
    counts = MarginalCounts.of(dataset, max_pair_cells=5)
    assert counts.pairs is None
    assert counts.support_bound(Evidence({0: 2, 1: 1}, {})) == 1
    assert counts != MarginalCounts.of(dataset)
    assert MarginalCounts.of(dataset) == MarginalCounts.of(dataset)


def test_counts_that_disagree_are_refused() -> None:
    counts = MarginalCounts.of(Dataset.from_codes([[0, 1], [1, 0]], [2, 2]))
    assert counts.pairs is not None
    wrong = {pair: table[::-1].copy() + np.array([[1, -1], [0, 0]]) for pair, table in counts.pairs.items()}
    with pytest.raises(DataError):
        MarginalCounts(counts.singles, wrong)
    with pytest.raises(DataError, match="for each of the 1 pairs"):
        MarginalCounts(counts.singles, {})
    with pytest.raises(DataError, match="one total"):
        MarginalCounts((counts.singles[0], counts.singles[1] * 2), None)
    assert list(itertools.combinations(range(2), 2)) == list(counts.pairs)
