"""Ours: with any theta KL(p^D || Q) = -score - H(p^D): the score of an ordered network is its log-likelihood."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Dataset, Network, RandomScan, empirical
from depnet.arrays import FloatArray
from depnet.geometry import entropy, kl
from tests.reference.ordered import density, law
from tests.strategies import datasets, random_order, random_ordered_network, seeds
from tests.theory.ordered import everything_read, with_random_sources


def assert_score(network: Network, q: FloatArray, dataset: Dataset) -> None:
    p = empirical(dataset)
    expected = -depnet.score(network, dataset) - entropy(p)
    np.testing.assert_allclose(kl(p, q), expected, rtol=1e-9, atol=1e-12)


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds)
def test_any_tables(dataset: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    network = random_ordered_network(rng, cards, random_order(rng, len(cards)))
    assert_score(network, law(network), dataset)


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds)
def test_learned_and_smoothed_tables(dataset: Dataset, seed: int) -> None:
    for smoothing in (0.0, 0.5):
        network = with_random_sources(dataset, seed, smoothing)
        assert_score(network, law(network), dataset)


@given(datasets(max_variables=4, max_cardinality=3, max_rows=12), seeds)
def test_the_score_of_a_row_is_the_logarithm_of_its_density(dataset: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    network = random_ordered_network(rng, cards, random_order(rng, len(cards)))
    for codes, score in zip(dataset.codes, depnet.score_samples(network, dataset), strict=True):
        assert math.log(density(network, [int(x) for x in codes])) == pytest.approx(float(score), abs=1e-12)


def test_a_row_that_the_law_rules_out_makes_both_infinite() -> None:
    learned = with_random_sources(Dataset.from_codes([[0, 0], [1, 0]], [2, 2]), 0)
    held_out = Dataset.from_codes([[0, 0], [0, 1]], [2, 2])
    assert depnet.score(learned, held_out) == -math.inf
    assert kl(empirical(held_out), law(learned)) == math.inf


def test_mutant_the_same_tables_under_the_random_scan() -> None:
    """There the score is Besag's pseudo-log-likelihood, and the law is another."""
    rng = np.random.default_rng(7)
    x = rng.integers(0, 2, size=100)
    dataset = Dataset.from_codes(np.stack([x, x ^ (rng.random(100) < 0.2)], axis=1), [2, 2])
    network = everything_read(rng, (2, 2), (1, 0))
    assert_score(network, law(network), dataset)
    pi = depnet.stationary(dataclasses.replace(network, order=None), RandomScan())
    with pytest.raises(AssertionError):
        assert_score(network, pi, dataset)
