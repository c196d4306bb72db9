"""The quality of drawn rows: SDMetrics's figures, their definitions, and what each kind of table and of rows gives."""

import datetime as dt
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import DependencyNetwork
from depnet.errors import DataError
from depnet.inference.judge import boosters, resemblance
from depnet.inference.judge.closest import closest, guessed, nearer
from depnet.inference.judge.tables import read_tables
from tests.inference.judge.quality_cases import SDMETRICS, rows
from tests.reference import quality as reference

REAL, DRAWN, FRESH = (pd.DataFrame(rows(side)) for side in range(3))
NUMBERS = ("age", "rooms", "day")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few steps of boosting, where it is not looked at."""
    monkeypatch.setattr(boosters, "STEPS", 3)


@pytest.mark.usefixtures("quick")
def test_figures_are_those_of_sdmetrics() -> None:
    found = depnet.quality(DRAWN, REAL, FRESH)
    assert found.numbers == NUMBERS
    assert len(SDMETRICS) == 8
    for measure, figures in SDMETRICS.items():
        assert found.each[measure].keys() == figures.keys()
        for names, (drawn, fresh) in figures.items():
            ours = found.each[measure][names]
            assert ours.drawn == pytest.approx(drawn, abs=1e-9), (measure, names)
            if fresh is not None:
                assert ours.fresh == pytest.approx(fresh, abs=1e-9), (measure, names)


def _cells(value: Any) -> Any:
    return st.lists(st.one_of(st.none(), value), min_size=1, max_size=12)


def _array(column: list[Any]) -> Any:
    return np.array([math.nan if value is None else float(value) for value in column])


QUARTERS = st.integers(-12, 12).map(lambda k: k / 4)


@given(_cells(QUARTERS), _cells(QUARTERS))
def test_columns_of_numbers(real: list[Any], other: list[Any]) -> None:
    a, b = _array(real), _array(other)
    known = [[value for value in column if value is not None] for column in (real, other)]
    if not all(known):
        assert math.isnan(resemblance.ks_complement(a, b))
        return
    assert resemblance.ks_complement(a, b) == pytest.approx(reference.ks_complement(real, other))
    if len(set(known[0])) == 1:
        assert math.isnan(resemblance.range_coverage(a, b))
        return
    assert resemblance.range_coverage(a, b) == pytest.approx(reference.range_coverage(real, other))
    for right in (False, True):
        states = resemblance.states_of(b, a, True, right=right)
        expected = [0 if k is None else k + 1 for k in reference.binned(other, real, right=right)]
        edges = np.histogram_bin_edges(a[~np.isnan(a)], 10)
        near = np.isclose(b[:, None], edges, atol=1e-9).any(axis=1)  # an edge is a fraction that floats round
        assert (states == expected)[~near].all()


@given(_cells(st.integers(0, 3)), _cells(st.integers(0, 4)))
def test_columns_of_categories(real: list[Any], other: list[Any]) -> None:
    a, b = _array(real), _array(other)
    if any(value is not None for value in real) and any(value is not None for value in other):
        assert resemblance.tv_complement(a, b) == pytest.approx(reference.tv_complement(real, other))
        assert resemblance.category_coverage(a, b) == reference.category_coverage(real, other)
    else:
        assert math.isnan(resemblance.tv_complement(a, b))


PAIRS = st.lists(
    st.tuples(st.one_of(st.none(), QUARTERS), st.one_of(st.none(), QUARTERS)), min_size=1, max_size=12
)


@given(PAIRS, PAIRS)
def test_pairs(real: list[Any], other: list[Any]) -> None:
    sides = [tuple(map(list, zip(*pairs, strict=True))) for pairs in (real, other)]
    a, b = (np.column_stack([*map(_array, side)]) for side in sides)
    found = resemblance.correlation_similarity(a, b)
    if math.isnan(found):
        whole = [[row for row in pairs if None not in row] for pairs in (real, other)]
        assert any(
            len({*column}) < 2 for side in whole for column in (zip(*side, strict=True) if side else [()])
        )
    else:
        assert found == pytest.approx(reference.correlation_similarity(*sides))  # type: ignore[arg-type]  # two columns
    states = [
        np.column_stack([resemblance.states_of(4 * column, 4 * column, False) for column in (side + 4).T])
        for side in (a, b)
    ]
    expected = reference.contingency_similarity(*sides)  # type: ignore[arg-type]
    assert resemblance.contingency_similarity(states[0], states[1]) == pytest.approx(expected)


ROWS = st.lists(
    st.tuples(st.one_of(st.none(), QUARTERS), st.one_of(st.none(), st.integers(0, 2)), st.just(1.5)),
    min_size=1,
    max_size=8,
)


@given(ROWS, ROWS)
def test_distances_and_guesses(some: list[Any], others: list[Any]) -> None:
    numeric = [True, False, True]
    a, b = (np.array([_array(list(row)) for row in side]) for side in (some, others))
    apart = closest(a, b, np.array(numeric))
    expected = reference.closest(some, others, numeric)
    assert apart == pytest.approx(expected)
    assert nearer(apart, np.array([0.1, 0.5])) == pytest.approx(reference.nearer(apart.tolist(), [0.1, 0.5]))
    states = [np.nan_to_num(4 * side, nan=-99).astype(int) for side in (a, b)]
    rates = guessed(states[0], states[1], [0, 1, 2])
    assert rates == pytest.approx([reference.guessed(some, others, j) for j in range(3)])


def test_a_constant_column_is_as_far_as_a_category() -> None:
    some, others = np.array([[2.0], [3.0], [np.nan]]), np.array([[2.0], [2.0]])
    assert closest(some, others, np.array([True])).tolist() == [0.0, 1.0, 1.0]


def test_the_detector_knows_what_differs_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(2, 400, 3))
    assert (
        abs(boosters.auc(one, two, np.ones(3, bool)) - 0.5) < 0.12
    )  # four standard errors of 400 against 400
    assert boosters.auc(one, two + 3, np.ones(3, bool)) > 0.95
    pair = one.copy()
    pair[:, 1] = pair[:, 0] + rng.normal(size=400) / 4
    alone = np.column_stack([rng.permutation(column) for column in pair.T])
    assert boosters.auc(pair, alone, np.ones(3, bool)) > 0.8  # which single columns do not tell
    assert math.isnan(boosters.auc(one[:9], two, np.ones(3, bool)))


def test_what_boosting_learns() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 2))
    number, category = np.column_stack([x, 3 * x[:, 0]]), np.column_stack([x, x[:, 0] > 0]).astype(float)
    kinds = np.array([True, True, True]), np.array([True, True, False])
    assert boosters.taught(number[:300], number[300:], kinds[0], 2) > 0.9
    assert boosters.taught(category[:300], category[300:], kinds[1], 2) > 0.9
    shuffled = number[:300].copy()
    shuffled[:, 2] = rng.permutation(shuffled[:, 2])
    assert boosters.taught(shuffled, number[300:], kinds[0], 2) < 0.2
    one = np.column_stack([x, np.zeros(600)])
    assert boosters.taught(one[:300], category[300:], kinds[1], 2) == (category[300:, 2] == 0).mean()


def test_many_states_are_few_to_boosting() -> None:
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.integers(0, 2000, 3000), rng.normal(size=3000)]).astype(float)
    found = boosters.auc(rows[:1500], rows[1500:], np.array([False, True]))
    assert 0.4 < found < 0.6


def _people(rows: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 12, rows)
    city = rng.integers(0, 4, rows)
    return pd.DataFrame(
        {
            "age": age,
            "city": np.array([*"abcd"])[city],
            "rent": age * 10 + 90 * city + rng.normal(0, 20, rows),
        }
    )


@pytest.mark.usefixtures("quick")
def test_copies_are_seen_and_fresh_rows_are_not_blamed() -> None:
    real, fresh, more = _people(400, 0), _people(400, 1), _people(400, 2)
    honest = depnet.quality(more, real, fresh)
    assert abs(honest["nearer than real rows"].drawn - 0.5) < 0.12
    assert abs(honest["closer to learned than to fresh"].drawn - 0.5) < 0.12
    assert honest["copies"].drawn == 0
    assert not any("give away" in sentence for sentence in honest.sentences)
    thief = depnet.quality(real, real, fresh)  # the mutant: it gives back what it learned from
    assert thief["copies"].drawn == 1
    assert thief["nearer than real rows"].drawn == 1
    assert thief["closer to learned than to fresh"].drawn == 1
    assert thief["column shapes"].drawn == 1


@pytest.mark.usefixtures("quick")
def test_a_secret_that_copies_give_away() -> None:
    rng = np.random.default_rng(0)
    hidden = [
        pd.DataFrame(rng.normal(size=(300, 5)), columns=[*"abcde"]).assign(
            secret=rng.integers(0, 4, 300).astype(str)
        )
        for _ in range(3)
    ]
    honest, thief = (depnet.quality(drawn, hidden[0], hidden[1]) for drawn in (hidden[2], hidden[0]))
    assert abs(honest.each["disclosure"]["secret"].drawn - 0.25) < 0.1
    assert not any("give away" in sentence for sentence in honest.sentences)
    assert thief.each["disclosure"]["secret"].drawn > 0.9
    assert any("give away most is" in sentence for sentence in thief.sentences)


def test_shuffled_columns_are_told() -> None:
    found = depnet.quality(_people(400, 2), _people(400, 0), _people(400, 1))
    assert found["detection"].shuffled > 0.75 > 0.62 > found["detection"].drawn
    assert found["column pair trends"].shuffled < found["column pair trends"].drawn - 0.1
    assert found["variance explained"].shuffled < 0.2 < 0.7 < found["variance explained"].drawn
    assert "fresh real rows" in found.sentences[0]
    assert "a detector picks" in str(found)
    assert "a detector picks" in found._repr_html_()


@pytest.mark.usefixtures("quick")
def test_without_rows_held_out() -> None:
    found = depnet.quality(_people(400, 2), _people(400, 0))
    assert "disclosure" not in found.measures
    assert "detection" in found.measures
    assert any("held out" in note for note in found.notes)
    assert math.isnan(found["copies"].drawn)


@pytest.mark.usefixtures("quick")
def test_kinds_of_frames_are_alike() -> None:
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    of_pandas = depnet.quality(DRAWN, REAL, FRESH)
    plain = [rows(side) for side in (1, 0, 2)]
    for kind in (list, pl.DataFrame, pa.Table.from_pylist):
        found = depnet.quality(*map(kind, plain))
        for measure in found.each:
            for names, beside in found.each[measure].items():
                assert beside == pytest.approx(of_pandas.each[measure][names], nan_ok=True), (measure, names)


def test_a_number_that_is_text_in_one_table() -> None:
    other = DRAWN.assign(rooms=["many"] * len(DRAWN))
    with pytest.raises(DataError, match="rooms"):
        depnet.quality(other, REAL)


@pytest.mark.usefixtures("quick")
def test_kinds_say_what_a_column_is() -> None:
    found = depnet.quality(DRAWN, REAL, kinds={"rooms": "category"})
    assert found.numbers == ("age", "day")


@pytest.mark.usefixtures("quick")
def test_columns_that_one_side_lacks() -> None:
    found = depnet.quality(DRAWN.drop(columns="city"), REAL, FRESH)
    assert found.left_out == ("city",)
    assert "city" not in found.each["column shapes"]
    assert any("city" in note for note in found.notes)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"target": "rent"}, "target: there is no column 'rent'"),
        ({"sensitive": ["city", "rent"]}, "sensitive: there is no column 'rent'"),
        ({"weights": "w"}, "weights: there is no column 'w'"),
    ],
)
def test_names_that_are_none(given: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        depnet.quality(DRAWN, REAL, FRESH, **given)


@pytest.mark.usefixtures("quick")
def test_what_cannot_be_compared() -> None:
    with pytest.raises(DataError, match="no column in common"):
        depnet.quality(pd.DataFrame({"x": [1]}), REAL)
    with pytest.raises(DataError, match="no rows"):
        depnet.quality(DRAWN.iloc[:0], REAL)
    with pytest.raises(DataError, match="one real row"):
        depnet.quality(DRAWN, REAL.iloc[:1])
    with pytest.raises(DataError, match="no measure 'shape'"):
        depnet.quality(DRAWN, REAL)["shape"]


@pytest.mark.usefixtures("quick")
def test_targets_and_sensitive_columns_that_are_asked_for() -> None:
    found = depnet.quality(DRAWN, REAL, FRESH, target="city", sensitive=["owner"])
    assert list(found.each["accuracy"]) == ["city"]
    assert list(found.each["disclosure"]) == ["owner"]
    assert "variance explained" not in found.each


def test_rows_with_weights_are_kept_in_proportion() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": ["a", "b"] * 2000, "y": rng.normal(size=4000)})
    frame["w"] = np.where(frame["x"] == "b", 3.0, 1.0)
    found = read_tables([frame[["x", "y"]], frame], [4000, 4000], rng, weights="w")
    assert found.names == ("x", "y")
    plain, weighed = (rows[:, 0].mean() for rows in found.rows)
    assert plain == 0.5
    assert abs(weighed - 3 / 4) < 0.05  # six standard errors of about 2,700 rows


def test_counts_of_a_dataset_are_rows() -> None:
    table = depnet.Dataset.from_codes([[0, 0], [1, 1]], [2, 2], weights=[30, 10])
    (first, _) = read_tables([table, table], [1000, 1000], np.random.default_rng(0)).rows
    assert len(first) == 40
    assert sorted(np.unique(first[:, 0], return_counts=True)[1].tolist()) == [10, 30]


@pytest.mark.usefixtures("quick")
def test_of_a_model() -> None:
    table = REAL.assign(day=REAL["day"].astype(str), name=[f"n{k}" for k in range(len(REAL))])
    model = DependencyNetwork(random_state=0, kinds={"name": "skip"}).fit(table)
    fresh = FRESH.assign(day=FRESH["day"].astype(str))
    found = model.quality(table, fresh)
    assert found.numbers == NUMBERS  # dates as text are dates
    assert found.left_out == ("name",)
    assert found.rows == len(FRESH)
    assert any("Only 48 rows" in note for note in found.notes)
    assert model.quality(None, fresh)["column shapes"].drawn > 0.7
    assert found["detection"] == model.quality(table, fresh)["detection"]


@pytest.mark.usefixtures("quick")
def test_of_a_model_of_many_states_and_moments() -> None:
    rng = np.random.default_rng(0)
    code = rng.zipf(1.4, 1200) % 400
    start = dt.datetime(2024, 3, 1)
    frame = pd.DataFrame(
        {
            "code": [f"c{k}" for k in code],
            "at": [start + dt.timedelta(minutes=int(k)) for k in code * 7 + rng.integers(0, 900, 1200)],
            "paid": code % 2 == 0,
        }
    )
    model = DependencyNetwork(random_state=0, max_states=30).fit(frame[:800])
    found = model.quality(frame[:800], frame[800:])
    assert found.numbers == ("at",)
    assert 0.5 < found["category coverage"].drawn < 1  # "other" is none of the table's categories
    assert found["detection"].drawn > 0.5


@pytest.mark.usefixtures("quick")
def test_a_model_that_kept_no_rows(tmp_path: Any) -> None:
    DependencyNetwork(random_state=0).fit(REAL).save(tmp_path / "model.json")
    loaded = DependencyNetwork.load(tmp_path / "model.json", random_state=0)
    with pytest.raises(DataError, match="has kept none"):
        loaded.quality()
    assert loaded.quality(REAL, FRESH).numbers == NUMBERS


@pytest.mark.usefixtures("quick")
def test_a_model_with_weights_says_that_rows_count_alike() -> None:
    model = DependencyNetwork(random_state=0).fit(REAL, sample_weight=np.linspace(0.5, 2, len(REAL)))
    with pytest.warns(UserWarning, match="learned with weights"):
        model.quality(REAL, FRESH)
    weighed = [frame.assign(w=np.linspace(0.5, 2, len(frame))) for frame in (REAL, FRESH)]
    assert "w" not in model.quality(*weighed, weights="w").each["column shapes"]
