"""Rows held out of a table in parts are those held out of the whole table, and so is what is chosen by them."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import Aic, Dataset, Mdl, NoPenalty, StructuralMdl
from depnet.learning.choose.ladder import Auto
from depnet.learning.rows import contexts, held_out
from depnet.learning.rows.distinct import distinct_rows
from depnet.learning.rows.paired_counts import PairedRequest, paired_counts
from depnet.model.marginals import MarginalCounts
from tests.cluster.tables import assert_same_network
from tests.learning.parts import learn_parts, parted, parts_of, weak_words
from tests.strategies import datasets

Row = tuple[int, ...]


def multiset(codes: np.ndarray, weights: np.ndarray | None) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for row, weight in zip(codes.tolist(), [1] * len(codes) if weights is None else weights, strict=True):
        found[tuple(row)] += int(weight)
    return +found


def assert_same_rows(found: Dataset, expected: Dataset) -> None:
    """The same rows in the same order: what draws from them by their numbers draws the same."""
    assert np.array_equal(found.codes, expected.codes)
    assert found.codes.dtype == expected.codes.dtype
    assert np.array_equal(
        [] if found.weights is None else found.weights, [] if expected.weights is None else expected.weights
    )


@given(parted(), st.sampled_from([1, 7, 10**6]), st.booleans(), st.sampled_from([20, 10**6]))
@settings(deadline=None)
def test_the_same_rows_are_held_out(
    table: tuple[Dataset, list[np.ndarray]], range_rows: int, many: bool, trial_rows: int
) -> None:
    dataset, rows = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(held_out, "TRIAL_ROWS", trial_rows)
        patch.setattr(held_out, "RANGE_ROWS", range_rows)
        if many:  # as tables of more than ten million rows are divided
            patch.setattr(held_out, "EQUAL_PARTS_ROWS", 1)
        expected = list(held_out.held_out(dataset))
        found = parts_of(dataset, rows).held_out()
    assert len(found) == len(expected)
    for (learned, scored), (whole, held) in zip(found, expected, strict=True):
        assert_same_rows(learned.dataset, whole)
        assert_same_rows(scored.dataset, held)


@pytest.mark.parametrize("trial_rows", [1_000, 10**6])
@pytest.mark.parametrize("equal", [0, 10**7])
def test_a_division_in_pieces_is_the_division_at_once(
    equal: int, trial_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_out, "EQUAL_PARTS_ROWS", equal)
    monkeypatch.setattr(held_out, "TRIAL_ROWS", trial_rows)
    weights = np.random.default_rng(1).integers(0, 50, 300)
    total = int(weights.sum())
    whole = held_out.HeldOutCounts(total).next(weights)
    division = held_out.HeldOutCounts(total)
    pieces = [division.next(some) for some in np.split(weights, [0, 1, 40, 40, 299])]
    assert np.array_equal(np.concatenate(pieces, axis=1), whole)
    taken, *parts = whole
    assert (np.sum(parts, axis=0) <= taken).all()
    assert (taken <= weights).all()
    wanted = min(total, trial_rows)
    assert taken.sum() == wanted if equal or wanted == total else abs(taken.sum() - wanted) < 200


@pytest.mark.parametrize("cuts", [[5, 10, 20], list(range(1, 60))])
def test_collisions_are_those_of_the_whole_table(cuts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """With 8-bit words for the first seeds there are some within parts, and some between parts that have none."""
    rng = np.random.default_rng(5)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(60, 10)), [2] * 10)
    weak_words(monkeypatch, bits=8)
    parts = parts_of(dataset, np.split(np.arange(60), cuts))
    assert min(part.distinct(0).seed for part in parts.parts) == 0
    assert contexts.Contexts(dataset).seed == 3
    expected = list(held_out.held_out(dataset))
    for (learned, scored), (whole, held) in zip(parts.held_out(), expected, strict=True):
        assert_same_rows(learned.dataset, whole)
        assert_same_rows(scored.dataset, held)


@given(datasets(max_rows=100, weighted=True))
def test_distinct_rows_equal_the_dictionary(dataset: Dataset) -> None:
    found = distinct_rows(dataset)
    expected = multiset(dataset.codes, dataset.weights)
    assert multiset(dataset.codes[found.rows], found.counts) == expected
    assert len({tuple(row) for row in dataset.codes.tolist()}) == len(found.rows)
    assert (found.first[1:] > found.first[:-1]).all()


@given(datasets(max_rows=80, weighted=True).filter(lambda dataset: dataset.total > 0))
@settings(deadline=None)
def test_paired_counts_equal_the_dictionary(dataset: Dataset) -> None:
    first, second = (
        depnet.learn(dataset, penalty=penalty).nodes[0].source for penalty in (NoPenalty(), Mdl())
    )
    states = dataset.domain.cardinalities[0]
    asked = PairedRequest(0, first, second)
    weights = [1] * dataset.rows if dataset.weights is None else dataset.weights.tolist()
    expected: Counter[int] = Counter()
    for one, other, x, weight in zip(
        first(dataset.codes), second(dataset.codes), dataset.codes[:, 0], weights, strict=True
    ):
        expected[(int(one) * second.size + int(other)) * states + int(x)] += weight
    found = paired_counts(asked, 0, dataset)
    assert dict(zip(found.cells.tolist(), found.counts.tolist(), strict=True)) == dict(expected)
    assert (np.diff(found.cells) > 0).all()


@given(parted(max_rows=80))
@settings(deadline=None)
def test_counts_and_entropy_of_parts_are_those_of_the_whole_table(
    table: tuple[Dataset, list[np.ndarray]],
) -> None:
    dataset, rows = table
    parts = parts_of(dataset, rows)
    found, expected = parts.marginal_counts(), MarginalCounts.of(dataset)
    assert [counts.tolist() for counts in found.singles] == [counts.tolist() for counts in expected.singles]
    assert found.pairs is not None
    assert expected.pairs is not None
    assert {pair: found.pairs[pair].tolist() for pair in found.pairs} == {
        pair: expected.pairs[pair].tolist() for pair in expected.pairs
    }
    every = multiset(dataset.codes, dataset.weights)
    share = np.array([count / dataset.total for count in every.values()])
    entropy = held_out.row_entropy(parts.workers, parts.parts, dataset.total)
    assert entropy == pytest.approx(-float((share * np.log(share)).sum()), abs=1e-9)


LADDERS = (
    Auto(),
    Auto((StructuralMdl(), Mdl(), Aic()), (0.5, 2.0), standard_errors=0.0),
    Auto((NoPenalty(), Mdl()), (1.0,), standard_errors=0.5, patience=1),
)


@given(parted(), st.sampled_from(LADDERS), st.booleans())
@settings(deadline=None)
def test_the_network_is_that_of_the_whole_table(
    table: tuple[Dataset, list[np.ndarray]], ladder: Auto, barred: bool
) -> None:
    dataset, rows = table
    names = dataset.domain.names
    options: dict[str, Any] = {"forbidden": [names[:2]] if barred and len(names) > 2 else ()}
    expected = depnet.learn(dataset, penalty=ladder, smoothing=0.5, **options)
    found = learn_parts(dataset, rows, penalty=ladder, smoothing=0.5, **options)
    assert_same_network(found, expected)


def test_nodes_leave_the_pool_in_parts_as_in_one_table() -> None:
    """Several parts are held out, and a node has a choice of its own."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, size=(200, 6))
    codes[:, :5] = codes[:, :1] ^ (rng.random((200, 5)) < 0.05)
    dataset = Dataset.from_codes(codes, [2] * 6)

    def prohibitive(parameters: int, rows: int) -> float:
        return 0.5 * parameters

    ladder = Auto((prohibitive, NoPenalty()), (1.0,), standard_errors=1.0)
    rows = np.array_split(rng.permutation(200), 4)
    found = learn_parts(dataset, rows, penalty=ladder, smoothing=0.5)
    assert_same_network(found, depnet.learn(dataset, penalty=ladder, smoothing=0.5))
    assert [node.source.size > 1 for node in found.nodes] == [True] * 5 + [False]
