"""What the views show, without a browser: answers that sharpen, rows, CSV, dropped tables, pairs of variables."""

import asyncio
import csv
import io
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import Dataset, Network, RandomScan, SequentialScan, stationary
from depnet.errors import DepnetError
from depnet.explorer.ask import Answer, answers, most_moved
from depnet.explorer.csv_text import csv_text
from depnet.explorer.evidence_link import Chosen, given
from depnet.explorer.fit import learn_model, model_file, read_table, some_columns
from depnet.explorer.marginals import card_of
from depnet.explorer.pair import binary_variables, pair_network, relevant_others
from depnet.explorer.rows import KeptScores, StoppedError, drawn, filled, odd_rows, scores_csv
from depnet.geometry import total_variation
from depnet.pictures.walk import walk
from tests.explorer.loops import run_apart


async def in_thread(function: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(function)


def asked(
    network: Network, chosen: Chosen, *, stop: Callable[[], bool] = lambda: False, **options: Any
) -> list[Answer]:
    async def all_of() -> list[Answer]:
        return [answer async for answer in answers(network, chosen, in_thread, stop, **options)]

    return run_apart(all_of)


@pytest.fixture(scope="module")
def titanic() -> Network:
    people = depnet.titanic()
    return depnet.learn(people, smoothing=0.5).with_counts(people)


@pytest.fixture(scope="module")
def wide() -> Network:
    """Thirty variables in a chain: too many states for an exact law."""
    rng = np.random.default_rng(3)
    steps = np.cumsum(rng.random((2000, 30)) < 0.25, axis=1)
    table = Dataset.from_codes((rng.integers(0, 3, (2000, 1)) + steps) % 3, [3] * 30)
    return depnet.learn(table, smoothing=0.5).with_counts(table)


def test_a_small_model_answers_once_and_exactly(titanic: Network) -> None:
    (answer,) = asked(titanic, {"sex": ("female",), "class": ("1st", "2nd")}, data=depnet.titanic())
    assert answer.done == 1.0
    expected = depnet.query(titanic, ["class", "age", "survived"], {"sex": "female", "class": {"1st", "2nd"}})
    prior = depnet.query(titanic, ["class", "age", "survived"])
    assert {shift.name for shift in answer.shifts} == {"class", "age", "survived"}
    assert isinstance(expected.probabilities, dict)
    assert isinstance(prior.probabilities, dict)
    for shift in answer.shifts:
        assert np.allclose(shift.posterior, expected.probabilities[shift.name], rtol=0, atol=1e-12)
        assert np.allclose(shift.prior, prior.probabilities[shift.name], rtol=0, atol=1e-12)
        assert shift.change == total_variation(shift.prior, shift.posterior)
    changes = [shift.change for shift in answer.shifts]
    assert changes == sorted(changes, reverse=True)
    assert answer.result.support is not None
    assert answer.result.support.exact


def test_a_wide_model_answers_at_once_and_then_sharper(wide: Network) -> None:
    found = asked(wide, {"X3": (1,)})
    assert found[0].result.method == "mean-field"
    assert np.isnan(found[0].shifts[0].error).all()
    errors = [answer.result.diagnostics.largest_error for answer in found[1:] if answer.result.diagnostics]
    assert len(errors) >= 2
    assert errors[-1] < errors[0]
    assert found[-1].done == 1.0
    expected = depnet.query(wide, "X4", {"X3": 1}, method="sample", tolerance=0.002)
    shift = next(shift for shift in found[-1].shifts if shift.name == "X4")
    assert isinstance(expected.probabilities, np.ndarray)
    # two estimates with errors of about 0.002 each: 8 standard errors of their difference
    assert np.abs(shift.posterior - expected.probabilities).max() < 8 * 0.003


def test_an_exact_posterior_stays_exact_while_its_prior_is_sharpened(wide: Network) -> None:
    chosen: Chosen = {f"X{i}": (0,) for i in range(30) if i not in (7, 8)}
    found = asked(wide, chosen)
    assert len(found) > 1
    expected = depnet.query(wide, ["X7", "X8"], given(chosen), method="exact").probabilities
    assert isinstance(expected, dict)
    for shift in found[-1].shifts:
        assert np.allclose(shift.posterior, expected[shift.name], rtol=0, atol=1e-12)
        assert (shift.error == 0).all()
        assert (shift.prior_error > 0).any()


def test_a_stopped_question_keeps_what_it_had(wide: Network) -> None:
    began = time.monotonic()
    found = asked(wide, {"X3": (2,)}, stop=lambda: True)
    assert time.monotonic() - began < 20
    assert [answer.result.method for answer in found] == ["mean-field"]


def test_chains_are_run_for_what_moved_most_where_there_is_too_much(wide: Network) -> None:
    (first, *_) = asked(wide, {"X3": (2,)}, stop=lambda: True)
    chosen = most_moved(wide, first.shifts, 12)
    assert set(chosen) == {shift.name for shift in first.shifts[:4]}
    assert most_moved(wide, first.shifts, 1) == (first.shifts[0].name,)


def test_a_card_shows_the_likely_states_and_the_rest_together(titanic: Network) -> None:
    (answer,) = asked(titanic, {"sex": ("female",)})
    shift = next(shift for shift in answer.shifts if shift.name == "class")
    card = card_of(shift, ("1st",))
    assert [state["label"] for state in card["states"]] == ["1st", "2nd", "3rd", "Crew"]
    assert [state["held"] for state in card["states"]] == [True, False, False, False]
    many = type(shift)(
        "x", tuple(range(20)), *(np.full(20, 0.05),) * 2, np.full(20, 0.05), np.full(20, np.nan), 0.0
    )
    shown = card_of(many, ())["states"]
    assert len(shown) == 8
    assert shown[-1]["code"] == -1
    assert abs(sum(state["posterior"] for state in shown) - 1) < 1e-6


def test_clamping_everything_is_an_error(titanic: Network) -> None:
    chosen: Chosen = {"class": ("1st",), "sex": ("male",), "age": ("adult",), "survived": ("No",)}
    with pytest.raises(DepnetError, match="nothing is left to ask"):
        asked(titanic, chosen)


def test_rows_are_scored_and_the_most_surprising_come_first(titanic: Network) -> None:
    people = depnet.titanic()
    told: list[float] = []
    scores = KeptScores().of(titanic, people, lambda: False, told.append)
    assert np.array_equal(scores.each, depnet.score_samples(titanic, people))
    assert told[-1] == 1.0
    rows = odd_rows(titanic, people, scores, 0, 10)
    distinct, counts = np.unique(people.codes, axis=0, return_counts=True)
    expected = depnet.score_samples(titanic, Dataset.from_codes(distinct, domain=people.domain))
    assert [row.score for row in rows] == sorted(expected)[:10]
    for row in rows:
        (kind,) = np.flatnonzero((distinct == people.codes[row.number]).all(axis=1))
        assert row.alike == counts[kind]
    assert scores.kinds == len(distinct)
    assert sum(row.alike for row in odd_rows(titanic, people, scores, 0, scores.kinds)) == people.rows
    table = list(csv.reader(io.StringIO(scores_csv(titanic, people, scores))))
    assert table[0] == ["row", "score", "class", "sex", "age", "survived"]
    assert len(table) == people.rows + 1
    number = int(table[1][0])
    states = [v.states[people.codes[number, i]] for i, v in enumerate(people.domain.variables)]
    assert table[1][2:] == states
    with pytest.raises(StoppedError):
        KeptScores().of(titanic, people, lambda: True, told.append)


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


def test_a_dropped_table_is_learned_as_the_command_learns_it() -> None:
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
    assert told[0] == (0, 3)
    assert told[-1] == (3, 3)
    assert loaded.network.domain.names == ("class", "sex", "survived")
    assert loaded.name == "people"
    expected = depnet.learn(some_columns(table.rows, ["class", "sex", "survived"]).dataset(), smoothing=0.5)
    assert loaded.network.nodes == expected.nodes
    assert b'"depnet network"' in model_file(loaded.network)[:64]
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


def test_a_pair_is_the_network_with_the_others_clamped(titanic: Network) -> None:
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
