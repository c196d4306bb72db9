"""Files are read as frames are: the same domain, the same codes, whatever the format and the memory."""

import datetime as dt
import gzip
import io
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset, read
from depnet.data import Holed, describe, encode
from depnet.data.files import load
from depnet.data.files import read as reading
from depnet.data.files.kinds import is_kind_sql
from depnet.data.table.columns import is_kind
from depnet.errors import DataError
from tests.data.strategies import write
from tests.refusals import refuses


def assert_same(table: Holed, frame: Any, **options: Any) -> None:
    domain, _ = describe(frame, keep="all", **options)
    expected = encode(frame, domain)
    assert table.domain.names == domain.names
    for got, wanted in zip(table.domain.variables, domain.variables, strict=True):
        assert got == wanted
    assert np.array_equal(table.codes, expected.codes)
    assert isinstance(table, Dataset) == expected.complete
    if not table.complete:
        assert np.array_equal(table.hidden, expected.hidden)


def many_rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = 100_000  # several row groups and vectors
    frame = pd.DataFrame(
        {
            "float": rng.normal(size=rows),
            "whole": rng.integers(-500, 500, rows),
            "few": rng.integers(0, 9, rows),
            "label": rng.choice(["north", "east", "south", "west"], rows),
            "zeros": np.where(rng.random(rows) < 0.4, 0.0, rng.exponential(size=rows)),
            "moment": pd.to_datetime(rng.integers(0, 10**9, rows), unit="s"),
            "wait": pd.to_timedelta(rng.integers(-(10**5), 10**6, rows), "s"),
        }
    )
    frame.loc[rng.random(rows) < 0.1, "float"] = np.nan
    return frame


def test_many_rows_keep_their_order_and_their_quantiles(tmp_path: Path) -> None:
    frame = many_rows()
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=30_000)
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert_same(read(tmp_path / "t.parquet"), frame)
    assert_same(read(tmp_path / "t.parquet", memory="100MB"), frame)
    assert_same(read(tmp_path / "t.csv"), frame)
    assert_same(read(tmp_path / "t.parquet", bins=5), frame, bins=5)
    assert_same(
        read(tmp_path / "t.parquet", bins={"float": [-1, 0, 1], "whole": "categories", "zeros": 100}),
        frame,
        bins={"float": [-1, 0, 1], "whole": "categories", "zeros": 100},
    )


def small(path: Path) -> Path:
    path.write_text("sex,age,city\nmale,40,Oslo\nfemale,,Bergen\nmale,31,\n")
    return path


@pytest.mark.parametrize("rows", [30, 1_500])
def test_a_dump_of_a_database_has_its_own_word_for_a_missing_value(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "dump.csv"
    path.write_text("wage,city\n" + "".join(f"{row}.5,Oslo\n\\N,\\N\n" for row in range(rows // 2)))
    table = read(path)
    assert table.domain.variables[0].scale == "number"
    assert table.domain.variables[1].states == ("Oslo",)
    assert table.hidden[:4].tolist() == [[False] * 2, [True] * 2] * 2


def test_missing_values_are_holes_a_state_or_an_error(tmp_path: Path) -> None:
    path = small(tmp_path / "t.csv")
    holed = read(path)
    assert holed.hidden.tolist() == [[False] * 3, [False, True, False], [False, False, True]]
    state = read(path, missing="state")
    assert isinstance(state, Dataset)
    assert state.domain.variables[2].states == ("Bergen", "Oslo", "(missing)")
    assert state.codes[:, 2].tolist() == [1, 0, 2]
    refuses(DataError, "column 'age', row 1: the value is missing", read, path, missing="error")
    assert isinstance(read(path, missing="error", columns=["sex"]), Dataset)


@pytest.mark.parametrize("cell", ["hello", "2.5", "2024-02-29", "true", "0 days 01:30:00"])
@pytest.mark.parametrize("late", [1_000, 1_100])
def test_a_column_that_is_empty_in_its_first_rows(tmp_path: Path, cell: str, late: int) -> None:
    path = tmp_path / "late.csv"
    path.write_text(
        "a,b\n" + "".join(f"{'xy'[row % 2]},{cell if row >= late else ''}\n" for row in range(1_500))
    )
    table = read(path, keep=["b"])
    assert table.hidden[:, 1].tolist() == [row < late for row in range(1_500)]
    other = read(io.StringIO(f"b\n{cell}\n"))
    assert table.domain.variables[1] == other.domain.variables[0]


def test_columns_are_chosen_and_ordered(tmp_path: Path) -> None:
    path = small(tmp_path / "t.csv")
    assert read(path, columns=["city", "sex"]).domain.names == ("city", "sex")
    refuses(DataError, r"has no column 'sexe'.*'sex'", read, path, columns=["sexe"])
    refuses(DataError, "names 'sex' twice", read, path, columns=["sex", "sex"])
    refuses(DataError, "a list of names; got 'sex'", read, path, columns="sex")


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_where_sees_typed_columns_also_those_not_read(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame(
        {"age": [10, 20, 30], "day": [dt.date(2020, 1, d) for d in (1, 2, 3)], "my col": ["a", "b", "c"]}
    )
    path = write(frame, tmp_path / f"t.{ending}")
    assert read(path, columns=["my col"], where="age >= 20").domain.variables[0].states == ("b", "c")
    assert read(path, where="day = DATE '2020-01-02' -- that day").rows == 1
    assert read(path, where="\"my col\" IN ('a', 'c') AND age < 15").rows == 1
    refuses(DataError, 'no row satisfies `where="age > 99"`', read, path, where="age > 99")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("agee > 3", "agee"),
        ("age >", "syntax error"),
        ("age > 1; DROP TABLE kept", ""),
        ("true) UNION SELECT * FROM (SELECT 1", "syntax error"),
        ("sum(age) > 3", "aggregates"),
        ("city > 3", "compare"),
        ("CAST(city AS INTEGER) > 3", "Oslo"),
    ],
)
def test_a_where_that_is_no_condition_is_said_so(tmp_path: Path, where: str, said: str) -> None:
    with pytest.raises(DataError, match="is no condition on a row of the table") as caught:
        read(small(tmp_path / "t.csv"), where=where)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "where",
    [
        "(SELECT sum(a.range * b.range) FROM range(1000000000) a, range(1000000) b) > age",
        "EXISTS (WITH RECURSIVE w(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM w) SELECT n FROM w WHERE n < age - 99)",
    ],
)
def test_a_where_that_never_ends_is_given_up(
    tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "WHERE_SECONDS", 0.2)
    said = r"` was stopped after 0 s\. Write a condition on a row's own columns"
    refuses(DataError, said, read, small(tmp_path / "t.csv"), where=where)


SECRETS = (
    "sex IN (SELECT content FROM read_text('{other}'))",
    "sex IN (SELECT column0 FROM read_csv('{other}', header = false))",
    "EXISTS (SELECT * FROM '{other}')",
    "EXISTS (SELECT * FROM glob('{directory}/*'))",
    "EXISTS (SELECT * FROM sniff_csv('{other}'))",
    "EXISTS (SELECT * FROM read_blob('{other}'))",
    "EXISTS (SELECT * FROM read_csv('https://127.0.0.1:9/x.csv'))",
    "EXISTS (SELECT * FROM frame)",
    "EXISTS (SELECT * FROM query('COPY (SELECT 1) TO ''{directory}/out.csv'''))",
    "getenv('HOME') <> ''",
)


@pytest.mark.parametrize("where", SECRETS)
def test_where_reaches_no_other_file(tmp_path: Path, where: str) -> None:
    frame = pd.DataFrame({"x": [1]})  # what a name in SQL would otherwise find in Python
    other = tmp_path / "other.csv"
    other.write_text("male\n")
    with pytest.raises(DataError, match="is no condition"):
        read(small(tmp_path / "t.csv"), where=where.format(other=other, directory=tmp_path))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other.csv", "t.csv"]
    del frame


def test_streams_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small(tmp_path / "t.csv")
    expected = read(path).codes.tolist()
    assert read(io.StringIO(path.read_text())).codes.tolist() == expected
    assert read(io.BytesIO(gzip.compress(path.read_bytes()))).codes.tolist() == expected
    with path.open("rb") as file:
        assert read(file).codes.tolist() == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert read("-").codes.tolist() == expected


def test_names_that_mean_something_to_the_engine(tmp_path: Path) -> None:
    for name in ("a [1]*?.csv", "it's.csv", "year=2020", 'quote".csv', "s3:", "-"):
        path = small(tmp_path / name)
        assert read(path).rows == 3
    (tmp_path / "year=2020.d").mkdir()
    assert read(small(tmp_path / "year=2020.d" / "t.csv")).domain.names == ("sex", "age", "city")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_progress_counts_to_its_total(tmp_path: Path, ending: str) -> None:
    path = write(pl.DataFrame({"a": [1, 2], "b": ["x", None]}), tmp_path / f"t.{ending}")
    told: list[tuple[int, int]] = []
    read(path, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert len({total for _, total in told}) == 1
    assert told[-1][0] == told[-1][1] > told[0][0]


@pytest.mark.parametrize(
    ("text", "options", "names", "states"),
    [
        ("zip,x\n0123,1\n123,2\n", {}, ("zip", "x"), (123,)),
        ("zip,x\n0123,1\n123,2\n", {"text": ["zip"]}, ("zip", "x"), ("0123", "123")),
        ("y,x\nNA,1\nb,?\n", {"missing_values": ["?"]}, ("y", "x"), ("NA", "b")),
        ("a;b\n1;x,y\n2;z\n", {}, ("a", "b"), (1, 2)),
        ("a|b\n1|x\n2|z\n", {}, ("a", "b"), (1, 2)),
        ("a\tb\n1\tx\n2\tz\n", {}, ("a", "b"), (1, 2)),
        ("a:b\n1:x\n2:z\n", {"delimiter": ":"}, ("a", "b"), (1, 2)),
        ("1,x\n2,y\n", {"header": False}, ("X0", "X1"), (1, 2)),
    ],
)
def test_dialects(
    text: str, options: dict[str, Any], names: tuple[str, ...], states: tuple[Any, ...]
) -> None:
    table = read(io.StringIO(text), **options)
    assert table.domain.names == names
    assert table.domain.variables[0].states == states
    assert table.complete != ("missing_values" in options)
    assert table.rows == 2


def test_declared_categories_keep_their_order(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    text = rng.choice(["a", "b", "c"], 500)
    frame = pd.DataFrame(
        {
            "ordered": pd.Categorical(text, categories=["c", "unused", "b", "a"], ordered=True),
            "plain": pd.Categorical(text, categories=["b", "a", "c"]),
            "numbers": pd.Categorical(rng.integers(0, 3, 500), categories=[2, 0, 1]),
            "text": text,
        }
    )
    frame.loc[3, "ordered"] = None
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=100)
    assert_same(read(tmp_path / "t.parquet"), pd.read_parquet(tmp_path / "t.parquet"))
    assert_same(read(tmp_path / "t.parquet", columns=["ordered", "plain"]), frame[["ordered", "plain"]])
    assert read(tmp_path / "t.parquet", text=["ordered"]).domain.variables[0].states == ("a", "b", "c")
    only = read(tmp_path / "t.parquet", where="plain = 'a'", columns=["plain"])
    assert only.domain.variables[0].states == ("b", "a", "c")
    assert set(only.codes[:, 0].tolist()) == {1}
    enum = pl.DataFrame({"x": text}).with_columns(
        pl.col("x").cast(pl.Enum(["z", "c", "b", "a"])), y=pl.col("x").cast(pl.Categorical)
    )
    enum.write_parquet(tmp_path / "p.parquet", row_group_size=100)
    assert_same(read(tmp_path / "p.parquet"), enum)
    assert [v.ordered for v in read(tmp_path / "p.parquet").domain.variables] == [True, False]
    found = read(tmp_path / "t.parquet").domain.variables
    assert [v.ordered for v in found] == [True, False, False, False]
    nothing = pd.DataFrame({"x": pd.Categorical([None] * 4, categories=["b", "a"]), "y": [1, 2, 1, 2]})
    nothing.to_parquet(tmp_path / "n.parquet")
    assert_same(read(tmp_path / "n.parquet"), nothing)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_of_any_unit(tmp_path: Path, unit: str) -> None:
    lengths = np.random.default_rng(0).integers(-(10**9), 10**9, 200)
    table = pa.table({"x": pa.array([None, *lengths.tolist()], pa.duration(unit))})
    pq.write_table(table, tmp_path / "t.parquet")
    assert_same(read(tmp_path / "t.parquet"), table)
    longer = read(tmp_path / "t.parquet", where="x > INTERVAL '0 seconds'")
    assert longer.rows == (lengths >= (1000 if unit == "ns" else 1)).sum()
    pl.from_arrow(table).write_parquet(tmp_path / "p.parquet")  # type: ignore[union-attr]
    assert_same(read(tmp_path / "p.parquet"), table)


def test_nothing_is_silently_lost_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = ["b", "a"] * 5
    pd.DataFrame({"x": pd.Categorical(text, categories=["b", "a"])}).to_parquet(tmp_path / "pandas.parquet")
    pl.DataFrame({"x": text}, schema={"x": pl.Enum(["b", "a"])}).write_parquet(tmp_path / "polars.parquet")
    pl.DataFrame({"x": text}).write_parquet(tmp_path / "text.parquet")
    pd.DataFrame({"x": pd.to_timedelta(range(9), "s")}).to_parquet(tmp_path / "durations.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in ("pandas", "polars"):
        with pytest.raises(DataError, match=r"has categories.*only pyarrow reads.*text=\[\.\.\.\]"):
            read(tmp_path / f"{name}.parquet")
    assert read(tmp_path / "text.parquet").domain.variables[0].states == ("a", "b")
    with pytest.raises(DataError, match="has durations, in a unit that only pyarrow reads"):
        read(tmp_path / "durations.parquet")


def test_row_names_of_pandas_are_no_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1, 2]}, index=["first", "second"])
    frame.to_parquet(tmp_path / "t.parquet")
    assert_same(read(tmp_path / "t.parquet"), frame)
    assert read(tmp_path / "t.parquet", columns=["__index_level_0__"]).rows == 2


ROWS = 1500
LATE: dict[str, tuple[Any, Any]] = {
    "whole": (7, 8),
    "floats": (0.25, -1e300),
    "late float": (3, 3.5),
    "late label": (3, "three"),
    "late large": (3, 2**63),
    "late flag": ("1_0", 10),
    "padded": (" 007", "+7 "),
    "hole": (1, ""),
    "empty": ("", 5),
    "labels": ("a", "b"),
}
"""What the first thousand rows hold, and a later one."""


def table(columns: list[str], delimiter: str = ",") -> str:
    lines = [delimiter.join(columns)]
    for row in range(ROWS):
        cells = [LATE[name][row == ROWS - 1] for name in columns]
        lines.append(
            delimiter.join(str(cell * (row % 7)) if isinstance(cell, int) else str(cell) for cell in cells)
        )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "asked",
    [{}, {"text": ["whole"]}, {"where": '"floats" < 0 OR "whole" > 6'}, {"missing_values": ["", "8"]}],
)
def test_numbers_that_are_read_at_once_are_those_of_their_text(
    asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = table(list(LATE))
    at_once = read(io.StringIO(written), **asked)
    monkeypatch.setattr(load, "numbers_likely", lambda cells: {})
    by_text = read(io.StringIO(written), **asked)
    assert at_once.domain == by_text.domain
    assert np.array_equal(at_once.codes, by_text.codes)


def test_numbers_in_an_order_of_their_own_stay_as_they_are_written() -> None:
    table = read(io.StringIO("x\n01\n02\n1\n"), kinds={"x": "ordered"})
    assert table.domain.variables[0].states == ("01", "1", "02")


def test_a_column_with_a_mistake_names_it() -> None:
    lines = ["x", *map(str, range(ROWS)), "many"]
    refuses(DataError, r"row 1,500 \(line 1,502\) has 'many'", read, io.StringIO("\n".join(lines)))


@given(st.lists(st.text("0123456789+-._eExb \t\v\nİinfa²٣", min_size=1, max_size=6), min_size=1, max_size=50))
def test_numbers_are_the_same_in_sql(texts: list[str]) -> None:
    with duckdb.connect() as connection:
        for kind in ("integer", "float"):
            shown = ", ".join(["(?)"] * len(texts))
            asked = f"SELECT coalesce({is_kind_sql(kind, 't')}, false) FROM (VALUES {shown}) AS v(t)"
            found = [one for (one,) in connection.execute(asked, texts).fetchall()]
            assert found == [is_kind(kind, each) for each in texts]
