"""The same question has the same numbers through every door: pandas, the estimator, the command, and the page's views."""

import shlex
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from depnet import DependencyNetwork
from depnet.cli.explore import _load
from depnet.explorer.ask import Answer
from depnet.explorer.copyable import command_line
from depnet.explorer.fit import learn_model, read_table
from depnet.explorer.known import Known, given, read_parameters
from depnet.explorer.loaded import Loaded
from depnet.explorer.session import Stop
from depnet.explorer.target import find, seen_of
from depnet.inference.answer.numbers import NumberSummary
from depnet.inference.judge.cells import matching_rows
from depnet.inference.judge.shifts import Shift, pair
from depnet.model.evidence import Evidence
from tests.cli.entry import answer
from tests.explorer.cases import all_answers
from tests.narrowed import there


def table(rows: int = 3000) -> pd.DataFrame:
    """Ships: delays are known of those that came, which few of one line did; some masts are not known at random."""
    rng = np.random.default_rng(5)
    line = rng.choice(["red", "blue", "grey"], rows, p=[0.5, 0.3, 0.2])
    left = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, rows), unit="D")
    delay = np.round(np.exp(rng.normal(1 + (line == "grey"), 1.1, rows)) - 4, 1)
    came = rng.random(rows) > np.where(line == "grey", 0.7, 0.02)
    masts = pd.array(rng.integers(1, 4, rows) + (line == "red"), dtype="Int64")
    masts[rng.random(rows) < 0.1] = pd.NA
    return pd.DataFrame(
        {"line": line, "left": left, "delay": np.where(came, delay, np.nan), "masts": masts, "came": came}
    )


@dataclass(frozen=True)
class Doors:
    """One table and one model, as all of them open it."""

    frame: pd.DataFrame
    model: DependencyNetwork
    path: Path
    csv: Path
    loaded: Loaded


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Doors:
    folder = tmp_path_factory.mktemp("doors")
    frame = table()
    frame.to_csv(folder / "ships.csv", index=False)
    model = DependencyNetwork(random_state=0).fit(frame)
    model.save(folder / "ships.json")
    loaded = _load(str(folder / "ships.json"), str(folder / "ships.csv"))
    return Doors(frame, model, folder / "ships.json", folder / "ships.csv", loaded)


CASES: list[tuple[list[tuple[str, str]], Callable[[pd.DataFrame], Any]]] = [
    ([], lambda d: np.ones(len(d), dtype=bool)),
    ([("line", "grey")], lambda d: d.line == "grey"),
    ([("line", "grey"), ("masts", "2")], lambda d: (d.line == "grey") & (d.masts == 2)),
    ([("delay", "is missing")], lambda d: d.delay.isna()),
    ([("masts", "is missing")], lambda d: d.masts.isna()),
    ([("delay", ">3.3"), ("line", "red")], lambda d: (d.delay > 3.3) & (d.line == "red")),
    ([("delay", "-1.5"), ("left", "<2024-02-01")], lambda d: (d.delay == -1.5) & (d.left < "2024-02-01")),
    ([("left", "2024-01-15")], lambda d: d.left == "2024-01-15"),
]


def asked(loaded: Loaded, known: Known) -> Answer:
    return all_answers(loaded, known)[-1]


def test_all_rows_are_there_with_their_holes(doors: Doors) -> None:
    data = there(doors.loaded.data)
    assert data.rows == len(doors.frame)
    for i, name in enumerate(doors.model.domain_.names):
        known = data.known(i)
        holes = 0 if known is None else int((~known).sum())
        assert holes == doors.frame[name].isna().sum()
        assert doors.loaded.has_holes(i) == doors.frame[name].isna().any()
        column = there(doors.loaded.column(i))
        assert column.missing == pytest.approx(doors.frame[name].isna().mean())
    assert doors.loaded.certificate is None  # of completed rows, which are not there


@pytest.mark.parametrize(("parameters", "rows"), CASES)
def test_ask_is_as_pandas_and_the_estimator_and_the_command(
    doors: Doors, parameters: list[tuple[str, str]], rows: Callable[[pd.DataFrame], Any]
) -> None:
    link = read_parameters(doors.model.domain_, parameters)
    assert not link.problems
    matching = doors.frame[np.asarray(rows(doors.frame).fillna(False) if parameters else rows(doors.frame))]
    found = asked(doors.loaded, link.known)
    assert there(found.result.support).rows == len(matching)
    data = there(doors.loaded.data)
    evidence = Evidence.parse(doors.model.domain_, given(link.known))
    assert matching_rows(data, evidence).sum() == len(matching)
    shifts = {shift.name: shift for shift in found.shifts}
    for name in ("delay", "masts", "came", "line"):
        if name in link.known:
            continue
        expected = doors.model.query(name, given(link.known))
        words = command_line(str(doors.path), [name], link.known, str(doors.csv))
        document = answer(*shlex.split(words)[1:])
        own = matching[name].dropna()
        shift = shifts[name]
        assert shift.now.rows == len(own) == expected.matching == document["matching"]
        assert shift.missing.observed == pytest.approx(matching[name].isna().mean())
        assert np.allclose(shift.posterior, np.asarray(expected.combined), atol=0.01)
        assert np.allclose(np.array(document["combined"][name]), np.asarray(expected.combined), atol=0.01)
        if shift.now.observed is not None:
            assert np.allclose(shift.now.observed, np.asarray(expected.observed))
            assert np.allclose(np.array(document["observed"][name]), np.asarray(expected.observed))
        sure = np.asarray(expected.interval)
        assert np.allclose(shift.now.interval(), sure, atol=0.01)
        assert np.allclose(np.array(document["interval"][name]), sure, atol=0.01)
        if name == "delay" and len(own):
            _check_mean(doors, link.known, shift, own, expected.numbers[name], document)


def _check_mean(
    doors: Doors, known: Known, shift: Shift, own: pd.Series, exact: NumberSummary, document: dict[str, Any]
) -> None:
    """Of a number: Ask, Target, the estimator and the command have one mean, and the table's own is that of pandas."""
    scale = max(own.std() if len(own) > 1 else 1.0, 1.0)
    mean, number = exact.mean, shift.now.number
    assert number is not None
    assert number.mean == pytest.approx(mean, abs=0.03 * scale)
    for interval in (number.interval, document["numbers"]["delay"]["interval"]):
        assert interval == pytest.approx(exact.interval, abs=0.05 * scale)
    assert document["numbers"]["delay"]["observed"]["mean"] == pytest.approx(own.mean())
    target = find(doors.loaded, "delay", known, "mean", Stop(threading.Event()))
    assert target.value == pytest.approx(mean, abs=0.03 * scale)
    assert target.interval == pytest.approx(exact.interval, abs=0.05 * scale)
    assert target.seen == f"{target.influence.measure.shown(own.mean())} in {len(own):,} rows"
    above = find(doors.loaded, "delay", known, ">3.3", Stop(threading.Event()))
    asked = doors.model.query("delay > 3.3", given(known))
    assert above.value == pytest.approx(float(np.asarray(asked.combined)[1]), abs=0.02)
    assert above.interval == pytest.approx(np.asarray(asked.interval)[1].tolist(), abs=0.02)
    assert above.seen == f"{(own > 3.3).mean():.3f} in {len(own):,} rows"


def test_one_more_fact_of_target_is_what_asking_with_it_says(doors: Doors) -> None:
    found = find(doors.loaded, "delay", {}, "mean", Stop(threading.Event()))
    data = there(doors.loaded.data)
    seen = dict(
        zip(
            (effect.variable.name for effect in found.influence.effects),
            seen_of(data, found, found.influence.effects),
            strict=True,
        )
    )
    by_line = doors.frame.groupby("line").delay.agg(["mean", "count"])
    line = doors.model.domain_.variables[doors.model.domain_.index("line")]
    for code, state in enumerate(line.states):
        assert seen["line"].values[code] == pytest.approx(by_line["mean"][state])
        assert seen["line"].rows[code] == by_line["count"][state]
    masts = doors.model.domain_.variables[doors.model.domain_.index("masts")]
    by_masts = doors.frame.groupby("masts").delay.agg(["mean", "count"])
    for code, mast in enumerate(masts.present_states):  # holes of it are in none
        assert seen["masts"].rows[code] == by_masts["count"][mast]
        assert seen["masts"].values[code] == pytest.approx(by_masts["mean"][mast])


def test_a_pair_counts_the_rows_that_know_both(doors: Doors) -> None:
    found = pair(doors.loaded.asked, "masts", "came", data=doors.loaded.data)
    both = doors.frame.dropna(subset=["masts"])
    assert np.allclose(there(found.counts), pd.crosstab(both.masts, both.came).to_numpy())


def test_a_model_learned_on_the_page_keeps_the_table_as_it_came(doors: Doors) -> None:
    dropped = read_table("ships.csv", doors.csv.read_bytes(), "utf-8")
    names = list(doors.model.domain_.names)
    loaded = learn_model(dropped, names, "auto", lambda *told: None, lambda: False)
    assert there(loaded.data).rows == len(doors.frame)
    assert loaded.certificate is not None  # of the completed rows
    shift = {s.name: s for s in asked(loaded, {"line": ("grey",)}).shifts}["delay"]
    own = doors.frame[doors.frame.line == "grey"].delay
    assert shift.now.rows == own.count()
    found = find(loaded, "delay", {"line": ("grey",)}, "mean", Stop(threading.Event()))
    assert found.seen == f"{found.influence.measure.shown(own.mean())} in {own.count():,} rows"
