"""What the Target view shows, as plain values, without a browser."""

import math
import threading

import numpy as np
import pytest

import depnet
from depnet import Network
from depnet.data.table.dataset import with_holes
from depnet.explorer.loaded import Loaded
from depnet.explorer.session import Stop
from depnet.explorer.target import completion, find, joined, measures, rarity, seen_of
from depnet.explorer.tornado import Bar, bar_of, ends, scale_of
from tests.explorer.cases import titanic_models


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    """The Titanic table with its rows."""
    network, law = titanic_models()
    return Loaded(network, law, data=with_holes(depnet.titanic()))


@pytest.fixture
def stop() -> Stop:
    """Nobody stops."""
    return Stop(threading.Event())


def test_bars_are_what_the_library_finds(loaded: Loaded, stop: Stop) -> None:
    known = {"sex": ("female",)}
    found = find(loaded, "survived", known, "Yes", stop)
    survived = depnet.query(loaded.asked, "survived", {"sex": "female"}).probabilities
    assert isinstance(survived, np.ndarray)
    assert found.influence.value == pytest.approx(float(survived[1]))
    both = depnet.query(loaded.asked, "survived", {"sex": "female"}, data=loaded.data).combined
    assert isinstance(both, np.ndarray)
    assert found.value == pytest.approx(float(both[1]))  # as in Ask
    assert rarity(found) == "about 21 in 100 rows; 470 rows of the table match"
    assert found.seen == "0.732 in 470 rows"
    effects = found.influence.effects
    assert loaded.data is not None
    seen = seen_of(loaded.data, found, effects)
    bars = [
        Bar(joined(effect, own, found.worth), own, (), "/node")
        for effect, own in zip(effects, seen, strict=True)
    ]
    low, high = ends(found.influence, bars, found.value)
    shown = bar_of(found.influence.measure, bars[0], low, high)
    assert shown["name"] == "class"
    first = depnet.query(
        loaded.asked, "survived", {"sex": "female", "class": "1st"}, data=loaded.data
    ).combined
    assert isinstance(first, np.ndarray)
    (state,) = (state for state in shown["states"] if state["label"] == "1st")
    assert state["value"] == f"{float(first[1]):.3f}"
    assert state["table"] == "table: 0.972 in 145 rows"
    assert (
        0
        <= shown["low"]["at"]
        < scale_of(found.influence, low, high, found.value)["at"]
        < shown["high"]["at"]
        <= 100
    )


def test_on_a_shared_page_few_rows_are_hidden(loaded: Loaded, stop: Stop) -> None:
    few = {"sex": ("female",), "class": ("1st",), "age": ("child",)}
    found = find(loaded, "survived", few, "Yes", stop, hide=True)
    assert rarity(found, hide=True).endswith("fewer than 5 rows of the table match")
    assert found.seen == "too few rows to be shown"
    assert not any("row" in text for text in found.warnings)
    some = {"sex": ("female",), "class": ("1st",)}  # four of 145 have died
    found = find(loaded, "survived", some, "Yes", stop, hide=True)
    assert found.seen == "too few rows to be shown"
    assert loaded.data is not None
    (seen,) = seen_of(loaded.data, found, found.influence.effects, hide=True)
    assert np.isnan(seen.values).all()


def test_a_completion_has_all_that_is_not_known(loaded: Loaded, stop: Stop) -> None:
    known = {"sex": ("female",)}
    found = find(loaded, "survived", known, None, stop)
    done = completion(loaded, known, stop)
    rows = done.rows(found.influence)
    expected = depnet.most_probable(loaded.asked, {"sex": "female"})
    assert {row.name: row.state for row in rows} == {
        name: state for name, state in expected.states.items() if name != "sex"
    }
    alone = depnet.query(loaded.asked, [row.name for row in rows], {"sex": "female"}).probabilities
    assert isinstance(alone, dict)
    for row in rows:
        assert row.probability == pytest.approx(float(alone[row.name][row.code]))
    assert "of those that match what is known" in done.said


def test_what_can_be_asked_of_a_number(loaded: Loaded) -> None:
    variable = depnet.Variable("age", (1, 2, 3))
    assert list(measures(variable, "2")) == ["mean", ">2", "1", "2", "3"]
    assert list(measures(depnet.Variable("mean", ("mean", "x")), None)) == ["mean", "x"]


def test_what_is_known_of_a_wide_law_is_told_in_time(stop: Stop) -> None:
    """Draws, not an elimination: their errors stand beside them."""
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 3, 1500) for _ in range(5)]
    while len(columns) < 40:
        three = np.stack([columns[int(k)] for k in rng.choice(len(columns), 3, replace=False)])
        columns.append(np.where(rng.random(1500) < 0.3, rng.integers(0, 3, 1500), np.sort(three, axis=0)[1]))
    table = depnet.Dataset.from_codes(np.stack(columns, axis=1), [3] * 40)
    law: Network = depnet.learn(table, smoothing=0.5, order="auto")
    found = find(Loaded(law), "X20", {"X30": (1,)}, "1", stop)
    answer = depnet.query(law, "X20", {"X30": 1}, tolerance=0.005)
    assert isinstance(answer.probabilities, np.ndarray)
    assert isinstance(answer.standard_errors, np.ndarray)
    spread = math.hypot(found.influence.error, float(answer.standard_errors[1]))
    assert abs(found.influence.value - float(answer.probabilities[1])) < 7 * max(spread, 1e-9)
    assert found.influence.seconds < 60
