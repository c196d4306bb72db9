"""A mixture answers every question as the one network of its law does (`tests.reference.mixtures`)."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from depnet import Dataset, Domain, Mixture, Network, Variable, learn, query, query_by, query_rows, sample
from depnet.data import Bins
from depnet.errors import EvidenceError, ModelError
from depnet.inference import explain
from depnet.inference.ask.information import information
from depnet.inference.ask.query import log_probability
from depnet.inference.judge.influence import influence
from tests.inference.ordered.test_events import of_only, random_tree
from tests.inference.ordered.test_mixture import drawn_mixtures
from tests.laws import assert_same_law, joint_counts
from tests.model.file.networks import random_within
from tests.reference.events import text_of
from tests.reference.mixtures import as_network
from tests.refusals import refuses
from tests.strategies import seeds

pd = pytest.importorskip("pandas")

X = Bins((0, 10, 20), ((1, 3, 3, 7), (12, 15, 18)), "integer")
DOMAIN = Domain((Variable("x", X.labels, X), Variable("sex", ("female", "male")), Variable("z", X.labels, X)))
GIVEN: tuple[Any, ...] = ({}, {"sex": "male"}, {"x": "<4"}, {"x": 5, "z": ">=7"}, "x < 4 or z > 12")


def law_of_numbers(seed: int = 0, apart: float = 0.5) -> Mixture:
    """Two laws of one table that say different things of it, and where in their bins numbers lie."""
    rng = np.random.default_rng(seed)
    parts = []
    for order in ([1, 0, 2], [2, 0, 1]):
        codes = rng.integers(0, 2, (300, 3))
        same = rng.random(300) < (apart + 0.4 * (order[0] == 1))
        codes[:, 0] = np.where(same, codes[:, 1], 1 - codes[:, 1])
        codes[:, 2] = np.where(rng.random(300) < 0.8, codes[:, 0], codes[:, 2])
        parts.append(learn(Dataset(DOMAIN, codes.astype(np.uint8)), order=order, smoothing=0.5))
    return Mixture(parts, [1.0, 2.0], within=random_within(rng, DOMAIN, (1, 0, 2), bare=0.0))


def close(ours: Any, theirs: Any, times: float = 5.0, least: float = 1e-8) -> bool:
    """Are two answers within so many standard errors of each other, both errors together?"""
    error = np.hypot(np.asarray(ours.standard_errors), np.asarray(theirs.standard_errors))
    apart = np.abs(np.asarray(ours.probabilities) - np.asarray(theirs.probabilities))
    return bool((apart <= times * error + least).all())


@given(drawn_mixtures(), seeds)
def test_events(mixture: Mixture, seed: int) -> None:
    """Asked for and given, exactly."""
    rng, one = np.random.default_rng(seed), as_network(mixture)
    asked, known = (text_of(random_tree(rng, one)) for _ in range(2))
    try:
        expected = of_only(query(one, asked, rng=rng)), log_probability(one, known, rng=rng).values
        given_one = of_only(query(one, "X0", known, rng=rng))
    except EvidenceError:
        assume(False)
    np.testing.assert_allclose(of_only(query(mixture, asked, rng=rng)), expected[0], rtol=0, atol=0.01)
    np.testing.assert_allclose(log_probability(mixture, known).values, expected[1], rtol=0, atol=0.02)
    np.testing.assert_allclose(of_only(query(mixture, "X0", known, rng=rng)), given_one, rtol=0, atol=0.02)


@given(drawn_mixtures(), seeds, st.booleans())
def test_groups_influence_and_conditions_in_cells(mixture: Mixture, seed: int, whole: bool) -> None:
    one, cards = as_network(mixture), mixture.domain.cardinalities
    assume(cards[-1] > 1)
    last = f"X{len(cards) - 1}"
    ours, theirs = (query_by(network, last, "X0").frame() for network in (mixture, one))
    np.testing.assert_allclose(ours["model"], theirs["model"], rtol=0, atol=1e-8)
    ours, theirs = (influence(network, last, max_seconds=None) for network in (mixture, one))
    assert ours.method == theirs.method == "exact"
    assert [each.variable for each in ours.effects] == [each.variable for each in theirs.effects]
    for mine, other in zip(ours.effects, theirs.effects, strict=True):
        np.testing.assert_allclose(mine.values, other.values, rtol=0, atol=1e-8)
        np.testing.assert_allclose(mine.bits, other.bits, rtol=0, atol=1e-8)
    some = {"X0": set(range(max(1, cards[0] - whole)))}
    rows: list[dict[str, Any]] = [{}, {}]
    ours, theirs = (query_rows(network, rows, evidence=some, targets=[last]) for network in (mixture, one))
    np.testing.assert_allclose(ours.probabilities[last], theirs.probabilities[last], rtol=0, atol=1e-6)


@pytest.mark.parametrize("known", GIVEN)
@pytest.mark.parametrize("target", ["x", "z > 7", "sex", "x < z"])
def test_numbers(target: str, known: Any) -> None:
    """By where in their bins they lie, and given evidence that cuts bins."""
    mixture = law_of_numbers()
    if isinstance(known, dict) and target in known:
        return
    one = as_network(mixture)
    ours = query(mixture, target, known, rng=np.random.default_rng(0), tolerance=0.005)
    theirs = query(one, target, known, rng=np.random.default_rng(1), tolerance=0.005)
    assert close(ours, theirs)
    if target == "x" and not isinstance(known, dict):
        errors = np.hypot(ours.numbers["x"].mean_error, theirs.numbers["x"].mean_error)
        assert abs(ours.numbers["x"].mean - theirs.numbers["x"].mean) <= 5 * errors + 1e-8
    logs = [log_probability(n, known, rng=np.random.default_rng(1)) for n in (mixture, one)]
    assert abs(logs[0].values[0] - logs[1].values[0]) <= 5 * sum(e.standard_errors[0] for e in logs) + 1e-8


def test_mutant_components_that_count_alike_whatever_is_known_are_noticed() -> None:
    mixture = law_of_numbers()
    one = as_network(mixture)
    wrong = as_network(Mixture(mixture.components, [2.0, 1.0], mixture.within))
    for known in GIVEN[2:]:
        answers = [query(n, "sex", known, rng=np.random.default_rng(0)) for n in (mixture, one, wrong)]
        assert close(answers[0], answers[1])
        assert not close(answers[0], answers[2])


def test_rows_given_values_and_events() -> None:
    mixture = law_of_numbers()
    one = as_network(mixture)
    for known in GIVEN[2:]:
        drawn = [sample(n, 60_000, evidence=known, rng=np.random.default_rng(3)) for n in (mixture, one)]
        counts = [joint_counts(each.codes, DOMAIN.cardinalities) for each in drawn]
        expected = np.asarray(query(one, DOMAIN.names, known, joint=True, tolerance=0.001).probabilities)
        for each in counts:
            assert_same_law(each, expected, detects_l1=0.06)


def test_information_and_reasons() -> None:
    mixture = law_of_numbers()
    one = as_network(mixture)
    ours, theirs = (information(n, "x", "z", {"sex": "male"}, tolerance=0.01) for n in (mixture, one))
    assert theirs.standard_error == 0
    assert abs(ours.bits - theirs.bits) <= 5 * ours.standard_error
    facts = {"sex": "male", "z": 15}
    steps = [explain(n, facts, "x > 9") for n in (mixture, one)]
    for mine, other in zip(*(each.steps for each in steps), strict=True):
        assert mine.name == other.name
        np.testing.assert_allclose(mine.change, other.change, rtol=0, atol=0.01)
    drawn = influence(mixture, "sex", {"x": "<4"}, max_seconds=None)
    other_drawn = influence(one, "sex", {"x": "<4"}, max_seconds=None)
    for mine_, other_ in zip(drawn.effects, other_drawn.effects, strict=True):
        error = 5 * np.hypot(mine_.errors, other_.errors) + 1e-9
        assert (np.abs(mine_.values - other_.values) <= error).all()


def test_rows_are_added_to_all_components() -> None:
    mixture = law_of_numbers()
    rows = Dataset.from_codes([[0, 1, 1]] * 50, domain=DOMAIN)
    found = mixture.updated(rows)
    assert found.components == tuple(part.updated(rows) for part in mixture.components)
    assert found.weights == mixture.weights
    refuses(
        ModelError,
        "another domain or order than the mixture's first component",
        lambda: Mixture(
            [replace(part, domain=Domain.from_cardinalities([2, 2, 2])) for part in mixture.components],
            within=mixture.within,
        ),
    )


def test_a_network_is_ordered_where_it_has_an_order() -> None:
    mixture = law_of_numbers()
    assert mixture.ordered
    assert mixture.components[0].ordered
    assert not Network(DOMAIN, mixture.components[0].nodes).ordered


def test_numbers_lie_in_the_order_of_the_first_component() -> None:
    mixture = law_of_numbers()
    turned = mixture.components[::-1]
    refuses(ModelError, "another domain or order", lambda: Mixture(turned, within=mixture.within))
