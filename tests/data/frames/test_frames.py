"""Frames in and out: the same kind of frame, the same dtypes, the same codes."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from depnet.data import decode, describe, encode, fill
from depnet.errors import DataError
from tests.narrowed import there
from tests.refusals import refuses

ROWS = 300


def pandas_frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    text = rng.choice(["a", "b", "c"], ROWS)
    hole = rng.random(ROWS) < 0.2
    moments = np.datetime64("2020-01-01", "us") + rng.integers(0, 10**14, ROWS).astype("timedelta64[us]")
    frame = pd.DataFrame(
        {
            "text": text,
            "flag": rng.random(ROWS) < 0.5,
            "few": rng.integers(0, 5, ROWS),
            "many": rng.integers(0, 1000, ROWS),
            "float": rng.normal(size=ROWS).astype(np.float32),
            "moment": moments,
            "wait": pd.to_timedelta(rng.integers(-(10**6), 10**6, ROWS), "s").as_unit("ns"),
        }
    )
    frame["category"] = pd.Categorical(text, categories=["c", "unused", "b", "a"], ordered=True)
    frame["code"] = pd.Categorical(rng.integers(3, 6, ROWS))
    frame["small"] = frame["few"].astype(np.int8)
    frame["string"] = frame["text"].astype("string")
    frame["object"] = frame["text"].astype(object)
    frame["perhaps"] = frame["flag"].astype("boolean")
    frame["day"] = frame["moment"].dt.date
    frame["nullable"] = frame["few"].astype("Int16").mask(hole)
    frame["holes"] = frame["few"].mask(hole)
    frame["arrow"] = frame["wait"].mask(hole).astype("duration[s][pyarrow]")
    frame["zoned"] = frame["moment"].dt.tz_localize("UTC").dt.tz_convert("Europe/Paris")
    return frame


def polars_frame() -> pl.DataFrame:
    plain = pandas_frame()[["text", "flag", "few", "small", "many", "float", "moment", "wait"]]
    return pl.DataFrame({name: plain[name].to_numpy() for name in plain}).with_columns(
        enum=pl.col("text").cast(pl.Enum(["c", "unused", "b", "a"])),
        categorical=pl.col("text").cast(pl.Categorical),
        day=pl.col("moment").dt.date(),
        holes=pl.when(pl.col("flag")).then(pl.col("few")),
        zoned=pl.col("moment").dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Paris"),
    )


FRAMES: dict[str, Any] = {
    "pandas": pandas_frame(),
    "polars": polars_frame(),
    "pyarrow": pa.Table.from_pandas(pandas_frame(), preserve_index=False),
    "dicts": pandas_frame()[["text", "few", "day"]].to_dict("records"),
    "floats": pandas_frame()[["float", "holes"]].to_numpy(),
    "objects": pandas_frame()[["text", "few", "float"]].to_numpy(),
}


def dtypes(frame: Any) -> Any:
    if isinstance(frame, pd.DataFrame):
        return frame.dtypes.tolist()
    if isinstance(frame, np.ndarray):
        return frame.dtype
    if isinstance(frame, pl.DataFrame):
        return frame.schema
    if isinstance(frame, pa.Table):
        return list(zip(frame.column_names, frame.schema.types, strict=True))
    return [{key: type(value) for key, value in row.items()} for row in frame]


@pytest.mark.parametrize("name", FRAMES)
def test_codes_go_out_and_come_back(name: str) -> None:
    frame = FRAMES[name]
    domain, layout = describe(frame)
    table = encode(frame, domain)
    back = decode(
        np.where(table.hidden, -1, table.codes.astype(int)), domain, layout, rng=np.random.default_rng(1)
    )
    assert type(back) is type(frame)
    assert dtypes(back) == dtypes(frame)
    again = encode(back, domain)
    assert again.codes.tolist() == table.codes.tolist()
    assert again.hidden.tolist() == table.hidden.tolist()


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ["America/Sao_Paulo", "Etc/GMT+5", "Europe/Paris", "-03:30"])
def test_moments_of_any_zone_come_back_in_it(zone: str, unit: str) -> None:
    frame = pandas_frame()[["moment", "few"]]
    frame["zoned"] = (
        frame["moment"].dt.as_unit("s").dt.tz_localize("UTC").dt.tz_convert(zone).dt.as_unit(unit)
    )
    frame.loc[::7, "zoned"] = pd.NaT
    domain, layout = describe(frame)
    assert there(domain.variables[2].bins).kind == "datetime"
    table = encode(frame, domain)
    assert table.hidden[:, 2].tolist() == frame["zoned"].isna().tolist()
    codes = np.where(table.hidden, -1, table.codes.astype(int))
    back = decode(codes, domain, layout, rng=np.random.default_rng(1))
    assert back["zoned"].dtype == frame["zoned"].dtype
    # the same moments, not the same clocks
    assert set(back["zoned"].dropna()) <= set(frame["zoned"].dropna())
    filled = fill(frame, np.where(codes < 0, 0, codes), domain, layout)
    assert filled["zoned"].dtype == frame["zoned"].dtype
    assert filled["zoned"].notna().all()
    seen = frame["zoned"].notna()
    assert (filled["zoned"][seen] == frame["zoned"][seen]).all()
    elsewhere = frame.assign(zoned=frame["zoned"].dt.tz_convert("UTC"))
    assert encode(elsewhere, domain).codes.tolist() == table.codes.tolist()


@pytest.mark.parametrize("name", FRAMES)
def test_holes_are_made_and_filled(name: str) -> None:
    """Also where a column's own dtype cannot hold what is missing, and has to give way."""
    frame = FRAMES[name]
    domain, layout = describe(frame)
    rng = np.random.default_rng(2)
    codes = rng.integers(0, domain.cardinalities, size=(ROWS, len(domain)))
    gone = rng.random(codes.shape) < 0.3
    holed = decode(np.where(gone, -1, codes), domain, layout, rng=rng)
    table = encode(holed, domain)
    assert table.hidden.tolist() == gone.tolist()
    assert np.where(gone, -1, table.codes.astype(int)).tolist() == np.where(gone, -1, codes).tolist()
    full = encode(fill(holed, codes, domain, layout, rng=rng), domain)
    assert full.complete
    assert full.codes.tolist() == codes.tolist()
    half = np.where(rng.random(codes.shape) < 0.5, -1, codes)
    left = encode(fill(holed, half, domain, layout, rng=rng), domain)
    assert left.hidden.tolist() == (gone & (half < 0)).tolist(), "a code below 0 leaves its hole"


def test_filling_a_pandas_frame_keeps_index_order_and_other_columns() -> None:
    frame = pd.DataFrame({"other": [b"x", b"y"], "b": ["u", None], "a": [1.5, np.nan]}, index=[5, 3])
    domain, layout = describe(frame[["a", "b"]])
    full = fill(frame, [[0, 0], [0, 0]], domain, layout)
    assert full.index.tolist() == [5, 3]
    assert full.columns.tolist() == ["other", "b", "a"]
    assert full["other"].tolist() == [b"x", b"y"]
    assert full["b"].tolist() == ["u", "u"]
    assert frame["b"].isna().tolist() == [False, True], "the caller's own is as it was"
    refuses(DataError, "codes have 1 rows for the frame's 2", fill, frame, [[0, 0]], domain, layout)


def test_filling_adds_a_category_that_the_rows_do_not_have() -> None:
    domain, layout = describe(pd.DataFrame({"x": pd.Categorical(["a", "b"])}))
    later = pd.DataFrame({"x": pd.Categorical(["a", None], categories=["a"])})
    assert fill(later, [[0], [1]], domain, layout)["x"].tolist() == ["a", "b"]


def test_what_is_filled_may_be_a_frame_of_another_kind() -> None:
    domain, layout = describe(pd.DataFrame({"x": ["a", "b"], "d": [1.5, 2.5]}))
    rows = pl.DataFrame({"x": ["b", None], "d": [None, 1.5]})
    assert fill(rows, [[0, 1], [0, 1]], domain, layout).to_dict(as_series=False) == {
        "x": ["b", "a"],
        "d": [2.5, 1.5],
    }
    nothing = pl.DataFrame({"x": [None], "d": [None]})
    assert fill(nothing, [[1, 0]], domain, layout).row(0) == ("b", 1.5)
    assert fill([{"x": None}], [[1, 0]], domain, layout) == [{"x": "b"}]


def test_a_relation_of_duckdb_comes_through_narwhals() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select * from (values ('a', 1), ('b', 2)) as t(x, y)")
    domain, layout = describe(relation)
    assert domain.variables[0].states == ("a", "b")
    assert layout.kind == "pyarrow"
