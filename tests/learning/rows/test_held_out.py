"""Rows held out, whatever their order, and what is counted of them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import Dataset, Mdl, NoPenalty
from depnet.learning.auto import paired_counts
from depnet.learning.penalty import Auto
from depnet.learning.rows import some_rows as held_out
from depnet.learning.rows.contexts import Contexts
from depnet.learning.rows.distinct import distinct_rows
from depnet.learning.rows.some_rows import some_rows
from tests.learning.weak_words import weak_words
from tests.strategies import datasets

Row = tuple[int, ...]


def multiset(codes: np.ndarray, weights: np.ndarray | None) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for row, weight in zip(codes.tolist(), [1] * len(codes) if weights is None else weights, strict=True):
        found[tuple(row)] += int(weight)
    return +found


@given(datasets(max_rows=200, weighted=True).filter(lambda d: d.total > 1), st.integers(0, 2**32))
@settings(deadline=None)
def test_the_order_of_rows_and_how_they_are_weighted_do_not_matter(dataset: Dataset, seed: int) -> None:
    rows = np.repeat(np.arange(dataset.rows), 1 if dataset.weights is None else dataset.weights)
    again = some_rows(
        Dataset.of_checked(dataset.domain, dataset.codes), np.random.default_rng(seed).permutation(rows)
    )
    for one, other in zip(held_out.held_out(dataset), held_out.held_out(again), strict=True):
        for found, expected in zip(one, other, strict=True):
            assert multiset(found.codes, found.weights) == multiset(expected.codes, expected.weights)
    assert sum((multiset(*_arrays(each)) for each in one), Counter()) == multiset(*_arrays(dataset))


def _arrays(dataset: Dataset) -> tuple[np.ndarray, np.ndarray | None]:
    return dataset.codes, dataset.weights


@pytest.mark.parametrize("trial_rows", [1_000, 10**6])
@pytest.mark.parametrize("equal", [0, 10**7])
def test_as_many_rows_as_asked_for_take_part(
    equal: int, trial_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_out, "EQUAL_PARTS_ROWS", equal)
    monkeypatch.setattr(held_out, "TRIAL_ROWS", trial_rows)
    weights = np.random.default_rng(1).integers(0, 50, 300)
    dataset = Dataset.from_codes(np.arange(300)[:, None], [300], weights)
    wanted = min(dataset.total, trial_rows)
    parts = list(held_out.held_out(dataset))
    for learned, held in parts:
        both = multiset(*_arrays(learned)) + multiset(*_arrays(held))
        assert both <= multiset(*_arrays(dataset))
        assert (
            both.total() == wanted if equal or wanted == dataset.total else abs(both.total() - wanted) < 200
        )
    held_rows = sum((multiset(*_arrays(held)) for _, held in parts), Counter())
    assert held_rows <= multiset(*_arrays(dataset))  # no row is held out twice


def test_collisions_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 8-bit words for the first seeds there are some."""
    rng = np.random.default_rng(5)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(60, 10)), [2] * 10)
    weak_words(monkeypatch, bits=8)
    assert Contexts(dataset).seed == 3
    for learned, held in held_out.held_out(dataset):
        assert multiset(*_arrays(learned)) + multiset(*_arrays(held)) == multiset(*_arrays(dataset))


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
    first, second = (depnet.learn(dataset, penalty=penalty).nodes[0] for penalty in (NoPenalty(), Mdl()))
    weights = [1] * dataset.rows if dataset.weights is None else dataset.weights.tolist()
    expected: Counter[Row] = Counter()
    for one, other, x, weight in zip(
        first.source(dataset.codes), second.source(dataset.codes), dataset.codes[:, 0], weights, strict=True
    ):
        expected[int(one), int(other), int(x)] += weight
    *cells, counts = paired_counts(first, second, dataset)
    found = list(zip(*(each.tolist() for each in cells), strict=True))
    assert found == sorted(found)
    assert dict(zip(found, counts.tolist(), strict=True)) == dict(expected)


def test_nodes_leave_the_pool() -> None:
    """Several parts are held out, and a node has a choice of its own."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, size=(200, 6))
    codes[:, :5] = codes[:, :1] ^ (rng.random((200, 5)) < 0.05)
    dataset = Dataset.from_codes(codes, [2] * 6)

    def prohibitive(parameters: int, rows: int) -> float:
        return 0.5 * parameters

    ladder = Auto((prohibitive, NoPenalty()), (1.0,), standard_errors=1.0)
    found = depnet.learn(dataset, penalty=ladder, smoothing=0.5)
    assert [node.source.size > 1 for node in found.nodes] == [True] * 5 + [False]
