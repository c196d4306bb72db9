"""Every kernel, fed from a buffer of words, equals the slow twin bit for bit; so do its own words."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from depnet import (
    ConditionalTable,
    ConstantSource,
    DecisionGraph,
    Domain,
    FunctionSource,
    Network,
    Node,
    RandomScan,
    SequentialScan,
    Split,
    TableNode,
)
from depnet.arrays import CodeArray
from depnet.errors import EvidenceError
from depnet.model import Evidence, Scan, compiled
from depnet.model.boosted import BoostedNode
from depnet.model.stages import Stages
from depnet.model.stages import Test as Within
from depnet.sampling.kernels import KERNELS, Kernel, Randomness, Task
from depnet.sampling.plan import chain_plan
from depnet.sampling.words import PLACE, UPDATE
from tests.boosted import random_boosted_network
from tests.reference import sampling as reference
from tests.sampling.chains import (
    kernels_of,
    random_evidence,
    random_start,
    random_words,
    run_kernel,
    scans,
    twin_rows,
    words_needed,
)
from tests.strategies import mixed_networks, networks, random_operations, random_table, seeds

NO_EVIDENCE = Evidence({}, {})


def assert_kernels_equal_the_twin(
    network: Network, scan: Scan, evidence: Evidence, seed: int, chains: int | None = None
) -> set[str]:
    rng = np.random.default_rng(seed)
    kernels = kernels_of(network, scan, evidence)
    made = kernels[0].plan
    records = 2 if chains is None else 1
    chains = chains or int(rng.choice([1, 3, 17]))
    task = Task(0, chains, lead=int(rng.integers(2)), gap=1, records=records, record_stride=chains)
    start = random_start(rng, made, chains)
    words = random_words(rng, words_needed(made, task), chains)
    places = random_words(rng, task.records, chains)
    expected = twin_rows(made, task, start, words, places)
    for kernel in kernels:
        assert np.array_equal(run_kernel(kernel, task, start, words, places), expected), kernel.name
    return {kernel.name for kernel in kernels}


@given(network=networks(max_states=200, zeros=0.1), seed=seeds)
def test_kernels_equal_the_slow_twin(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, network)
    for scan in scans(rng, network):
        try:
            assert_kernels_equal_the_twin(network, scan, evidence, seed)
        except (reference.ImpossibleRowError, EvidenceError):
            continue


@given(network=networks(max_variables=6, max_cardinality=2, zeros=0.1), seed=seeds)
def test_kernels_equal_the_slow_twin_on_binary_networks(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for scan in scans(rng, network):
        names = assert_kernels_equal_the_twin(network, scan, random_evidence(rng, network), seed)
        assert "packed" in names


def wide_network(cards: tuple[int, ...], operations: int, seed: int) -> Network:
    """More inputs than a table takes: these nodes walk."""
    rng = np.random.default_rng(seed)
    nodes = []
    for i in range(len(cards)):
        source = DecisionGraph(random_operations(rng, cards, (i,), operations), cards)
        nodes.append(TableNode(i, source, random_table(rng, source.size, cards[i])))
    return Network(Domain.from_cardinalities(cards), tuple(nodes))


@pytest.mark.parametrize(
    ("cards", "operations", "kernels"),
    [
        ((2,) * 20, 60, {"codes", "callback"}),  # walking
        ((2,) * 70, 3, {"packed", "codes", "callback"}),  # two words of bits
        ((2, 3, 4) * 20, 3, {"packed", "codes", "callback"}),  # four words of bits
        ((2, 300, 40), 3, {"codes", "callback"}),  # 16-bit codes, binary search
        ((2,) * 300, 3, {"codes", "callback"}),
    ],
)
def test_kernels_equal_the_slow_twin_on_wide_networks(
    cards: tuple[int, ...], operations: int, kernels: set[str]
) -> None:
    network = wide_network(cards, operations, seed=3)
    rng = np.random.default_rng(4)
    for scan in (RandomScan(), SequentialScan()):
        names = assert_kernels_equal_the_twin(network, scan, NO_EVIDENCE, 5, chains=2)
        assert names == kernels
        assert_kernels_equal_the_twin(network, scan, random_evidence(rng, network), 5, chains=1)


@given(network=mixed_networks(max_states=200), seed=seeds)
def test_kernels_equal_the_slow_twin_with_boosted_nodes(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for scan in scans(rng, network):
        assert_kernels_equal_the_twin(network, scan, random_evidence(rng, network), seed)


@given(network=mixed_networks(max_states=200), seed=seeds)
def test_kernels_equal_the_slow_twin_where_theta_is_computed_at_every_update(
    network: Network, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "TABLE_STATES", 0)  # not even nodes that read nothing are written out
        walked = dataclasses.replace(network)
        for scan in scans(rng, walked):
            assert_kernels_equal_the_twin(
                walked, scan, random_evidence(rng, walked), seed, chains=int(rng.integers(1, 12))
            )


@pytest.mark.parametrize("cards", [(2, 3) * 8, (2, 300, 2, 3, 40, 2, 2)])
def test_boosted_nodes_of_many_inputs(cards: tuple[int, ...]) -> None:
    """Too many to write thresholds out: only the kernels that compute theta at every update can run them."""
    network = random_boosted_network(8, list(cards), stages=12)
    rng = np.random.default_rng(6)
    for scan in scans(rng, network):
        for chains in (3, 12):
            names = assert_kernels_equal_the_twin(network, scan, NO_EVIDENCE, 5, chains=chains)
            assert names == {"codes", "callback"}
        assert_kernels_equal_the_twin(network, scan, random_evidence(rng, network), 5, chains=2)


def test_mutant_a_boosted_node_without_its_last_stages() -> None:
    network = random_boosted_network(8, [2, 3] * 8, stages=12)
    node = network.nodes[0]
    assert isinstance(node, BoostedNode)
    shorter = BoostedNode(0, node.start, node.start_scores, node.stages.first(4))
    wrong = dataclasses.replace(network, nodes=(shorter, *network.nodes[1:]))
    task = Task(0, 64, lead=3, records=1, record_stride=64)
    rng = np.random.default_rng(0)
    right = chain_plan(network, RandomScan())
    start, places = random_start(rng, right, 64), random_words(rng, 1, 64)
    words = random_words(rng, words_needed(right, task), 64)
    expected = twin_rows(right, task, start, words, places)
    for kernel in kernels_of(wrong, RandomScan(), NO_EVIDENCE):
        assert not np.array_equal(run_kernel(kernel, task, start, words, places), expected)


def test_soft_weights_next_to_nothing_are_impossible_for_a_boosted_node() -> None:
    far = Stages.of([([(0, Within(j, 0, 0))], [[0, 0], [0, 2**24]]) for j in range(1, 16)], 2)
    nodes: list[Node] = [BoostedNode(0, ConstantSource(), [[2**29, -(2**29)]], far)]
    nodes += [
        TableNode(j, ConstantSource(), ConditionalTable.from_probabilities([[0.5, 0.5]]))
        for j in range(1, 16)
    ]
    network = Network(Domain.from_cardinalities((2,) * 16), tuple(nodes))
    evidence = Evidence({}, {0: np.array([0.0, 1e-300])})
    start = np.ones((16, 4), dtype=np.uint8)
    for kernel in kernels_of(network, SequentialScan(), evidence):
        task = Task(0, 4, lead=1, records=0)
        with pytest.raises(EvidenceError, match="gives probability 0 to every state"):
            kernel.run(task, Randomness(1), kernel.state(start), start.copy())


def test_functions_of_few_and_of_many_inputs() -> None:
    rng = np.random.default_rng(0)
    n = 24
    nodes = []
    for i in range(n):
        inputs = tuple(j for j in range(n) if j != i)[
            : (5, 16, 23)[i % 3]
        ]  # few, many, too many to write out
        source = FunctionSource(lambda x: x.sum(axis=1), inputs, len(inputs) + 1)
        nodes.append(TableNode(i, source, random_table(rng, source.size, 2)))
    network = Network(Domain.from_cardinalities((2,) * n), tuple(nodes))
    assert assert_kernels_equal_the_twin(network, SequentialScan(), NO_EVIDENCE, 1, chains=2) == {"callback"}
    fewer = Network(
        Domain.from_cardinalities((2,) * 17),
        tuple(nodes[i] for i in (0, 1))
        + tuple(TableNode(j, ConstantSource(), random_table(rng, 1, 2)) for j in range(2, 17)),
    )
    assert assert_kernels_equal_the_twin(fewer, SequentialScan(), NO_EVIDENCE, 1, chains=2) == {
        "codes",
        "callback",
    }


def test_the_twin_notices_a_wrong_order() -> None:  # the mutant of the tests above
    network = Network.from_joint(np.array([[0.1, 0.4], [0.3, 0.2]]))
    rng = np.random.default_rng(0)
    right = kernels_of(network, SequentialScan((0, 1)), NO_EVIDENCE)
    wrong = kernels_of(network, SequentialScan((1, 0)), NO_EVIDENCE)
    task = Task(0, 64, lead=2, records=1, record_stride=64)
    start = random_start(rng, right[0].plan, 64)
    words = random_words(rng, words_needed(right[0].plan, task), 64)
    places = random_words(rng, 1, 64)
    expected = twin_rows(right[0].plan, task, start, words, places)
    for kernel, mutant in zip(right, wrong, strict=True):
        assert np.array_equal(run_kernel(kernel, task, start, words, places), expected)
        assert not np.array_equal(run_kernel(mutant, task, start, words, places), expected)


def own_words(kernel: Kernel, seed: int, task: Task) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The words that a kernel makes itself, by the twin's generator."""
    rows = words_needed(kernel.plan, task)
    each = 2 if kernel.plan.random else 1
    first = task.first_sweep * len(kernel.plan.order) * each
    chains = range(task.first_chain, task.first_chain + task.chains)
    words = [[reference.word(seed, UPDATE, c, first + k) for c in chains] for k in range(rows)]
    records = range(task.first_record, task.first_record + task.records)
    places = [[reference.word(seed, PLACE, c, r) for c in chains] for r in records]
    return np.array(words, dtype=np.uint32), np.array(places, dtype=np.uint32)


@pytest.mark.parametrize("name", KERNELS)
def test_counter_words_are_those_of_the_twin(name: str) -> None:
    network = Network.from_joint(np.array([[0.1, 0.4], [0.3, 0.2]]))
    seed = 0x0123456789ABCDEF
    rng = np.random.default_rng(0)
    for scan in scans(rng, network):
        if not KERNELS[name].fits(chain_plan(network, scan)):
            continue
        kernel = KERNELS[name](chain_plan(network, scan))
        for chains, first_sweep in ((1, 0), (5, 10**11), (70, 7)):
            task = Task(
                512,
                chains,
                first_sweep=first_sweep,
                first_record=5,
                lead=1,
                gap=2,
                records=2,
                record_stride=chains,
            )
            start = random_start(rng, kernel.plan, chains)
            out: CodeArray = np.zeros((2, 2 * chains), dtype=np.uint8)
            kernel.run(task, Randomness(seed), kernel.state(start), out)
            words, places = own_words(kernel, seed, task)
            assert np.array_equal(out, twin_rows(kernel.plan, task, start, words, places))


def test_philox_gives_the_published_words() -> None:
    assert reference.philox((0, 0, 0, 0), (0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    digits = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    published = [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]
    assert reference.philox(digits, (0xA4093822, 0x299F31D0)) == published


@pytest.mark.parametrize("name", KERNELS)
def test_words_at_below_and_above_a_threshold_and_the_threshold_never(name: str) -> None:
    table = ConditionalTable.from_probabilities([[0.25, 0.75], [1.0, 0.0]])
    cards = (2, 2)
    nodes = tuple(TableNode(i, DecisionGraph((Split(0, 1 - i),), cards), table) for i in range(2))
    kernel = KERNELS[name](chain_plan(Network(Domain.from_cardinalities(cards), nodes), SequentialScan()))
    words = np.array([[2**30 - 1, 2**30, 2**30 + 1, 2**32 - 1, 0]] * 4, dtype=np.uint32)
    task = Task(0, 5, lead=1, records=1, record_stride=5)
    start = np.zeros((2, 5), dtype=np.uint8)
    places = np.full((1, 5), 2**32 - 1, dtype=np.uint32)
    expected = twin_rows(kernel.plan, task, start, words, places)
    assert np.array_equal(run_kernel(kernel, task, start, words, places), expected)
