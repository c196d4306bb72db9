"""Recurrent classes against a graph search in the twin."""

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import ConstantSource, Domain, LosslessSource, Network, RandomScan, SequentialScan, TableNode
from depnet.errors import EvidenceError, ReducibleError
from tests.exact.drawing import any_scan, random_evidence
from tests.reference import stationary as reference
from tests.refusals import refuses
from tests.strategies import networks, seeds


def table(rows: list[list[float]]) -> depnet.ConditionalTable:
    return depnet.ConditionalTable.from_probabilities(rows)


def copycats() -> Network:
    """Two variables that copy each other: once they agree they stay, so each state agreed on is a class."""
    lamps = Domain((depnet.Variable("lamp", ("off", "on")), depnet.Variable("switch", ("down", "up"))))
    copy = table([[1, 0], [0, 1]])
    return Network(
        lamps,
        (TableNode(0, LosslessSource((1,), (2,)), copy), TableNode(1, LosslessSource((0,), (2,)), copy)),
    )


@given(networks(max_states=60, zeros=0.4) | networks(max_states=60, zeros=0.8), seeds)
def test_classes_and_laws_equal_the_graph_search(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scan = any_scan(rng, network)
    evidence = random_evidence(rng, network, share=rng.choice([0.0, 0.3]))
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


def test_evidence_can_leave_one_class() -> None:
    law = depnet.stationary(copycats(), RandomScan(), {"switch": "up"})
    assert law.tolist() == [[0, 0], [0, 1]]


def test_many_classes_are_named_in_part() -> None:
    n = 8
    stay = [TableNode(i, LosslessSource(((i + 1) % n,), (2,)), table([[1, 0], [0, 1]])) for i in range(n)]
    ring = Network(Domain.from_cardinalities([2] * n), tuple(stay))
    assert len(depnet.recurrent_classes(ring, RandomScan())) == 2
    alone = [TableNode(i, ConstantSource(), table([[0.5, 0.5]])) for i in range(2)]
    pinned = TableNode(2, LosslessSource((3,), (7,)), table(np.eye(7).tolist()))
    mirror = TableNode(3, LosslessSource((2,), (7,)), table(np.eye(7).tolist()))
    network = Network(Domain.from_cardinalities([2, 2, 7, 7]), (*alone, pinned, mirror))
    with pytest.raises(ReducibleError, match=r"7 recurrent classes.*of 4 states.*and 3 more\."):
        depnet.stationary(network, RandomScan())


def turning(period: int) -> Network:
    """X0 takes the value after that of X1, X1 copies X0: a sweep turns the pair round for ever."""
    turn = np.roll(np.eye(period), 1, axis=1).tolist()
    nodes = (
        TableNode(0, LosslessSource((1,), (period,)), table(turn)),
        TableNode(1, LosslessSource((0,), (period,)), table(np.eye(period).tolist())),
    )
    return Network(Domain.from_cardinalities([period, period]), nodes)


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
    first = TableNode(0, LosslessSource((1,), (2,)), table([[0.2, 0.5, 0.3], [1, 0, 0]]))
    domain = Domain.from_cardinalities([3, 2])
    for scan in (RandomScan(), SequentialScan(), SequentialScan((1, 0))):
        settles = Network(domain, (first, TableNode(1, ConstantSource(), table([[1, 0]]))))
        law = depnet.stationary(settles, scan, {"X0": {1, 2}})
        np.testing.assert_allclose(law, np.array([[0, 0], [0.625, 0], [0.375, 0]]), rtol=0, atol=1e-12)
        moves = Network(domain, (first, TableNode(1, ConstantSource(), table([[0.5, 0.5]]))))
        refuses(EvidenceError, r"impossible for node 0.*X1=1", depnet.stationary, moves, scan, {"X0": {1, 2}})
        law = depnet.stationary(moves, scan, {"X0": {0, 2}})
        assert law[1].sum() == 0
