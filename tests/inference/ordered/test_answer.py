"""Answers of an ordered network are conditionals of its law, by every method."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import Dataset, Network, RandomScan, log_probability, query, score_samples
from depnet.arrays import FloatArray
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.inference.answer.part import PassDiagnostics
from depnet.inference.ordered import codes as engine
from depnet.inference.ordered.weighted import Weights
from depnet.law import limits
from depnet.law.program import Conditional
from depnet.model import Given
from depnet.model.evidence import Evidence
from tests.law.cases import evidence_of, given_tables, some, weighed
from tests.narrowed import by_name
from tests.reference import ordered
from tests.reference.inference import joint_states
from tests.refusals import refuses
from tests.strategies import ordered_networks, random_evidence, random_ordered_network, seeds

METHODS = ("auto", "exact", "bayes", "sample")


def names(variables: Sequence[int]) -> list[str]:
    return [f"X{i}" for i in variables]


def tables_of(answer: FloatArray | Mapping[str, FloatArray]) -> list[FloatArray]:
    return list(answer.values()) if isinstance(answer, Mapping) else [answer]


def truth(
    network: Network, targets: Sequence[int], weights: Mapping[int, Sequence[float]], joint: bool
) -> list[FloatArray]:
    """The conditional of the tensor, by loops: each target's marginal, or the joint with axes as the targets."""
    law = ordered.condition(ordered.law(network), weights)
    found = []
    for table in [tuple(targets)] if joint else [(i,) for i in targets]:
        kept = sorted(table)
        axes = tuple(i for i in range(law.ndim) if i not in kept)
        found.append(law.sum(axis=axes).transpose([kept.index(i) for i in table]))
    return found


def possible(network: Network, weights: Mapping[int, Sequence[float]]) -> bool:
    try:
        ordered.condition(ordered.law(network), weights)
    except ZeroDivisionError:
        return False
    return True


@settings(max_examples=30)
@given(
    ordered_networks(min_variables=2, max_states=60, zeros=0.2, boosted=True),
    seeds,
    st.booleans(),
    st.sampled_from(METHODS),
)
def test_answers_are_those_of_the_tensor(network: Network, seed: int, joint: bool, method: str) -> None:
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    weights = random_evidence(rng, cards, range(len(cards)))
    evidence = evidence_of(weights)
    targets = some(rng, len(cards))  # a known one may be among them
    if len(evidence.clamped) == len(cards):
        return
    if not possible(network, weights):  # an error, where it has to do with the targets
        return
    options = {"joint": joint, "method": method, "tolerance": 0.03}
    answer = query(network, names(targets), evidence, rng=rng, **options)  # type: ignore[arg-type]
    expected = truth(network, targets, weights, joint)
    assert answer.scan is None
    for found, error, law in zip(
        tables_of(answer.probabilities), tables_of(answer.standard_errors), expected, strict=True
    ):
        assert found.shape == law.shape
        if method == "sample":
            assert (np.abs(found - law) <= 6 * error + 1e-9).all()
            assert (error <= 0.03).all()
        elif answer.method in ("exact", "evidence"):
            np.testing.assert_allclose(found, law, rtol=0, atol=1e-12)
            assert not error.any()


@settings(max_examples=20)
@given(ordered_networks(min_variables=2, max_states=60), seeds)
def test_clamped_is_the_chain_of_the_tables(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = random_evidence(rng, network.domain.cardinalities, range(len(network)))
    evidence = evidence_of(weights)
    if len(evidence.clamped) == len(network):
        return
    targets = names(some(rng, len(network)))
    plain = query(replace(network, order=None), targets, evidence)
    for asked in ({"method": "clamped"}, {"scan": RandomScan()}):
        answer = query(network, targets, evidence, **asked)
        assert answer.scan == RandomScan()
        for found, expected in zip(
            tables_of(answer.probabilities), tables_of(plain.probabilities), strict=True
        ):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


STEP = [[0.9, 0.1], [0.2, 0.8]]
CHAIN = given_tables(([], [[0.3, 0.7]]), ([0], STEP), ([1], STEP), ([2], STEP), ([], [[0.5, 0.5]]))


def test_mutant_clamped_is_another_answer() -> None:
    """X0 does not read X1: clamped chains do not hear of it, the law does."""
    exact = np.asarray(query(CHAIN, "X0", {"X1": 1}).probabilities)
    np.testing.assert_allclose(exact, truth(CHAIN, [0], {1: (0, 1)}, False)[0], atol=1e-12)
    clamped = np.asarray(query(CHAIN, "X0", {"X1": 1}, method="clamped").probabilities)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(exact, clamped, atol=0.1)


def test_what_took_part_is_told() -> None:
    answer = query(CHAIN, "X2", {"X1": 1, "X0": 0, "X4": 1})
    assert (answer.closure, answer.evidence_used, answer.evidence_ignored) == (("X2",), ("X1",), ("X0", "X4"))
    answer = query(CHAIN, "X0", {"X1": {0: 1.0, 1: 0.5}, "X3": 1})
    assert answer.closure == ("X0", "X1", "X2")
    assert answer.evidence_used == ("X1", "X3")
    answer = query(CHAIN, ["X0", "X1"], {"X1": 1, "X4": 0})
    assert by_name(answer.probabilities)["X1"].tolist() == [0.0, 1.0]
    assert (answer.evidence_used, answer.evidence_ignored) == (("X1",), ("X4",))
    answer = query(CHAIN, "X1", {"X1": 1})
    assert (answer.method, answer.closure) == ("evidence", ())
    assert "ordered law" in query(CHAIN, "X0").text(theory=True)


def test_sampled_answers_tell_their_passes() -> None:
    answer = query(CHAIN, "X0", {"X3": 1}, method="sample", tolerance=0.01, rng=np.random.default_rng(0))
    assert answer.method == "passes"
    assert answer.converged
    assert isinstance(answer.diagnostics, PassDiagnostics)
    assert 1000 < answer.diagnostics.effective_sample_size <= answer.diagnostics.passes
    assert "effective sample size" in answer.text(theory=True)
    again = query(CHAIN, "X0", {"X3": 1}, method="sample", tolerance=0.01, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(np.asarray(again.probabilities), np.asarray(answer.probabilities))


IMPOSSIBLE = given_tables(([], [[0.5, 0.5]]), ([0], [[1.0, 0.0], [1.0, 0.0]]), ([1], STEP), ([2], STEP))


@pytest.mark.parametrize("method", METHODS)
def test_impossible_evidence_is_an_error(method: str) -> None:
    for known in ({"X1": 1}, {"X1": 1, "X3": 0}):
        with pytest.raises(EvidenceError, match="probability"):
            query(IMPOSSIBLE, "X0", known, method=method, rng=np.random.default_rng(0))  # type: ignore[arg-type]


def test_time_that_is_over_is_told() -> None:
    given: Given = {"X3": 1}
    for options in ({"max_seconds": 1e-6}, {"stop": lambda: True}):
        answer = query(
            CHAIN, "X0", given, method="sample", tolerance=1e-4, rng=np.random.default_rng(0), **options
        )
        assert not answer.converged
        stopped = "stopped by the time limit, at" if "max_seconds" in options else "stopped at"
        assert any(f"{stopped} a standard error" in text for text in answer.warnings)
        assert np.asarray(answer.standard_errors).max() > 1e-4


def test_what_is_too_large_is_refused_or_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CELLS", 4)
    monkeypatch.setattr(limits, "QUICK_CELLS", 4)
    refuses(DomainTooLargeError, 'method "auto"', lambda: query(CHAIN, "X0", {"X3": 1}, method="exact"))
    assert query(CHAIN, "X0", {"X3": 1}, tolerance=0.02, rng=np.random.default_rng(1)).method == "passes"


@given(ordered_networks(max_states=60, zeros=0.2, boosted=True), seeds)
def test_log_probabilities(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    q = ordered.law(network)
    rows = Dataset.from_codes(np.array(list(joint_states(cards))), domain=network.domain)
    of_rows = log_probability(network, rows)
    np.testing.assert_allclose(np.exp(of_rows.values), q.ravel(), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(of_rows.values, score_samples(network, rows))
    weights = random_evidence(rng, cards, range(len(cards)))
    mass = weighed(q, weights)
    if not mass.sum() > 0:
        refuses(EvidenceError, "probability 0", lambda: log_probability(network, evidence_of(weights)))
        return
    of_evidence = log_probability(network, evidence_of(weights))
    np.testing.assert_allclose(of_evidence.values, np.log([mass.sum()]), rtol=0, atol=1e-11)
    assert not of_evidence.standard_errors.any()


def test_log_probability_of_evidence_by_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    network = random_ordered_network(np.random.default_rng(7), (2, 3, 2, 2, 3), (4, 1, 0, 3, 2))
    known: Given = {"X2": 1, "X3": 0, "X0": {0: 1.0, 1: 0.4}}
    exact = log_probability(network, known)
    monkeypatch.setattr(engine, "_worth", lambda *_: 0)
    within = []
    for seed in range(40):
        found = log_probability(network, known, tolerance=0.01, rng=np.random.default_rng(seed))
        assert 0 < found.standard_errors[0] <= 0.01
        within.append(abs(found.values[0] - exact.values[0]) / found.standard_errors[0])
    assert max(within) < 4.5  # false alarm 3e-4
    assert sum(z < 2 for z in within) >= 30  # false alarm 1e-5
    assert not math.isclose(float(exact.values[0]), 0.0)


def test_passes_may_come_a_few_at_a_time() -> None:
    """What is left of the last chunk may be fewer passes than there are batches."""
    law = depnet.learn(depnet.titanic(), order="auto", smoothing=0.5)
    last = law.order[-1] if law.order is not None else 0
    asked = Conditional(law, Evidence.parse(law.domain, {}), ((last,),))
    few, many = Weights(asked), Weights(asked)
    for count in (5, 40, 3):
        few.draw(count, seed=1)
    many.draw(48, seed=1)
    np.testing.assert_allclose(few.laws()[0], many.laws()[0], rtol=1e-12)
