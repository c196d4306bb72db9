"""`stationary` and `stationary_cycle` against the dense solve of the twin, and by their own equations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import Network, RandomScan, SequentialScan
from depnet.arrays import FloatArray
from depnet.errors import EvidenceError, ReducibleError, ScanError
from depnet.geometry import m_projection, manifolds
from depnet.model import Given, Scan
from tests.exact.drawing import any_scan, inconsistent_network, random_evidence, random_scan, sequential_scan
from tests.reference import stationary as reference
from tests.refusals import refuses
from tests.strategies import mixed_networks, networks, seeds

positive = networks(max_states=60) | mixed_networks(max_states=60)
with_zeros = networks(max_states=60, zeros=0.3)


def expected(network: Network, scan: Scan, given: Given | None = None) -> FloatArray:
    """The law by the twin."""
    if isinstance(scan, RandomScan):
        (law,) = reference.stationary_laws(network, scan, given)
        return law
    cycle = reference.cycle(network, scan, given) or reference.stationary_laws(network, scan, given)
    return np.asarray(sum(cycle) / len(cycle))


def assert_law(law: FloatArray, wanted: FloatArray, *, atol: float = 1e-9) -> None:
    assert law.dtype == np.float64
    assert law.shape == wanted.shape
    assert (law >= 0).all()
    assert abs(law.sum() - 1) <= 1e-12
    np.testing.assert_allclose(law, wanted, rtol=0, atol=atol)


@given(positive, seeds)
def test_law_equals_the_dense_solve(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for scan in (random_scan(rng, network), sequential_scan(rng, network)):
        assert_law(depnet.stationary(network, scan), expected(network, scan))


@given(positive, seeds)
def test_law_given_evidence_equals_the_dense_solve(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, network)
    for scan in (random_scan(rng, network), sequential_scan(rng, network)):
        assert_law(depnet.stationary(network, scan, evidence), expected(network, scan, evidence))


@given(with_zeros, seeds)
def test_zeros_and_evidence(network: Network, seed: int) -> None:
    """Transient states have probability 0; several classes, or impossible evidence, are their errors."""
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, network, share=rng.choice([0.0, 0.5]))
    scan = any_scan(rng, network)
    chain = reference.Chain(network, evidence)
    classes = reference.recurrent(chain.matrix(scan))
    if chain.keeps_meeting_the_impossible(scan):
        refuses(EvidenceError, "impossible for node", depnet.stationary, network, scan, evidence)
    elif len(classes) > 1:
        with pytest.raises(ReducibleError, match=f"{len(classes)} recurrent classes"):
            depnet.stationary(network, scan, evidence)
    else:
        law = depnet.stationary(network, scan, evidence)
        wanted = expected(network, scan, evidence)
        assert_law(law, wanted)
        assert (law[wanted == 0] == 0).all()


@given(networks(max_states=300, zeros=0.1), seeds)
def test_residual_is_under_a_trillionth(network: Network, seed: int) -> None:
    scan = random_scan(np.random.default_rng(seed), network)
    try:
        law = depnet.stationary(network, scan)
    except ReducibleError:
        return
    _, moved = depnet.law_path(network, scan, law, steps=1)
    assert np.abs(moved - law).sum() <= 1e-12


@given(positive, seeds)
def test_cycle_equals_the_dense_solve(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scan = sequential_scan(rng, network)
    evidence = random_evidence(rng, network, share=rng.choice([0.0, 0.5]))
    wanted = reference.cycle(network, scan, evidence)
    cycle = depnet.stationary_cycle(network, scan, evidence)
    assert len(cycle) == len(wanted)
    for law, other in zip(cycle, wanted, strict=True):
        assert_law(law, other)


@given(networks(max_states=300, zeros=0.1), seeds)
def test_each_law_of_the_cycle_is_the_m_projection_of_the_one_before(network: Network, seed: int) -> None:
    scan = sequential_scan(np.random.default_rng(seed), network)
    try:
        cycle = depnet.stationary_cycle(network, scan)
    except ReducibleError:
        return
    on = manifolds(network)
    for place, node in enumerate(scan.order_of(len(network))):
        moved = m_projection(cycle[place], on[node])
        assert np.abs(moved - cycle[(place + 1) % len(cycle)]).sum() <= 1e-12


def test_mutants_other_weights_order_and_place() -> None:
    network = inconsistent_network()
    weighted, ordered = RandomScan((0.6, 0.2, 0.2)), SequentialScan((1, 0, 2))
    for scan, wrong in (
        (weighted, RandomScan()),
        (weighted, SequentialScan()),
        (ordered, SequentialScan()),
        (ordered, RandomScan()),
    ):
        assert_law(depnet.stationary(network, scan), expected(network, scan))
        with pytest.raises(AssertionError):
            assert_law(depnet.stationary(network, scan), expected(network, wrong))
    cycle = depnet.stationary_cycle(network, ordered)
    wanted = reference.cycle(network, ordered)
    with pytest.raises(AssertionError):
        assert_law(cycle[1], wanted[0])


def test_mutants_other_evidence() -> None:
    network = inconsistent_network()
    scan = RandomScan((0.6, 0.2, 0.2))
    law = depnet.stationary(network, scan, {"X1": {0: 1.0, 2: 0.5}})
    assert_law(law, expected(network, scan, {"X1": {0: 1.0, 2: 0.5}}))
    for wrong in (None, {"X1": 0}, {"X1": {0, 2}}, {"X1": {0: 0.5, 2: 1.0}}):
        with pytest.raises(AssertionError):
            assert_law(law, expected(network, scan, wrong))
    clamped = depnet.stationary(network, scan, {"X1": 1})
    conditional = depnet.stationary(network, scan)[:, 1]  # pi conditioned is not the law given evidence
    with pytest.raises(AssertionError):
        assert_law(clamped[:, 1], conditional / conditional.sum())


@given(positive, st.booleans())
def test_evidence_on_everything_is_a_point(network: Network, random: bool) -> None:
    scan = RandomScan() if random else SequentialScan()
    everything = {v.name: v.states[-1] for v in network.domain.variables}
    law = depnet.stationary(network, scan, everything)
    assert law.flat[-1] == 1
    assert law.sum() == 1
    assert depnet.stationary_cycle(network, SequentialScan(), everything) == ()


def test_a_cycle_belongs_to_a_sequential_scan() -> None:
    network = Network.from_joint([0.5, 0.5])
    refuses(ScanError, "sequential scan", depnet.stationary_cycle, network, RandomScan())
    refuses(ScanError, "a scan is", depnet.stationary, network, "random")
    refuses(ScanError, "3 weights", depnet.stationary, network, RandomScan((0.5, 0.25, 0.25)))
