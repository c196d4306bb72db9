"""Genuine Gibbs sampling (Sec. 2.2): where all tables are full conditionals of one p, pi = p and FC = 0."""

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import ConditionalTable, Network, RandomScan, SequentialScan, TableNode, geometry
from depnet.arrays import FloatArray
from tests.strategies import cardinalities, random_joint, random_weights, seeds


def assert_genuine(p: FloatArray, network: Network, seed: int) -> None:
    c = random_weights(np.random.default_rng(seed), len(network))
    assert geometry.fc_limit(p, network, c) == pytest.approx(0.0, abs=1e-12)
    assert all(manifold.contains(p) for manifold in geometry.manifolds(network))
    for scan in (RandomScan(c), SequentialScan()):
        pi = depnet.stationary(network, scan)
        np.testing.assert_allclose(pi, p, rtol=0, atol=1e-8)
        assert geometry.full_conditional_divergence(p, pi, c) == pytest.approx(0.0, abs=1e-8)


@given(cardinalities(max_states=150), seeds)
def test_a_network_of_full_conditionals_has_the_law_they_come_from(shape: tuple[int, ...], seed: int) -> None:
    p = random_joint(np.random.default_rng(seed), shape)
    p = (p + 0.05 / p.size) / 1.05  # positive, and quick to mix
    assert_genuine(p, Network.from_joint(p), seed)


def test_mutant_one_table_a_little_off() -> None:
    p = random_joint(np.random.default_rng(19), (2, 3, 2))
    network = Network.from_joint(p)
    assert_genuine(p, network, 0)
    first, *others = network.nodes
    table = ConditionalTable.from_probabilities(0.99 * first.table.probabilities + 0.01 / 2)
    with pytest.raises(AssertionError):
        assert_genuine(p, Network(network.domain, (TableNode(0, first.source, table), *others)), 0)
