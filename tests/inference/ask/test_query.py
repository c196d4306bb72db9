"""Queries: every method against the law, what a result says, bad input; the mode of an ordered law."""

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import depnet
from depnet import Dataset, Network, QueryResult, learn, log_probability, most_probable, query
from depnet.errors import DataError, DomainTooLargeError, EvidenceError, ModelError, ReducibleError, ScanError
from depnet.exact import stationary
from depnet.inference.answer.observed import MatchingRows, support
from depnet.inference.answer.question import Method
from depnet.model import Evidence
from depnet.model.boosted import BoostedNode
from tests.boosted import random_boosted_network
from tests.exact.drawing import any_scan
from tests.inference.cases import coupled, names, random_evidence, random_question, random_targets
from tests.interrupts import ctrl_c
from tests.law.cases import given_tables
from tests.narrowed import by_name, there
from tests.reference.inference import query_law
from tests.refusals import refuses
from tests.strategies import (
    mixed_networks,
    networks,
    ordered_networks,
    random_mixed_network,
    random_ordered_network,
    seeds,
)


@pytest.fixture(scope="module")
def people() -> Dataset:
    return depnet.titanic()


@pytest.fixture(scope="module")
def titanic(people: Dataset) -> Network:
    return depnet.learn(people, smoothing=0.5)


def table(result: QueryResult) -> np.ndarray:
    assert isinstance(result.probabilities, np.ndarray)
    return result.probabilities


def errors(result: QueryResult) -> np.ndarray:
    return np.asarray(result.standard_errors)


@given(networks(max_states=100) | mixed_networks(max_states=100), seeds)
def test_exact_joints_and_marginals_are_those_of_the_law(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence, scan = random_evidence(rng, network), any_scan(rng, network)
    targets = random_targets(rng, network)
    joint = query(network, names(network, targets), evidence, scan=scan, joint=True)
    np.testing.assert_allclose(table(joint), query_law(network, targets, evidence, scan), atol=1e-9)
    assert not errors(joint).any()
    several = query(network, names(network, targets), evidence, scan=scan)
    for i in targets:
        expected = query_law(network, [i], evidence, scan)
        name = network.domain.variables[i].name
        one = (
            several.probabilities[name] if isinstance(several.probabilities, dict) else several.probabilities
        )
        np.testing.assert_allclose(one, expected, atol=1e-9)


@settings(max_examples=25)
@given(networks(max_states=60) | mixed_networks(max_states=60), seeds)
def test_sampled_answers_are_within_their_errors(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence, scan = random_evidence(rng, network), any_scan(rng, network)
    targets = random_targets(rng, network)
    result = query(
        network,
        names(network, targets),
        evidence,
        scan=scan,
        joint=True,
        method="sample",
        tolerance=0.01,
        rng=rng,
    )
    assert result.converged
    assert math.isclose(table(result).sum(), 1.0, abs_tol=1e-9)
    expected = query_law(network, targets, evidence, scan)
    # 64 chains: Student's t with 63 degrees passes 7.5 about once in 4e9 cells.
    assert (np.abs(table(result) - expected) <= 7.5 * errors(result) + 1e-9).all()


def test_mutant_a_boosted_node_without_its_stages_has_another_answer() -> None:
    network = random_mixed_network(5, [2, 3, 2, 4])
    node = network.nodes[0]
    assert isinstance(node, BoostedNode)
    shorter = BoostedNode(0, node.start, node.start_scores, node.stages.first(0))
    asked: dict[str, Any] = {
        "targets": ["X0", "X3"],
        "evidence": {"X1": {0: 1.0, 2: 0.5}, "X2": 1},
        "joint": True,
    }
    found = query(network, **asked, method="sample", tolerance=0.003, rng=np.random.default_rng(1))
    for one, right in ((network, True), (replace(network, nodes=(shorter, *network.nodes[1:])), False)):
        near = np.abs(table(found) - table(query(one, **asked))) <= 9 * errors(found) + 1e-9
        assert near.all() == right


@settings(max_examples=25)
@given(networks(max_states=60), seeds)
def test_bayes_rule_conditions_the_joint_law(network: Network, seed: int) -> None:
    evidence, scan, targets = random_question(network, seed)
    if not targets:
        return
    others = [*evidence.clamped, *(i for i in evidence.tilts if i not in targets)]
    expected = query_law(network, [*targets, *others], Evidence({}, {}), scan)
    for axis, i in enumerate([*targets, *others]):
        weights = np.eye(network.domain.cardinalities[i])[evidence.clamped.get(i, 0)]
        if i not in evidence.clamped:
            weights = evidence.tilts.get(i, np.ones(network.domain.cardinalities[i]))
        expected = expected * weights.reshape([-1 if a == axis else 1 for a in range(expected.ndim)])
    expected = expected.sum(axis=tuple(range(len(targets), expected.ndim)))
    asked = names(network, targets)
    found = query(network, asked, evidence, scan=scan, joint=True, method="bayes")
    np.testing.assert_allclose(table(found), expected / expected.sum(), atol=1e-8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("depnet.law.limits.EXACT_STATES", 0)
        with pytest.raises(EvidenceError, match='order="auto"'):
            query(network, asked, evidence, scan=scan, joint=True, method="bayes")


def test_bayes_rule_sees_evidence_that_nobody_reads() -> None:
    network = irrelevant()
    clamped, conditioned = (query(network, "X0", {"X2": 1}, method=m) for m in EXACT_AND_BAYES)
    joint = table(query(network, ["X0", "X2"], joint=True))
    np.testing.assert_allclose(table(conditioned), joint[:, 1] / joint[:, 1].sum(), atol=1e-12)
    assert conditioned.evidence_ignored == ()
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(table(clamped), table(conditioned), atol=1e-3)


def test_a_look_up_is_a_row_of_the_table(titanic: Network) -> None:
    known = {"class": "3rd", "sex": "male", "age": "adult"}
    result = query(titanic, "survived", known)
    leaf = titanic.nodes[3].source([[2, 1, 0, 0]])[0]
    assert result.method == "look-up"
    assert table(result).tolist() == titanic.nodes[3].table.probabilities[leaf].tolist()


def test_one_target_an_array_several_a_dictionary(titanic: Network) -> None:
    assert table(query(titanic, "class")).shape == (4,)
    assert table(query(titanic, ["class"])).shape == (4,)
    assert table(query(titanic, ["class", "sex"], joint=True)).shape == (4, 2)
    both = query(titanic, ["class", "sex"])
    assert isinstance(both.probabilities, dict)
    assert {name: p.shape for name, p in both.probabilities.items()} == {"class": (4,), "sex": (2,)}
    assert not both.probabilities["class"].flags.writeable


EXACT_AND_BAYES: tuple[Method, ...] = ("exact", "bayes")


def irrelevant() -> Network:
    """X0 and X1 read each other; X2 reads X0 and is read by nobody."""
    tables = [
        ([1], [[0.9, 0.1], [0.2, 0.8]]),
        ([0], [[0.7, 0.3], [0.4, 0.6]]),
        ([0], [[0.6, 0.4], [0.1, 0.9]]),
    ]
    return given_tables(*tables, in_order=False)


def test_evidence_outside_the_closure_has_no_effect_and_is_named() -> None:
    network = irrelevant()
    result = query(network, "X0", {"X2": 1})
    assert result.closure == ("X0", "X1")
    assert (result.evidence_used, result.evidence_ignored) == ((), ("X2",))
    assert "ignored   X2: " in str(result)
    assert table(result).tolist() == table(query(network, "X0")).tolist()
    both = query(network, "X0", {"X2": 1, "X1": 0})
    assert (both.evidence_used, both.evidence_ignored) == (("X1",), ("X2",))


def test_evidence_that_clamping_makes_silent_is_warned_of() -> None:
    network = irrelevant()
    said = query(network, "X0", {"X2": 1}).warnings
    assert len(said) == 1
    assert "no relevant node reads 'X2'" in said[0]
    assert 'method "bayes"' in said[0]
    assert query(network, "X0", {"X2": 1}, method="bayes").warnings == ()
    assert query(network, "X0", {"X1": 1}).warnings == ()
    # X2 depends on X0 alone, which is known here: Bayes' rule would not change the answer either.
    apart = Network(network.domain, (*network.nodes[:2], given_tables(*[([], [[0.6, 0.4]])] * 3).nodes[2]))
    assert query(apart, "X0", {"X2": 1}).evidence_ignored == ("X2",)
    assert query(apart, "X0", {"X2": 1}).warnings == ()
    assert query(network, "X1", {"X2": 1, "X0": 0}).warnings == ()


def test_bayes_rule_gives_the_marginals_of_many_targets() -> None:
    coins = given_tables(*[([], [[0.25, 0.75]])] * 24, in_order=False)
    domain = coins.domain
    found = query(coins, domain.names[1:], {"X0": 1}, method="bayes")
    for name in domain.names[1:]:
        np.testing.assert_allclose(by_name(found.probabilities)[name], [0.25, 0.75])
    with pytest.raises(EvidenceError, match="has 8,388,608 cells"):
        query(coins, domain.names[1:], {"X0": 1}, method="bayes", joint=True)
    with pytest.raises(EvidenceError, match="of the 16 relevant variables"):
        query(coins, domain.names[1:16], {"X0": 1}, method="bayes", joint=True)


def test_a_sampled_answer_says_how_far_chains_agree(titanic: Network) -> None:
    sampled = query(titanic, ["survived", "age"], method="sample", rng=np.random.default_rng(1))
    assert "random scan" in sampled.text(theory=True)
    assert "R-hat" in sampled.text(theory=True)
    assert "±" in str(sampled)
    assert there(sampled.r_hat) < 1.1
    assert there(sampled.effective_sample_size) > 1000


def test_rare_and_unmatched_evidence_is_answered_with_the_papers_warning(
    titanic: Network, people: Dataset
) -> None:
    never = query(titanic, "survived", {"class": "Crew", "age": "child"}, data=people)
    assert never.support is not None
    assert (never.support.rows, never.support.exact) == (0, True)
    assert any("no training row matches what is given" in text for text in never.warnings)
    assert abs(table(never).sum() - 1) < 1e-9
    rare = query(titanic, "survived", {"class": "1st", "age": "child"}, data=people)
    assert any("only 6 training rows match" in text for text in rare.warnings)
    common = query(titanic, "survived", {"class": "3rd"}, data=people)
    assert common.warnings == ()


def test_without_data_the_support_is_a_bound(titanic: Network, people: Dataset) -> None:
    for network in (titanic, replace(titanic, counts=None)):
        for known in ({"class": "Crew"}, {"class": "Crew", "sex": "female"}, {"class": {"1st", "2nd"}}):
            evidence = Evidence.parse(network.domain, known)
            bound, exact = (
                support(network, evidence),
                MatchingRows.of(people.domain, evidence, people).support,
            )
            assert bound is not None
            assert not bound.exact
            assert exact.rows <= bound.rows <= 2201
            assert bound.total == 2201
            assert "at most" in str(bound)
    crew = there(support(replace(titanic, counts=None), Evidence.parse(titanic.domain, {"class": "Crew"})))
    assert crew.rows == 885
    assert support(irrelevant(), Evidence({0: 1}, {})) is None
    assert query(random_boosted_network(1, [2, 3]), "X0").support is None


def frozen_pair() -> Network:
    """X1 copies X0 and X0 copies X1: two recurrent classes."""
    return given_tables(([1], np.eye(2).tolist()), ([0], np.eye(2).tolist()), in_order=False)


def test_chains_that_never_mix_are_said_not_to() -> None:
    with pytest.raises(ReducibleError):
        query(frozen_pair(), "X0")
    result = query(frozen_pair(), "X0", method="sample", tolerance=1e-3, rng=np.random.default_rng(0))
    assert not result.converged
    assert any("do not mix" in text for text in result.warnings)


def test_zeros_on_a_domain_too_large_to_check_are_warned_of() -> None:
    off = np.where(np.eye(4) > 0, 0.0, 1 / 3).tolist()
    ring, positive = (
        given_tables(*[([(i - 1) % 10], rows) for i in range(10)], in_order=False)
        for rows in (off, np.full((4, 4), 0.25).tolist())
    )
    result = query(ring, "X0", tolerance=0.05, rng=np.random.default_rng(0))
    assert result.method == "sample"
    assert any("some conditional tables have zeros" in text for text in result.warnings)
    assert query(positive, "X0", tolerance=0.05, rng=np.random.default_rng(0)).warnings == ()


@pytest.mark.parametrize("how", ["max_seconds", "stop"])
def test_sampling_that_is_stopped_ends_soon_with_what_was_found(titanic: Network, how: str) -> None:
    asked: list[float] = []

    def stop() -> bool:
        asked.append(time.monotonic())
        return len(asked) > 20

    ends: dict[str, Any] = {"max_seconds": 0.3} if how == "max_seconds" else {"stop": stop}
    before = time.monotonic()
    result = query(titanic, "survived", method="sample", tolerance=1e-7, **ends)
    assert time.monotonic() - before < 30  # it would take hours
    assert not result.converged
    # On a busy machine not even two rounds may be done in time; that is said too.
    words = "stopped by the time limit, at" if how == "max_seconds" else "stopped, at"
    assert any(text.startswith((words, "stopped before")) for text in result.warnings)
    exact = query(titanic, "survived", method="exact")
    assert abs(result.probabilities[0] - exact.probabilities[0]) < 0.2  # type: ignore[index]  # one target


def test_an_interrupt_ends_a_sampled_query_soon(titanic: Network) -> None:
    with ctrl_c(after=0.3) as pressing:
        pressing.begin()
        with pytest.raises(KeyboardInterrupt):
            query(titanic, "survived", method="sample", tolerance=1e-8, max_seconds=60)
        took = pressing.since
    assert took < 20, f"{took:.2f} s (well below a second where nothing else runs)"


def test_bad_input_is_named(titanic: Network, people: Dataset) -> None:
    everything = {"class": "1st", "sex": "male", "age": "adult", "survived": "No"}
    refuses(EvidenceError, "value for every column", lambda: query(titanic, "survived", everything))
    refuses(EvidenceError, "'survived'", lambda: query(titanic, "surived"))
    refuses(EvidenceError, "at least one target", lambda: query(titanic, []))
    refuses(EvidenceError, "'sex' is given twice", lambda: query(titanic, ["sex", "sex"]))
    refuses(ScanError, "RandomScan", lambda: query(titanic, "sex", scan="random"))  # type: ignore[arg-type]  # that is the point
    refuses(ValueError, "'bayes'; got 'guess'", lambda: query(titanic, "sex", method="guess"))  # type: ignore[arg-type]  # that is the point
    refuses(ValueError, "tolerance", lambda: query(titanic, "sex", tolerance=0))
    refuses(ValueError, "max_seconds", lambda: query(titanic, "sex", max_seconds=-1))
    with pytest.raises(ValueError, match="max_seconds is a positive number of seconds, or None; got '1'"):
        query(titanic, "sex", max_seconds="1")  # type: ignore[arg-type]  # that is the point
    refuses(EvidenceError, "no variable 3", lambda: query(titanic, 3))  # type: ignore[arg-type]  # that is the point
    refuses(ModelError, r"depnet\.Network; got 'titanic'", lambda: query("titanic", "sex"))  # type: ignore[arg-type]  # that is the point
    refuses(TypeError, "default_rng", lambda: query(titanic, "sex", rng=3))  # type: ignore[arg-type]  # that is the point
    refuses(DataError, "another domain", query, titanic, "sex", data=Dataset.from_codes([[0, 1]], [2, 2]))


@pytest.mark.parametrize("method", ["auto", "clamped", "sample", "bayes"])
def test_evidence_that_leaves_no_mass_is_an_error(method: str) -> None:
    network = given_tables(([], [[1.0, 0.0, 0.0]]), ([], [[0.5, 0.5]]), in_order=False)
    with pytest.raises(EvidenceError, match=r"contradict|no state|impossible|probability 0"):
        query(network, ["X0", "X1"], {"X0": {1, 2}}, joint=True, method=method)  # type: ignore[arg-type]


def test_no_effective_sample_size_where_nothing_varies() -> None:
    """One variable alone: theta is the same in every chain, and 1e-17 of rounding is no error of sampling."""
    coin = depnet.learn(Dataset.from_codes([[0], [1]] * 9, cardinalities=[2]), smoothing=0.5)
    found = query(coin, "X0", method="sample", rng=np.random.default_rng(0))
    assert found.effective_sample_size == math.inf
    assert "effective sample size unlimited" in found.text(theory=True)


@given(ordered_networks(max_states=200, boosted=True), seeds)
def test_the_mode_of_an_ordered_law(network: Network, seed: int) -> None:
    evidence = random_evidence(np.random.default_rng(seed), network)
    found = most_probable(network, evidence)
    law = stationary(network, evidence=evidence)
    assert found.probability == pytest.approx(law.max(), rel=1e-9)
    assert law[tuple(int(x) for x in found.states.values())] == pytest.approx(law.max(), rel=1e-9)


def test_each_variable_at_its_own_mode_is_another_state() -> None:
    """A mutant: where sums stand in the place of maxima, the state is not the most probable one."""
    p = np.array([[0.3, 0.3, 0.0], [0.0, 0.0, 0.4]])
    law = learn(
        Dataset.from_codes(np.argwhere(p > 0), [2, 3], weights=(10 * p[p > 0]).astype(int)),
        order=["X0", "X1"],
        penalty="none",
    )
    found = most_probable(law)
    assert found.states == {"X0": 1, "X1": 2}
    assert found.probability == pytest.approx(0.4)
    marginal = np.asarray(query(law, "X0").probabilities)
    assert marginal.argmax() == 0


def test_what_has_no_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Dataset.from_codes([[0, 0, 0], [1, 1, 0]], [2, 2, 2])
    law = learn(rows, order=["X0", "X1", "X2"], penalty="none")
    refuses(EvidenceError, "probability 0", lambda: most_probable(law, {"X0": 0, "X1": 1}))
    refuses(EvidenceError, "value for every column", lambda: most_probable(law, {"X0": 0, "X1": 0, "X2": 0}))
    refuses(
        ModelError, "1 variables, the network 3", lambda: log_probability(law, Dataset.from_codes([[0]], [2]))
    )
    for ask in (most_probable, log_probability):
        refuses(ModelError, "depnet.stationary", lambda ask=ask: ask(coupled(), {"X0": 0}))
    monkeypatch.setattr("depnet.law.limits.LARGEST", 2)
    wide = random_ordered_network(np.random.default_rng(5), (3,) * 12, range(12))
    refuses(DomainTooLargeError, "more evidence", lambda: most_probable(wide))
