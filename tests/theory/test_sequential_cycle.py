"""The sequential scan's counterpart of Theorem 3: along its cycle, the node terms sum to the FC-limit exactly.

The place k of the order updates node i_k: pi^k -> pi^(k+1) = pi^k(X_-i) theta_i. So log theta_i - log pi^k(X_i | X_-i) =
log pi^(k+1) - log pi^k, which sums to zero round the cycle, and for every p

    1/n sum over k of KL(p || E_{i_k}(pi^k)) = 1/n sum over i of KL(p || E(theta_i)) = FC_lim(p).

The centroid itself may lie beyond the bound, but with two nodes it is pi of the random scan. The slack of a law q is
linear in p, so that q keeps the bound for every p where it keeps it in every state.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import (
    ConditionalTable,
    Domain,
    LosslessSource,
    Network,
    RandomScan,
    SequentialScan,
    TableNode,
    geometry,
)
from depnet.arrays import FloatArray
from depnet.geometry import FullConditionalManifold
from tests.strategies import networks, random_joint, random_network, seeds


def assert_terms_sum_to_the_fc_limit(
    p: FloatArray, cycle: Sequence[FloatArray], order: Sequence[int], network: Network
) -> None:
    terms = [
        geometry.kl_to_manifold(p, FullConditionalManifold.of_joint(law, i))
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


def slack(q: FloatArray, network: Network) -> FloatArray:
    """FC_lim(p) - FC(p||q) of the p that are sure of one state, for every state."""
    terms = [
        np.log(geometry.full_conditional(q, m.variable)) - np.log(m.theta)
        for m in geometry.manifolds(network)
    ]
    return np.asarray(np.mean(terms, axis=0))


def assert_slack_is_linear(p: FloatArray, q: FloatArray, network: Network, own: FloatArray) -> None:
    gap = geometry.fc_limit(p, network) - geometry.full_conditional_divergence(p, q)
    assert gap == pytest.approx((p * own).sum(), rel=0, abs=1e-9)


@given(networks(max_states=200), seeds)
def test_the_slack_of_the_bound_is_linear_in_p(network: Network, seed: int) -> None:
    p = random_joint(np.random.default_rng(seed), network.domain.cardinalities)
    pi = depnet.stationary(network, RandomScan())
    for q in (pi, depnet.stationary(network, SequentialScan())):
        assert_slack_is_linear(p, q, network, slack(q, network))
    assert slack(pi, network).min() > -1e-9  # Theorem 3, state by state


def lossless(rng: np.random.Generator, variables: int) -> Network:
    """Binary variables whose tables have rows that are uniform on the simplex: nothing fits anything."""
    sizes = (2,) * variables
    tables = [rng.dirichlet(np.ones(2), size=2 ** (variables - 1)) for _ in range(variables)]
    nodes = [
        TableNode(i, LosslessSource.of_all_but(i, sizes), ConditionalTable.from_probabilities(table))
        for i, table in enumerate(tables)
    ]
    return Network(Domain.from_cardinalities(sizes), tuple(nodes))


@given(seeds)
def test_the_centroid_of_two_nodes_is_pi_and_of_more_is_not(seed: int) -> None:
    two, four = (lossless(np.random.default_rng(seed), n) for n in (2, 4))
    for network, alike in ((two, True), (four, False)):
        centroid, pi = (depnet.stationary(network, scan) for scan in (SequentialScan(), RandomScan()))
        assert (geometry.total_variation(centroid, pi) < 1e-8) is alike


def test_the_centroid_may_lie_beyond_the_bound() -> None:
    beyond = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        network = lossless(rng, 4)
        q = depnet.stationary(network, SequentialScan())
        worst = np.zeros(q.shape)
        worst.flat[np.argmin(slack(q, network))] = 1.0
        assert_slack_is_linear(worst, q, network, slack(q, network))
        beyond += geometry.full_conditional_divergence(worst, q) > geometry.fc_limit(worst, network)
        other = slack(depnet.stationary(network, RandomScan()), network)
        with pytest.raises(AssertionError):  # the mutant: another law has another slack
            assert_slack_is_linear(worst, q, network, other)
    assert beyond >= 16
