"""A few bad cells make text of a column of numbers, dates or times: it is said once, and what to do."""

import datetime as dt
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import depnet
from depnet.data import describe
from depnet.errors import DataError, LeftOutWarning, MixedColumnWarning
from tests.cli.entry import depnet as command
from tests.narrowed import there
from tests.refusals import refuses

ROWS, FIRST = 900, dt.datetime(2024, 1, 1)
COLUMNS: dict[str, tuple[str, Callable[[int], str]]] = {
    "number": ("number", lambda k: f"{k % 250}.25"),
    "money": ("number", lambda k: f"${5 * (k % 250):,}.50"),
    "percent": ("number", lambda k: f"{k % 250 / 10:.1f}%"),
    "date": ("date", lambda k: f"{FIRST + dt.timedelta(days=k % 250):%Y-%m-%d}"),
    "date of the USA": ("date", lambda k: f"{FIRST + dt.timedelta(days=k % 250):%m/%d/%Y}"),
    "moment": ("date", lambda k: f"{FIRST + dt.timedelta(hours=k % 250):%Y-%m-%d %H:%M}"),
    "time of day": ("time", lambda k: f"{FIRST + dt.timedelta(minutes=5 * (k % 250)):%H:%M}"),
    "duration": ("time", lambda k: f"0 days 01:{k % 50:02}:{k % 5:02}"),
}
NOUNS = {"number": "a number", "date": "a date", "time": "a time or duration"}


def table(cell: Callable[[int], str], bad: dict[int, str]) -> pd.DataFrame:
    cells = [bad.get(k, cell(k)) for k in range(ROWS)]
    return pd.DataFrame({"x": cells, "sex": np.where(np.arange(ROWS) % 3, "f", "m")})


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("bad", [{417: "late"}, {80: "tbd", 417: "late", 600: "tbd"}])
def test_a_few_bad_cells_are_said_and_may_be_missing(
    column: str, bad: dict[int, str], tmp_path: Path
) -> None:
    kind, cell = COLUMNS[column]
    frame, path = table(cell, bad), tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    first = next(iter(bad.values()))
    how_many = "1 of its 900 values is" if len(bad) == 1 else f"{len(bad)} of its 900 values are"
    said = f"column 'x' is read as text, because {how_many} not {NOUNS[kind]}: '{first}'"
    with pytest.warns(MixedColumnWarning) as found:
        domain, _ = describe(frame)
    (warning,) = found
    assert str(warning.message).startswith(said)
    assert f"`kinds={{'x': '{kind}'}}`" in str(warning.message)
    assert domain.variables[0].states == tuple(sorted({*frame["x"]}))  # nothing is lost
    row = next(iter(bad))
    refuses(DataError, f"row {row}: '{first}' is not", lambda: describe(frame, kinds={"x": kind}))
    refuses(DataError, f"row {row} .*'{first}' is not", lambda: depnet.read(path, kinds={"x": kind}))
    if column == "number":
        refuses(DataError, f"is numbers, but row {row}", lambda: depnet.read(path))
    else:
        with pytest.warns(MixedColumnWarning, match=said):
            assert depnet.read(path).domain.variables[0].bins is None
    holed = depnet.read(path, missing_values=[*bad.values()], kinds={"x": kind})
    good, _ = describe(frame.replace([*bad.values()], None), kinds={"x": kind})
    assert there(holed.domain.variables[0].bins).edges == there(good.variables[0].bins).edges


def test_the_command_says_its_own_options(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    table(COLUMNS["time of day"][1], {3: "late"}).to_csv(path, index=False)
    warned = command("fit", path, "-o", tmp_path / "a.json")
    assert "missing (in files with --missing-value late), and say --kind x=time; if" in warned.stderr.decode()
    good = command("fit", path, "-o", tmp_path / "b.json", "--missing-value", "late", "--kind", "x=time")
    assert "warning" not in good.stderr.decode()
    assert depnet.load(tmp_path / "b.json").domain.variables[0].bins is not None


def test_a_column_that_is_left_out_says_why_it_is_text() -> None:
    frame = table(lambda k: f"${k}.50", {5: "free"})
    with pytest.warns(MixedColumnWarning, match="'free'"), pytest.warns(LeftOutWarning, match="'x'"):
        describe(frame)


@pytest.mark.parametrize(
    "cells",
    [
        lambda k: f"{k % 40} Main St",
        lambda k: f"A{k % 300}",
        lambda k: f"{k % 40}" if k % 5 else "none",  # one in five is no mistake
        lambda k: ("1", "2", "3", "4 or more")[k % 4],
        lambda k: f"{k % 40}",  # numbers as text in a frame are text
    ],
)
@pytest.mark.parametrize(
    "options", [{}, {"kinds": {"x": "category"}}, {"bins": "categories"}, {"keep": ["x"]}]
)
def test_text_is_text(cells: Callable[[int], str], options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", MixedColumnWarning)
        describe(table(cells, {}), **options)


def test_what_is_said_to_be_text_is_text() -> None:
    frame = table(COLUMNS["money"][1], {7: "free"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for options in ({"kinds": {"x": "category"}}, {"bins": "categories"}, {"keep": ["x"]}):
            describe(frame, **options)
