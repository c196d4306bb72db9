"""A result as text, as a notebook shows it, and as a frame."""

import datetime as dt
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from depnet import Dataset, DependencyNetwork, Domain, Variable, learn, query, titanic
from depnet.errors import InferenceError
from depnet.inference.answer.numbers import shown, with_error
from tests.inference.answer.test_numbers import KNOWN, LAW
from tests.narrowed import by_name
from tests.refusals import refuses

NUMBERS = ["probability", "standard_error", "observed", "combined", "low", "high"]


def test_numbers_have_a_line_and_bins_their_order() -> None:
    found = query(LAW, "x", KNOWN)
    lines = str(found).splitlines()
    assert lines[0] == "P(x | X1 = 1, X2 = 0)"
    assert lines[1].split() == ["x", "mean", "90", "%", "sure", "median", "5", "%", "to", "95", "%"]
    said = found.numbers["x"]
    assert lines[2].split()[:2] == ["answer", shown(said.mean)]
    assert f"[{said.said_interval}]" in lines[2]
    assert [line.split()[0] for line in lines[3:]] == ["interval"], "no bins"
    bins = found.text(bins=True).splitlines()
    assert bins[:3] == lines[:3]
    assert [line.split()[0] for line in bins[4:16]] == [f"[{10 * k}," for k in range(12)]
    joint = str(query(LAW, ["x", "X1"], joint=True)).splitlines()
    assert joint[1].startswith("  x ")
    assert not any(line.startswith("  X1 ") for line in joint)  # of two states, these say all
    assert joint[4].startswith("  ["), "a joint is its states"


def test_the_tables_own_numbers_stand_beside() -> None:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"x": rng.normal(size=300).round(3), "y": rng.choice(["a", "b"], 300)})
    rows.loc[:29, "x"] = np.nan
    result = DependencyNetwork(random_state=0).fit(rows).query("x", {"y": "a"})
    _, head, answer, model, table, *notes = str(result).splitlines()
    assert [line.split()[0] for line in (head, answer, model, table)] == ["x", "answer", "model", "table"]
    own = rows.loc[rows["y"] == "a", "x"]
    assert table.split()[1] == shown(float(own.mean()))
    assert f"x is known in {1 - result.missing['x']:.1%}".replace("%", " %") in "\n".join(notes)
    assert f"(table {own.notna().mean():.1%})".replace("%", " %") in "\n".join(notes)


def test_the_error_of_computing_is_shown_where_it_changes_a_digit() -> None:
    exact, sampled = (query(LAW, "x", KNOWN, method=m, tolerance=0.02) for m in ("exact", "sample"))
    for words in (exact.text(bins=True), exact._repr_html_()):
        assert "±" not in words
        assert "exact" not in words
    assert "±" in sampled.text(bins=True)
    assert "error of computing up to " in sampled.text(theory=True)
    assert with_error(100.0, 0.06) == "100 ± 0.06"
    assert with_error(100.0, 0.04) == "100"
    assert with_error(dt.timedelta(days=2), dt.timedelta(seconds=30)) == "2 days"
    assert with_error(dt.timedelta(days=2), dt.timedelta(hours=1)) == "2 days ± 1 hours"


def test_of_many_states_the_most_probable_of_a_number_in_their_order() -> None:
    number, word = (
        query(learn(_wide(states), smoothing=0.5), "x").table("x")
        for states in (tuple(range(30)), tuple(f"{k:02}" for k in range(30)))
    )
    assert list(number.order(5)) == [25, 26, 27, 28, 29]
    assert list(word.order(5)) == [29, 28, 27, 26, 25]
    assert list(word.order(30)) == list(range(30))


def _wide(states: tuple[Any, ...]) -> Dataset:
    codes = np.repeat(np.arange(30), np.arange(1, 31))[:, None]
    return Dataset.from_codes(codes, domain=Domain((Variable("x", states),)))


def test_html_has_warnings_and_how_sure_a_drawn_answer_is() -> None:
    people = titanic()
    rare = query(learn(people, smoothing=0.5), "survived", {"class": "Crew", "age": "child"}, data=people)
    assert "⚠" in rare._repr_html_()
    sampled = query(LAW, "x", KNOWN, method="sample", tolerance=0.02)._repr_html_()
    for part in ("median", "± computing", "5 % to 95 %", "<summary"):
        assert part in sampled


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_row_a_state(backend: str) -> None:
    people = titanic()
    said = query(learn(people, smoothing=0.5), ["sex", "class", "age = child"], data=people)
    frame = said.frame(backend)
    columns = frame.to_dict("list") if backend == "pandas" else _plain(frame)
    assert list(columns) == ["target", "state", *NUMBERS]
    assert columns["target"] == ["sex"] * 2 + ["class"] * 4 + ["age = child"] * 2
    expected = [False, True] if backend == "pandas" else ["False", "True"]
    assert columns["state"][-2:] == expected
    np.testing.assert_allclose(columns["combined"][2:6], by_name(said.combined)["class"])


def _plain(frame: Any) -> dict[str, list[Any]]:
    return frame.to_dict(as_series=False) if hasattr(frame, "to_dict") else frame.to_pydict()  # type: ignore[no-any-return]


def test_a_frame_of_a_joint_has_a_column_a_target() -> None:
    said = query(LAW, ["X1", "x"], joint=True)
    frame = said.frame()
    assert list(frame.columns) == ["X1", "x", *NUMBERS]
    np.testing.assert_allclose(frame["probability"], np.asarray(said.probabilities).ravel())
    assert frame["X1"].tolist() == [0] * 12 + [1] * 12
    assert all(map(math.isnan, frame["observed"]))


def test_frames_that_cannot_be_made() -> None:
    said = query(LAW, "x")
    refuses(InferenceError, "needs modin; install it", lambda: said.frame("modin"))
    refuses(InferenceError, 'backend is "pandas"', lambda: said.frame("excel"))
