"""A result as text, as a notebook shows it, and as a frame."""

import html.parser
import math
from typing import Any

import numpy as np
import pytest

from depnet import Dataset, Domain, QueryResult, Variable, learn, query, titanic
from depnet.errors import InferenceError
from depnet.inference.answer.text import tables_of
from tests.inference.answer.test_numbers import KNOWN, LAW

HOSTILE = "<script>alert('&')</script>"


def hostile() -> QueryResult:
    domain = Domain((Variable(HOSTILE, (HOSTILE, "b")), Variable("x", (1, 2, 3))))
    rows = Dataset.from_codes([[0, 0], [1, 2], [1, 1]], domain=domain)
    return query(learn(rows, smoothing=0.5), HOSTILE, {"x": 3}, data=rows)


def test_numbers_have_a_line_and_bins_their_order() -> None:
    lines = str(query(LAW, "x", KNOWN)).splitlines()
    assert lines[0] == "P(x | X1 = 1, X2 = 0)"
    assert [line.split()[0] for line in lines[1:13]] == [f"[{10 * k}," for k in range(12)]
    assert lines[13].startswith("  mean ")
    assert "median" in lines[13]
    joint = str(query(LAW, ["x", "X1"], joint=True))
    assert "\n  x: mean " in joint
    assert "X1: mean" not in joint  # of two states, these say all


def test_of_many_states_the_most_probable_of_a_number_in_their_order() -> None:
    number, word = (
        next(iter(tables_of(query(learn(_wide(states), smoothing=0.5), "x"))))
        for states in (tuple(range(30)), tuple(f"{k:02}" for k in range(30)))
    )
    assert list(number.order(5)) == [25, 26, 27, 28, 29]
    assert list(word.order(5)) == [29, 28, 27, 26, 25]
    assert list(word.order(30)) == list(range(30))


def _wide(states: tuple[Any, ...]) -> Dataset:
    codes = np.repeat(np.arange(30), np.arange(1, 31))[:, None]
    return Dataset.from_codes(codes, domain=Domain((Variable("x", states),)))


def test_html_is_escaped_and_whole() -> None:
    text = hostile()._repr_html_()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    open_tags: list[str] = []

    class Nested(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Nested().feed(text)
    assert not open_tags
    assert "⚠" in text  # rare evidence
    sampled = query(LAW, "x", KNOWN, method="sample", tolerance=0.02)._repr_html_()
    for part in ("median", "± s.e.", "5%", "95%"):
        assert part in sampled


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_row_a_state(backend: str) -> None:
    people = titanic()
    said = query(learn(people, smoothing=0.5), ["sex", "class", "age = child"], data=people)
    frame = said.frame(backend)
    columns = frame.to_dict("list") if backend == "pandas" else _plain(frame)
    assert list(columns) == [
        "target",
        "state",
        "probability",
        "standard_error",
        "observed",
        "combined",
        "low",
        "high",
    ]
    assert columns["target"] == ["sex"] * 2 + ["class"] * 4 + ["age = child"] * 2
    expected = [False, True] if backend == "pandas" else ["False", "True"]
    assert columns["state"][-2:] == expected
    assert isinstance(said.combined, dict)
    np.testing.assert_allclose(columns["combined"][2:6], said.combined["class"])


def _plain(frame: Any) -> dict[str, list[Any]]:
    return frame.to_dict(as_series=False) if hasattr(frame, "to_dict") else frame.to_pydict()  # type: ignore[no-any-return]


def test_a_frame_of_a_joint_has_a_column_a_target() -> None:
    said = query(LAW, ["X1", "x"], joint=True)
    frame = said.frame()
    assert list(frame.columns) == [
        "X1",
        "x",
        "probability",
        "standard_error",
        "observed",
        "combined",
        "low",
        "high",
    ]
    np.testing.assert_allclose(frame["probability"], np.asarray(said.probabilities).ravel())
    assert frame["X1"].tolist() == [0] * 12 + [1] * 12
    assert all(map(math.isnan, frame["observed"]))


def test_frames_that_cannot_be_made() -> None:
    said = query(LAW, "x")
    with pytest.raises(InferenceError, match="needs modin; install it"):
        said.frame("modin")
    with pytest.raises(InferenceError, match='backend is "pandas"'):
        said.frame("excel")
