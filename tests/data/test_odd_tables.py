"""Odd columns, in a frame and in a CSV file: alike, one clear line each, and nothing lost."""

import re
import uuid
import warnings
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from depnet import DependencyNetwork
from depnet.data import Holed, describe, encode
from depnet.data.files.read import read
from depnet.data.table.variable import Domain
from depnet.errors import DataError, LeftOutWarning, MixedColumnWarning
from tests.refusals import refuses

ROWS = 300
RNG = Random(1)
DAYS = pd.date_range("2024-01-01", periods=ROWS).strftime("%Y-%m-%d").tolist()
WORDS = ["red", "green", "blue", "grey"]


class Odd(NamedTuple):
    """A column, and what becomes of it in a frame and in a CSV file."""

    values: Any
    frame: str
    csv: str | None = None
    """None: the same."""


ODD = {
    "names": Odd([f"name {i}" for i in range(ROWS)], "left out: 300 different values in 300 rows"),
    "uuids": Odd(
        [str(uuid.UUID(int=RNG.getrandbits(128))) for _ in range(ROWS)], "left out: 300 different values"
    ),
    "free text": Odd(
        [" ".join(RNG.choices(WORDS, k=9)) for _ in range(ROWS)], r"left out: \d+ different values in 300"
    ),
    "names, half of them missing": Odd(
        [f"name {i}" if i % 2 else None for i in range(ROWS)], "left out: 150 different values in 150 rows"
    ),
    "row numbers from 0": Odd(range(ROWS), "left out: row numbers"),
    "row numbers from 1": Odd(range(1, ROWS + 1), "left out: row numbers"),
    "years": Odd(range(1700, 1700 + ROWS), "integer in 7 bins"),
    "different measures": Odd(np.arange(ROWS) + 0.5, "float in 7 bins"),
    "row numbers as floats": Odd(np.arange(ROWS) / 1.0, "float in 7 bins"),
    "all empty": Odd([None] * ROWS, "left out: no value"),
    "constant": Odd(["the same"] * ROWS, "1 states"),
    "constant number": Odd([7] * ROWS, "1 states"),
    "booleans": Odd([bool(i % 3) for i in range(ROWS)], "2 states"),
    "booleans as text": Odd(["true" if i % 3 else "false" for i in range(ROWS)], "2 states"),
    "dates as text": Odd(DAYS, "date in 7 bins"),
    "dates as text, one missing": Odd([None, *DAYS[1:]], "date in 7 bins"),
    "moments as text": Odd([f"{day} 12:30" for day in DAYS], "datetime in 7 bins"),
    "no dates": Odd(["2023-02-30", *DAYS[1:20]] * 15, "text, as 15 of 300 are not a date; 20 states"),
    "two numbers": Odd([i % 2 for i in range(ROWS)], "2 states"),
    "few numbers": Odd([i % 5 for i in range(ROWS)], "integer in 5 bins"),
    "few numbers, one missing": Odd([None, *(i % 5 for i in range(1, ROWS))], "integer in 5 bins"),
    "words among few numbers": Odd([i % 5 or "many" for i in range(ROWS)], "error: mixes text", "5 states"),
    "words among numbers as text": Odd(
        [str(i) if i % 30 else "none" for i in range(ROWS)],
        "text, as 10 of 300 are not a number; left out: 291 different values in 300 rows",
        "error: is numbers, but row 0 .* has 'none'; 9 more cells like it",
    ),
    "mixed types": Odd(
        [i if i % 2 else "x" for i in range(ROWS)], "error: mixes text .* and whole numbers", "left out: 151"
    ),
    "ordered categories": Odd(
        pd.Categorical([WORDS[i % 4] for i in range(ROWS)], categories=WORDS, ordered=True), "4 states"
    ),
    "names as categories": Odd(pd.Categorical([f"n{i}" for i in range(ROWS)]), "left out: 300 different"),
    "durations": Odd(pd.to_timedelta(range(-9, ROWS - 9), "h"), "duration in 7 bins"),
    "durations as text": Odd([f"{i % 99} days 00:00:01" for i in range(ROWS)], "duration in 7 bins"),
    "times of day as text": Odd([f"0{i % 9}:00:00" for i in range(ROWS)], "duration in 7 bins"),
    "infinities": Odd([1.5] * (ROWS - 1) + [np.inf], "error: row 299: inf has no place", "2 states"),
    "huge whole numbers": Odd(
        [10**30 + i % 3 for i in range(ROWS)], "error: does not fit in 64 bits", "float in"
    ),
    "an empty name": Odd([i % 2 for i in range(ROWS)], "error: has no name"),
}


def found(table: Any) -> str:
    """What became of the column x: its bins, its states, or what is said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            domain = table()
        except DataError as error:
            return f"error: {error}"
    mixed = [str(one.message) for one in said if one.category is MixedColumnWarning]
    out = [str(one.message) for one in said if one.category is not MixedColumnWarning]
    assert len(mixed) <= 1, "one line"
    assert len(out) <= 1, "one line"
    why = ""
    if mixed:
        told = re.match(
            r"column 'x' is read as text, because (\d+) of its (\d+) values are (not .*?):", mixed[0]
        )
        assert told, mixed[0]
        assert "say `kinds={'x': '" in mixed[0]
        why = "text, as {} of {} are {}; ".format(*told.groups())
    if out:
        assert said[-1].category is LeftOutWarning
        assert "To keep it, say `kinds={'x': '" in out[0] or "no value" in out[0]
        return f"{why}left out: {out[0]}"
    x = domain.variables[0]
    return why + (f"{x.cardinality} states" if x.bins is None else f"{x.bins.kind} in {len(x.bins)} bins")


@pytest.mark.parametrize("case", ODD)
def test_odd_columns(case: str, tmp_path: Path) -> None:
    odd = ODD[case]
    name = "" if case == "an empty name" else "x"
    frame = pd.DataFrame({name: odd.values, "y": [i % 3 for i in range(ROWS)]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert_becomes(found(lambda: describe(frame)[0]), odd.frame)
    assert_becomes(found(lambda: read(tmp_path / "t.csv").domain), odd.frame if odd.csv is None else odd.csv)


def assert_becomes(got: str, expected: str) -> None:
    kind, _, words = expected.partition(": ")
    assert got.startswith(kind)
    assert re.search(words, got), got


def coded(frame: Any, **options: Any) -> tuple[Domain, Holed]:
    domain, _ = describe(frame, **options)
    return domain, encode(frame, domain)


def test_more_states_than_a_variable_has_are_other_in_frames_and_files(tmp_path: Path) -> None:
    """70,000 states, and two frequent ones."""
    cells = ["a"] * 500 + ["other"] * 400 + [f"c{i}" for i in range(70_000)]
    frame = pd.DataFrame({"x": cells, "y": [i % 3 for i in range(len(cells))]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    domain, table = coded(frame, max_states=4, keep=["x"])
    assert domain.variables[0].states == ("a", "c0", "other", "other 2")
    read_table = read(tmp_path / "t.csv", max_states=4, keep=["x"])
    assert read_table.domain == domain
    assert (read_table.codes == table.codes).all()
    assert np.bincount(table.codes[:, 0]).tolist() == [500, 1, 400, 70_000 - 1]
    domain_of_many, many = coded(frame, keep="all")
    assert (domain_of_many.cardinalities[0], domain_of_many.variables[0].other) == (1000, "other 2")
    assert many.codes.dtype == np.uint16
    assert np.bincount(many.codes[:, 0])[-1] == 70_000 - 997
    later = encode(pd.DataFrame({"x": ["a", "new", None], "y": [0, 1, 2]}), domain)
    assert later.codes[:2, 0].tolist() == [0, 3]
    assert later.hidden[:, 0].tolist() == [False, False, True]


def test_categories_beyond_the_limit_are_text() -> None:
    frame = pd.DataFrame({"x": pd.Categorical([f"c{i % 7}" for i in range(90)]), "y": [0, 1, 1] * 30})
    model = DependencyNetwork(max_states=3, random_state=0).fit(frame)
    assert model.domain_.variables[0].states == ("c0", "c1", "other")
    assert set(model.sample(50)["x"]) == {"c0", "c1", "other"}


def test_later_numbers_that_did_not_occur_have_the_nearest_bin() -> None:
    domain, _ = describe(pd.DataFrame({"x": [6.0, 12.0, 24.0, 60.0] * 5}))
    assert domain.variables[0].states == (6, 12, 24, 60)
    later = encode(pd.DataFrame({"x": [72.0, 1.0, 13.5, 40.0]}), domain)
    assert later.codes[:, 0].tolist() == [3, 0, 1, 2]


def test_left_out_columns_in_later_rows() -> None:
    frame = pd.DataFrame(
        {
            "name": [f"n{i}" for i in range(60)],
            "x": [i % 2 for i in range(60)],
            "y": [None, *(i % 2 for i in range(1, 60))],
        }
    )
    with pytest.warns(LeftOutWarning) as said:
        model = DependencyNetwork().fit(frame)
    assert len(said) == 1
    assert model.left_out_ == ("name",)
    assert model.sample(2).columns.tolist() == ["x", "y"]
    filled = model.impute(frame)
    assert filled["name"].tolist() == frame["name"].tolist()
    assert filled["y"].tolist() == [0, *frame["y"][1:]]
    assert model.score(frame) == model.score(frame.drop(columns="name"))
    refuses(ValueError, "feature names", model.score, frame.rename(columns={"x": "z"}))
    kept = DependencyNetwork(keep=["name"], penalty="mdl")
    with pytest.warns(UserWarning, match="'name' has 60 different values"):
        assert len(kept.fit(frame).domain_) == 3
