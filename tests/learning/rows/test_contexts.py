"""Entropies given all other variables, or the earlier ones, equal their definitions; collisions of hashes are repaired."""

import numpy as np
import pytest
from hypothesis import given

from depnet import Dataset
from depnet.learning.rows.contexts import Contexts
from tests.learning.weak_words import weak_words
from tests.reference import counting
from tests.reference import geometry as literal
from tests.strategies import datasets, seeds


@given(datasets(max_variables=5, max_rows=200, weighted=True))
def test_contexts_equal_the_dictionary(dataset: Dataset) -> None:
    found = Contexts(dataset)
    for i in range(len(dataset.domain)):
        expected = counting.entropy_given_the_others(i, dataset)
        np.testing.assert_allclose(found.entropies_given_others([i])[0], expected, rtol=1e-9, atol=1e-13)


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


def test_a_collision_of_hashes_is_seen_and_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    """With words of 4 bits collisions are certain."""
    rng = np.random.default_rng(5)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(300, 10)), [2] * 10)
    weak_words(monkeypatch, bits=4)
    found = Contexts(dataset)
    assert found.seed >= 3, "the weak words were given up"
    expected = counting.entropy_given_the_others(4, dataset)
    np.testing.assert_allclose(found.entropies_given_others([4])[0], expected, rtol=1e-12)
