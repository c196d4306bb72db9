"""Eq. ergodicity: averages along one long run of pseudo-Gibbs sampling go to expectations under pi.

The average over N^o steps of a stationary chain is near its mean by its asymptotic variance,
sigma^2 = var(f) + 2 sum over s of cov(f(X^0), f(X^s)), which the fundamental matrix gives exactly on a small
domain. Six standard errors: a false alarm in about 5e8 for each f.
"""

import itertools

import numpy as np
import pytest

from depnet import Domain, stationary, trace
from depnet.arrays import FloatArray
from depnet.model import (
    ConditionalTable,
    LosslessSource,
    Network,
    RandomScan,
    SequentialScan,
    TableNode,
)

STEPS = 200_000
STATES = list(itertools.product((0, 1), repeat=2))


def two_nodes(first: tuple[float, float], second: tuple[float, float]) -> Network:
    tables = [ConditionalTable.from_probabilities([[p, 1 - p] for p in zeros]) for zeros in (first, second)]
    nodes = tuple(TableNode(i, LosslessSource((1 - i,), (2,)), table) for i, table in enumerate(tables))
    return Network(Domain.from_cardinalities([2, 2]), nodes)


def transition_matrix(network: Network) -> FloatArray:
    """K(x, x') of the random scan, to the letter."""
    matrix = np.zeros((4, 4))
    for row, state in enumerate(STATES):
        for node in network.nodes:
            for x, probability in enumerate(node.table.probabilities[node.source([state])[0]]):
                moved = tuple(x if i == node.variable else state[i] for i in range(2))
                matrix[row, STATES.index(moved)] += probability / 2
    return matrix


def standard_errors(network: Network) -> FloatArray:
    """Of the share of each state among STEPS steps."""
    matrix = transition_matrix(network)
    pi = stationary(network, RandomScan()).ravel()
    fundamental = np.linalg.inv(np.eye(4) - matrix + pi)
    variances = [2 * pi[x] * fundamental[x, x] - pi[x] - pi[x] ** 2 for x in range(4)]
    return np.sqrt(np.array(variances) / STEPS)


def shares(network: Network) -> FloatArray:
    codes = trace(network, STEPS, scan=RandomScan(), start=[0, 0], rng=np.random.default_rng(3)).codes
    return np.bincount(codes[:, 0].astype(np.int64) * 2 + codes[:, 1], minlength=4) / STEPS


def assert_ergodic(network: Network, law: FloatArray) -> None:
    gap = np.abs(shares(network) - law.ravel())
    assert (gap < 6 * standard_errors(network) + 1e-4).all()  # 1e-4: the start, forgotten at a geometric pace


def test_shares_of_states_go_to_pi() -> None:
    network = two_nodes((0.9, 0.3), (0.7, 0.4))
    assert_ergodic(network, stationary(network, RandomScan()))


@pytest.mark.parametrize("wrong", [((0.88, 0.3), (0.7, 0.4)), ((0.9, 0.3), (0.7, 0.43))])
def test_mutant_slightly_wrong_tables(wrong: tuple[tuple[float, float], tuple[float, float]]) -> None:
    network = two_nodes((0.9, 0.3), (0.7, 0.4))
    with pytest.raises(AssertionError):
        assert_ergodic(network, stationary(two_nodes(*wrong), RandomScan()))


def test_sequential_scan_has_a_limit_too_its_centroid() -> None:
    network = two_nodes((0.9, 0.3), (0.7, 0.4))
    codes = trace(network, STEPS, scan=SequentialScan(), start=[0, 0], rng=np.random.default_rng(4)).codes
    share = np.bincount(codes[:, 0].astype(np.int64) * 2 + codes[:, 1], minlength=4) / STEPS
    assert np.abs(share - stationary(network, SequentialScan()).ravel()).max() < 0.01
