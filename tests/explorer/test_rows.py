"""Rows scored, filled and drawn, and the files they are downloaded as, without a browser."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

import depnet
from depnet import DependencyNetwork, Network
from depnet.data.table.dataset import holed_rows
from depnet.errors import DepnetError
from depnet.explorer.loaded import Loaded
from depnet.explorer.rows import Cell, StoppedError, drawn, filled, judged, listed_rows, scores_of
from depnet.inference.judge.cells import cell_laws
from depnet.inference.judge.rows import row_list
from depnet.model.evidence import Evidence
from tests.explorer.cases import titanic_models


def test_rows_are_scored_once(people: Network) -> None:
    told: list[float] = []
    loaded = Loaded(people, data=depnet.titanic())
    with pytest.raises(StoppedError):
        scores_of(loaded, lambda: True, told.append)
    scores = scores_of(loaded, lambda: False, told.append)
    assert told[-1] == 1.0
    assert scores_of(loaded, lambda: True, told.append) is scores


def test_rows_are_listed_with_their_values_and_holes() -> None:
    frame = pd.DataFrame(
        {
            "size": [1.5, 2.0, None, 1.5, 8.25, 2.0] * 20,
            "day": pd.to_datetime(["2024-02-29", None, "2024-03-01", "2024-02-29", "2024-03-05", None] * 20),
            "word": ["a", "b", "b", "a", None, "b"] * 20,
        }
    )
    model = DependencyNetwork(missing="complete", random_state=0).fit(frame)
    assert model.data_ is not None
    loaded = Loaded(model.network_, model.law_, data=model.data_)
    scores = scores_of(loaded, lambda: False, lambda share: None)
    assert np.allclose(np.exp(scores.each), model.oddness(frame).row_tails)
    assert scores.kinds == 4  # equal rows have equal values and holes
    found = row_list(model.data_, scores, by="row", once=False)
    rows = listed_rows(loaded, scores, found, 0, range(3), count=6)
    assert [row.number for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [[cell.value for cell in row.cells] for row in rows[:3]] == [
        ["1.5", "2024-02-29", "a"],
        ["2", "", "b"],
        ["", "2024-03-01", "b"],
    ]
    assert [cell.hole for cell in rows[1].cells] == [False, True, False]
    assert rows[1].cells[1].said == "missing"
    down = row_list(model.data_, scores, by=0, down=True)
    assert down.rows.tolist()[0] % 6 == 4
    assert down.rows.tolist()[-1] % 6 == 2  # a hole comes last
    known = Evidence.parse(model.domain_, {"size": "1.5..2.5", "day": "is missing"})
    assert row_list(model.data_, scores, evidence=known).matching == 40
    assert row_list(model.data_, scores, text="8.2").matching == 20
    assert row_list(model.data_, scores, text="2024-03").matching == 40


def test_a_hole_that_the_model_has_a_state_for_is_judged_and_filled() -> None:
    rng = np.random.default_rng(0)
    dead = rng.random(2000) < 0.3
    frame = pd.DataFrame(
        {
            "dead": np.where(dead, "yes", "no"),
            "years": np.where(dead, rng.normal(60, 5, 2000).round(1), np.nan),
            "town": rng.choice(["a", "b"], 2000),
        }
    )
    model = DependencyNetwork(missing="state", random_state=0).fit(frame)
    assert model.law_ is not None
    loaded = Loaded(model.network_, model.law_, data=model.data_)
    living = judged(loaded, {"dead": "no", "years": None, "town": "a"})
    assert living.complete
    assert living.cells["years"].hole
    assert living.cells["years"].probability > 0.95
    assert judged(loaded, {"dead": "yes", "years": None, "town": "a"}).cells["years"].level >= 2
    cells = {cell.name: cell for cell in filled(model.law_, {"dead": "yes", "town": "a"})}
    assert 55 < float(str(cells["years"].value)) < 65
    assert cells["years"].state
    left = {cell.name: cell for cell in filled(model.law_, {"dead": "no", "years": None, "town": "a"})}
    assert left["years"].value is None  # the living have none
    (edited,) = {
        row[1] for row in drawn(model.law_, 20, {"dead": "yes", "years": "61.25"}, lambda: False).rows
    }
    assert edited == "61.25"  # as it was given, whatever its bin
    rows = drawn(model.law_, 20, {"years": None}, lambda: False).rows
    assert {row[1] for row in rows} == {None}


def test_a_row_is_judged_as_the_library_does_whole_or_with_holes(people: Network) -> None:
    network = titanic_models()[0]
    loaded = Loaded(network, law=people)
    row = {"class": "Crew", "sex": "female", "age": "adult", "survived": "No"}
    whole = judged(loaded, row)
    codes = np.array([[v.code(row[v.name]) for v in people.domain.variables]])
    data = depnet.Dataset.from_codes(codes, domain=people.domain)
    laws = cell_laws(network, data)
    assert whole.score == pytest.approx(np.log(laws.row_tails[0]))
    cells = [whole.cells[name] for name in people.domain.names]
    assert [cell.probability for cell in cells] == laws.theta[0].tolist()
    assert [cell.tail for cell in cells] == laws.tails[0].tolist()
    assert [Cell("x", tail, 0.01).level for tail in (0.2, 0.02, 1e-4)] == [0, 2, 4]
    part = judged(loaded, {"sex": "female", "survived": "No"})
    hidden = np.array([[True, False, True, False]])
    own = cell_laws(network, holed_rows(people.domain, data.codes, hidden))
    assert [part.cells[name].tail for name in ("sex", "survived")] == own.tails[0, [1, 3]].tolist()
    assert set(part.cells) == {"sex", "survived"}
    assert not part.complete
    assert judged(loaded, {}).cells == {}


def test_drawn_rows_keep_what_is_given_and_are_bounded(people: Network) -> None:
    rows = drawn(people, 50, {"sex": "female"}, lambda: False)
    table = list(csv.DictReader(io.StringIO(rows.csv())))
    assert len(table) == 50
    assert {row["sex"] for row in table} == {"female"}
    for count in (0, 10**9):
        with pytest.raises(DepnetError, match="rows are drawn at once"):
            drawn(people, count, {}, lambda: False)
    with pytest.raises(StoppedError):
        drawn(people, 50, {}, lambda: True)


def test_rows_of_chains_that_do_not_settle_say_so() -> None:
    sticky = Network.from_joint(np.array([[0.5, 1e-7], [1e-7, 0.5 - 1e-7]]) / (1 + 1e-7))
    assert "did not settle" in drawn(sticky, 20, {}, lambda: False).warning
    assert drawn(sticky, 20, {"X0": 0}, lambda: False).warning == ""
