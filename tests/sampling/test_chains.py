"""Chains, fed from a buffer of words, equal the slow twin bit for bit, and so do their own words; 32-bit thresholds."""

import contextlib
import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import depnet
from depnet import ConditionalTable, ConstantSource, Domain, Network, RandomScan, SequentialScan, TableNode
from depnet.errors import EvidenceError
from depnet.model import Evidence, Scan
from depnet.model.boosted import BoostedNode
from depnet.model.stages import Test as Within
from depnet.sampling.chains import ALWAYS, Chains, thresholds_of
from depnet.sampling.plan import chain_plan
from tests.boosted import random_boosted_network, stages_of
from tests.inference.cases import random_evidence
from tests.reference import sampling as reference
from tests.reference.sampling import interval_ends
from tests.refusals import refuses
from tests.sampling.chains import (
    Recorded,
    chains_at,
    random_buffer,
    random_start,
    random_words,
    scans,
    twin_rows,
)
from tests.strategies import mixed_networks, networks, random_operations, random_table, seeds

NO_EVIDENCE = Evidence({}, {})


def assert_chains_equal_the_twin(
    network: Network, scan: Scan, evidence: Evidence, seed: int, chains: int | None = None
) -> bool:
    """Chains record the twin's rows; False where the twin finds nothing possible."""
    rng = np.random.default_rng(seed)
    plan = chain_plan(network, scan, evidence)
    task = Recorded(int(rng.integers(2)), 1, 2 if chains is None else 1)
    chains = chains or int(rng.choice([1, 3, 17]))
    start = random_start(rng, plan, chains)
    words = random_buffer(rng, plan, task, chains)
    places = random_words(rng, task.records, chains)
    try:
        expected = twin_rows(plan, task, start, words, places)
    except reference.ImpossibleRowError:
        return False
    assert np.array_equal(recorded(chains_at(plan, start), task, words, places), expected)
    return True


def recorded(
    chains: Chains, task: Recorded, words: NDArray[np.uint64], places: NDArray[np.uint32]
) -> NDArray[np.uint16]:
    out, failed = chains.advance(
        task.lead, gap=task.gap, records=task.records, words=words, place_words=places
    )
    assert failed == -1
    return out


@pytest.mark.parametrize("table_states", [0, 1 << 12])
@settings(max_examples=2 * settings().max_examples)
@given(network=networks(max_states=200, zeros=0.1) | mixed_networks(max_states=200), seed=seeds)
def test_chains_equal_the_slow_twin(table_states: int, network: Network, seed: int) -> None:
    """Theta computed at every update, also of nodes that read nothing, or looked up."""
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("depnet.model.sources.limits.TABLE_STATES", table_states)
        network = dataclasses.replace(network)  # what was compiled before is kept by the network
        evidence = random_evidence(rng, network)
        for scan in scans(rng, network):
            with contextlib.suppress(EvidenceError):  # nothing is possible at all
                assert_chains_equal_the_twin(network, scan, evidence, seed)


def wide_network(cards: tuple[int, ...], operations: int, seed: int) -> Network:
    """More inputs than a table takes: these nodes walk."""
    rng = np.random.default_rng(seed)
    nodes = []
    for i in range(len(cards)):
        source = depnet.DecisionGraph(random_operations(rng, cards, (i,), operations), cards)
        nodes.append(TableNode(i, source, random_table(rng, source.size, cards[i])))
    return Network(Domain.from_cardinalities(cards), tuple(nodes))


@pytest.mark.parametrize(
    ("cards", "operations"),
    [
        ((2,) * 20, 60),  # walking
        ((2, 3, 4) * 20, 3),
        ((2, 300, 40), 3),  # binary search
        ((2,) * 300, 3),
    ],
)
def test_chains_equal_the_slow_twin_on_wide_networks(cards: tuple[int, ...], operations: int) -> None:
    network = wide_network(cards, operations, seed=3)
    rng = np.random.default_rng(4)
    for scan in (RandomScan(), SequentialScan()):
        assert assert_chains_equal_the_twin(network, scan, NO_EVIDENCE, 5, chains=2)
        assert_chains_equal_the_twin(network, scan, random_evidence(rng, network), 5, chains=1)


@pytest.mark.parametrize("cards", [(2, 3) * 8, (2, 300, 2, 3, 40, 2, 2)])
def test_boosted_nodes_of_many_inputs(cards: tuple[int, ...]) -> None:
    """Too many to write thresholds out: theta is computed at every update."""
    network = random_boosted_network(8, list(cards), stages=12)
    rng = np.random.default_rng(6)
    for scan in scans(rng, network):
        for chains in (3, 12):
            assert assert_chains_equal_the_twin(network, scan, NO_EVIDENCE, 5, chains=chains)
        assert_chains_equal_the_twin(network, scan, random_evidence(rng, network), 5, chains=2)


def test_mutant_a_boosted_node_without_its_last_stages() -> None:
    network = random_boosted_network(8, [2, 3] * 8, stages=12)
    node = network.nodes[0]
    assert isinstance(node, BoostedNode)
    shorter = BoostedNode(0, node.start, node.start_scores, node.stages.first(4))
    wrong = dataclasses.replace(network, nodes=(shorter, *network.nodes[1:]))
    assert_noticed(network, RandomScan(), wrong, RandomScan())


def assert_noticed(network: Network, scan: Scan, wrong: Network, wrong_scan: Scan) -> None:
    """The same words take chains of another network, or scan, elsewhere."""
    rng = np.random.default_rng(0)
    task, right = Recorded(3, 0, 1), chain_plan(network, scan)
    start, places = random_start(rng, right, 64), random_words(rng, 1, 64)
    words = random_buffer(rng, right, task, 64)
    expected = twin_rows(right, task, start, words, places)
    assert np.array_equal(recorded(chains_at(right, start), task, words, places), expected)
    other = chains_at(chain_plan(wrong, wrong_scan), start)
    assert not np.array_equal(recorded(other, task, words, places), expected)


def test_soft_weights_next_to_nothing_are_impossible_for_a_boosted_node() -> None:
    far = stages_of([([(0, Within(j, 0, 0))], [[0, 0], [0, 2**24]]) for j in range(1, 16)], 2)
    nodes: list[depnet.Node] = [BoostedNode(0, ConstantSource(), [[2**29, -(2**29)]], far)]
    even = ConditionalTable.from_probabilities([[0.5, 0.5]])
    nodes += [TableNode(j, ConstantSource(), even) for j in range(1, 16)]
    network = Network(Domain.from_cardinalities((2,) * 16), tuple(nodes))
    evidence = Evidence({}, {0: np.array([0.0, 1e-300])})
    start = np.ones((4, 16), dtype=np.uint16)
    _, failed = chains_at(chain_plan(network, SequentialScan(), evidence), start).advance(1)
    assert failed == 0


def test_functions_of_few_and_of_many_inputs() -> None:
    rng = np.random.default_rng(0)
    n = 24
    nodes = []
    for i in range(n):
        most = (5, 16, 23)[i % 3]  # few, many, too many to write out
        inputs = tuple(j for j in range(n) if j != i)[:most]
        source = depnet.FunctionSource(lambda x: x.sum(axis=1), inputs, len(inputs) + 1)
        nodes.append(TableNode(i, source, random_table(rng, source.size, 2)))
    network = Network(Domain.from_cardinalities((2,) * n), tuple(nodes))
    refuses(
        depnet.errors.DomainTooLargeError,
        "a function of 23 variables .* too many to write out",
        lambda: depnet.sample(network, 1, scan=SequentialScan()),
    )
    fewer = Network(
        Domain.from_cardinalities((2,) * 17),
        tuple(nodes[i] for i in (0, 1))
        + tuple(TableNode(j, ConstantSource(), random_table(rng, 1, 2)) for j in range(2, 17)),
    )
    assert assert_chains_equal_the_twin(fewer, SequentialScan(), NO_EVIDENCE, 1, chains=2)


def test_the_twin_notices_a_wrong_order() -> None:  # the mutant of the tests above
    network = Network.from_joint(np.array([[0.1, 0.4], [0.3, 0.2]]))
    assert_noticed(network, SequentialScan((0, 1)), network, SequentialScan((1, 0)))


def test_words_of_keys_are_those_of_the_twin() -> None:
    network = Network.from_joint(np.array([[0.1, 0.4], [0.3, 0.2]]))
    rng, task = np.random.default_rng(0), Recorded(1, 2, 2)
    for scan in scans(rng, network):
        plan = chain_plan(network, scan)
        for count, sweeps in ((1, 0), (5, 10**11), (70, 7)):
            keys = rng.integers(0, 2**64, size=count, dtype=np.uint64)
            start = random_start(rng, plan, count)
            updates = range(2 * sweeps, 2 * (sweeps + 8))
            words = [[reference.split_word(key, t) for key in keys.tolist()] for t in updates]
            places = [
                [reference.split_word(key ^ 2**64 - 1, r) & reference.LARGEST for key in keys.tolist()]
                for r in (5, 6)
            ]
            expected = twin_rows(plan, task, start, np.array(words, np.uint64), np.array(places, np.uint32))
            chains = chains_at(plan, start, keys)
            chains.sweeps, chains.records = sweeps, 5
            out, _ = chains.advance(task.lead, gap=task.gap, records=task.records)
            assert np.array_equal(out, expected)


def test_philox_gives_the_published_words() -> None:
    assert reference.philox((0, 0, 0, 0), (0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    digits = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    published = [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]
    assert reference.philox(digits, (0xA4093822, 0x299F31D0)) == published


def test_words_at_below_and_above_a_threshold_and_the_threshold_never() -> None:
    table = ConditionalTable.from_probabilities([[0.25, 0.75], [1.0, 0.0]])
    cards = (2, 2)
    nodes = tuple(
        TableNode(i, depnet.DecisionGraph((depnet.Split(0, 1 - i),), cards), table) for i in range(2)
    )
    plan = chain_plan(Network(Domain.from_cardinalities(cards), nodes), SequentialScan())
    words = np.array([[2**30 - 1, 2**30, 2**30 + 1, 2**32 - 1, 0]] * 4, dtype=np.uint64)
    task, start = Recorded(1, 0, 1), np.zeros((5, 2), dtype=np.uint16)
    places = np.full((1, 5), 2**32 - 1, dtype=np.uint32)
    expected = twin_rows(plan, task, start, words, places)
    assert np.array_equal(recorded(chains_at(plan, start), task, words, places), expected)


weights = st.lists(
    st.sampled_from([0.0, 1e-300, 1e-12, 2.0**-33, 2.0**-32, 0.1, 0.3, 1.0, 1 - 2.0**-33]),
    min_size=1,
    max_size=6,
).filter(lambda row: sum(row) > 0)


def probability_up_to(threshold: int) -> Fraction:
    """P(min(word, 2^32 - 2) < threshold) for a uniform word."""
    return Fraction(1) if threshold == ALWAYS else Fraction(threshold, 2**32)


@given(weights)
def test_thresholds_are_off_by_at_most_2_to_the_minus_32(row: list[float]) -> None:
    thresholds = thresholds_of(np.array([row]))[0].tolist()
    exact = [Fraction(w) for w in row]
    for s, threshold in enumerate(thresholds):
        c = sum(exact[: s + 1], Fraction(0)) / sum(exact, Fraction(0))
        assert abs(probability_up_to(threshold) - c) <= Fraction(1, 2**32) + Fraction(1, 2**50)
        if c in (0, 1):
            assert probability_up_to(threshold) == c
    assert thresholds == sorted(thresholds)
    # those of the twin, but that a float sum may round the other way
    assert all(abs(a - b) <= 1 for a, b in zip(thresholds, interval_ends(tuple(row)), strict=True))
