"""Whole numbers stay whole beside holes, of which pandas makes floats: in bins, drawn, imputed, written."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet.data import decode, describe, encode, fill

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
        bins = describe(frame)[0].variables[0].bins
        assert bins is not None
        assert bins.kind == "float"
