"""Survey weights: answers of the table against numpy's weighted ones, equal weights, Kish's number, errors."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import (
    Dataset,
    DependencyNetwork,
    DependencyNetworkClassifier,
    DependencyNetworkImputer,
    DependencyNetworkRegressor,
)
from depnet.data.table.weights import FRACTION, repetitions, survey_weights
from depnet.errors import DataError
from depnet.learning.rows import held_out
from tests.cli.entry import depnet as command
from tests.narrowed import there

QUICK: dict[str, Any] = {"penalty": "mdl", "random_state": 0}


def kish(weights: Any) -> float:
    return float(np.sum(weights) ** 2 / np.sum(np.square(weights)))


def table(seed: int, rows: int = 120) -> tuple[pd.DataFrame, Any]:
    """A table with holes, and weights that hang on what it says."""
    rng = np.random.default_rng(seed)
    a = rng.choice(["x", "y", "z"], rows, p=[0.5, 0.3, 0.2])
    frame = pd.DataFrame({"a": a, "b": rng.choice(["p", "q"], rows), "v": np.round(rng.gamma(2, 9, rows), 2)})
    for name in ("b", "v"):
        frame.loc[rng.random(rows) < 0.15, name] = None
    weights = rng.gamma(1.5, 2, rows) * np.where(a == "x", 3, 1)
    weights[rng.random(rows) < 0.05] = 0
    return frame, weights


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=8)
def test_the_tables_own_answers_are_weighted(seed: int) -> None:
    """Shares, means and quantiles, of all rows and of those that match."""
    frame, weights = table(seed)
    model = DependencyNetwork(**QUICK).fit(frame, sample_weight=weights)
    for given_a in (None, "x"):
        evidence = {} if given_a is None else {"a": given_a}
        match = np.ones(len(frame), dtype=bool) if given_a is None else (frame["a"] == given_a).to_numpy()
        known = match & frame["b"].notna().to_numpy()
        share = model.query("b", evidence)
        wanted = np.average(frame["b"][known] == "q", weights=weights[known])
        assert there(share.observed)[1] == pytest.approx(wanted, abs=1e-3)
        assert share.matching == np.count_nonzero(weights[known])
        assert share.effective["b"] == pytest.approx(kish(weights[known]), rel=1e-3)
        known = match & frame["v"].notna().to_numpy()
        mean = model.query("v", evidence)
        law = there(mean.summary("v", "observed"))
        values = frame["v"].to_numpy()[known]
        assert law.mean == pytest.approx(np.average(values, weights=weights[known]), rel=1e-3)
        order = np.argsort(values)
        until = np.cumsum(weights[known][order]) / weights[known].sum()
        median = values[order][np.searchsorted(until, 0.5)]
        near = values[order][np.searchsorted(until, [0.499, 0.501])]
        assert near[0] <= law.median <= near[1] or law.median == pytest.approx(median)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 0.3, 1e-9, 7e12]))
@settings(max_examples=4)
def test_with_equal_weights_the_model_is_that_without(seed: int, weight: float) -> None:
    frame, _ = table(seed)
    weighed = DependencyNetwork(**QUICK).fit(frame, sample_weight=np.full(len(frame), weight))
    plain = DependencyNetwork(**QUICK).fit(frame)
    assert weighed.network_ == plain.network_
    assert weighed.law_ == plain.law_


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=200).filter(lambda each: len(set(each)) > 1))
def test_weights_sum_to_kishs_number_in_fixed_point(weights: list[int]) -> None:
    found = there(survey_weights(weights, len(weights)))
    np.testing.assert_array_equal(found * FRACTION, np.rint(found * FRACTION))
    assert found.sum() == pytest.approx(kish(weights), abs=len(weights) / FRACTION)
    again = there(survey_weights(weights[::-1], len(weights)))
    np.testing.assert_array_equal(again[::-1], found)
    times = repetitions(found)
    assert abs(np.cumsum(times) - np.cumsum(found)).max() <= 0.5


def test_the_law_is_that_of_the_population() -> None:
    """Half of the rows are x, which weigh three times as much: three quarters of the population are."""
    rows = pd.DataFrame({"a": ["x", "y"] * 500, "b": ["p", "q"] * 500})
    model = DependencyNetwork(random_state=0).fit(rows, sample_weight=np.where(rows["a"] == "x", 3.0, 1.0))
    answer = model.query("a")
    assert answer.probabilities.tolist() == pytest.approx([0.75, 0.25], abs=0.01)
    assert there(there(model.law_).counts).total == pytest.approx(kish([3.0, 1.0] * 500), abs=0.1)  # 800
    low, high = there(answer.interval)[0]
    wider = 1.645 * np.sqrt(0.75 * 0.25 / 800)
    assert (high - low) / 2 == pytest.approx(wider, rel=0.3)


def test_rows_in_another_order_give_the_same_model() -> None:
    frame, weights = table(3)
    mixed = np.random.default_rng(0).permutation(len(frame))
    one = DependencyNetwork(**QUICK).fit(frame, sample_weight=weights)
    other = DependencyNetwork(**QUICK).fit(frame.iloc[mixed], sample_weight=weights[mixed])
    assert one.network_ == other.network_
    assert one.law_ == other.law_


def test_parts_that_are_held_out_weigh_what_all_rows_do() -> None:
    frame, weights = table(1)
    rows = Dataset.from_frame(frame[["a"]].assign(c=["s", "t"] * 60)).weighed(weights).dataset()
    total = there(rows.weights).sum()
    for learned, held in held_out(rows):
        assert there(learned.weights).sum() + there(held.weights).sum() == pytest.approx(total, abs=0.01)


def test_a_weighted_model_is_saved_loaded_and_added_to(tmp_path: Path) -> None:
    frame, weights = table(2)
    model = DependencyNetwork(random_state=0).fit(frame, sample_weight=weights)
    model.save(tmp_path / "m.json")
    loaded = DependencyNetwork.load(tmp_path / "m.json")
    assert loaded.law_ == model.law_
    before = there(there(model.law_).counts).total
    model.partial_fit(frame.head(10))
    assert there(there(model.law_).counts).total == before + 10


def test_every_estimator_takes_weights() -> None:
    """Where rows of another rule weigh nothing, that rule is not learned."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 400)
    right = rng.random(400) < 0.5
    frame = pd.DataFrame({"x": x, "z": rng.integers(0, 3, 400)})
    y = np.where(right, x, 3 - x)
    weights = np.where(right, 1.0, 0.0)
    classes = DependencyNetworkClassifier(random_state=0).fit(frame, y, sample_weight=weights).predict(frame)
    assert (classes == x).mean() > 0.95
    numbers = (
        DependencyNetworkRegressor(random_state=0).fit(frame, 10.0 * y, sample_weight=weights).predict(frame)
    )
    assert np.abs(numbers - 10 * x).mean() < 2
    holed = frame.assign(y=[str(each) for each in y])
    holes = holed.assign(y=holed["y"].where(np.arange(400) >= 20))
    filled = DependencyNetworkImputer(random_state=0).fit(holes, sample_weight=weights).transform(holes)
    assert (filled["y"][:20] == x[:20].astype(str)).mean() > 0.9


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, -1, 1], r"sample_weight, row 1: the weight is negative \(-1\)"),
        ([1, 1, np.nan], r"sample_weight, row 2: the weight is missing"),
        ([1, np.inf, 1], r"row 1: the weight is infinite"),
        ([0, 0, 0], "all weights are zero"),
        ([1, 1], r"a number for each of the 3 rows; got the shape \(2,\)"),
        (["a", "b", "c"], "a number for each of the 3 rows"),
    ],
)
def test_weights_that_are_none(weights: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        DependencyNetwork().fit(pd.DataFrame({"a": [0, 1, 2]}), sample_weight=weights)


def test_a_table_with_weights_of_its_own_takes_no_others() -> None:
    rows = Dataset.from_codes([[0], [1]], cardinalities=[2], weights=[2, 1])
    with pytest.raises(DataError, match="weights of its own"):
        DependencyNetwork().fit(rows, sample_weight=[1.0, 2.0])


def test_the_column_of_weights_is_no_variable() -> None:
    frame, weights = table(4)
    weighed = frame.assign(w=weights)
    read = depnet.read(io.StringIO(weighed.to_csv(index=False)), weights="w")
    made = Dataset.from_frame(weighed, weights="w", missing="state")
    for each in (read, made):
        assert each.domain.names == ("a", "b", "v")
        np.testing.assert_array_equal(there(each.weights), there(survey_weights(weights, len(frame))))
    for wrong, said in (
        ("nope", "weights: there is no column 'nope'"),
        ("a", "column 'a' has the weights, so it has numbers"),
    ):
        with pytest.raises(DataError, match=said):
            Dataset.from_frame(weighed, weights=wrong, missing="state")
    with pytest.raises(DataError, match=r"column 'v', row .*: the weight is missing"):
        Dataset.from_frame(weighed, weights="v", missing="state")


def test_the_command(tmp_path: Path) -> None:
    frame, weights = table(5, 300)
    path, model = tmp_path / "t.csv", tmp_path / "m.json"
    frame.assign(w=weights).to_csv(path, index=False)
    said = json.loads(command("fit", path, "-o", model, "--weights", "w", "--json").stdout)
    assert (said["rows"], said["effective_rows"]) == (300, round(there(survey_weights(weights, 300)).sum()))
    asked = ("query", model, "a", "--data", path, "--weights", "w", "--json")
    answer = json.loads(command(*asked).stdout)
    assert answer["matching"] == np.count_nonzero(weights)
    wanted = np.average(frame["a"] == "x", weights=weights)
    assert answer["observed"]["a"][0] == pytest.approx(wanted, abs=1e-3)
    warned = [command(*asked[:5], *more).stderr.decode() for more in (["--weights", "w"], [])]
    assert ["is read without" in said for said in warned] == [False, True]
    found = command("card", model, "-o", "-").stdout.decode()
    assert f"of rows that count as {said['effective_rows']} by their weights" in found
    refused = command("fit", path, "-o", tmp_path / "n.json", "--weights", "nope", code=1).stderr.decode()
    assert refused.startswith("depnet: weights: there is no column 'nope'.")
    refused = command(
        "fit", path, "-o", tmp_path / "n.json", "--weights", "w", "--memory", "1GB", code=2
    ).stderr.decode()
    assert "--weights does not go with --cluster or --memory" in refused
