"""`consistency`: is there a joint with all these full conditionals?"""

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Network, RandomScan
from depnet.errors import DomainTooLargeError
from depnet.geometry import kl, kl_to_manifold, m_projection, manifolds
from tests.exact.drawing import inconsistent_network
from tests.law.cases import given_tables
from tests.reference import stationary as reference
from tests.strategies import cardinalities, mixed_networks, networks, random_joint, seeds
from tests.wide import of_constants


@given(cardinalities(max_states=200), seeds)
def test_the_network_of_a_joint_is_consistent(shape: tuple[int, ...], seed: int) -> None:
    """Whatever the support of p, disconnected too: then there are several classes."""
    rng = np.random.default_rng(seed)
    for zeros in (0.0, 0.5, 0.8):
        p = random_joint(rng, shape, zeros)
        found = depnet.consistency(Network.from_joint(p))
        assert found.consistent
        assert max(found.divergences) <= 1e-12
        if found.classes == 1:
            np.testing.assert_allclose(found.law, p, rtol=0, atol=1e-9)


@given(networks(max_states=60, zeros=0.2) | mixed_networks(max_states=60))
def test_consistency_equals_the_twin(network: Network) -> None:
    found = depnet.consistency(network)
    assert found.consistent == reference.is_consistent(network, tolerance=1e-7)
    for node, manifold in enumerate(manifolds(network)):
        divergence = kl(found.law, m_projection(found.law, manifold))
        assert found.divergences[node] == pytest.approx(divergence, rel=1e-9, abs=1e-12)


def test_mutants() -> None:
    network = inconsistent_network()
    found = depnet.consistency(network)
    assert not found.consistent
    assert found.classes == 1
    np.testing.assert_array_equal(found.law, depnet.stationary(network, RandomScan()))
    assert min(found.divergences) > 1e-3
    p = random_joint(np.random.default_rng(0), (2, 3, 2))
    genuine = Network.from_joint(p)
    assert depnet.consistency(genuine).consistent
    mixed = Network(genuine.domain, (*genuine.nodes[:2], network.nodes[2]))
    assert not depnet.consistency(mixed).consistent
    assert kl_to_manifold(p, manifolds(mixed)[2]) > 1e-3


def test_what_it_says() -> None:
    shown = str(depnet.consistency(inconsistent_network()))
    assert shown.startswith("inconsistent: no joint has all these full conditionals\n")
    found = [float(line.split()[0]) for line in shown.splitlines()[2:5]]
    assert found == sorted(found, reverse=True)
    joint = random_joint(np.random.default_rng(0), (2,) * 11)
    shown = str(depnet.consistency(Network.from_joint(joint)))
    assert shown.startswith("consistent: a joint distribution has all these full conditionals\n")
    assert shown.endswith("\n  and 1 more")
    divided = Network.from_joint(np.eye(2) / 2)
    assert "(2 recurrent classes; pi is of" in str(depnet.consistency(divided))


def test_a_network_too_large_has_a_way_out() -> None:
    with pytest.raises(DomainTooLargeError, match=r"depnet.model.one_sided_links\(network\) needs no law"):
        depnet.consistency(of_constants([2] * 60))


def test_the_class_that_comes_nearest() -> None:
    """X0 and X1 copy each other. Where they are 0, X2 reads X3 and X3 does not read X2; where 1, both are coins."""
    copy, even = [[1.0, 0.0], [0.0, 1.0]], [0.5, 0.5]
    reads = [[0.9, 0.1], [0.1, 0.9], even, even]  # X2 given (X0, X3)
    network = given_tables(([1], copy), ([0], copy), ([0, 3], reads), ([], [even]), in_order=False)
    found = depnet.consistency(network)
    assert (found.consistent, found.classes) == (True, 2)
    np.testing.assert_allclose(found.law[1, 1], np.full((2, 2), 0.25), rtol=0, atol=1e-12)
    first, _ = depnet.recurrent_classes(network, RandomScan())
    assert first.law[0, 0].sum() == pytest.approx(1.0)  # and not the first
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(first.law[0, 0], np.full((2, 2), 0.25), rtol=0, atol=1e-12)


def test_disconnected_support() -> None:
    p = np.zeros((2, 2, 2))
    p[0, 0, 0], p[1, 1, 0], p[1, 1, 1] = 0.5, 0.25, 0.25
    found = depnet.consistency(Network.from_joint(p))
    assert (found.consistent, found.classes) == (True, 2)
    assert found.one_sided == ()
