"""The law of a network with boosted nodes is that of its tables: the same passes and moves, on every instruction set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import ConstantSource, Domain, Network
from depnet.law import limits
from depnet.law.elimination import log_largest_weight
from depnet.law.program import Law
from depnet.model import Evidence
from depnet.model import stages as model
from depnet.model.boosted import BoostedNode
from depnet.model.sources.source import JointStates
from tests.boosted import SPREAD, random_stages, stages_of, tabulated, with_boosted_nodes
from tests.isas import AVAILABLE
from tests.law.cases import assert_same_passes, compiled, evidence_of, laws
from tests.reference import ordered
from tests.strategies import random_evidence, random_ordered_network, seeds

ROWS = 150  # two tiles and a part of one


def mixed(seed: int, cards: tuple[int, ...], share: float = 0.6) -> Network:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(cards)).tolist()
    return with_boosted_nodes(rng, random_ordered_network(rng, cards, order), share)


def moved(law: Law, start: np.ndarray, hidden: np.ndarray, known: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """The states after some sweeps, and the sums of all conditionals."""
    codes = np.ascontiguousarray(start, dtype=np.uint16)
    cards = np.array(law.cardinalities)
    sums = np.zeros((len(codes), int(cards.sum())))
    law.moves(codes, hidden, known, sweeps=3, seed=11, cells=np.cumsum(cards) - cards, sums=sums)
    return codes, sums


@given(laws(), seeds, st.sampled_from(AVAILABLE))
def test_the_law_of_the_tables(network: Network, seed: int, isa: str) -> None:
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    known = evidence_of(random_evidence(rng, cards, range(len(cards))))
    hidden = rng.random((ROWS, len(cards))) < 0.7
    hidden[:, list(known.clamped)] = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEPNET_ISA", isa)
        tables = compiled(tabulated(network), walked=False)
        expected = tables.passes(ROWS, known, seed=seed)
        after, conditionals = moved(tables, expected.codes, hidden, known)
        for walked in (False, True):
            law = compiled(network, walked)
            found = law.passes(ROWS, known, seed=seed)
            np.testing.assert_array_equal(found.codes, expected.codes)
            np.testing.assert_allclose(found.log_weights, expected.log_weights, rtol=1e-12, atol=1e-12)
            codes, sums = moved(law, expected.codes, hidden, known)
            np.testing.assert_array_equal(codes, after)
            np.testing.assert_allclose(sums, conditionals, rtol=0, atol=1e-11)


@pytest.mark.parametrize("cards", [(2, 3, 4, 2, 3, 2, 5), (3, 300, 2, 4, 2)])
def test_the_same_bits_on_every_instruction_set_and_in_whatever_pieces(
    cards: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one byte a code and of two: codes, weights and conditionals."""
    monkeypatch.setattr(limits, "THREAD_CELLS", 0)
    network = mixed(5, cards, share=0.9)
    order = ordered.order_of(network)
    known = Evidence({order[-1]: 1}, {order[-2]: np.linspace(0.1, 1.0, cards[order[-2]])})
    law = compiled(network, walked=True)
    whole = law.passes(1000, known, seed=7, first=13)
    hidden = np.ones((1, len(cards)), dtype=bool)
    hidden[0, order[-1]] = False
    after, conditionals = moved(law, whole.codes, hidden, known)
    for isa in AVAILABLE:
        monkeypatch.setenv("DEPNET_ISA", isa)
        assert_same_passes(law, known, whole)
        codes, sums = moved(law, whole.codes, hidden, known)
        np.testing.assert_array_equal(codes, after)
        np.testing.assert_array_equal(sums, conditionals)


@pytest.mark.parametrize("leaves", [2, 8, 9, 16, 17, 32, 33, 256])
def test_stages_of_any_size(leaves: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few leaves are looked up in registers, many in memory."""
    rng = np.random.default_rng(leaves)
    cards = (7, 5, 6, 8, 3)
    splits = []
    for t in range(leaves - 1):
        j = int(rng.integers(0, 4))
        low, high = sorted(rng.integers(0, cards[j], size=2).tolist())
        splits.append((int(rng.integers(0, t + 1)), model.Test(j, low, high)))
    stages = stages_of([(splits, rng.integers(-SPREAD, SPREAD, size=(leaves, 3)))] * 2, 3)
    first = random_ordered_network(rng, cards, range(5))
    nodes = (*first.nodes[:4], BoostedNode(4, ConstantSource(), [[5, -5, 0]], stages))
    network = Network(Domain.from_cardinalities(cards), nodes, order=range(5))  # type: ignore[arg-type]
    expected = Law(tabulated(network)).passes(300, seed=1).codes
    for isa in AVAILABLE:
        monkeypatch.setenv("DEPNET_ISA", isa)
        law = compiled(network, walked=True)
        np.testing.assert_array_equal(law.passes(300, seed=1).codes, expected)


def far(score: int) -> Network:
    """X0 decides X1, whose scores are so far apart that probabilities are as small as they come."""
    stages = stages_of([([(0, model.Test(0, 1, 1))], [[score, -score, 0], [-score, score, 0]])], 3)
    nodes = (
        BoostedNode(0, ConstantSource(), [[0, 0]], random_stages(np.random.default_rng(0), [], [2, 3], 2)),
        BoostedNode(1, ConstantSource(), [[0, 0, 0]], stages),
    )
    return Network(Domain.from_cardinalities((2, 3)), nodes, order=(0, 1))


def test_scores_that_are_far_apart() -> None:
    """A probability is at least exp(-700), and its log is finite; one that weights make 0 is impossible."""
    network = far(900 << 20)
    law = compiled(network, walked=True)
    done = law.passes(64, Evidence({1: 1}, {}), seed=1)
    worst = done.log_weights[done.codes[:, 0] == 0]
    np.testing.assert_allclose(worst, -700.0, rtol=1e-12)
    soft = Evidence({}, {1: np.array([0.0, 1e-300, 0.0])})
    done = law.passes(64, soft, seed=1)
    assert (done.codes[:, 1] == 1).all()
    assert (done.log_weights[done.codes[:, 0] == 0] == -np.inf).all()
    np.testing.assert_allclose(done.log_weights[done.codes[:, 0] == 1], np.log(1e-300))
    assert log_largest_weight(network, (0, 1), soft) >= done.log_weights.max() - 1e-9


@given(seeds, st.integers(0, 2))
def test_no_row_has_more_than_the_bound(seed: int, nats: int) -> None:
    rng = np.random.default_rng(seed)
    cards = [3, 2, 4, 3]
    start = rng.integers(-SPREAD, SPREAD, size=(1, 3)) << nats
    node = BoostedNode(3, ConstantSource(), start, random_stages(rng, [0, 1, 2], cards, 3))
    most, theta = node.largest_theta(), node.probabilities(JointStates(cards, [0, 1, 2]).codes())
    assert (theta.max(axis=0) <= most).all()
    assert (most <= 1).all()
    alone = BoostedNode(3, ConstantSource(), start, random_stages(rng, [], cards, 3, stages=0))
    np.testing.assert_allclose(
        alone.largest_theta(), alone.probabilities(JointStates(cards, []).codes())[0], rtol=1e-8
    )
