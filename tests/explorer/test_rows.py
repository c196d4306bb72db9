"""Rows scored, filled and drawn, and the files they are downloaded as, without a browser."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

import depnet
from depnet import DependencyNetwork, Network
from depnet.errors import DepnetError
from depnet.explorer.csv_text import csv_text
from depnet.explorer.loaded import Loaded
from depnet.explorer.rows import StoppedError, drawn, filled, scores_csv, scores_of
from tests.explorer.cases import titanic_models


@pytest.fixture(scope="module")
def titanic() -> Network:
    """The law of the Titanic table."""
    return titanic_models()[1]


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


def test_drawn_numbers_agree_within_their_bins() -> None:
    x = np.random.default_rng(0).random(10_000)
    rows = np.column_stack([x, x])
    law = DependencyNetwork(penalty="mdl").fit(rows).law_
    assert law is not None
    found = np.array(drawn(law, 1000, {}, lambda: False).rows)
    alone = np.array(drawn(replace(law, within=None), 1000, {}, lambda: False).rows)
    assert np.abs(found[:, 0] - found[:, 1]).mean() < np.abs(alone[:, 0] - alone[:, 1]).mean() / 2
