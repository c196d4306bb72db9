"""Every kind of frame, every kind of column: codes are the slow twin's, and frames come back as they were; whole numbers
stay whole beside holes, of which pandas makes floats: in bins, drawn, imputed, written."""

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet.data import decode, describe, encode, fill
from tests.data.frames.test_frames import dtypes
from tests.data.table.test_encode import codes_of
from tests.narrowed import there
from tests.reference.frames import code_of, is_nothing

ROWS = 12
KINDS = ("pandas", "pandas nullable", "polars", "pyarrow", "numpy", "dicts")

MOMENTS = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "text": st.sampled_from(["a", "b", "", "é 日本", "A", " a", "1", "nan", "None"]),
    "boolean": st.booleans(),
    "few": st.integers(-3, 3),
    "many": st.integers(-(2**50), 2**50),
    "float": st.floats(-1e12, 1e12, allow_nan=False).map(lambda x: x + 0.25),
    "date": st.dates(),
    "datetime": MOMENTS,
    "duration": st.timedeltas(dt.timedelta(-9999), dt.timedelta(9999)),
}
NULLABLE = {"text": "string", "boolean": "boolean", "few": "Int8", "many": "Int64", "float": "Float64"}
POLARS: dict[str, Any] = {
    "text": pl.String,
    "boolean": pl.Boolean,
    "few": pl.Int8,
    "many": pl.Int64,
    "float": pl.Float64,
    "date": pl.Date,
    "datetime": pl.Datetime("us"),
    "duration": pl.Duration("us"),
}
ARROW = {
    "text": pa.string(),
    "boolean": pa.bool_(),
    "few": pa.int8(),
    "many": pa.int64(),
    "float": pa.float64(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "duration": pa.duration("us"),
}


def frame_of(kind: str, columns: dict[str, list[Any]]) -> Any:
    if kind == "pandas":
        return pd.DataFrame(
            {name: pd.Series(v, dtype=object if name == "date" else None) for name, v in columns.items()}
        )
    if kind == "pandas nullable":
        return pd.DataFrame(
            {name: pd.Series(v, dtype=NULLABLE.get(name, object)) for name, v in columns.items()}
        )
    if kind == "polars":
        return pl.DataFrame({name: pl.Series(v, dtype=POLARS[name]) for name, v in columns.items()})
    if kind == "pyarrow":
        return pa.table({name: pa.array(v, ARROW[name]) for name, v in columns.items()})
    rows = list(zip(*columns.values(), strict=True))
    if kind == "numpy":
        table = np.empty((ROWS, len(columns)), dtype=object)
        table[:] = rows
        return table
    return [dict(zip(columns, row, strict=True)) for row in rows]


def lists_of(frame: Any) -> list[list[Any]]:
    """Columns as plain values, None where one is missing."""
    if isinstance(frame, pd.DataFrame):
        columns = [frame[name].astype(object).tolist() for name in frame]
        return [[None if pd.isna(v) else _plain(v) for v in column] for column in columns]
    if isinstance(frame, pl.DataFrame):
        return [column.to_list() for column in frame]
    if isinstance(frame, pa.Table):
        return [column.to_pylist() for column in frame.columns]
    if isinstance(frame, np.ndarray):
        return [column.tolist() for column in frame.T]
    return [[row[name] for row in frame] for name in frame[0]]


def _plain(value: Any) -> Any:
    if isinstance(value, pd.Timedelta):
        return value.to_pytimedelta()
    return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    names = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, unique=True))
    columns = {}
    for name in names:
        holes = draw(st.booleans())
        value = st.one_of(st.none(), VALUES[name]) if holes else VALUES[name]
        first = draw(VALUES[name])
        columns[name] = [first, *draw(st.lists(value, min_size=ROWS - 1, max_size=ROWS - 1))]
    return columns


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", ["keep", "state"])
@settings(max_examples=12)
@given(columns=tables(), seed=st.integers(0, 2**32 - 1))
def test_out_and_back(kind: str, missing: Any, columns: dict[str, list[Any]], seed: int) -> None:
    frame = frame_of(kind, columns)
    domain, layout = describe(frame, missing=missing)
    table = encode(frame, domain)
    rng = np.random.default_rng(seed)
    back = decode(np.where(table.hidden, -1, table.codes.astype(int)), domain, layout, rng=rng)
    assert type(back) is type(frame)
    assert dtypes(back) == dtypes(frame)
    again = encode(back, domain)
    for i, (values, drawn) in enumerate(zip(columns.values(), lists_of(back), strict=True)):
        variable = domain.variables[i]
        expected = [code_of(value, variable) for value in values]
        assert codes_of(table, i) == expected, "the slow twin's codes"
        assert again.codes[:, i].tolist() == table.codes[:, i].tolist(), "drawn values are in their bins"
        assert again.hidden[:, i].tolist() == table.hidden[:, i].tolist()
        assert [is_nothing(v) for v in drawn] == [v is None for v in values]
        for value, new in zip(values, drawn, strict=True):
            if value is not None and variable.bins is None:
                assert new == value
            elif value is not None:
                assert new in values, "a value that was there"


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12)
@given(columns=tables(), seed=st.integers(0, 2**32 - 1))
def test_filling_changes_holes_alone(kind: str, columns: dict[str, list[Any]], seed: int) -> None:
    frame = frame_of(kind, columns)
    domain, layout = describe(frame)
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, domain.cardinalities, size=(ROWS, len(domain)))
    full = fill(frame, codes, domain, layout, rng=rng)
    assert type(full) is type(frame)
    assert kind == "dicts" or dtypes(full) == dtypes(frame), "dictionaries have types where they had holes"
    # the caller's frame is as it was
    assert lists_of(frame) == lists_of(frame_of(kind, columns)) or kind == "numpy"
    filled = encode(full, domain)
    assert filled.complete
    for i, (values, new) in enumerate(zip(columns.values(), lists_of(full), strict=True)):
        for row, value in enumerate(values):
            if value is None:
                assert filled.codes[row, i] == codes[row, i]
            else:
                assert new[row] == value


def test_mutant_a_code_off_by_one_is_seen() -> None:
    frame = frame_of("polars", {"text": list("abcabcabcabc")})
    domain, _ = describe(frame)
    codes = (encode(frame, domain).codes[:, 0] + 1) % 3
    with pytest.raises(AssertionError):
        assert codes.tolist() == [code_of(value, domain.variables[0]) for value in "abcabcabcabc"]


CELLS = st.lists(st.one_of(st.none(), st.integers(-(2**40), 2**40)), min_size=30, max_size=60).filter(
    lambda cells: None in cells and any(cell is not None for cell in cells)
)


@given(cells=CELLS, seed=st.integers(0, 99))
def test_floats_beside_holes_are_whole_numbers_in_their_own_dtype(cells: list[Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": cells, "y": pd.array(cells, dtype="Int64")})
    frame["x"] = frame["x"].astype(float)
    domain, layout = describe(frame, keep="all")
    x, y = domain.variables
    assert (x.states, x.bins) == (y.states, y.bins)
    codes = np.array(encode(frame, domain).codes, dtype=np.int64)
    drawn = decode(codes, domain, layout, rng=rng)
    assert drawn.dtypes.tolist() == frame.dtypes.tolist()
    assert set(drawn["x"]) <= set(frame["x"].dropna())
    laws = {v.name: rng.dirichlet(np.ones(v.cardinality), len(frame)) for v in domain.variables}
    filled = fill(frame, codes, domain, layout, laws=laws)
    assert filled.dtypes.tolist() == frame.dtypes.tolist()
    assert not (filled["x"] % 1).any()
    assert not filled["x"].isna().any()


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_files_have_the_same_bins_and_whole_numbers(form: str, few: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5 if few else 500, 300).astype(float)
    frame = pd.DataFrame({"x": np.where(rng.random(300) < 0.3, np.nan, x), "y": rng.normal(size=300)})
    table = tmp_path / f"t.{form}"
    if form == "csv":
        frame.to_csv(table, index=False)  # 3.0
    elif form == "parquet":
        frame.to_parquet(table)
    else:
        pl.from_pandas(frame, nan_to_null=True).write_ndjson(table)
    read = depnet.read(table)
    assert read.domain == describe(frame)[0]
    depnet.write(read, tmp_path / "drawn.csv", rng=rng)
    cells = {line.split(",")[0] for line in (tmp_path / "drawn.csv").read_text().splitlines()[1:]}
    assert "." not in "".join(cells)


def test_floats_without_holes_stay_floats() -> None:
    full = pd.DataFrame({"x": np.arange(40.0)})
    for frame in (full, pd.DataFrame({"x": [*full["x"], np.nan, 0.5]})):
        assert there(describe(frame)[0].variables[0].bins).kind == "float"
