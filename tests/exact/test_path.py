"""`law_path`: p^0, p^1, ... against the matrices of the twin, and where it leads."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Network, RandomScan, SequentialScan
from depnet.arrays import FloatArray
from depnet.errors import DataError, DistributionError, EvidenceError
from depnet.model import Given, Scan
from tests.exact.drawing import any_scan, inconsistent_network, random_evidence
from tests.reference import stationary as reference
from tests.refusals import refuses
from tests.strategies import mixed_networks, networks, random_joint, seeds


def expected_path(network: Network, scan: Scan, start: FloatArray, given: Given | None) -> list[FloatArray]:
    """Seven laws by the twin's matrices."""
    chain = reference.Chain(network, given)
    p = np.array([start[x] for x in chain.states])
    laws = [chain.tensor(p)]
    for t in range(6 if chain.free else 0):
        if isinstance(scan, RandomScan):
            p = p @ chain.random_matrix(scan)
        else:
            order = chain.order(scan)
            p = p @ chain.updates[order[t % len(order)]]
        laws.append(chain.tensor(p))
    return laws


def assert_path(network: Network, scan: Scan, start: FloatArray, given: Given | None, like: Scan) -> None:
    wanted = expected_path(network, like, start, given)
    path = itertools.islice(depnet.law_path(network, scan, start, evidence=given), len(wanted))
    for law, other in zip(path, wanted, strict=True):
        np.testing.assert_allclose(law, other, rtol=0, atol=1e-13)


@given(networks(max_states=60, zeros=0.2) | mixed_networks(max_states=60), seeds)
def test_path_equals_products_of_matrices(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scan = any_scan(rng, network)
    evidence = random_evidence(rng, network, share=rng.choice([0.0, 0.5]))
    chain = reference.Chain(network, evidence)
    start = random_joint(rng, (len(chain.states),), zeros=rng.choice([0.0, 0.5]))
    assert_path(network, scan, chain.tensor(start), evidence, like=scan)


def test_mutants_another_scan() -> None:
    network = inconsistent_network()
    start = random_joint(np.random.default_rng(1), (2, 3, 2))
    scans: list[Scan] = [
        RandomScan(),
        RandomScan((0.5, 0.3, 0.2)),
        SequentialScan(),
        SequentialScan((2, 0, 1)),
    ]
    for scan, like in itertools.product(scans, scans):
        if scan is like:
            assert_path(network, scan, start, None, like=like)
        else:
            with pytest.raises(AssertionError):
                assert_path(network, scan, start, None, like=like)


def test_the_path_leads_to_the_stationary_law() -> None:
    network = inconsistent_network()
    *_, last = depnet.law_path(network, RandomScan(), (1, 2, 0), steps=400)
    np.testing.assert_allclose(last, depnet.stationary(network, RandomScan()), rtol=0, atol=1e-10)
    *_, before, last = depnet.law_path(network, SequentialScan(), (1, 2, 0), steps=301)
    cycle = depnet.stationary_cycle(network, SequentialScan())
    np.testing.assert_allclose(before, cycle[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(last, cycle[1], rtol=0, atol=1e-10)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(last, cycle[0], rtol=0, atol=1e-10)


def test_steps_and_starts() -> None:
    network = inconsistent_network()
    laws = list(depnet.law_path(network, RandomScan(), [1, 2, 0], steps=3))
    assert len(laws) == 4
    assert laws[0][1, 2, 0] == 1
    assert len(list(depnet.law_path(network, RandomScan(), laws[1], steps=0))) == 1
    everything = {"X0": 1, "X1": 2, "X2": 0}
    for law in depnet.law_path(network, SequentialScan(), (1, 2, 0), steps=3, evidence=everything):
        assert law[1, 2, 0] == 1
    laws[1][:] = 7.0  # what was handed out is the caller's own
    next_laws = list(depnet.law_path(network, RandomScan(), (1, 2, 0), steps=3))
    np.testing.assert_array_equal(next_laws[3], laws[3])


def test_errors() -> None:
    network = inconsistent_network()
    with pytest.raises(EvidenceError, match="must lie on the evidence; only 0 of"):
        depnet.law_path(network, RandomScan(), (1, 2, 0), evidence={"X0": 0})
    with pytest.raises(DistributionError, match="start sums to 6; a distribution sums to 1"):
        depnet.law_path(network, RandomScan(), np.full((2, 3, 2), 0.5))
    with pytest.raises(
        DataError, match=r"starts at a joint distribution of the shape \(2, 3, 2\), or .* 3 codes"
    ):
        depnet.law_path(network, RandomScan(), (0.5, 0.5))
    wrong: list[Any] = ["abc", ["a", "b", "c"], {"X0": 1}, [[0.5], [0.25, 0.25]], None]
    for start in wrong:
        refuses(DistributionError, "start ", depnet.law_path, network, RandomScan(), start)
    refuses(DataError, "a state has a code", depnet.law_path, network, RandomScan(), (1, 3, 0))
    endless: list[Any] = [-1, 2.5, "3", True]
    for steps in endless:
        with pytest.raises(DataError, match=rf"steps is a whole number of at least 0; got {steps!r}"):
            depnet.law_path(network, RandomScan(), (1, 2, 0), steps=steps)


def test_one_variable() -> None:
    one, two = Network.from_joint([1.0]), Network.from_joint([0.25, 0.75])
    starts: list[tuple[Network, list[int], list[float]]] = [
        (one, [0], [1.0]),  # its only state
        (one, [1], [1.0]),  # its only law
        (two, [1], [0.0, 1.0]),
        (two, [1, 0], [1.0, 0.0]),
    ]
    for network, start, law in starts:
        p, q = depnet.law_path(network, SequentialScan(), start, steps=1)
        assert p.tolist() == law
        np.testing.assert_allclose(q, depnet.stationary(network, RandomScan()), rtol=0, atol=1e-15)
