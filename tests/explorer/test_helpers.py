"""What the views show, without a browser: answers, rows, CSV, dropped tables, pairs of variables."""

import asyncio
import csv
import io
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import Dataset, Network, RandomScan, SequentialScan, stationary
from depnet.errors import DepnetError
from depnet.explorer.ask import TOLERANCE, Answer, answers
from depnet.explorer.csv_text import csv_text
from depnet.explorer.evidence_link import Chosen, given
from depnet.explorer.fit import learn_model, model_file, read_table, some_columns
from depnet.explorer.loaded import Loaded
from depnet.explorer.marginals import card_of
from depnet.explorer.node_view import without_few
from depnet.explorer.rows import StoppedError, drawn, filled, scores_csv, scores_of
from depnet.explorer.two_tables import binary_variables, pair_network, relevant_others
from depnet.fitting.fit import FitOptions, fit_law
from depnet.geometry import total_variation
from depnet.inference.judge.shifts import Shift
from depnet.model.file import load_both
from depnet.pictures.node.decision import Leaf, decision
from depnet.pictures.tetrahedron.walk import walk
from tests.explorer.cases import titanic_models
from tests.explorer.loops import run_apart


async def in_thread(function: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(function)


def asked(
    network: Network,
    chosen: Chosen,
    *,
    stop: Callable[[], bool] = lambda: False,
    data: Dataset | None = None,
    **options: Any,
) -> list[Answer]:
    async def all_of() -> list[Answer]:
        loaded = Loaded(network, data)
        return [answer async for answer in answers(loaded, chosen, in_thread, stop, **options)]

    return run_apart(all_of)


@pytest.fixture(scope="module")
def titanic() -> Network:
    """The law of the Titanic table."""
    return titanic_models()[1]


@pytest.fixture(scope="module")
def table() -> Dataset:
    """Sixty variables, each the median of three before it or chance: tied too much for an elimination to be quick."""
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 3, 2000) for _ in range(6)]
    while len(columns) < 60:
        three = np.stack([columns[int(k)] for k in rng.choice(len(columns), 3, replace=False)])
        columns.append(np.where(rng.random(2000) < 0.3, rng.integers(0, 3, 2000), np.median(three, axis=0)))
    return Dataset.from_codes(np.stack(columns, axis=1).astype(np.uint8), [3] * 60)


@pytest.fixture(scope="module")
def wide(table: Dataset) -> Network:
    """Its law."""
    return depnet.learn(table, smoothing=0.5, order="auto").with_counts(table)


@pytest.fixture(scope="module")
def sticky() -> Network:
    """Thirty variables in a chain, without an order: too many states for an exact law, and mixing slowly."""
    rng = np.random.default_rng(3)
    steps = np.cumsum(rng.random((2000, 30)) < 0.02, axis=1)
    rows = Dataset.from_codes((rng.integers(0, 3, (2000, 1)) + steps) % 3, [3] * 30)
    return depnet.learn(rows, smoothing=0.5).with_counts(rows)


def of(arrays: Any) -> dict[str, Any]:
    assert isinstance(arrays, dict)
    return arrays


def test_a_small_model_answers_once_and_exactly(titanic: Network) -> None:
    (answer,) = asked(titanic, {"sex": ("female",), "class": ("1st", "2nd")})
    assert answer.last
    expected = depnet.query(titanic, ["class", "age", "survived"], {"sex": "female", "class": {"1st", "2nd"}})
    prior = depnet.query(titanic, ["class", "age", "survived"])
    assert {shift.name for shift in answer.shifts} == {"class", "age", "survived"}
    for shift in answer.shifts:
        assert np.allclose(shift.posterior, of(expected.probabilities)[shift.name], rtol=0, atol=1e-12)
        assert np.allclose(shift.prior, of(prior.probabilities)[shift.name], rtol=0, atol=1e-12)
        assert shift.change == total_variation(shift.prior, shift.posterior)
        assert (shift.error == 0).all()
        assert shift.observed is None
    changes = [shift.change for shift in answer.shifts]
    assert changes == sorted(changes, reverse=True)
    assert answer.result.scan is None  # of the law


def test_with_rows_the_answer_joins_model_and_table(titanic: Network) -> None:
    people = depnet.titanic()
    (answer,) = asked(titanic, {"sex": ("female",), "class": ("1st",)}, data=people)
    expected = depnet.query(titanic, ["age", "survived"], {"sex": "female", "class": "1st"}, data=people)
    prior = depnet.query(titanic, ["age", "survived"], data=people)
    assert answer.result.support is not None
    assert answer.result.support.exact
    for shift in answer.shifts:
        assert shift.rows == 145
        assert np.allclose(shift.posterior, of(expected.combined)[shift.name], rtol=0, atol=1e-12)
        assert np.allclose(shift.prior, of(prior.combined)[shift.name], rtol=0, atol=1e-12)
        assert np.array_equal(shift.model, of(expected.probabilities)[shift.name])
        assert shift.observed is not None
        assert np.array_equal(shift.observed, of(expected.observed)[shift.name])
        # The mark on a bar, and both parts in words.
        state = card_of(shift, ())["states"][0]
        assert state["observed"] == round(float(shift.observed[0]), 6)
        assert state["parts"] == f"model {shift.model[0]:.3f}, table {shift.observed[0]:.3f} of 145 rows"


def test_counts_of_few_rows_are_hidden_where_that_is_asked(titanic: Network) -> None:
    people = depnet.titanic()
    chosen: Chosen = {
        "sex": ("female",),
        "class": ("1st",),
    }  # of these 145, one is a child and four have died
    (open_to_all,) = asked(titanic, chosen, data=people)
    (answer,) = asked(titanic, chosen, data=people, hide=True)
    for shift in open_to_all.shifts:
        assert shift.observed is not None
        assert np.isfinite(shift.observed).all()
        assert (shift.observed * shift.rows < 5).any()
    for shift in answer.shifts:
        assert shift.observed is not None
        assert np.isnan(shift.observed).all()
        assert np.array_equal(shift.posterior, shift.model)  # nor do they show in the answer
        for state in card_of(shift, ())["states"]:
            assert state["observed"] is None
            assert "table hidden of 145 rows" in state["parts"]
    rare: Chosen = {"sex": ("female",), "class": ("1st",), "age": ("child",)}
    (answer,) = asked(titanic, rare, data=people, hide=True)
    assert answer.result.matching is None
    assert answer.result.support is None
    assert any("fewer than 5 rows match" in text for text in answer.result.warnings)
    assert all(shift.observed is None and shift.rows == 0 for shift in answer.shifts)


def test_a_wide_law_answers_once_within_the_tolerance(wide: Network, table: Dataset) -> None:
    chosen: Chosen = {"X3": (1,)}
    (answer,) = asked(wide, chosen)
    assert answer.last
    assert answer.result.diagnostics is not None  # of passes
    assert answer.result.diagnostics.largest_error <= TOLERANCE
    expected = depnet.query(wide, "X4", {"X3": 1}, tolerance=0.001).probabilities
    shift = next(shift for shift in answer.shifts if shift.name == "X4")
    assert isinstance(expected, np.ndarray)
    assert np.abs(shift.posterior - expected).max() < 5 * TOLERANCE
    # Joined with rows, the model's error has the model's share.
    (joined,) = asked(wide, chosen, data=table)
    share = joined.result.worth / (joined.result.worth + (joined.result.matching or 0))
    assert max(shift.error.max() for shift in joined.shifts) <= share * TOLERANCE


def test_an_answer_that_is_not_within_the_tolerance_is_sharpened(sticky: Network) -> None:
    found = asked(sticky, {"X3": (1,)}, max_seconds=6)
    assert [answer.last for answer in found] == [False, True]
    errors = [answer.result.diagnostics.largest_error for answer in found if answer.result.diagnostics]
    assert errors[1] < errors[0]


def test_a_stopped_question_keeps_what_it_had(sticky: Network) -> None:
    began = time.monotonic()
    (answer,) = asked(sticky, {"X3": (2,)}, stop=lambda: True)
    assert time.monotonic() - began < 20
    assert not answer.last


def test_a_card_shows_the_likely_states_and_the_rest_together(titanic: Network) -> None:
    (answer,) = asked(titanic, {"sex": ("female",)})
    shift = next(shift for shift in answer.shifts if shift.name == "class")
    card = card_of(shift, ("1st",))
    assert [state["label"] for state in card["states"]] == ["1st", "2nd", "3rd", "Crew"]
    assert [state["held"] for state in card["states"]] == [True, False, False, False]
    assert [state["parts"] for state in card["states"]] == [""] * 4
    flat = np.full(20, 0.05)
    many = Shift("x", tuple(range(20)), flat, flat, np.full(20, np.nan), 0.0, flat, flat, 40)
    shown = card_of(many, ())["states"]
    assert len(shown) == 8
    assert shown[-1]["code"] == -1
    assert shown[-1]["parts"] == "model 0.650, table 0.650 of 40 rows"
    for each in ("posterior", "observed"):
        assert abs(sum(state[each] for state in shown) - 1) < 1e-6


def test_leaves_of_few_rows_do_not_say_how_many_where_that_is_hidden() -> None:
    network = depnet.learn(depnet.titanic())
    drawn = decision(network, "survived")
    rows = {v.number: v.rows for v in drawn.vertices if isinstance(v, Leaf)}
    few = {number for number, n in rows.items() if n is not None and n < 20}
    assert not few  # so none is hidden
    assert without_few(drawn) == drawn
    vertices = tuple(
        replace(v, rows=3) if isinstance(v, Leaf) and v.number == 0 else v for v in drawn.vertices
    )
    shown = [v.rows for v in without_few(replace(drawn, vertices=vertices)).vertices if isinstance(v, Leaf)]
    assert shown.count(None) == 2  # it, and another one: their sum is known


def test_clamping_everything_is_an_error(titanic: Network) -> None:
    chosen: Chosen = {"class": ("1st",), "sex": ("male",), "age": ("adult",), "survived": ("No",)}
    with pytest.raises(DepnetError, match="nothing is left to ask"):
        asked(titanic, chosen)


def test_rows_are_scored_once_and_written_as_a_table(titanic: Network) -> None:
    people = depnet.titanic()
    told: list[float] = []
    loaded = Loaded(titanic, people)
    with pytest.raises(StoppedError):
        scores_of(loaded, lambda: True, told.append)
    scores = scores_of(loaded, lambda: False, told.append)
    assert told[-1] == 1.0
    assert scores_of(loaded, lambda: True, told.append) is scores
    table = list(csv.reader(io.StringIO(scores_csv(loaded, scores))))
    assert table[0] == ["row", "score", "class", "sex", "age", "survived"]
    assert len(table) == people.rows + 1
    number = int(table[1][0])
    assert float(table[1][1]) == round(scores.each.min(), 6)
    states = [v.states[people.codes[number, i]] for i, v in enumerate(people.domain.variables)]
    assert table[1][2:] == states


def test_a_row_is_filled_by_its_most_probable_states(titanic: Network) -> None:
    cells = {cell.name: cell for cell in filled(titanic, {"sex": "female", "class": "1st"})}
    assert cells["sex"].given
    expected = depnet.query(titanic, "survived", {"sex": "female", "class": "1st"}).probabilities
    assert isinstance(expected, np.ndarray)
    assert cells["survived"].state == "Yes"
    assert abs(cells["survived"].probability - expected[1]) < 1e-9


def test_drawn_rows_keep_what_is_given_and_are_bounded(titanic: Network) -> None:
    rows = drawn(titanic, 50, {"sex": "female"}, lambda: False)
    table = list(csv.DictReader(io.StringIO(rows.csv())))
    assert len(table) == 50
    assert {row["sex"] for row in table} == {"female"}
    for count in (0, 10**9):
        with pytest.raises(DepnetError, match="rows are drawn at once"):
            drawn(titanic, count, {}, lambda: False)
    with pytest.raises(StoppedError):
        drawn(titanic, 50, {}, lambda: True)


def test_rows_of_chains_that_do_not_settle_say_so() -> None:
    sticky = Network.from_joint(np.array([[0.5, 1e-7], [1e-7, 0.5 - 1e-7]]) / (1 + 1e-7))
    assert "did not settle" in drawn(sticky, 20, {}, lambda: False).warning
    assert drawn(sticky, 20, {"X0": 0}, lambda: False).warning == ""


def test_a_model_of_one_variable_can_be_asked() -> None:
    network = depnet.learn(Dataset.from_codes([[0], [1], [1]], [2]), smoothing=0.5)
    (answer,) = asked(network, {})
    assert [shift.name for shift in answer.shifts] == ["X0"]
    with pytest.raises(DepnetError, match="nothing is left"):
        asked(network, {"X0": (0,)})


def test_text_that_a_spreadsheet_would_run_is_defused_and_numbers_stay() -> None:
    text = csv_text(["=a", "b"], [["=1+1", -5], ["+x", "-5"], ["@y", "\tz"], ["plain", None], ["-a", -0.5]])
    table = list(csv.reader(io.StringIO(text)))
    assert table == [
        ["'=a", "b"],
        ["'=1+1", "-5"],
        ["'+x", "-5"],
        ["'@y", "'\tz"],
        ["plain", ""],
        ["'-a", "-0.5"],
    ]


def test_a_dropped_table_is_learned_as_the_command_learns_it(tmp_path: Path) -> None:
    buffer = "\n".join(
        ["class,sex,age,survived,id"]
        + [
            ",".join(
                [*(str(v.states[row[i]]) for i, v in enumerate(depnet.titanic().domain.variables)), f"n{at}"]
            )
            for at, row in enumerate(depnet.titanic().codes.tolist())
        ]
    )
    table = read_table("people.csv", buffer.encode(), "utf-8")
    assert table.unlikely == ("id",)
    told: list[tuple[int, int]] = []
    loaded = learn_model(
        table, ["sex", "class", "survived"], "mdl", lambda *now: told.append(now), lambda: False
    )
    assert told[0] == (0, 6)  # the nodes of both
    assert told[-1] == (6, 6)
    assert loaded.network.domain.names == ("class", "sex", "survived")
    assert loaded.name == "people"
    expected = depnet.learn(some_columns(table.rows, ["class", "sex", "survived"]).dataset(), smoothing=0.5)
    assert loaded.network.nodes == expected.nodes
    law = fit_law(some_columns(table.rows, ["class", "sex", "survived"]).dataset(), FitOptions(penalty="mdl"))
    assert loaded.law is not None
    assert loaded.law.nodes == law.nodes
    (tmp_path / "model.json").write_bytes(model_file(loaded))
    both = load_both(tmp_path / "model.json")
    assert (both.network, both.law, both.lacks) == (loaded.network, loaded.law, None)
    with pytest.raises(StoppedError):
        learn_model(table, ["sex", "class"], "mdl", lambda *now: None, lambda: True)


@pytest.mark.parametrize(
    ("content", "encoding", "says"),
    [
        (b"a,b\n1,2\n1,2,3\n", "utf-8", "line 3 has 3 fields; expected 2"),
        (b"", "utf-8", "the file is empty"),
        ("a,b\ncaf\xe9,1\n".encode("latin-1"), "utf-8", "under Text encoding above"),
        (b"a\n1\n2\n", "utf-8", "one column"),
        (b"\x1f\x8b\x08", "utf-8", "packed"),
        (b"a,a\n1,2\n", "utf-8", "both named 'a'"),
    ],
)
def test_a_bad_table_has_one_clear_line(content: bytes, encoding: str, says: str) -> None:
    with pytest.raises(DepnetError) as error:
        read_table("people.csv", content, encoding)
    text = str(error.value)
    assert says in text
    assert "\n" not in text
    assert "=" not in text  # no argument of the library's, which the page does not have


def test_another_encoding_can_be_said() -> None:
    table = read_table("people.csv", "a,b\ncaf\xe9,1\nx,2\n".encode("latin-1"), "latin-1")
    assert "caf\xe9" in table.rows.domain.variables[0].states


def test_a_pair_is_the_network_with_the_others_clamped() -> None:
    titanic, _ = titanic_models()
    assert binary_variables(titanic) == ("sex", "age", "survived")
    others = {"class": "3rd", "age": "child"}
    assert set(relevant_others(titanic, ("sex", "survived"))) <= set(others)
    for scan in (RandomScan(), SequentialScan()):
        path = walk(pair_network(titanic, ("survived", "sex"), others), scan)
        clamped = stationary(titanic, scan, evidence=given({k: (v,) for k, v in others.items()}))
        code = {
            name: titanic.domain.variables[titanic.domain.index(name)].code(v) for name, v in others.items()
        }
        expected = clamped[code["class"], :, code["age"], :]
        assert np.allclose(path.end, expected, rtol=0, atol=1e-9)
    with pytest.raises(DepnetError, match="two different variables"):
        pair_network(titanic, ("class", "sex"), {})
