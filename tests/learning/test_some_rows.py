"""Distinct rows, contexts and rows held out equal their definitions, whatever the order of rows."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import Dataset
from depnet.learning import limits
from depnet.learning import rows as module
from depnet.learning.rows import Contexts, distinct_rows, held_out, repeat_rows, some_rows
from tests.cluster.tables import assert_same_network
from tests.reference import counting
from tests.reference import geometry as literal
from tests.strategies import datasets, seeds

Row = tuple[int, ...]


def multiset(dataset: Dataset) -> Counter[Row]:
    found: Counter[Row] = Counter()
    weights = [1] * dataset.rows if dataset.weights is None else dataset.weights
    for row, weight in zip(dataset.codes.tolist(), weights, strict=True):
        found[tuple(row)] += int(weight)
    return +found


@given(datasets(max_rows=200, weighted=True).filter(lambda d: d.total > 1), st.integers(0, 2**32))
@settings(deadline=None)
def test_the_order_of_rows_and_how_they_are_weighted_do_not_matter(dataset: Dataset, seed: int) -> None:
    rows = np.repeat(np.arange(dataset.rows), 1 if dataset.weights is None else dataset.weights)
    again = some_rows(
        Dataset.of_checked(dataset.domain, dataset.codes), np.random.default_rng(seed).permutation(rows)
    )
    for one, other in zip(held_out(dataset), held_out(again), strict=True):
        for found, expected in zip(one, other, strict=True):
            assert multiset(found) == multiset(expected)
    assert sum((multiset(each) for each in one), Counter()) == multiset(dataset)


@pytest.mark.parametrize("trial_rows", [1_000, 10**6])
@pytest.mark.parametrize("equal", [0, 10**7])
def test_as_many_rows_as_asked_for_take_part(
    equal: int, trial_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "EQUAL_PARTS_ROWS", equal)
    monkeypatch.setattr(limits, "TRIAL_ROWS", trial_rows)
    weights = np.random.default_rng(1).integers(0, 50, 300)
    dataset = Dataset.from_codes(np.arange(300)[:, None], [300], weights)
    wanted = min(dataset.total, trial_rows)
    parts = list(held_out(dataset))
    for learned, held in parts:
        both = multiset(learned) + multiset(held)
        assert both <= multiset(dataset)
        assert (
            both.total() == wanted if equal or wanted == dataset.total else abs(both.total() - wanted) < 200
        )
    held_rows = sum((multiset(held) for _, held in parts), Counter())
    assert held_rows <= multiset(dataset)  # no row is held out twice


@given(datasets(max_rows=100, weighted=True))
def test_distinct_rows_equal_the_dictionary(dataset: Dataset) -> None:
    found = distinct_rows(dataset)
    assert multiset(some_rows(dataset, found.rows, found.counts)) == multiset(dataset)
    assert len({tuple(row) for row in dataset.codes.tolist()}) == len(found.rows)
    assert (found.first[1:] > found.first[:-1]).all()


@given(datasets(max_variables=5, max_rows=200, weighted=True))
def test_contexts_equal_the_dictionary(dataset: Dataset) -> None:
    found = Contexts(dataset)
    for i in range(len(dataset.domain)):
        expected = counting.entropy_given_the_others(i, dataset)
        np.testing.assert_allclose(found.entropy_given_others(i), expected, rtol=1e-9, atol=1e-13)


@given(datasets(max_variables=5, max_rows=200, weighted=True), seeds)
def test_entropies_in_an_order_equal_the_definition(dataset: Dataset, seed: int) -> None:
    order = [int(i) for i in np.random.default_rng(seed).permutation(len(dataset.domain))]
    found = Contexts(dataset).entropies_in_order(order)
    p = literal.empirical(dataset)
    for at, i in enumerate(order):
        before = order[:at]
        expected = literal.conditional_entropy(p, (i,), lambda x, before=before: literal.part(x, before))  # type: ignore[misc]
        np.testing.assert_allclose(found[i], expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(sum(found), literal.entropy(p), rtol=1e-9, atol=1e-12)


def test_rows_that_share_one_half_of_a_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """With first words of 4 bits that is certain."""
    rng = np.random.default_rng(5)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(300, 10)), [2] * 10)
    words = module.words_of([2] * 10)
    for each in words:
        each[0] %= 16
    monkeypatch.setattr(module, "words_of", lambda cardinalities: words)
    expected = counting.entropy_given_the_others(4, dataset)
    np.testing.assert_allclose(Contexts(dataset).entropy_given_others(4), expected, rtol=1e-12)
    for learned, held in held_out(dataset):
        assert multiset(learned) + multiset(held) == multiset(dataset)


@given(datasets(max_rows=60, weighted=True))
def test_weighted_rows_give_the_network_of_repeated_rows(dataset: Dataset) -> None:
    weights = np.ones(dataset.rows, dtype=np.int64) if dataset.weights is None else dataset.weights
    again = Dataset.from_codes(np.repeat(dataset.codes, weights, axis=0), domain=dataset.domain)
    expected = depnet.learn(again, smoothing=0.5)
    assert_same_network(depnet.learn(dataset, smoothing=0.5), expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "MOST_BYTES", -1)
        assert repeat_rows(dataset) is dataset
        assert_same_network(depnet.learn(dataset, smoothing=0.5), expected)


def test_rows_of_large_weights_are_not_repeated() -> None:
    dataset = Dataset.from_codes([[0, 1], [1, 0]], [2, 2], weights=[10**9, 3])
    assert repeat_rows(dataset) is dataset
    light = Dataset.from_codes([[0, 1], [1, 0]], [2, 2], weights=[0, 3])
    assert repeat_rows(light).codes.tolist() == [[1, 0]] * 3
    assert repeat_rows(light).weights is None
