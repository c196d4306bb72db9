"""Events over several variables, as evidence and as targets: against sums over all states, and against pandas."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import depnet
from depnet import Domain, Network, Variable, query
from depnet.arrays import FloatArray
from depnet.data import encode
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.inference.ask.query import log_probability
from depnet.inference.judge.influence import influence
from depnet.model.evidence import Evidence
from depnet.model.given_text import read_event
from tests.reference.events import Tree, columns_in, holds, indicator, marginal, probability, text_of
from tests.reference.ordered import law
from tests.refusals import refuses
from tests.strategies import ordered_networks, seeds


def random_tree(rng: np.random.Generator, network: Network, depth: int = 3, compare: bool = False) -> Tree:
    """A random event over a network whose states are numbers."""
    names = network.domain.names
    if depth and rng.random() < 0.7:
        kind = str(rng.choice(["and", "or", "or", "not"]))
        parts = 1 if kind == "not" else 2
        return (kind, *(random_tree(rng, network, depth - 1, compare) for _ in range(parts)))
    name, sign = str(rng.choice(names)), str(rng.choice(["=", "!=", "<", "<=", ">", ">="]))
    if compare and rng.random() < 0.4:
        return "compare", name, sign, str(rng.choice(names))
    states = network.domain.variables[names.index(name)].present_states
    return name, sign, int(rng.choice(np.array(states)))


def of_only(found: depnet.QueryResult) -> FloatArray:
    """The model's probabilities of the only target."""
    assert not isinstance(found.probabilities, dict)
    return found.probabilities


def with_missing(network: Network, rng: np.random.Generator) -> Network:
    """The same tables, where the last state of some variables means that their value is missing."""
    variables = []
    for variable in network.domain.variables:
        if variable.cardinality > 2 and rng.random() < 0.5:
            variable = Variable(variable.name, (*variable.states[:-1], "gone"), missing="gone")
        variables.append(variable)
    return replace(network, domain=Domain(tuple(variables)))


@given(ordered_networks(min_variables=2), seeds)
def test_answers_given_an_event_are_sums_over_its_states(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = with_missing(network, rng)
    tree, target = random_tree(rng, network), int(rng.integers(len(network)))
    inside = (indicator(network, tree) == 1) * law(network)
    others = tuple(a for a in range(inside.ndim) if a != target)
    known = len(network.domain.variables[target].present_states)
    assume(inside.sum(axis=others)[:known].sum() > 0)
    try:
        found = query(network, network.domain.names[target], text_of(tree), method="exact")
    except EvidenceError as error:
        assume("nothing is left to ask" not in str(error))
        raise
    expected = marginal(network, target, tree)[:known]
    assert of_only(found).tolist() == pytest.approx((expected / expected.sum()).tolist())
    assert not np.asarray(found.standard_errors).any()
    log = log_probability(network, text_of(tree))
    assert math.exp(log.values[0]) == pytest.approx(inside.sum())


@given(ordered_networks(min_variables=2), seeds)
def test_the_probability_of_an_event_is_a_sum_over_its_states(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = with_missing(network, rng)
    tree, known = random_tree(rng, network), random_tree(rng, network, 2)
    q, inside = law(network) * (indicator(network, known) == 1), indicator(network, tree)
    assume(len(columns_in(tree)) > 1 and q[~np.isnan(inside)].sum() > 0)
    try:
        found = query(network, text_of(tree), text_of(known), method="exact")
    except EvidenceError as error:
        assume("nothing is left to ask" not in str(error))
        raise
    assert of_only(found)[1] == pytest.approx(probability(network, tree, known))
    assert found.states == ((False, True),)


@given(ordered_networks(min_variables=3, max_variables=4), seeds)
def test_draws_are_within_their_errors(network: Network, seed: int) -> None:
    """Also of comparisons of two variables; six standard errors are passed by one right answer in 10^8."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, network, compare=True)
    inside = (indicator(network, tree) == 1) * law(network)
    target = int(rng.integers(len(network)))
    assume(inside.sum() > 0.05)
    evidence = Evidence.parse(network.domain, text_of(tree), events=True)
    assume(evidence.event is not None and target not in evidence.clamped)
    options: dict[str, Any] = {"method": "sample", "tolerance": 0.01, "rng": rng}
    found = query(network, network.domain.names[target], text_of(tree), **options)
    gap = np.abs(of_only(found) - marginal(network, target, tree))
    assert (gap <= 6 * np.asarray(found.standard_errors) + 1e-9).all()
    assert found.converged
    share = query(network, text_of(tree), **options)
    assert abs(of_only(share)[1] - inside.sum()) <= 6 * share.standard_errors[1]  # type: ignore[index]  # an array


def test_a_law_that_is_slightly_wrong_is_noticed() -> None:  # the mutant of the tests above
    people = depnet.titanic()
    network = depnet.learn(people, order="auto")
    found = of_only(query(network, "survived", "sex = female or class = 1st"))
    assert abs(found - of_only(query(network, "survived", "sex = female or class = 2nd"))).max() > 0.05


FRAME = {
    "word": st.sampled_from(["a", "b", None]),
    "size": st.sampled_from(["a", "b", "c", None]),
    "few": st.integers(0, 3) | st.none(),
    "real": st.floats(-5, 5, width=16) | st.none(),
    "other": st.floats(-5, 5, width=16) | st.none(),
}


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> Tree:
    kind = draw(st.sampled_from(["and", "or", "not", "leaf", "compare"] if depth else ["leaf", "compare"]))
    if kind in ("and", "or"):
        return kind, draw(trees(depth - 1)), draw(trees(depth - 1))
    if kind == "not":
        return kind, draw(trees(depth - 1))
    sign = draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">="]))
    if kind == "compare" and sign in ("=", "!="):
        return "compare", *draw(st.sampled_from([("word", sign, "size"), ("real", sign, "other")]))
    if kind == "compare":
        return "compare", *draw(st.sampled_from([("real", sign, "other"), ("few", sign, "real")]))
    if sign in ("=", "!=") and draw(st.booleans()):
        return draw(st.sampled_from([("word", sign, "a"), ("size", sign, "b")]))
    name = draw(st.sampled_from(["few", "real", "other"]))
    return name, sign, draw(st.integers(0, 3))


@given(st.lists(st.fixed_dictionaries(FRAME), min_size=1, max_size=40), trees())
def test_the_tables_rows_are_those_of_pandas(rows: list[dict[str, Any]], tree: Tree) -> None:
    """pandas' nullable columns have the same three values: what is missing compares as unknown."""
    complete = [
        {"word": w, "size": s, "few": f, "real": r, "other": -r}
        for w, s, f, r in zip("abab", "abca", (0, 1, 2, 3), (-5.5, 0.25, 1.5, 5.5), strict=True)
    ]
    frame = pd.DataFrame(complete + rows).astype(
        {"word": "string", "size": "string", "few": "Int64", "real": "Float64", "other": "Float64"}
    )
    domain, _ = depnet.data.describe(frame)
    table = encode(frame, domain, values=True)
    names = {name: frame[name] for name in frame.columns}
    signs = {"=": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}

    def mask(part: Tree) -> Any:
        if part[0] == "not":
            return ~mask(part[1])
        if part[0] in ("and", "or"):
            return mask(part[1]) & mask(part[2]) if part[0] == "and" else mask(part[1]) | mask(part[2])
        name, sign, value = part[1:] if part[0] == "compare" else part
        found = getattr(names[name], signs[sign])(names[value] if part[0] == "compare" else value)
        return found.astype("boolean")

    expected = mask(tree).fillna(False).to_numpy(dtype=bool)
    assert read_event(domain, text_of(tree)).rows(table).tolist() == expected.tolist()
    plain = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert [holds(tree, row) is True for row in plain] == expected.tolist(), "the twin agrees"


@pytest.fixture(scope="module")
def trips() -> depnet.DependencyNetwork:
    rng = np.random.default_rng(5)
    start = rng.gamma(4, 20, 3000).round()
    end = start + rng.normal(20, 30, 3000).round()
    kind = np.where(end - start > 25, "long", "short")
    kind[rng.random(3000) < 0.1] = "other"
    frame = pd.DataFrame({"start": start, "end": end, "kind": kind})
    frame.loc[rng.random(3000) < 0.1, "end"] = np.nan
    return depnet.DependencyNetwork(random_state=0, boost=None).fit(frame)


def test_columns_are_compared_by_their_values(trips: depnet.DependencyNetwork) -> None:
    found = trips.query("end > start")
    assert found.observed is not None
    assert abs(found.probabilities[1] - found.observed[1]) < 0.05
    assert found.method == "draws"
    assert 0 < found.standard_errors[1] <= 0.002
    given_it = trips.query("kind", "end < start")
    assert given_it.matching == given_it.support.rows if given_it.support else False
    assert abs(np.asarray(given_it.probabilities) - np.asarray(given_it.observed)).max() < 0.1
    mean = trips.query("end", "end < start or kind = long").numbers["end"]
    own = trips.query("end", "end < start or kind = long").summary(of="observed")
    assert own is not None
    assert mean.mean == pytest.approx(own.mean, rel=0.05)


def test_rows_are_drawn_in_an_event(trips: depnet.DependencyNetwork) -> None:
    rows = trips.sample(500, "end < start or (kind = other and start > 120)", random_state=1)
    assert len(rows) == 500
    assert ((rows["end"] < rows["start"]) | ((rows["kind"] == "other") & (rows["start"] > 120))).all()
    again = trips.sample(500, "end < start or (kind = other and start > 120)", random_state=1)
    assert again.equals(rows)
    share = (rows["kind"] == "other").mean()
    model = trips.query("kind = other", "end < start or (kind = other and start > 120)").probabilities[1]
    assert abs(share - model) < 6 * math.sqrt(0.25 / 500)


def test_what_moves_a_target_in_an_event() -> None:
    network = depnet.learn(depnet.titanic(), order="auto", smoothing=0.5)
    given_it = "sex = female or class = 1st"
    found = influence(network, "survived", given_it, of="Yes", rng=np.random.default_rng(0))
    assert found.value == pytest.approx(of_only(query(network, "survived", given_it))[1], abs=0.01)


def test_groups_are_asked_of_an_event() -> None:
    people = depnet.titanic()
    network = depnet.learn(people, order="auto", smoothing=0.5)
    either = "sex = female or class = 1st"
    found = depnet.query_by(network, "survived", "class", either, data=people)
    events = depnet.query_by(network, "survived = Yes and sex = female", "class", either, data=people)
    for (label,), result, event in zip(found.labels, found.results, events.results, strict=True):
        known = {either: True, "class": label}
        alone = query(network, "survived", known, data=people)
        assert of_only(result).tolist() == pytest.approx(of_only(alone).tolist())
        assert result.matching == alone.matching
        alone = query(network, "survived = Yes and sex = female", known, data=people)
        assert of_only(event).tolist() == pytest.approx(of_only(alone).tolist())


def test_what_cannot_be_asked_of_an_event_is_said() -> None:
    people = depnet.titanic()
    network = depnet.learn(people, order="auto")
    either = "sex = female or class = 1st"
    refuses(EvidenceError, "ask for it alone, not with other", query, network, [either, "age"])
    refuses(EvidenceError, "chains do not", query, depnet.learn(people), either)
    refuses(EvidenceError, "chains do not", query, depnet.learn(people), "age", either)
    refuses(EvidenceError, "here every condition is on one column", Evidence.parse, network.domain, either)
    refuses(
        EvidenceError, "says? nothing about other", query, network, "age", "sex is missing or class = 1st"
    )
    refuses(
        DomainTooLargeError,
        "no exact answer",
        lambda: query(network, "survived", "sex = age or class = 1st", method="exact"),
    )
    refuses(EvidenceError, "their labels have no order", query, network, "survived", "sex > age")
    refuses(
        EvidenceError,
        "is 0 or very small",
        query,
        network,
        "age",
        "sex = age and (sex = male or age = child)",
    )
