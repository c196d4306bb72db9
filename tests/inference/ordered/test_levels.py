"""Answers by levels: against the whole law of codes and levels, enumerated, and against rows of `sample`."""

import itertools
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import DependencyNetwork, Network, query
from depnet.arrays import FloatArray
from depnet.data import Bins, Domain, Variable
from depnet.data.frames.within import allowed_values
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.table import Answer
from depnet.law.elimination import joint_law
from depnet.model.evidence import Evidence, narrow_domain
from tests.model.file.networks import random_within
from tests.narrowed import there
from tests.reference.within import slow_level_law

pd = pytest.importorskip("pandas")

X = Bins((0, 10, 20), ((1, 3, 3, 7), (12, 15, 18)), "integer")
Y = Bins((0.0, 1.0, 2.0, 3.0), ((0.25, 0.5), (1.0, 1.5, 1.75), (2.0,)), "float")
DOMAIN = Domain(
    (
        Variable("x", X.labels, X),
        Variable("sex", ("female", "male")),
        Variable("y", (*Y.labels, "none"), Y, missing="none"),
        Variable("z", X.labels, X),
    )
)
ORDER = (1, 2, 0, 3)
GIVEN: tuple[dict[str, Any], ...] = (
    {},
    {"sex": "male"},
    {"x": "<4"},
    {"x": 3},
    {"x": 5, "y": ">=0.5"},
    {"z": slice(3, 15)},
    {"y": "<=1.5", "z": "!=3", "sex": "female"},
    {"x": {1, 12}, "z": ">1"},
    {"y": slice(0.4, 0.6)},
)


def random_law(seed: int) -> Network:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, DOMAIN.cardinalities, (300, len(DOMAIN)))
    codes[:, 0] = np.where(rng.random(300) < 0.7, codes[:, 1], codes[:, 0])
    codes[:, 3] = np.where(rng.random(300) < 0.6, codes[:, 0], codes[:, 3])
    law = depnet.learn(
        depnet.Dataset(DOMAIN, codes.astype(np.uint8)), order=ORDER, penalty="mdl", smoothing=0.5
    )
    return replace(law, within=random_within(rng, DOMAIN, ORDER, bare=0.1))


def table(answer: Answer, name: str = "") -> FloatArray:
    """Of one target, or the only one."""
    return cast("dict[str, FloatArray]", answer)[name] if name else cast("FloatArray", answer)


def worst(found: QueryResult, law: Network, given_: dict[str, Any]) -> float:
    """How many standard errors (and 1e-9) anything in an answer is from the enumerated law, at most."""
    evidence = Evidence.parse(DOMAIN, given_)
    tensor = joint_law(law, evidence)
    exact = slow_level_law(
        there(law.within),
        {
            codes: float(tensor[codes])
            for codes in itertools.product(*map(range, tensor.shape))
            if tensor[codes]
        },
        {i: mask.tolist() for i, mask in evidence.levels.items()},
    )
    left = narrow_domain(DOMAIN, given_)
    far = [0.0]
    for name in ("x", "sex", "y", "z"):
        i = DOMAIN.index(name)
        states = np.zeros(DOMAIN.cardinalities[i])
        for (codes, _), mass in exact.items():
            states[codes[i]] += mass
        states = states[: len(DOMAIN.variables[i].present_states)]  # given that it is known
        states = states / states.sum()
        gap = np.abs(table(found.probabilities, name) - states)
        far.append(float((gap / (table(found.standard_errors, name) + 1e-9)).max()))
        bins, kept = DOMAIN.variables[i].bins, left.variables[i].bins
        if bins is None:
            continue
        values = allowed_values(bins, there(kept))
        known = {key: mass for key, mass in exact.items() if key[0][i] < len(bins)}
        total = sum(known.values())
        mean = sum(float(values[levels[i]]) * mass for (_, levels), mass in known.items()) / total
        summary = there(found.summary(name, of="probabilities"))
        far.append(abs(summary.mean - mean) / (summary.mean_error + 1e-9))
        cut = bins.quantiles[0][0]
        above = sum(mass for (_, levels), mass in known.items() if values[levels[i]] > cut)
        share, error = (
            table(found.probabilities, f"{name} > {cut}")[1],
            table(found.standard_errors, f"{name} > {cut}")[1],
        )
        far.append(abs(share - above / total) / (error + 1e-9))
    return max(far)


TARGETS = ["x", "sex", "y", "z", "x > 1", "y > 0.25", "z > 1"]


@given(st.integers(0, 10_000), st.sampled_from(GIVEN))
def test_answers_are_those_of_the_law_of_codes_and_levels(seed: int, known: dict[str, Any]) -> None:
    """Errors are between 32 batches, so t of 31 degrees: of some 20 figures one beyond 7 in one answer of 10 million."""
    law = random_law(seed)
    found = query(law, TARGETS, known, rng=np.random.default_rng(seed), tolerance=0.005)
    assert worst(found, law, known) < 7


def test_the_mutant_without_trees_is_caught() -> None:
    """Where a law forgets where in their bins numbers lie, answers given evidence that cuts bins are far from it."""
    law = random_law(3)
    known: dict[str, Any] = {"x": "<4", "z": 3}
    assert worst(query(law, TARGETS, known, rng=np.random.default_rng(0)), law, known) < 7
    alone = replace(law, within=None)
    found = query(alone, TARGETS, known, rng=np.random.default_rng(0))
    assert worst(found, law, known) > 1000


def test_bins_keep_their_exact_probabilities_where_evidence_cuts_none() -> None:
    law = random_law(1)
    with_levels = query(law, ["x", "y"], {"sex": "male"}, rng=np.random.default_rng(0))
    alone = query(replace(law, within=None), ["x", "y"], {"sex": "male"})
    for name in ("x", "y"):
        assert np.array_equal(table(with_levels.probabilities, name), table(alone.probabilities, name))
        assert not table(with_levels.standard_errors, name).any()
        assert with_levels.levels[name].weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("known", [{"x": "<4"}, {"x": 3, "y": ">=0.5"}, {"z": slice(3, 15)}])
def test_rows_agree_with_answers(known: dict[str, Any]) -> None:
    """20,000 rows: a share is wrong by 0.025 with a probability of 2 exp(-2 20,000 0.025^2) = 3e-11."""
    law = random_law(5)
    rng = np.random.default_rng(0)
    codes = depnet.sample(law, 20_000, evidence=known, rng=rng).codes
    numbers = there(law.within).draw(codes, narrow_domain(DOMAIN, known), rng)
    found = query(law, TARGETS, known, rng=rng, tolerance=0.002)
    assert np.abs(np.bincount(codes[:, 1]) / len(codes) - table(found.probabilities, "sex")).max() < 0.025
    for name, i in (("x", 0), ("z", 3)):
        levels = found.levels[name]
        for value in np.unique(levels.values):
            share = levels.weights[levels.values == value].sum()
            assert abs((numbers[i] == value).mean() - share) < 0.025


def test_a_model_of_a_table_answers_as_its_rows_do() -> None:
    rng = np.random.default_rng(0)
    size = rng.choice(["S", "M", "L"], 4000)
    kind = rng.choice(["a", "b", "c"], 4000)
    price = 10 + 2.5 * (size == "M") + 5 * (size == "L") + 0.75 * (kind == "b") + 1.25 * (kind == "c")
    rows = pd.DataFrame({"size": size, "kind": kind, "price": price, "year": rng.integers(1900, 2000, 4000)})
    rows["old"] = np.where(rows.year < 1903, "yes", "no")
    model = DependencyNetwork(random_state=0).fit(rows)
    assert model.law_ is not None
    answer = there(query(model.law_, "price", {"size": "M", "kind": "b"}, rng=rng).summary("price"))
    assert answer.mean == pytest.approx(13.25, abs=0.05)
    old = query(model.law_, "old", {"year": "<1903"}, rng=rng)
    assert table(old.probabilities)[1] > 0.9
    point = query(model.law_, "old", {"year": 1901}, rng=rng)
    assert table(point.probabilities)[1] > 0.9
