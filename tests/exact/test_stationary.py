"""Stationary laws, `law_path` and recurrent classes, against the matrices and the graph search of the twin."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import Domain, Network, RandomScan, SequentialScan
from depnet.arrays import FloatArray
from depnet.errors import DataError, DistributionError, EvidenceError, ReducibleError, ScanError
from depnet.model import Given, Scan
from tests.exact.drawing import any_scan, inconsistent_network, random_given, random_scan, sequential_scan
from tests.law.cases import given_tables
from tests.reference import stationary as reference
from tests.refusals import refuses
from tests.strategies import mixed_networks, networks, random_joint, seeds

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


@settings(max_examples=2 * settings().max_examples)
@given(positive | with_zeros, seeds)
def test_law_equals_the_dense_solve(network: Network, seed: int) -> None:
    """Transient states have probability 0; several classes, or impossible evidence, are their errors."""
    rng = np.random.default_rng(seed)
    evidence = random_given(rng, network, share=rng.choice([0.0, 0.5]))
    chain = reference.Chain(network, evidence)
    for scan in (random_scan(rng, network), sequential_scan(rng, network)):
        classes = reference.recurrent(chain.matrix(scan))
        if chain.keeps_meeting_the_impossible(scan):
            refuses(EvidenceError, "impossible for node", depnet.stationary, network, scan, evidence)
        elif len(classes) > 1:
            said = f"{len(classes)} recurrent classes"
            refuses(ReducibleError, said, depnet.stationary, network, scan, evidence)
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
    evidence = random_given(rng, network, share=rng.choice([0.0, 0.5]))
    wanted = reference.cycle(network, scan, evidence)
    cycle = depnet.stationary_cycle(network, scan, evidence)
    assert len(cycle) == len(wanted)
    for law, other in zip(cycle, wanted, strict=True):
        assert_law(law, other)


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
    evidence = random_given(rng, network, share=rng.choice([0.0, 0.5]))
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
    said = r"starts at a joint distribution of the shape \(2, 3, 2\), or .* 3 codes"
    refuses(DataError, said, depnet.law_path, network, RandomScan(), (0.5, 0.5))
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


def copycats() -> Network:
    """Two variables that copy each other: once they agree they stay, so each state agreed on is a class."""
    lamps = Domain((depnet.Variable("lamp", ("off", "on")), depnet.Variable("switch", ("down", "up"))))
    return replace(given_tables(*[([i], np.eye(2).tolist()) for i in (1, 0)], in_order=False), domain=lamps)


@given(networks(max_states=60, zeros=0.4) | networks(max_states=60, zeros=0.8), seeds)
def test_classes_and_laws_equal_the_graph_search(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scan = any_scan(rng, network)
    evidence = random_given(rng, network, share=rng.choice([0.0, 0.3]))
    chain = reference.Chain(network, evidence)
    if chain.keeps_meeting_the_impossible(scan):
        with pytest.raises(EvidenceError):
            depnet.recurrent_classes(network, scan, evidence)
        return
    K = chain.matrix(scan)
    wanted = reference.recurrent(K)
    classes = depnet.recurrent_classes(network, scan, evidence)
    assert [list(map(tuple, c.states.tolist())) for c in classes] == [
        [chain.states[s] for s in members] for members in wanted
    ]
    for found, members in zip(classes, wanted, strict=True):
        law = chain.tensor(reference.class_law(K, members))
        np.testing.assert_allclose(found.law, law, rtol=0, atol=1e-9)
        assert found.probabilities.sum() == pytest.approx(1, abs=1e-12)
        assert (found.probabilities > 0).all()


def test_the_error_names_the_classes() -> None:
    for scan in (RandomScan(), SequentialScan()):
        with pytest.raises(ReducibleError) as error:
            depnet.stationary(copycats(), scan)
        for part in ("2 recurrent classes", "lamp='off', switch='down'", "lamp='on', switch='up'"):
            assert part in str(error.value)
        first, second = depnet.recurrent_classes(copycats(), scan)
        assert first.law.tolist() == [[1, 0], [0, 0]]
        assert second.law.tolist() == [[0, 0], [0, 1]]
        assert str(second) == "{(lamp='on', switch='up')} of 1 state"


def test_many_classes_are_named_in_part() -> None:
    ring = given_tables(*[([(i + 1) % 8], np.eye(2).tolist()) for i in range(8)], in_order=False)
    assert len(depnet.recurrent_classes(ring, RandomScan())) == 2
    copies = [([i], np.eye(7).tolist()) for i in (3, 2)]
    network = given_tables(([], [[0.5, 0.5]]), ([], [[0.5, 0.5]]), *copies, in_order=False)
    with pytest.raises(ReducibleError, match=r"7 recurrent classes.*of 4 states.*and 3 more\."):
        depnet.stationary(network, RandomScan())


def turning(period: int) -> Network:
    """X0 takes the value after that of X1, X1 copies X0: a sweep turns the pair round for ever."""
    turn = np.roll(np.eye(period), 1, axis=1).tolist()
    return given_tables(([1], turn), ([0], np.eye(period).tolist()), in_order=False)


def test_periodic_chains_have_their_law() -> None:
    """The law of a class is what time averages tend to, whether or not the chain is periodic."""
    for period in (2, 3, 5):
        network = turning(period)
        cycle = depnet.stationary_cycle(network, SequentialScan())
        for law, wanted in zip(cycle, reference.cycle(network, SequentialScan()), strict=True):
            np.testing.assert_allclose(law, wanted, rtol=0, atol=1e-12)
            assert np.count_nonzero(law) == period
        (found,) = depnet.recurrent_classes(network, SequentialScan())
        assert len(found.states) == period
        (random,) = reference.stationary_laws(network, RandomScan())
        np.testing.assert_allclose(depnet.stationary(network, RandomScan()), random, rtol=0, atol=1e-11)


def test_impossible_evidence_is_an_error_only_where_the_chain_comes_back_to_it() -> None:
    # X0 is always 0 when X1 is 1; X1 goes to 1 and stays there, or (second network) moves about.
    first = ([1], [[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])
    settles, moves = (given_tables(first, ([], [row]), in_order=False) for row in ([1.0, 0.0], [0.5, 0.5]))
    for scan in (RandomScan(), SequentialScan(), SequentialScan((1, 0))):
        law = depnet.stationary(settles, scan, {"X0": {1, 2}})
        np.testing.assert_allclose(law, np.array([[0, 0], [0.625, 0], [0.375, 0]]), rtol=0, atol=1e-12)
        refuses(EvidenceError, r"impossible for node 0.*X1=1", depnet.stationary, moves, scan, {"X0": {1, 2}})
        law = depnet.stationary(moves, scan, {"X0": {0, 2}})
        assert law[1].sum() == 0
