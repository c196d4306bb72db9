"""Eq. ordered: under the sequential scan X^i, X^(i+n), ... has a law pi^i, and the model is their centroid."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Network, RandomScan, SequentialScan, geometry
from depnet.arrays import FloatArray
from tests.strategies import networks, random_network, seeds


def assert_cycle(cycle: Sequence[FloatArray], order: Sequence[int], network: Network) -> None:
    """pi^0 -> ... -> pi^(n-1) -> pi^0, each the m-projection of the one before onto the node updated then."""
    manifolds = geometry.manifolds(network)
    for k, i in enumerate(order):
        following = cycle[(k + 1) % len(order)]
        np.testing.assert_allclose(
            geometry.m_projection(cycle[k], manifolds[i]), following, rtol=0, atol=1e-10
        )


def assert_centroid(model: FloatArray, cycle: Sequence[FloatArray]) -> None:
    np.testing.assert_allclose(model, sum(cycle) / len(cycle), rtol=0, atol=1e-10)


@given(networks(max_states=200), seeds)
def test_the_cycle_and_its_centroid(network: Network, seed: int) -> None:
    order = tuple(np.random.default_rng(seed).permutation(len(network)).tolist())
    scan = SequentialScan(order)
    cycle = depnet.stationary_cycle(network, scan)
    assert len(cycle) == len(order)
    assert_cycle(cycle, order, network)
    assert_centroid(depnet.stationary(network, scan), cycle)


def test_from_any_start_the_laws_end_in_the_cycle_and_their_average_in_the_centroid() -> None:
    network = random_network(np.random.default_rng(16), (2, 3, 2))
    cycle = depnet.stationary_cycle(network, SequentialScan())
    *_, p0, p1, p2 = depnet.law_path(network, SequentialScan(), (1, 2, 0), steps=3 * 400 - 1)
    for p, law in zip((p0, p1, p2), cycle, strict=True):  # p^(i + n m) is the law before place i is updated
        np.testing.assert_allclose(p, law, rtol=0, atol=1e-9)
    assert_centroid((p0 + p1 + p2) / 3, cycle)


def test_mutants_the_random_scan_and_a_turned_cycle() -> None:
    network = random_network(np.random.default_rng(17), (2, 3, 2))
    cycle = depnet.stationary_cycle(network, SequentialScan())
    with pytest.raises(AssertionError):
        assert_centroid(depnet.stationary(network, RandomScan()), cycle)
    with pytest.raises(AssertionError):
        assert_cycle(cycle[1:] + cycle[:1], (0, 1, 2), network)
    with pytest.raises(AssertionError):
        assert_cycle(cycle, (0, 2, 1), network)
