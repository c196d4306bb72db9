"""Frames in and out: the same kind of frame, the same dtypes, the same codes."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from depnet import Dataset
from depnet.data import decode, describe, encode

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
        }
    )
    frame["category"] = pd.Categorical(text, categories=["c", "unused", "b", "a"], ordered=True)
    frame["day"] = frame["moment"].dt.date
    frame["nullable"] = frame["few"].astype("Int16").mask(hole)
    frame["holes"] = frame["few"].mask(hole)
    frame["zoned"] = frame["moment"].dt.tz_localize("UTC").dt.tz_convert("Europe/Paris")
    return frame


def polars_frame() -> pl.DataFrame:
    plain = pandas_frame().drop(columns=["category", "day", "holes", "nullable", "zoned"])
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


def test_a_dataset_from_a_frame() -> None:
    frame = pandas_frame()[["category", "flag"]]
    data = Dataset.from_frame(frame)
    assert data.domain.variables[0].states == ("c", "unused", "b", "a")
    assert data.domain.variables[1].states == (False, True)
    assert data.column(0).tolist() == frame["category"].cat.codes.tolist()
