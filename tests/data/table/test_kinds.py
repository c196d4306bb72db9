"""`kinds`: what a column is said to be, in frames, files and the command; checked against pandas."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import DependencyNetwork
from depnet.data import Dataset, decode, describe, encode
from depnet.data.table.kinds import WORDS, KindError
from depnet.errors import DataError, LeftOutWarning
from tests.cli.entry import depnet as command
from tests.narrowed import there

CELLS = st.lists(st.none() | st.integers(-9, 9), min_size=1, max_size=40).filter(
    lambda cells: any(cell is not None for cell in cells)
)


def of_file(frame: pd.DataFrame, kinds: Any) -> Any:
    return depnet.read(io.StringIO(frame.to_csv(index=False)), kinds=kinds)


@given(CELLS, st.sampled_from(("{}", "${}", "{}%", "{}.50")))
def test_text_that_is_said_to_be_numbers_has_their_values(cells: list[int | None], form: str) -> None:
    """Some signs may be missing; values are those that pandas reads without signs."""
    text = [None if c is None else (form if k % 3 else "{}").format(c) for k, c in enumerate(cells)]
    frame = pd.DataFrame({"x": pd.Series(text, dtype=object), "y": ["a"] * len(cells)})
    plain = pd.to_numeric(frame["x"].str.strip("$%")).to_numpy()
    domain, layout = describe(frame, kinds={"x": "number"})
    for table in (encode(frame, domain), of_file(frame, {"x": "number"})):
        variable = table.domain.variables[0]
        assert variable.scale == "number"
        found = there(table.numbers(0) if variable.bins else there(variable.levels()).values[table.column(0)])
        known = ~np.isnan(plain)
        np.testing.assert_array_equal(table.hidden[:, 0], ~known)
        np.testing.assert_allclose(found[known], plain[known])
    again = pd.to_numeric(
        decode(encode(frame, domain).codes, domain, layout)["x"].str.replace("[$%]", "", regex=True)
    )
    assert set(again) <= set(plain[known])


@given(CELLS)
def test_numbers_that_are_said_to_be_categories_have_no_order(cells: list[int | None]) -> None:
    frame = pd.DataFrame({"x": pd.Series(cells, dtype="float64"), "y": ["a"] * len(cells)})
    domain, layout = describe(frame, kinds={"x": "category"})
    variable, codes = domain.variables[0], encode(frame, domain)
    assert variable.scale == "category"
    assert variable.states == tuple(str(int(x)) for x in sorted(frame["x"].dropna().unique()))
    back = decode(np.where(codes.hidden, -1, codes.codes.astype(int)), domain, layout)
    pd.testing.assert_frame_equal(back, frame)
    read = of_file(frame, {"x": "category"})
    assert sorted(map(float, read.domain.variables[0].states)) == sorted(frame["x"].dropna().unique())


@given(st.lists(st.sampled_from(["low", "medium", "high"]), min_size=1), st.booleans())
def test_an_order_of_ones_own_is_that_of_pandas(cells: list[str], numbers: bool) -> None:
    order: list[Any] = ["low", "medium", "high"]
    values: list[Any] = [order.index(cell) for cell in cells] if numbers else cells
    order = [2, 0, 1] if numbers else order
    frame = pd.DataFrame({"x": values, "y": ["a"] * len(cells)})
    codes = pd.Categorical(values, categories=order, ordered=True).codes
    for table in (Dataset.from_frame(frame, kinds={"x": order}), of_file(frame, {"x": order})):
        assert (table.domain.variables[0].scale, table.domain.variables[0].states) == (
            "ordered",
            tuple(order),
        )
        np.testing.assert_array_equal(table.column(0), codes)


def test_ordered_is_the_order_of_numbers_or_of_the_alphabet() -> None:
    frame = pd.DataFrame({"n": ["10", "9", "2"], "t": ["b", "a", "c"], "k": [30, 4, 500]})
    kinds: Any = dict.fromkeys(("n", "t", "k"), "ordered")
    for domain in (describe(frame, kinds=kinds)[0], of_file(frame, kinds).domain):
        assert [v.scale for v in domain.variables] == ["ordered"] * 3
        assert [v.states for v in domain.variables] == [("2", "9", "10"), ("a", "b", "c"), ("4", "30", "500")]


@given(st.lists(st.datetimes(pd.Timestamp(1950, 1, 1), pd.Timestamp(2068, 12, 31)), min_size=1))
def test_text_that_is_said_to_be_dates(days: list[Any]) -> None:
    frame = pd.DataFrame({"x": [f"{day.day}.{day.month}.{day.year}" for day in days], "y": ["a"] * len(days)})
    wanted = pd.to_datetime(frame["x"], format="%d.%m.%Y").to_numpy().astype("datetime64[D]").astype(int)
    domain, _ = describe(frame, kinds={"x": "date"})
    for table in (encode(frame, domain), of_file(frame, {"x": "date"})):
        assert there(table.domain.variables[0].bins).kind == "date"
        np.testing.assert_array_equal(table.numbers(0), wanted)


def test_times_of_day() -> None:
    frame = pd.DataFrame({"x": ["14:30", "2:05"], "y": [1, 2]})
    for domain in (describe(frame, kinds={"x": "time"})[0], of_file(frame, {"x": "time"}).domain):
        assert there(domain.variables[0].bins).kind == "duration"
        assert domain.variables[0].code("2:05") == 0


@pytest.mark.parametrize(
    ("column", "kind", "where", "cell"),
    [
        ("price", "number", "row 2", "'cheap'"),
        ("size", ["S", "M"], "row 1", "'L'"),
        ("size", "date", "row 0", "'S'"),
        ("zip", "date", "row 0", ""),
        ("when", "time", "row 0", "'2024-02-29'"),
    ],
)
def test_a_value_of_another_kind_is_an_error_with_its_row(
    column: str, kind: Any, where: str, cell: str
) -> None:
    frame = pd.DataFrame(
        {"price": ["$5", "7", "cheap"], "size": ["S", "L", "M"], "zip": [1, 2, 3], "when": ["2024-02-29"] * 3}
    )
    for read in (lambda: describe(frame, kinds={column: kind}), lambda: of_file(frame, {column: kind})):
        with pytest.raises(KindError, match=rf"column '{column}', {where}.*{cell}.*`kinds=\{{'{column}'"):
            read()


def test_a_column_that_is_named_is_kept_and_one_to_skip_is_not() -> None:
    frame = pd.DataFrame({"id": [f"p{k}" for k in range(60)], "a": [0, 1, 2] * 20, "b": [0, 1] * 30})
    with pytest.warns(LeftOutWarning, match=r"`kinds=\{'id': 'category'\}`"):
        assert describe(frame)[0].names == ("a", "b")
    for domain in (
        describe(frame, kinds={"id": "category", "a": "skip"})[0],
        of_file(frame, {"id": "category", "a": "skip"}).domain,
    ):
        assert domain.names == ("id", "b")


def test_estimators_say_what_columns_are() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"price": [f"${x:.2f}" for x in rng.gamma(2, 50, 60)], "zip": rng.integers(1, 4, 60), "a": 1}
    )
    model = DependencyNetwork(kinds={"zip": "category", "a": "skip"}, random_state=0).fit(frame)
    assert model.kinds_ == {"price": "number", "zip": "category", "a": "skip"}
    assert model.query("price", {"zip": 3}).matching == (frame["zip"] == 3).sum()
    assert model.sample(5)["zip"].dtype == frame["zip"].dtype
    assert model.score_samples(frame.drop(columns="a")).shape == (60,)


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ({"x": "numbr"}, f"column 'x' is {', '.join(WORDS)}, or a list.*Did you mean 'number'"),
        ({"z": "number"}, "kinds: there is no column 'z'"),
        (["x"], "kinds is a dict by column"),
        ({"x": []}, "the order of 'x' is a list of its values"),
    ],
)
def test_kinds_that_are_none(kinds: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        describe(pd.DataFrame({"x": [1, 2]}), kinds=kinds)


def test_kinds_and_bins_of_one_column_must_agree() -> None:
    with pytest.raises(DataError, match="kinds say 'category', and bins are of numbers"):
        describe(pd.DataFrame({"x": [1, 2]}), kinds={"x": "category"}, bins={"x": 2})


def test_the_command(tmp_path: Path) -> None:
    path, rows = tmp_path / "t.csv", [f"${k % 7},{k % 3},{'SML'[k % 3]}" for k in range(60)]
    path.write_text("price,zip,size\n" + "\n".join(rows) + "\n", encoding="utf-8")
    said = command(
        "fit", path, "-o", tmp_path / "m.json", "--kind", "zip=category", "--kind", "size=S,M,L", "--kind", "price=category"
    )  # fmt: skip
    assert "learned from 60 rows of 3 columns" in said.stdout.decode()
    domain = there(depnet.load(tmp_path / "m.json")).domain
    states = {variable.name: list(variable.states) for variable in domain.variables}
    assert (states["zip"], states["size"], states["price"][:2]) == (
        ["0", "1", "2"],
        ["S", "M", "L"],
        ["$0", "$1"],
    )
    failed = command("fit", path, "-o", tmp_path / "n.json", "--kind", "size=number", code=1)
    assert failed.stderr.decode().startswith(
        "depnet: column 'size', row 0 (line 2): 'S' is not a number, as was asked for by --kind size=number."
    )
