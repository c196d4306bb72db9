"""Ours: the tables of an ordered network belong to one law, Q(x) = product of theta_i(x_i | y_i).

Q is pi^0 of the sequential scan in the order, reached in one sweep from any start. The random scan of the same tables
and the centroid of the sequential scan have other laws.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import Network, RandomScan, SequentialScan, geometry
from depnet.arrays import FloatArray
from tests.reference.ordered import law, order_of
from tests.strategies import ordered_networks, random_joint, seeds
from tests.theory.ordered import everything_read

ZEROS = st.sampled_from([0.0, 0.3])


def assert_is_the_law(p: FloatArray, network: Network) -> None:
    np.testing.assert_allclose(p, law(network), rtol=0, atol=1e-10)


def after_one_sweep(start: FloatArray, network: Network, order: tuple[int, ...]) -> FloatArray:
    """The law of the chain after each node was updated once: an m-projection a node, by the geometry."""
    manifolds = geometry.manifolds(network)
    for i in order:
        start = geometry.m_projection(start, manifolds[i])
    return start


@given(ordered_networks(zeros=0.3))
def test_the_product_is_a_law_and_its_tables_are_its_conditionals(network: Network) -> None:
    """Q(X_i | all earlier variables) = theta_i(X_i | y_i), wherever Q has mass."""
    q = law(network)
    assert q.sum() == pytest.approx(1.0, rel=1e-12)
    order = order_of(network)
    for place, i in enumerate(order):
        later = order[place + 1 :]
        both = q.sum(axis=later, keepdims=True)
        earlier = both.sum(axis=i, keepdims=True)
        theta = np.broadcast_to(geometry.manifolds(network)[i].theta, q.shape)
        seen = tuple(
            slice(0, 1) if j in later else slice(None) for j in range(q.ndim)
        )  # theta is alike there
        np.testing.assert_allclose(both, earlier * theta[seen], rtol=0, atol=1e-12)


@given(ordered_networks())
def test_it_is_where_the_sequential_scan_begins_its_cycle(network: Network) -> None:
    assert_is_the_law(depnet.stationary_cycle(network, SequentialScan(network.order))[0], network)


@given(ordered_networks(zeros=0.3))
def test_zeros_in_tables_leave_one_law(network: Network) -> None:
    """However many zeros: a sweep forgets its start, so that there is one recurrent class."""
    assert_is_the_law(depnet.stationary_cycle(network, SequentialScan(network.order))[0], network)


@given(ordered_networks(zeros=0.3), seeds, ZEROS)
def test_one_sweep_from_any_start(network: Network, seed: int, zeros: float) -> None:
    rng = np.random.default_rng(seed)
    start = random_joint(rng, network.domain.cardinalities, zeros)
    assert_is_the_law(after_one_sweep(start, network, order_of(network)), network)
    state = tuple(int(rng.integers(k)) for k in network.domain.cardinalities)
    *_, last = depnet.law_path(network, SequentialScan(network.order), state, steps=len(network))
    assert_is_the_law(last, network)


def test_mutants() -> None:
    """The random scan, the centroid, a later place of the cycle, and a sweep in another order have other laws."""
    order = (2, 0, 1)
    network = everything_read(np.random.default_rng(3), (2, 3, 2), order)
    scan = SequentialScan(order)
    assert_is_the_law(depnet.stationary_cycle(network, scan)[0], network)
    for wrong in (
        depnet.stationary(network, RandomScan()),
        depnet.stationary(network, scan),
        depnet.stationary_cycle(network, scan)[1],
        after_one_sweep(random_joint(np.random.default_rng(4), (2, 3, 2)), network, order[::-1]),
    ):
        with pytest.raises(AssertionError):
            assert_is_the_law(wrong, network)


def test_mutant_tables_without_an_order() -> None:
    """Of tables that read each other the product is no law: it does not even sum to one."""
    p = np.array([[0.4, 0.1], [0.1, 0.4]])
    product = geometry.full_conditional(p, 0) * geometry.full_conditional(p, 1)
    assert product.sum() == pytest.approx(1.36)
