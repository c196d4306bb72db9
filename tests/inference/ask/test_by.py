"""Groups: each has the answer that a question of its own has, and the table's own numbers are those of a group-by."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet.errors import EvidenceError, InferenceError, ModelError
from depnet.law import limits
from tests.narrowed import there
from tests.refusals import refuses
from tests.strategies import random_ordered_network

TITANIC = depnet.titanic()
LAW = depnet.learn(TITANIC, order="auto", smoothing=0.5)


@pytest.mark.parametrize("target", ["survived", "survived = Yes"])
@pytest.mark.parametrize("evidence", [None, {"age": "adult"}])
@pytest.mark.parametrize("data", [None, TITANIC])
def test_a_group_has_the_answer_of_its_own_question(
    target: str, evidence: dict[str, str] | None, data: depnet.Dataset | None
) -> None:
    found = depnet.query_by(LAW, target, ["class", "sex"], evidence, data=data)
    assert len(found.results) == 8
    for labels, result in zip(found.labels, found.results, strict=True):
        own = depnet.query(LAW, target, {**(evidence or {}), "class": labels[0], "sex": labels[1]}, data=data)
        np.testing.assert_allclose(np.asarray(result.combined), np.asarray(own.combined), atol=1e-12)
        np.testing.assert_allclose(np.asarray(result.interval), np.asarray(own.interval), atol=1e-12)
        assert result.matching == own.matching


def table_with_holes(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 400))
    kind = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    size = np.round(rng.normal(np.where(kind == "a", 10.0, 20.0), 4.0), 1)
    frame = pd.DataFrame({"kind": kind, "size": size, "sex": rng.choice(["f", "m"], n)})
    frame["old"] = np.where(frame["size"] > 14, "yes", "no")
    for name in frame:
        frame[name] = frame[name].where(rng.random(n) > 0.15)
    return frame


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_what_the_table_says_of_groups_is_what_pandas_says(seed: int) -> None:
    frame = table_with_holes(seed)
    model = depnet.DependencyNetwork(random_state=0, distil=False).fit(frame)
    found = model.query("size", {"sex": "f"}, by=["kind", "old"]).set_index(["kind", "old"])
    rows = frame[(frame["sex"] == "f") & frame["size"].notna()]
    expected = rows.groupby(["kind", "old"])["size"].agg(["mean", "size"])
    for labels, one in found.iterrows():
        if labels in expected.index:
            assert one["rows"] == expected.loc[labels, "size"]
            assert one["table"] == pytest.approx(expected.loc[labels, "mean"])
        else:
            assert one["rows"] == 0
            assert pd.isna(one["table"])
    shares = model.query("old = yes", by="kind").set_index("kind")
    known = frame[frame["old"].notna() & frame["kind"].notna()]
    by_pandas = (known["old"] == "yes").groupby(known["kind"]).mean()
    assert shares["table"].dropna().to_dict() == pytest.approx(by_pandas.to_dict())


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.sampled_from(["none", "rows", "survey"]), st.booleans())
def test_the_frame_says_what_each_groups_own_result_says(seed: int, rows: str, known: bool) -> None:
    """The frame is made of all groups together, and a result of one alone: of numbers, conditions and categories."""
    frame = table_with_holes(seed)
    weights = np.random.default_rng(seed).integers(0, 5, len(frame)) / 2 if rows == "survey" else None
    model = depnet.DependencyNetwork(random_state=0, distil=False).fit(frame, sample_weight=weights)
    evidence = {"sex": {"f": 0.5, "m": 1.0}} if known else None
    for target in ("size", "size > 14", "kind", "kind = a and size > 9"):
        by = ["old"] if "kind" in target else ["kind", "old"]
        ask = partial(depnet.query_by, there(model.law_)) if rows == "none" else model.query_by
        found = ask(target, by, evidence)
        each = [result.table(result.targets[0]) for result in found.results]
        said = {name: np.array(column, dtype=object) for name, column in found.columns().items()}
        for at, (table, result) in enumerate(zip(each, found.results, strict=True)):
            states = [1] if table.answer.size == 2 and ">" in target else [*range(table.answer.size)]
            own = slice(at * len(states), (at + 1) * len(states))
            if target == "size":
                number, seen = there(table.number), table.number_law(table.variable, "observed")
                expected = {"mean": number.mean, "median": number.median, "table": seen and seen.centre[0]}
                expected |= dict(zip(("low", "high"), there(number.interval), strict=True))
                own = slice(at, at + 1)
            else:
                shares = np.full(len(states), None) if table.observed is None else table.observed[states]
                low, high = table.interval(states).T
                expected = {"share": table.answer[states], "low": low, "high": high, "table": shares}
                expected["model"] = table.law[states]
            if rows == "none":
                del expected["table"]
                assert not {"rows", "table"} & said.keys()
            else:
                assert (said["rows"][own] == result.matching).all()
            for name, values in expected.items():
                one = np.atleast_1d(np.array(values, dtype=float))
                np.testing.assert_allclose(said[name][own].astype(float), one, rtol=1e-9, atol=1e-12)


def test_numbers_of_groups_are_near_those_of_questions_of_their_own() -> None:
    rng = np.random.default_rng(5)
    kind, tall = rng.integers(0, 4, 6000), rng.integers(0, 2, 6000)
    size = rng.normal(10.0 * kind + 3.0 * tall, 2.0)
    frame = pd.DataFrame({"kind": np.array(list("abcd"))[kind], "tall": tall, "size": size})
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    found = model.query("size", {"size": "> 1"}, by=["kind", "tall"])
    for _, one in found.iterrows():
        own = model.query("size", {"size": "> 1", "kind": one["kind"], "tall": one["tall"]})
        assert one["mean"] == pytest.approx(own.numbers["size"].mean, abs=0.1)
        assert one["low"] <= one["mean"] <= one["high"]
    wrong = model.query("size", {"size": "> 1", "kind": "a", "tall": 1})
    with pytest.raises(AssertionError):  # a mutant: the neighbour's answer
        assert found["mean"][0] == pytest.approx(wrong.numbers["size"].mean, abs=0.1)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_groups_answered_together_are_answered_as_questions_of_their_own(
    seed: int, large: bool, known: bool
) -> None:
    """Exact answers are equal, drawn ones within five of both standard errors (a false alarm in 10^6 a number)."""
    rng = np.random.default_rng(seed)
    network = random_ordered_network(rng, (2, 3, 2, 3, 2, 3), rng.permutation(6).tolist())
    table = depnet.Dataset(network.domain, depnet.sample(network, 300, rng=rng).codes)
    names = [network.domain.names[i] for i in rng.permutation(6)]
    target, by = names[0], names[1:3]
    evidence = (
        {names[3]: {network.domain.variables[network.domain.index(names[3])].states[0]}} if known else {}
    )
    with pytest.MonkeyPatch.context() as patch:
        if large:  # every elimination is too large: rows are drawn
            patch.setattr(limits, "MOST_CELLS", 0)
        found = depnet.query_by(network, target, by, evidence, data=table)
    for labels, result in zip(found.labels, found.results, strict=True):
        try:
            given_group = {**evidence, **dict(zip(by, labels, strict=True))}
            own = depnet.query(network, target, given_group, data=table, method="exact")
        except EvidenceError:
            continue
        assert result.matching == own.matching
        np.testing.assert_array_equal(result.observed, own.observed)
        assert (result.method == "exact") != large
        apart = np.abs(np.asarray(result.probabilities) - np.asarray(own.probabilities))
        assert (apart <= 5 * np.asarray(result.standard_errors) + 1e-12).all()
        said = any(remark.kind == "stopped" for remark in result.warnings)
        assert (np.asarray(result.standard_errors).max() <= 0.02) == result.converged != said


def test_the_comparison_sees_a_neighbours_answer() -> None:
    """A mutant: the answers of two groups that differ are not within each other's errors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "MOST_CELLS", 0)
        found = depnet.query_by(LAW, "survived", ["class", "sex"])
    first, second = (found.results[k] for k in (0, 1))
    apart = np.abs(np.asarray(first.probabilities) - np.asarray(second.probabilities))
    assert first.method == "passes"
    assert not (apart <= 5 * np.asarray(first.standard_errors)).all()


def test_what_cannot_be_a_group_is_refused() -> None:
    with pytest.raises(EvidenceError, match="'survived' cannot be in `by`"):
        depnet.query_by(LAW, "survived", ["class", "survived"])
    refuses(EvidenceError, "each once", lambda: depnet.query_by(LAW, "survived", ["class", "class"]))
    refuses(ModelError, "no order", lambda: depnet.query_by(depnet.learn(TITANIC), "survived", "class"))
    model = depnet.DependencyNetwork(random_state=0).fit(TITANIC)
    refuses(InferenceError, "one target", lambda: model.query(["survived", "age"], by="class"))


def test_the_numbers_0_and_1_are_values_and_no_condition() -> None:
    frame = pd.DataFrame({"ill": [0, 1, 1, 1, 0, 0] * 20, "group": ["x", "y"] * 60})
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    found = model.query("ill", by="group")
    assert found["ill"].tolist() == [0, 1, 0, 1]
    means = frame.groupby("group")["ill"].mean()
    assert found.loc[found["ill"] == 1, "table"].tolist() == pytest.approx(means.tolist())
    assert "ill" not in model.query("ill = 1", by="group")
