"""Bins of every kind and files of every format, for property tests."""

import gzip
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from depnet.data import Bins
from depnet.data.binning.bins import KINDS
from depnet.data.binning.cut import Ranked, quantiles_between
from depnet.data.binning.times import DAY, FIRST_DAY, LAST_DAY


def numbers_of(kind: str) -> st.SearchStrategy[Any]:
    """Numbers of a kind of bins, small and large."""
    if kind == "float":
        return st.one_of(st.floats(-1e300, 1e300), st.integers(-5, 5).map(lambda n: n / 4))
    if kind == "integer":
        return st.one_of(st.integers(-(2**62), 2**62), st.integers(-20, 20))
    if kind == "date":
        return st.integers(FIRST_DAY + 1, LAST_DAY)
    return st.integers(FIRST_DAY * DAY + 1, (LAST_DAY + 1) * DAY - 1)


@composite
def binnings(draw: DrawFn, number: int | None = None) -> Bins:
    """Any bins, of so many where a number is given."""
    kind: Any = draw(st.sampled_from(KINDS))
    inner = (
        draw(
            st.lists(
                numbers_of(kind),
                min_size=number - 1 if number else 0,
                max_size=number - 1 if number else 5,
                unique=True,
            ).map(sorted)
        )
        or []
    )
    edges = [-math.inf, *inner, math.inf]
    values = np.array(
        sorted(draw(st.lists(numbers_of(kind), max_size=60))), dtype=float if kind == "float" else np.int64
    )
    places = np.searchsorted(np.array(inner, dtype=values.dtype), values, side="right")
    quantiles: list[tuple[Any, ...]] = []
    for k in range(len(edges) - 1):
        here = values[places == k]
        if len(here) == 0:  # the lower edge lies in its bin, or what is just below the first inner one
            alone = edges[k] if k else (_below(inner[0], kind) if inner else 0)
            quantiles.append((alone,))
        else:
            quantiles.append(quantiles_between(Ranked.of(here), [0, len(here)])[0])
    return Bins(tuple(edges), tuple(quantiles), kind)


def _below(edge: Any, kind: str) -> Any:
    return math.nextafter(edge, -math.inf) if kind == "float" else edge - 1


FORMATS = ("csv", "parquet", "jsonl", "csv.gz", "tsv", "jsonl.gz")

LABELS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs"]), min_size=1, max_size=6
).map(lambda text: "x" + text)  # never a number, a date or a word for "missing"


def write(frame: pl.DataFrame, path: Path) -> Path:
    """The frame as a file, by means of others' writers."""
    buffer = io.BytesIO()
    if ".csv" in path.name or ".tsv" in path.name:
        separator = "\t" if ".tsv" in path.name else ","
        frame.write_csv(buffer, separator=separator, datetime_format="%Y-%m-%dT%H:%M:%S%.6f")
    elif ".parquet" in path.name:
        frame.write_parquet(buffer)
    else:
        for row in frame.iter_rows(named=True):
            buffer.write((json.dumps(row, default=lambda d: d.isoformat()) + "\n").encode())
    data = buffer.getvalue()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
