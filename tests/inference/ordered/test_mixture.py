"""A mixture of ordered networks scores, draws and answers by the sum of their laws."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from depnet import (
    Dataset,
    Mixture,
    Network,
    RandomScan,
    Sampler,
    SequentialScan,
    impute,
    learn,
    log_probability,
    most_probable,
    query,
    query_rows,
    sample,
    score,
    score_samples,
    titanic,
)
from depnet.arrays import FloatArray
from depnet.errors import EvidenceError, InferenceError, ModelError, SamplingError
from depnet.inference.holes import score_holed
from depnet.inference.ordered import codes as engine
from depnet.law import limits
from tests.boosted import with_boosted_nodes
from tests.law.cases import evidence_of, given_tables, some, weighed
from tests.laws import assert_same_law, joint_counts
from tests.reference import mixtures, ordered
from tests.refusals import refuses
from tests.strategies import cardinalities, random_evidence, random_ordered_network, seeds


@composite
def drawn_mixtures(draw: DrawFn, zeros: float = 0.0) -> Mixture:
    """Two or three networks of one domain, each in an order of its own, some with boosted nodes."""
    cards = draw(cardinalities(min_variables=2, max_variables=4, max_states=60))
    rng = np.random.default_rng(draw(seeds))
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        network = random_ordered_network(rng, cards, draw(st.permutations(range(len(cards)))), zeros)
        parts.append(with_boosted_nodes(rng, network) if draw(st.booleans()) else network)
    return Mixture(parts, rng.random(len(parts)) + 0.1)


def marginal(law: FloatArray, i: int) -> FloatArray:
    return np.asarray(law.sum(axis=tuple(j for j in range(law.ndim) if j != i)))


def all_rows(mixture: Mixture) -> Dataset:
    states = np.array(list(np.ndindex(mixture.domain.cardinalities)))
    return Dataset.from_codes(states, domain=mixture.domain)


@given(drawn_mixtures())
def test_scores_are_those_of_the_tensor(mixture: Mixture) -> None:
    rows = all_rows(mixture)
    expected = np.log(mixtures.law(mixture)).ravel()
    np.testing.assert_allclose(score_samples(mixture, rows), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(log_probability(mixture, rows).values, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(score(mixture, rows), expected.mean(), rtol=1e-9)


@settings(max_examples=2 * settings().max_examples)
@given(drawn_mixtures(zeros=0.2), seeds, st.booleans(), st.sampled_from(("auto", "sample")))
def test_answers_are_those_of_the_tensor(mixture: Mixture, seed: int, joint: bool, method: str) -> None:
    rng = np.random.default_rng(seed)
    cards = mixture.domain.cardinalities
    weights = random_evidence(rng, cards, range(len(cards)))
    evidence, law = evidence_of(weights), mixtures.law(mixture)
    weighted = weighed(law, weights)
    assume(weighted.sum() > 1e-6 and len(evidence.clamped) < len(cards))
    targets = sorted(some(rng, len(cards)))
    options = {"joint": joint, "method": method, "tolerance": 0.03}
    found = query(mixture, [f"X{i}" for i in targets], evidence, rng=rng, **options)  # type: ignore[arg-type]
    truth = weighted / weighted.sum()
    if joint:
        expected = [truth.sum(axis=tuple(j for j in range(len(cards)) if j not in targets))]
    else:
        expected = [marginal(truth, i) for i in targets]
    values = found.probabilities.values() if isinstance(found.probabilities, dict) else [found.probabilities]
    errors = (
        found.standard_errors.values() if isinstance(found.standard_errors, dict) else [found.standard_errors]
    )
    for value, error, each in zip(values, errors, expected, strict=True):
        if method == "auto":
            np.testing.assert_allclose(value, each, rtol=0, atol=1e-9)
        assert (np.abs(value - each) <= 6 * error + 1e-9).all()
    if method == "auto":
        whole = log_probability(mixture, evidence)
        np.testing.assert_allclose(whole.values, math.log(weighted.sum()), rtol=1e-9, atol=1e-9)


def test_errors_count_those_of_what_each_component_says_of_the_evidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where Q_k(E) is drawn and Q_k(T | E) differs, answers err by that: 40 of 40 within four standard errors."""
    rng = np.random.default_rng(5)
    far = [random_ordered_network(rng, [3, 3, 3, 3], order) for order in ([0, 1, 2, 3], [3, 2, 1, 0])]
    mixture = Mixture(far, [0.3, 0.7])
    weighted = weighed(mixtures.law(mixture), {3: (0.0, 1.0, 0.0), 2: (1.0, 0.0, 0.0)})
    truth = marginal(weighted / weighted.sum(), 0)
    monkeypatch.setattr(engine, "_worth", lambda asked, tolerance: 0)  # nothing is eliminated
    apart = []
    for seed in range(40):
        found = query(mixture, "X0", {"X3": 1, "X2": 0}, tolerance=0.01, rng=np.random.default_rng(seed))
        errors = np.asarray(found.standard_errors)
        assert (errors > 0).all()
        apart.append(np.abs(np.asarray(found.probabilities) - truth) / errors)
    assert np.max(apart) < 4.5
    assert np.median(apart) > 0.1


@given(drawn_mixtures(), seeds)
def test_rows_with_holes(mixture: Mixture, seed: int) -> None:
    rng = np.random.default_rng(seed)
    law, cards = mixtures.law(mixture), mixture.domain.cardinalities
    codes = np.stack([rng.integers(0, k, size=6) for k in cards], axis=1)
    holes = rng.random(codes.shape) < 0.5
    found = query_rows(mixture, codes, holes, rng=rng)
    logs = score_holed(mixture, codes, holes)
    for r in range(len(codes)):
        known = {i: np.eye(k)[codes[r, i]].tolist() for i, k in enumerate(cards) if not holes[r, i]}
        weighted = weighed(law, known)
        np.testing.assert_allclose(logs[r], np.log(weighted.sum()), rtol=1e-9, atol=1e-9)
        for i, name in enumerate(mixture.domain.names):
            expected = marginal(weighted / weighted.sum(), i)
            np.testing.assert_allclose(found.probabilities[name][r], expected, rtol=0, atol=1e-6)


STEP = [[0.9, 0.1], [0.2, 0.8]]
FORWARD = given_tables(([], [[0.3, 0.7]]), ([0], STEP), ([1], STEP))
APART = given_tables(([], [[0.8, 0.2]]), ([0], STEP[::-1]), ([], [[0.1, 0.9]]))
BOTH = Mixture([FORWARD, APART], [0.4, 0.6])


@pytest.mark.parametrize("known", [{}, {2: (0.0, 1.0)}, {1: (1.0, 0.0), 2: (0.5, 1.0)}])
def test_rows_follow_the_law(known: dict[int, tuple[float, ...]]) -> None:
    rows = sample(BOTH, 200_000, evidence=evidence_of(known), rng=np.random.default_rng(1))
    weighted = weighed(mixtures.law(BOTH), known)
    assert_same_law(joint_counts(rows.codes, [2, 2, 2]), weighted / weighted.sum(), detects_l1=0.05)


def test_mutant_weights_that_evidence_leaves_alone_are_noticed() -> None:
    rows = sample(BOTH, 200_000, evidence={"X2": 1}, rng=np.random.default_rng(1))
    weights = {2: (0.0, 1.0)}
    wrong = sum(
        w * ordered.condition(ordered.law(network), weights)
        for w, network in zip(BOTH.weights, BOTH.components, strict=True)
    )
    with pytest.raises(AssertionError, match="L1 distance"):
        assert_same_law(joint_counts(rows.codes, [2, 2, 2]), wrong, detects_l1=0.05)


def test_drawn_fillings_follow_the_law_of_each_row() -> None:
    known = np.tile([0, 0, 1], (50_000, 1))
    filled = impute(BOTH, known, np.tile([True, True, False], (50_000, 1)), method="draw", n_imputations=4)
    codes = np.concatenate(filled.imputations)
    weighted = weighed(mixtures.law(BOTH), {2: (0.0, 1.0)})
    assert_same_law(joint_counts(codes, [2, 2, 2]), weighted / weighted.sum(), detects_l1=0.05)


@pytest.mark.parametrize("known", [None, {"X2": 1}])
def test_rows_that_go_on_are_the_same_rows(known: dict[str, int] | None) -> None:
    whole = Sampler(BOTH, evidence=known, rng=np.random.default_rng(3)).draw(9_000)
    parts = Sampler(BOTH, evidence=known, rng=np.random.default_rng(3), n_jobs=2).blocks(9_000, 2_500)
    assert (np.concatenate([part.codes for part in parts]) == whole.codes).all()


def test_more_sharply_than_its_components_where_elimination_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MOST_CELLS", 0)
    rows = sample(BOTH, 100_000, evidence={"X2": 1}, rng=np.random.default_rng(2))
    weighted = weighed(mixtures.law(BOTH), {2: (0.0, 1.0)})
    assert_same_law(joint_counts(rows.codes, [2, 2, 2]), weighted / weighted.sum(), detects_l1=0.08)


def test_evidence_that_one_component_rules_out() -> None:
    never = given_tables(([], [[0.5, 0.5]]), ([], [[1.0, 0.0]]), ([], [[0.5, 0.5]]))
    mixture = Mixture([never, FORWARD])
    alone = np.asarray(query(FORWARD, "X0", {"X1": 1}).probabilities)
    both = np.asarray(query(mixture, "X0", {"X1": 1}).probabilities)
    np.testing.assert_allclose(both, alone, rtol=0, atol=1e-12)
    assert (sample(mixture, 100, evidence={"X1": 1}).codes[:, 1] == 1).all()
    with pytest.raises(EvidenceError, match="probability 0"):
        query(Mixture([never, never]), "X0", {"X1": 1})
    with pytest.raises(EvidenceError, match="probability 0"):
        sample(Mixture([never, never]), 1, evidence={"X1": 1})


def test_learned_in_several_orders() -> None:
    people = titanic()
    mixture = learn(people, mixture=3, smoothing=0.5, cuts=True, roles={"sex": "input", "survived": "target"})
    orders = [network.order for network in mixture.components]
    names = people.domain.names
    assert all(names[order[0]] == "sex" and names[order[-1]] == "survived" for order in orders if order)
    assert orders[1] != orders[0]
    assert mixture.weights == (1 / 3, 1 / 3, 1 / 3)
    assert score(mixture, people) >= np.mean([score(network, people) for network in mixture.components])
    again = learn(people, mixture=3, smoothing=0.5, cuts=True, roles={"sex": "input", "survived": "target"})
    assert mixture == again


def test_held_out_rows_say_how_many() -> None:
    """Of independent columns no second order gains; where orders differ, some do."""
    rng = np.random.default_rng(0)
    apart = Dataset.from_codes(rng.integers(0, 2, size=(400, 3)), [2, 2, 2])
    assert len(learn(apart, mixture="auto", penalty="auto", smoothing=0.5).components) == 1
    hidden = rng.integers(0, 3, size=3_000)
    codes = (rng.random((3_000, 10)) < rng.choice([0.15, 0.85], size=(3, 10))[hidden]).astype(int)
    tied = Dataset.from_codes(codes, [2] * 10)
    found = learn(tied, mixture="auto", penalty="auto", smoothing=0.5)
    assert 2 <= len(found.components) <= 8


def test_what_a_mixture_is_made_of() -> None:
    plain = Network(FORWARD.domain, FORWARD.nodes)
    refuses(ModelError, "component 1 of a mixture has no order", lambda: Mixture([FORWARD, plain]))
    refuses(
        ModelError,
        "has another domain than the first",
        lambda: Mixture([FORWARD, given_tables(([], [[0.5, 0.5]]))]),
    )
    refuses(ModelError, "one positive weight for each", lambda: Mixture([FORWARD, APART], [1.0, 0.0]))
    refuses(ModelError, "one component or more", lambda: Mixture([]))
    assert str(BOTH).splitlines()[0] == "a mixture of 2 ordered networks"


def test_what_no_mixture_answers_is_an_error_with_a_way_out() -> None:
    refuses(EvidenceError, "ask one of its components", lambda: query(BOTH, "X0", scan=RandomScan()))
    refuses(EvidenceError, "order of causes", lambda: query(BOTH, "X0", do={"X1": 1}))
    refuses(SamplingError, "one of its components", lambda: sample(BOTH, 3, scan=SequentialScan()))
    refuses(
        InferenceError, "one of its components", lambda: query_rows(BOTH, [[0, -1, 1]], scan=RandomScan())
    )
    refuses(ModelError, "take one of its components", lambda: most_probable(BOTH))  # type: ignore[arg-type]
