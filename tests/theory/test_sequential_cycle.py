"""The sequential scan's counterpart of Theorem 3: along its cycle, the node terms sum to the FC-limit exactly.

The place k of the order updates node i_k: pi^k -> pi^(k+1) = pi^k(X_-i) theta_i. So log theta_i - log pi^k(X_i | X_-i) =
log pi^(k+1) - log pi^k, which sums to zero round the cycle, and for every p

    1/n sum over k of KL(p || E_{i_k}(pi^k)) = 1/n sum over i of KL(p || E(theta_i)) = FC_lim(p).
"""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Network, SequentialScan, geometry
from depnet.arrays import FloatArray
from depnet.geometry import FullConditionalManifold
from tests.strategies import networks, random_joint, random_network, seeds


def assert_terms_sum_to_the_fc_limit(
    p: FloatArray, cycle: Sequence[FloatArray], order: Sequence[int], network: Network
) -> None:
    terms = [
        geometry.kl_to_manifold(p, FullConditionalManifold.of_joint(law, network.nodes[i].variables))
        for i, law in zip(order, cycle, strict=True)
    ]
    assert np.mean(terms) == pytest.approx(geometry.fc_limit(p, network), rel=1e-6, abs=1e-8)


@given(networks(max_states=200), seeds)
def test_node_terms_along_the_cycle(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = tuple(rng.permutation(len(network)).tolist())
    cycle = depnet.stationary_cycle(network, SequentialScan(order))
    for zeros in (0.0, 0.5):
        p = random_joint(rng, network.domain.cardinalities, zeros)
        assert_terms_sum_to_the_fc_limit(p, cycle, order, network)


def test_mutants_the_centroid_and_a_turned_cycle() -> None:
    rng = np.random.default_rng(13)
    network = random_network(rng, (2, 3, 2))
    p = random_joint(rng, (2, 3, 2))
    order = (0, 1, 2)
    cycle = depnet.stationary_cycle(network, SequentialScan())
    assert_terms_sum_to_the_fc_limit(p, cycle, order, network)
    with pytest.raises(AssertionError):
        assert_terms_sum_to_the_fc_limit(p, [sum(cycle) / 3] * 3, order, network)  # type: ignore[list-item]
    # turned by one place, every law has just been projected onto its own manifold: the sum is then trivial
    assert_terms_sum_to_the_fc_limit(p, cycle[1:] + cycle[:1], order, network)
    with pytest.raises(AssertionError):
        assert_terms_sum_to_the_fc_limit(p, cycle[2:] + cycle[:2], order, network)
