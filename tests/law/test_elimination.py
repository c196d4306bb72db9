"""Elimination conditions an ordered law exactly, and draws from it; what does not matter is left out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

import depnet
from depnet import Network, SequentialScan
from depnet.arrays import FloatArray
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.law import limits
from depnet.law.elimination import Elimination, elimination_plan, factors_of, log_largest_weight
from depnet.law.program import Conditional, Law, certain, relevant, scope_of
from depnet.model import Evidence
from tests.boosted import tabulated
from tests.law.cases import evidence_of, given_tables, laws, some, weighed
from tests.laws import assert_same_law, joint_counts
from tests.narrowed import there
from tests.reference import ordered
from tests.refusals import refuses
from tests.strategies import ordered_networks, random_evidence, random_ordered_network, seeds


def close(found: ArrayLike, expected: ArrayLike, atol: float = 1e-12) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=0, atol=atol)


def eliminated(
    network: Network, variables: tuple[int, ...], evidence: Evidence, keep: tuple[int, ...] = ()
) -> Elimination:
    scopes = [scope_of(network, i, certain(network, evidence)) for i in variables]
    plan = there(elimination_plan(scopes, network.domain.cardinalities, keep))
    return Elimination.of(network, variables, evidence, plan)


def marginal(law: FloatArray, variables: tuple[int, ...]) -> FloatArray:
    """With axes in the order of the variables."""
    kept = sorted(variables)
    table = law.sum(axis=tuple(i for i in range(law.ndim) if i not in kept))
    return np.asarray(table.transpose([kept.index(i) for i in variables]))


@given(ordered_networks(max_states=60, zeros=0.3, boosted=True), seeds, st.booleans())
def test_marginals_joints_and_probabilities_are_those_of_the_tensor(
    network: Network, seed: int, kept_tables: bool
) -> None:
    rng = np.random.default_rng(seed)
    n = len(network)
    weights = random_evidence(rng, network.domain.cardinalities, range(n))
    evidence, q = evidence_of(weights), ordered.law(network)
    mass = weighed(q, weights)
    with pytest.MonkeyPatch.context() as patch:
        if not kept_tables:
            patch.setattr(limits, "QUICK_CELLS", 0)
        everything = ordered.order_of(network)
        if not mass.sum() > 0:
            refuses(EvidenceError, "probability 0", eliminated(network, everything, evidence).joint, ())
            return
        law = ordered.condition(q, weights)
        fixed = certain(network, evidence)
        free = [i for i in range(n) if i not in fixed]
        done = eliminated(network, everything, evidence)
        _, log_probability = done.joint(())
        assert abs(log_probability - np.log(mass.sum())) < 1e-12 * max(1.0, abs(np.log(mass.sum())))
        for i, found in done.marginals(free).items():
            close(found, marginal(law, (i,)))
        keep = tuple(i for i in some(rng, n) if i in free)
        found, again = eliminated(network, everything, evidence, keep).joint(keep)
        assert abs(again - log_probability) < 1e-12 * max(1.0, abs(log_probability))
        close(found, marginal(law, keep))


@given(laws(max_variables=5), seeds)
def test_what_is_left_out_changes_no_answer(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = len(network)
    weights = random_evidence(rng, network.domain.cardinalities, range(n))
    evidence = evidence_of(weights)
    try:
        everything = eliminated(network, ordered.order_of(network), evidence)
        everything.joint(())
    except EvidenceError:
        return
    fixed = certain(network, evidence)
    targets = [i for i in some(rng, n) if i not in fixed]
    if not targets:
        return
    taking = relevant(network, targets, evidence)
    own = Conditional(network, evidence, tuple((i,) for i in targets)).own
    fewer = eliminated(network, taking, own)
    for i, found in fewer.marginals(targets).items():
        close(found, everything.marginals([i])[i])


def test_what_does_not_matter_is_left_out() -> None:
    """X0 -> X1 -> X2 -> X3, and X4 of nothing."""
    step = [[0.9, 0.1], [0.2, 0.8]]
    network = given_tables(([], [[0.3, 0.7]]), ([0], step), ([1], step), ([2], step), ([], [[0.5, 0.5]]))
    assert relevant(network, [0], Evidence({}, {})) == (0,)
    assert relevant(network, [2], Evidence({}, {})) == (0, 1, 2)
    assert relevant(network, [2], Evidence({1: 0}, {})) == (2,)
    assert relevant(network, [0], Evidence({1: 0, 3: 1}, {})) == (0, 1)
    assert relevant(network, [0], Evidence({}, {1: np.array([1.0, 0.5])})) == (0, 1)
    assert relevant(network, [4], Evidence({3: 0}, {})) == (4,)
    assert relevant(network, [0, 4], Evidence({3: 0}, {})) == (0, 1, 2, 3, 4)
    assert Conditional.of_evidence(network, Evidence({2: 0}, {})).variables == (0, 1, 2)


def drawn(
    network: Network, evidence: Evidence, rows: int, seed: int, last: tuple[int, ...] = ()
) -> NDArray[np.int64]:
    """Counts of rows; `last` is kept by the elimination, and summed out after it."""
    done = eliminated(network, ordered.order_of(network), evidence, last)
    if last:
        close(done.joint(last)[0], done.sum_out(*last))
        assert not done.plan.parent.count(-1) > 1  # all messages go to the last cluster
    codes = np.zeros((rows, len(network)), dtype=np.uint8)
    for i, code in evidence.clamped.items():
        codes[:, i] = code
    words = np.random.default_rng(seed).integers(
        0, 2**32, size=(len(done.plan.clusters), rows), dtype=np.uint64
    )
    done.draw(words.astype(np.uint32), codes)
    return joint_counts(codes, network.domain.cardinalities)


def test_draws_of_an_elimination_follow_the_law() -> None:
    rng = np.random.default_rng(11)
    for zeros in (0.0, 0.3):
        network = random_ordered_network(rng, (2, 3, 2, 2), (2, 0, 3, 1), zeros)
        weights = {3: (1.0, 0.3), 1: (0.0, 1.0, 1.0)}
        law = ordered.condition(ordered.law(network), weights)
        counts = drawn(network, evidence_of(weights), 300_000, 1)
        assert_same_law(counts, law, detects_l1=0.04)
        assert_same_law(drawn(network, evidence_of(weights), 300_000, 2, (0,)), law, detects_l1=0.04)
        assert not counts[law == 0].any()
        with pytest.raises(AssertionError):  # mutant: the evidence is forgotten
            assert_same_law(counts, ordered.law(network), detects_l1=0.04)
        wrong = ordered.condition(ordered.law(network), {3: (0.3, 1.0), 1: (0.0, 1.0, 1.0)})
        with pytest.raises(AssertionError):  # mutant: the weights are the other way round
            assert_same_law(counts, wrong, detects_l1=0.04)


@given(ordered_networks(max_states=100, max_variables=4, boosted=True), seeds)
def test_the_tensor_of_a_law(network: Network, seed: int) -> None:
    """Without a scan it is Q, which is pi^0 of the sequential scan in the order."""
    q = ordered.law(network)
    close(depnet.stationary(network), q)
    order = ordered.order_of(network)
    first = depnet.stationary_cycle(tabulated(network), SequentialScan(order))[0]
    close(depnet.stationary(network), first, atol=1e-10)
    rng = np.random.default_rng(seed)
    weights = random_evidence(rng, network.domain.cardinalities, range(len(network)))
    found = depnet.stationary(network, evidence=evidence_of(weights))
    close(found, ordered.condition(q, weights))


def test_mutant_the_random_scan_has_another_law() -> None:
    network = given_tables(([], [[0.3, 0.7]]), ([0], [[0.9, 0.1], [0.2, 0.8]]))
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(
            depnet.stationary(network, depnet.RandomScan()), ordered.law(network), atol=1e-6
        )


def test_many_small_numbers_are_not_nothing() -> None:
    """400 readers of one variable, all known: the evidence has a probability far below the smallest float."""
    readers = 400
    rows = [[0.9, 0.1], [0.8, 0.2]]
    network = given_tables(([], [[0.5, 0.5]]), *[([0], rows)] * readers)
    known = Evidence(dict.fromkeys(range(1, readers + 1), 1), {})
    done = eliminated(network, tuple(range(readers + 1)), known)
    _, log_probability = done.joint(())
    expected = np.logaddexp(np.log(0.5) + readers * np.log(0.1), np.log(0.5) + readers * np.log(0.2))
    assert abs(log_probability / expected - 1) < 1e-12
    close(done.marginals([0])[0], [0.0, 1.0])
    # The first half speaks for one state by 9^400, the second for the other as much.
    rows = [[0.9, 0.1], [0.1, 0.9]]
    network = given_tables(([], [[0.25, 0.75]]), *[([0], rows)] * 800)
    known = Evidence({i: int(i <= 400) for i in range(1, 801)}, {})
    done = eliminated(network, tuple(range(801)), known)
    close(done.marginals([0])[0], [0.25, 0.75], atol=1e-9)


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    network = random_ordered_network(np.random.default_rng(4), (2,) * 6, range(6))
    scopes = [(*node.inputs, node.variable) for node in network.nodes]
    assert elimination_plan(scopes, (2,) * 6, most_cells=4) is None
    monkeypatch.setattr(limits, "LARGEST", 2)
    assert elimination_plan(scopes, (2,) * 6) is None
    monkeypatch.setattr(limits, "LARGEST", 2)
    monkeypatch.setattr(limits, "QUICK_CELLS", 0)
    refuses(DomainTooLargeError, 'method "sample"', factors_of, network, tuple(range(6)), Evidence({}, {}))


@given(laws(), seeds, st.booleans())
def test_no_pass_weighs_more_than_the_bound(network: Network, seed: int, loose: bool) -> None:
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    weights = random_evidence(rng, cards, range(len(network)))
    evidence = evidence_of(weights)
    done = Law(network).passes(50, evidence, seed=seed)
    with pytest.MonkeyPatch.context() as patch:
        if loose:
            patch.setattr(limits, "QUICK_CELLS", 6)
        bound = log_largest_weight(network, ordered.order_of(network), evidence)
    assert done.log_weights.max() <= bound + 1e-12


def test_the_bound_is_a_weight() -> None:
    """Effects of one cause that speak against each other: no pass has the best of all."""
    network = given_tables(([], [[0.5, 0.5]]), *[([0], [[0.9, 0.1], [0.2, 0.8]])] * 40)
    evidence = Evidence({i: i % 2 for i in range(1, 41)}, {})
    bound = log_largest_weight(network, range(41), evidence)
    assert abs(bound - 20 * max(math.log(0.9 * 0.1), math.log(0.2 * 0.8))) < 1e-9
    impossible = given_tables(
        ([], [[0.5, 0.5]]), ([0], [[1.0, 0.0], [0.0, 1.0]]), ([0], [[1.0, 0.0], [0.0, 1.0]])
    )
    assert log_largest_weight(impossible, range(3), Evidence({1: 0, 2: 1}, {})) == -math.inf
