"""Ours: updating a boosted node is the m-projection onto E(theta_i), as Theorem 2 has it for any theta."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given

from depnet import Network, SequentialScan, law_path
from depnet.geometry import FullConditionalManifold, kl, kl_to_manifold, m_projection, manifolds
from depnet.model.boosted import BoostedNode
from tests.boosted import random_boosted_network
from tests.reference.stages import node_theta
from tests.strategies import mixed_networks, random_joint, seeds
from tests.theory.drawing import laws_beside_manifolds
from tests.theory.test_thm_m_projection import assert_nearest_point


@given(mixed_networks(), seeds)
def test_the_m_projection_is_the_nearest_point(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for p, manifold in laws_beside_manifolds(rng, network):
        projection = m_projection(p, manifold)
        assert_nearest_point(projection, p, manifold, rng)
        assert kl_to_manifold(p, manifold) == pytest.approx(kl(p, projection), rel=1e-9, abs=1e-12)


@given(mixed_networks(min_variables=2, max_states=80), seeds)
def test_a_step_of_the_chain_is_the_m_projection(network: Network, seed: int) -> None:
    """p(x_-i) theta_i(x_i | x_-i), theta by the slow twin, state by state."""
    p = random_joint(np.random.default_rng(seed), network.domain.cardinalities)
    _, after = law_path(network, SequentialScan(), p, steps=1)
    context = p.sum(axis=0)
    for x in np.ndindex(p.shape):
        expected = context[x[1:]] * node_theta(network.nodes[0], x)[x[0]]
        assert after[x] == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(after, m_projection(p, manifolds(network)[0]), rtol=1e-12)


def test_mutant_the_manifold_without_the_last_stages() -> None:
    network = random_boosted_network(1, [2, 3, 2])
    p = random_joint(np.random.default_rng(0), (2, 3, 2))
    for node, manifold in zip(network.nodes, manifolds(network), strict=True):
        own = cast("BoostedNode", node)
        shorter = BoostedNode(own.variable, own.start, own.start_scores, own.stages.first(2))
        wrong = FullConditionalManifold.of_node(shorter, (2, 3, 2))
        with pytest.raises(AssertionError):
            assert_nearest_point(m_projection(p, wrong), p, manifold, np.random.default_rng(0))
