"""1- and 2-way counts, and the bound on the support of evidence that they give."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from depnet import Dataset, learn, score_samples, titanic
from depnet.data.table.dataset import Holed
from depnet.errors import DataError
from depnet.model.evidence import Evidence
from depnet.model.marginals import MarginalCounts, PairTables
from tests.isas import AVAILABLE
from tests.narrowed import there
from tests.reference.counting import pair_counts as slow_pair_counts
from tests.refusals import refuses
from tests.strategies import datasets, seeds


def wide_or_narrow(cardinalities: list[int], rows: int, weighted: bool, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, np.array(cardinalities), size=(rows, len(cardinalities)))
    return Dataset.from_codes(codes, cardinalities, rng.integers(0, 2**40, size=rows) if weighted else None)


@pytest.mark.parametrize("isa", AVAILABLE)
@given(
    # Few states are counted as bits and many row by row; past 256 states codes are uint16.
    cardinalities=st.lists(st.sampled_from([1, 2, 3, 5, 8, 9, 40, 300]), min_size=1, max_size=6),
    rows=st.sampled_from([0, 1, 63, 64, 65, 200, 513]),
    weighted=st.booleans(),
    seed=seeds,
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_kernel_equals_a_loop(
    isa: str, cardinalities: list[int], rows: int, weighted: bool, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPNET_ISA", isa)
    dataset = wide_or_narrow(cardinalities, rows, weighted, seed)
    tables = PairTables.of(dataset)
    slow = slow_pair_counts(dataset)
    assert list(tables) == list(slow)
    assert len(tables) == len(slow)
    for pair, table in slow.items():
        assert np.array_equal(tables[pair], table)
    first, last = sorted(np.random.default_rng(seed).integers(0, len(cardinalities) + 1, size=2).tolist())
    part = PairTables.of(dataset, first, last)
    assert list(part) == [pair for pair in slow if first <= pair[0] < last]
    assert len(part) == len(list(part))
    for pair in part:
        assert np.array_equal(part[pair], slow[pair])


def test_many_rows_are_counted_in_chunks() -> None:
    dataset = wide_or_narrow([2, 7, 9], 40_001, False, 1)
    tables = PairTables.of(dataset)
    for (i, j), table in tables.items():
        assert np.array_equal(
            table.ravel(),
            np.bincount(
                dataset.column(i) * np.int64(table.shape[1]) + dataset.column(j), minlength=table.size
            ),
        )


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


def holed(seed: int, dataset: Dataset) -> Holed:
    rng = np.random.default_rng(seed)
    hidden = rng.random(dataset.codes.shape) < rng.random()
    hidden[:, rng.random(len(dataset.domain)) < 0.3] = False
    codes = np.where(hidden, 0, dataset.codes).astype(dataset.codes.dtype)
    return Holed(dataset.domain, np.asfortranarray(codes), np.asfortranarray(hidden), dataset.weights)


@given(datasets(weighted=True), seeds, st.booleans())
def test_counts_are_of_known_cells(dataset: Dataset, seed: int, holes: bool) -> None:
    table = holed(seed, dataset) if holes else dataset
    counts = MarginalCounts.of(table)
    twice = counts + counts
    assert (counts.total, twice.total) == (dataset.total, 2 * dataset.total)
    assert dataset.weights is not None
    known = ~table.hidden
    for i, single in enumerate(counts.singles):
        slow = np.zeros_like(single)
        np.add.at(slow, table.codes[known[:, i], i], dataset.weights[known[:, i]])
        assert np.array_equal(single, slow)
        assert counts.holes[i] == dataset.weights[table.hidden[:, i]].sum()
    assert counts.pairs is not None
    counts.pairs.check(counts.singles, counts.total)
    for i, j in itertools.combinations(range(len(dataset.domain)), 2):
        both = known[:, i] & known[:, j]
        slow = np.zeros_like(counts.pairs[i, j])
        np.add.at(slow, (table.codes[both, i], table.codes[both, j]), dataset.weights[both])
        assert np.array_equal(counts.pairs[i, j], slow)
        assert np.array_equal(there(twice.pairs)[i, j], 2 * slow)
    if table.hidden.any():
        assert twice.holes.tolist() == (2 * counts.holes).tolist()
        few = MarginalCounts.of(table, 0)
        assert few.total == counts.total
        assert few.pairs is None or not len(few.pairs)


@given(datasets(min_variables=2), seeds, st.booleans())
def test_the_bound_is_never_below_the_rows_that_know_and_match(
    dataset: Dataset, seed: int, holes: bool
) -> None:
    table = holed(seed, dataset) if holes else dataset
    rng = np.random.default_rng(seed)
    given_labels = {}
    matches = np.ones(dataset.rows, dtype=bool)
    for i, variable in enumerate(dataset.domain.variables):
        if rng.random() < 0.7:
            most = 1 if holes else variable.cardinality
            states = rng.choice(variable.cardinality, size=rng.integers(1, most + 1), replace=False)
            given_labels[variable.name] = {int(s) for s in states}
            matches &= ~table.hidden[:, i] & np.isin(table.codes[:, i], states)
    bound = MarginalCounts.of(table).support_bound(Evidence.parse(dataset.domain, given_labels))
    assert bound >= matches.sum()
    if len(given_labels) <= 2:
        assert bound == matches.sum(), "one or two parts: the bound is exact"


def test_pairs_that_holes_cannot_explain_are_refused() -> None:
    singles = (np.array([3, 3]), np.array([4, 1]))
    pairs = PairTables((2, 2), np.array([2, 1, 2, 0]), 0, 2)
    pairs.check(singles, 6)
    for cells in ([3, 1, 1, 0], [1, 1, 2, 0]):  # too many, too few
        refuses(DataError, "do not sum", PairTables((2, 2), np.array(cells), 0, 2).check, singles, 6)
    refuses(DataError, "no more than the 5 rows", MarginalCounts, singles, pairs, 5)


def test_counts_that_disagree_are_refused() -> None:
    counts = MarginalCounts.of(Dataset.from_codes([[0, 1], [1, 0]], [2, 2]))
    wrong = PairTables((2, 2), np.array([2, 0, 0, 0]), 0, 2)
    refuses(DataError, "variables 0 and 1 do not sum", wrong.check, counts.singles, counts.total)
    with pytest.raises(DataError, match="for each of the 1 pairs"):
        MarginalCounts(counts.singles, PairTables((2, 2), np.zeros(0, dtype=np.int64), 0, 0))
    refuses(DataError, "one total", MarginalCounts, (counts.singles[0], counts.singles[1] * 2), None)
    assert list(itertools.combinations(range(2), 2)) == list(there(counts.pairs))


def test_independent_scores_are_those_of_a_network_without_links() -> None:
    table = titanic()
    alone = learn(table, max_leaves=1, smoothing=0.5)
    counts = MarginalCounts.of(table)
    assert counts.independent_scores(table) == pytest.approx(score_samples(alone, table))
    known = np.arange(len(table.domain)) == 0
    holed = Holed(table.domain, table.codes * known, np.asfortranarray(np.tile(~known, (table.rows, 1))))
    assert np.exp(counts.independent_scores(holed)[0]) == pytest.approx((325 + 0.5) / (2201 + 2)), (
        "the class alone"
    )
