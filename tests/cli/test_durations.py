"""Durations from end to end, by command: fitted, asked of, drawn and filled in, as by Python."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from depnet import read
from tests.cli.entry import depnet
from tests.narrowed import there

ROWS = 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("durations")
    rng = np.random.default_rng(0)
    late = rng.random(ROWS) < 0.5
    wait = pd.to_timedelta(np.round(rng.gamma(2, np.where(late, 4000, 400))) - 600, "s").as_unit("ns")
    frame = pd.DataFrame({"late": np.where(late, "yes", "no"), "wait": wait})
    frame.loc[rng.random(ROWS) < 0.1, "wait"] = pd.NaT
    frame.to_parquet(folder / "t.parquet")
    frame.to_csv(folder / "t.csv", index=False)
    depnet("fit", folder / "t.parquet", "-o", folder / "m.json", "--seed", 0)
    return folder


@pytest.mark.parametrize("name", ["drawn.csv", "drawn.parquet", "drawn.jsonl"])
def test_drawn_rows_are_read_back_as_durations(folder: Path, name: str) -> None:
    depnet("sample", folder / "m.json", "-n", 300, "-o", folder / name, "--seed", 0)
    wait = read(folder / name).domain.variables[1]
    assert there(wait.bins).kind == "duration"
    if name.endswith("parquet"):
        assert pd.read_parquet(folder / name)["wait"].dtype == "timedelta64[us]"


def test_filled_files_keep_what_was_there(folder: Path) -> None:
    for ending in ("t.parquet", "t.csv"):
        depnet("impute", folder / "m.json", folder / ending, "-o", folder / f"full-{ending}")
    depnet("impute", folder / "m.json", folder / "t.parquet", "-o", folder / "other.csv")
    before, full = (pd.read_parquet(folder / name) for name in ("t.parquet", "full-t.parquet"))
    assert full["wait"].dtype == before["wait"].dtype
    assert full["wait"].notna().all()
    there = before["wait"].notna()
    assert (full["wait"] == before["wait"])[there].all()
    for name in ("full-t.csv", "other.csv"):
        assert (pd.to_timedelta(pd.read_csv(folder / name)["wait"]) == full["wait"]).all()
