"""`DependencyNetwork`: frames in, frames out, and the library's own answers in between."""

import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import depnet
from depnet import Dataset, DependencyNetwork, Mdl
from depnet.data import Holed
from depnet.errors import DataError, LearningError, UnknownStatesWarning
from depnet.model.score import log_pattern
from tests.estimators.tables import as_kind, law_of, people, rows_of, with_holes
from tests.narrowed import there
from tests.refusals import refuses

KINDS = ["pandas", "polars", "pyarrow", "dicts"]


@pytest.fixture(scope="module")
def model() -> DependencyNetwork:
    return DependencyNetwork(random_state=0).fit(with_holes(people()))


@pytest.mark.parametrize("kind", KINDS)
def test_frames_come_back_in_the_callers_kind(kind: str) -> None:
    strange = np.repeat(np.arange(150), 2)[::-1]  # an index in which every label stands twice
    holed = as_kind(with_holes(people(300)).set_axis(strange, axis=0), kind)
    fitted = DependencyNetwork(penalty="mdl", rounds=2, random_state=0).fit(holed)
    whole, drawn = fitted.impute(holed), fitted.sample(50, {"sex": "female"}, holes=False)
    assert type(whole) is type(drawn) is type(holed)
    before, after = rows_of(holed), rows_of(whole)
    for old, new in zip(before, after, strict=True):
        assert list(old) == list(new)
        for name, value in old.items():
            assert new[name] is not None
            assert value is None or new[name] == value
    values = rows_of(drawn)
    assert len(values) == 50
    assert {row["sex"] for row in values} == {"female"}
    assert {row["fare"] for row in values} <= {row["fare"] for row in before}
    if kind == "pandas":
        assert whole.dtypes.equals(holed.dtypes)
        assert whole.index.equals(holed.index)
        assert drawn.dtypes.equals(holed.dtypes)


def test_both_networks_are_what_learn_gives() -> None:
    table = people()[["class", "sex", "age", "survived"]]
    rows = Dataset.from_frame(table)
    fitted = DependencyNetwork(penalty=Mdl(), smoothing=1.0, max_leaves=3).fit(table)
    expected = depnet.learn(rows, smoothing=1.0, max_leaves=3, cuts=True)  # of ordered classes
    law = depnet.learn(rows, smoothing=1.0, max_leaves=3, order="auto", cuts=True)
    assert fitted.network_.nodes == expected.nodes
    assert fitted.network_.order is None
    own = there(fitted.law_)
    assert (own.nodes, own.order) == (law.nodes, law.order)
    assert own.counts is fitted.network_.counts
    assert fitted.certificate_ == depnet.certificate(expected, rows)
    assert fitted.law_certificate_ == depnet.certificate(law, rows)
    assert fitted.links() == depnet.links(expected, rows)
    assert fitted.score(table) == pytest.approx(depnet.score(law, rows), rel=1e-12)


def test_the_order_of_the_law_can_be_given() -> None:
    table = people(300)[["class", "sex", "age", "survived"]]
    names = ["survived", "age", "sex", "class"]
    fitted = DependencyNetwork(penalty="mdl", order=names).fit(table)
    assert there(fitted.law_).order == (3, 2, 1, 0)
    for wrong, message in ((None, 'order is "auto", or the names'), (names[:3], "'class' is missing")):
        with pytest.raises(LearningError, match=message):
            DependencyNetwork(penalty="mdl", order=wrong).fit(table)  # type: ignore[arg-type]
    with pytest.raises(LearningError, match="inputs come first"):
        DependencyNetwork(penalty="mdl", order=names, roles={"class": "input"}).fit(table)


def test_what_a_law_is_worth_is_chosen_on_held_out_rows() -> None:
    table = people()
    fitted = DependencyNetwork(random_state=0).fit(table)
    worth = there(there(there(fitted.law_).held_out).worth)
    assert fitted.query("survived", {"sex": "male"}).worth == worth
    simple = DependencyNetwork(penalty="mdl").fit(table)
    assert simple.query("survived", {"sex": "male"}).worth == 50


def test_a_time_limit_covers_both() -> None:
    rows = Dataset.from_codes(np.random.default_rng(0).integers(0, 4, (3000, 40)), cardinalities=[4] * 40)
    for seconds in (2, 10, 50):  # on a busy machine little is learned in little time
        began = time.process_time()
        fitted = DependencyNetwork(penalty="none", max_seconds=seconds).fit(rows)
        assert time.process_time() - began < 10 * seconds  # it takes minutes without a limit
        leaves = [
            max(node.source.size for node in each.nodes) for each in (there(fitted.law_), fitted.network_)
        ]
        if min(leaves) > 1:
            break
    assert min(leaves) > 1


def test_predict_proba_ignores_the_target_and_allows_it_to_be_absent(model: DependencyNetwork) -> None:
    table = people(50)
    flipped = table.assign(survived=np.where(table["survived"] == "Yes", "No", "Yes"))
    found = model.predict_proba(table, "survived")
    assert np.array_equal(found, model.predict_proba(flipped, "survived"))
    assert np.array_equal(found, model.predict_proba(table.drop(columns="survived"), "survived"))
    assert np.allclose(found.sum(axis=1), 1)
    i = model.domain_.index("survived")
    codes = depnet.data.encode(table, model.domain_).codes
    node = model.network_.nodes[i]
    assert np.array_equal(found, node.table.probabilities[node.source(codes)])


def test_scores_of_complete_rows_are_the_laws_own(model: DependencyNetwork) -> None:
    table = people(60)
    rows = depnet.data.encode(table, model.domain_).dataset()
    assert model.law_ is not None
    pattern = log_pattern(
        model.law_, np.zeros(rows.codes.shape, dtype=bool)
    )  # the rows learned from had holes
    assert (pattern < 0).all()
    assert np.array_equal(model.score_samples(table), depnet.score_samples(model.law_, rows) + pattern)
    assert model.score(with_holes(table)) < 0


def test_threads_do_not_change_anything() -> None:
    table = with_holes(people(400))
    one, two = (DependencyNetwork(n_jobs=n, rounds=3, random_state=5).fit(table) for n in (1, 2))
    assert one.network_ == two.network_
    assert one.law_ == two.law_
    pd.testing.assert_frame_equal(one.sample(100), two.sample(100))
    pd.testing.assert_frame_equal(one.impute(table, method="draw"), two.impute(table, method="draw"))


def test_partial_fit_adds_counts_and_drops_the_certificate() -> None:
    table = people(400)
    model = DependencyNetwork(penalty="mdl", random_state=0).partial_fit(table)
    first, law = model.network_, model.law_
    assert None not in (model.certificate_, model.law_certificate_)
    model.partial_fit(table[:100])
    rows = depnet.data.encode(table[:100], model.domain_).dataset()
    assert model.network_ == first.updated(rows)
    assert model.law_ == there(law).updated(rows)
    assert (model.certificate_, model.law_certificate_) == (None, None)
    assert there(model.data_).rows == 500
    model.partial_fit(with_holes(table[:50]))
    assert there(model.data_).rows == 550
    refuses(DataError, "the model has no state", lambda: model.partial_fit(table.assign(sex="unheard of")))


def test_save_and_load_without_the_training_frame(model: DependencyNetwork, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    again = DependencyNetwork.load(tmp_path / "model.json", random_state=0)
    assert again.network_ == model.network_
    assert again.law_ == model.law_
    assert again.certificate_ is None
    assert again.law_certificate_ is None
    assert list(again.sample(5).columns) == list(people(1).columns)
    assert again.sample(5)["fare"].dtype == np.float64
    support = there(again.query("survived", {"sex": "female"}).support)
    assert not support.exact
    assert again.impute(with_holes(people(20))).notna().all(axis=None)
    assert isinstance(DependencyNetwork.load(tmp_path / "model.json", frame="dicts").sample(2), list)


def test_a_file_without_a_law_says_so_and_clamps(model: DependencyNetwork, tmp_path: Path) -> None:
    depnet.save(model.network_, tmp_path / "alone.json")
    again = DependencyNetwork.load(tmp_path / "alone.json", random_state=0)
    assert again.law_ is None
    assert again.law_certificate_ is None
    for call in (
        lambda: again.query("survived", {"sex": "male"}),
        lambda: again.sample(2),
        lambda: again.score(people(20)),
    ):
        with pytest.warns(UserWarning, match="has no ordered law"):
            call()
    clamped = again.query("survived", {"sex": "male"}, method="clamped")
    with pytest.warns(UserWarning, match="has no ordered law"):
        assert np.array_equal(law_of(again.query("survived", {"sex": "male"})), law_of(clamped))
    again.partial_fit(people(20))
    assert again.law_ is None
    again.save(tmp_path / "again.json")
    assert DependencyNetwork.load(tmp_path / "again.json").network_ == again.network_


def test_a_file_with_the_law_alone_answers_by_it(model: DependencyNetwork, tmp_path: Path) -> None:
    assert model.law_ is not None
    depnet.save(model.law_, tmp_path / "law.json")
    again = DependencyNetwork.load(tmp_path / "law.json", random_state=0)
    assert again.law_ == again.network_ == model.law_
    asked = again.query("survived", {"sex": "male"})
    assert np.allclose(law_of(asked), law_of(model.query("survived", {"sex": "male"})))
    again.partial_fit(people(20))
    assert again.law_ is again.network_
    again.save(tmp_path / "law.json")
    assert DependencyNetwork.load(tmp_path / "law.json").law_ == again.law_


def test_missing_as_a_state_and_as_an_error() -> None:
    table = with_holes(people(200))
    model = DependencyNetwork(missing="state", penalty="mdl", random_state=0).fit(table)
    assert there(model.completion_).rounds == ()
    assert model.domain_.variables[1].missing is not None
    assert model.sample(300).isna().any(axis=None)
    refuses(DataError, "missing", lambda: DependencyNetwork(missing="error").fit(table))


def test_unknown_values_are_errors_or_holes() -> None:
    table = people(200)
    strange = table.assign(sex="unheard of")
    strict = DependencyNetwork(penalty="mdl", random_state=0).fit(table)
    refuses(DataError, "unheard of", lambda: strict.score_samples(strange))
    lenient = clone(strict).set_params(handle_unknown="missing").fit(table)
    with pytest.warns(UnknownStatesWarning, match="200 of 'sex', such as 'unheard of'") as said:
        assert set(lenient.impute(strange)["sex"]) <= {"female", "male"}
    assert len(said) == 1
    with pytest.warns(UnknownStatesWarning) as said:
        lenient.score(strange[:20])
    assert len(said) == 1


@pytest.mark.parametrize(
    ("estimator", "call"),
    [
        (depnet.DependencyNetworkClassifier, "predict"),
        (depnet.DependencyNetworkRegressor, "predict"),
        (depnet.DependencyNetworkImputer, "transform"),
    ],
)
def test_who_predicts_or_fills_takes_unknown_values_for_holes(estimator: Any, call: str) -> None:
    table = people(150)
    X, y = table.drop(columns="survived"), 1 * (table["survived"] == "Yes")
    strange = X.assign(sex="unheard of")
    model = estimator(random_state=0).fit(X, y)
    with pytest.warns(UnknownStatesWarning, match="150 of 'sex', such as 'unheard of'") as said:
        assert pd.DataFrame(getattr(model, call)(strange)).notna().all(axis=None)
    assert len(said) == 1
    strict = estimator(handle_unknown="error", random_state=0).fit(X, y)
    refuses(DataError, "unheard of", getattr(strict, call), strange)


def test_codes_are_taken_as_they_are() -> None:
    rows = Dataset.from_codes([[0, 0], [1, 1], [0, 1]] * 20, cardinalities=[2, 2])
    model = DependencyNetwork(random_state=0).fit(rows)
    assert isinstance(model.sample(4), Dataset)
    hidden = np.zeros((2, 2), dtype=bool)
    hidden[:, 1] = True
    holed = Holed(rows.domain, np.array([[0, 0], [1, 0]], dtype=np.uint8), hidden)
    assert model.impute(holed).codes.tolist() == [[0, 0], [1, 1]]
    weighted = Dataset(rows.domain, rows.codes, np.arange(60))
    assert model.score(weighted) == pytest.approx(depnet.score(there(model.law_), weighted))
    other = Dataset.from_codes([[0]], cardinalities=[1])
    refuses(DataError, "the fitted model's domain", lambda: model.score(other))


def test_cloned_pickled_unfitted(model: DependencyNetwork) -> None:
    again = pickle.loads(pickle.dumps(model))
    assert again.network_ == model.network_
    fresh = clone(model)
    assert not hasattr(fresh, "network_")
    for call in (lambda: fresh.sample(1), lambda: fresh.query("sex"), fresh.summary, fresh.links):
        with pytest.raises(NotFittedError):
            call()


def test_a_constant_column_and_one_row() -> None:
    table = pd.DataFrame({"a": ["x"], "b": [1.5]})
    model = DependencyNetwork(random_state=0).fit(table)
    assert model.sample(2)["a"].tolist() == ["x", "x"]
    assert model.sample(2)["b"].tolist() == [1.5, 1.5]


@pytest.mark.parametrize(
    ("estimator", "wrong"),
    [
        (DependencyNetwork, {"handle_unknown": "ignore"}),
        (DependencyNetwork, {"rounds": 0}),
        (DependencyNetwork, {"missing": "drop"}),
        (depnet.DependencyNetworkImputer, {"handle_unknown": "ignore"}),
        (depnet.DependencyNetworkClassifier, {"inputs": "all"}),
        (depnet.DependencyNetworkClassifier, {"inputs": 1}),
        (depnet.DependencyNetworkClassifier, {"handle_unknown": "ignore"}),
    ],
)
def test_a_wrong_parameter_is_said_in_fit(estimator: Any, wrong: dict[str, Any]) -> None:
    rows = np.array([[0, 0], [1, 1]] * 10)
    (name,) = wrong
    refuses(ValueError, f"{name} is .* got {wrong[name]!r}", lambda: estimator(**wrong).fit(rows, rows[:, 0]))


def test_no_rows_have_no_score_and_no_name_stands_twice() -> None:
    nothing = pd.DataFrame({"a": []}, dtype=int)
    model = DependencyNetwork(penalty="mdl").fit(pd.DataFrame({"a": [1, 2, 1]}))
    assert len(model.score_samples(nothing)) == 0
    refuses(DataError, "no rows to score", lambda: model.score(nothing))
    twice = pd.DataFrame([[1, 2], [2, 1]], columns=["a", "a"])
    refuses(DataError, "two columns have the same name", lambda: DependencyNetwork().fit(twice))


def test_lazy_frames_are_collected_without_a_warning() -> None:
    """Warnings are errors here: polars gives one to who asks a lazy frame for its dtypes."""
    frame = pl.DataFrame({"a": ["x", "y", None] * 8, "b": [1, 2, 3] * 8})
    model = DependencyNetwork(penalty="mdl", random_state=0).fit(frame.lazy())
    assert model.impute(frame.lazy()).equals(model.impute(frame))
    assert model.score(frame.lazy()) == model.score(frame)


@pytest.fixture(scope="module")
def deaths() -> pd.DataFrame:
    """The cause of death is missing for the living; a fifth of the ages are, whatever the rest."""
    rng = np.random.default_rng(0)
    dead = rng.random(1500) < 0.3
    age = 40 + 30 * dead + rng.normal(0, 8, 1500)
    return pd.DataFrame(
        {
            "dead": np.where(dead, "yes", "no"),
            "cause": pd.Series(np.where(rng.random(1500) < 0.7, "heart", "lung")).where(dead, None),
            "age": np.where(rng.random(1500) < 0.2, np.nan, age),
        }
    )


@pytest.fixture(scope="module")
def mortality(deaths: pd.DataFrame) -> DependencyNetwork:
    return DependencyNetwork(random_state=0).fit(deaths)


def test_holes_that_mean_something_are_states_and_others_keep_their_rate(
    mortality: DependencyNetwork, deaths: pd.DataFrame
) -> None:
    assert [variable.missing for variable in mortality.domain_.variables] == [None, "(missing)", None]
    drawn = mortality.sample(4000)
    assert (drawn["cause"].isna() == (drawn["dead"] == "no")).mean() > 0.99
    assert drawn["age"].isna().mean() == pytest.approx(0.2, abs=0.03)
    assert abs(drawn["age"].isna()[drawn["dead"] == "no"].mean() - drawn["age"].isna().mean()) < 0.03
    full = mortality.sample(500, holes=False)
    assert not full.isna().any(axis=None)
    assert (full["dead"] == "yes").mean() > 0.98  # the only ones of whom all is known
    known = mortality.sample(500, {"age": "> 60"})
    assert (known["age"] > 60).all()


def test_what_does_not_apply_is_not_filled_unless_asked(
    mortality: DependencyNetwork, deaths: pd.DataFrame
) -> None:
    rows = deaths.head(300).copy()
    rows.loc[rows["dead"] == "yes", "cause"] = None
    living = int((rows["dead"] == "no").sum())
    for method in ("mode", "draw"):
        with pytest.warns(UserWarning, match=f"{living} missing values left"):
            filled = mortality.impute(rows, method=method)
        assert filled["cause"].isna().tolist() == (rows["dead"] == "no").tolist()
        assert filled["age"].notna().all()
        assert not mortality.impute(rows, method=method, all=True).isna().any(axis=None)
    assert set(filled["cause"].dropna()) <= {"heart", "lung"}
    nothing = deaths[deaths["dead"] == "no"].dropna(subset="age").head(5)
    with pytest.warns(UserWarning, match="5 missing values left"):
        assert mortality.impute(nothing).equals(nothing)


def test_a_score_is_of_the_known_cells_and_of_which_these_are(mortality: DependencyNetwork) -> None:
    rows = pd.DataFrame({"dead": ["no", "no"], "cause": [None, None], "age": [40.0, None]})
    known, gone = mortality.score_samples(rows)
    rate = float(mortality.law_.counts.hole_rates[2])
    assert known < gone  # a density of many bins against one hole
    alone = float(np.asarray(mortality.query("dead").probabilities)[0])
    assert gone == pytest.approx(np.log(alone * rate), abs=0.02)


def test_rows_of_codes_are_drawn_with_their_holes() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(400, 2)).astype(np.uint8)
    hidden = np.asfortranarray(rng.random(codes.shape) < 0.25)
    codes[hidden] = 0
    table = Holed(depnet.Domain.from_cardinalities([2, 2]), np.asfortranarray(codes), hidden)
    model = DependencyNetwork(random_state=0).fit(table)
    drawn = model.sample(2000)
    assert isinstance(drawn, Holed)
    assert drawn.hidden.mean() == pytest.approx(0.25, abs=0.03)
    assert isinstance(model.sample(10, holes=False), depnet.Dataset)
    assert DependencyNetwork(missing="state").fit(table).domain_.cardinalities == (3, 3)
