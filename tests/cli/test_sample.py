"""Drawn rows of a file: numbers agree within their bins and with what is known of them; durations are read back."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from depnet import read
from tests.cli.entry import answer, depnet
from tests.narrowed import there


def test_numbers_agree_within_their_bins_and_with_what_is_known(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    high = rng.lognormal(5, 1, 20_000).round(2)
    low = (high * rng.uniform(0.99, 1, 20_000)).round(2)
    table, model, out = tmp_path / "days.csv", tmp_path / "days.json", tmp_path / "drawn.csv"
    pd.DataFrame({"high": high, "low": low}).to_csv(table, index=False)
    answer("fit", table, "-o", model, "--penalty", "mdl")
    answer("sample", model, "-n", 1000, "--seed", 1, "-o", out)
    drawn = pd.read_csv(out)
    off = np.abs(np.log(drawn["high"] / drawn["low"]))
    assert np.median(off) < 0.02  # independent within bins: 0.05
    answer("sample", model, "-n", 200, "--seed", 1, "-o", out, "--force", "--given", "high=100..110")
    given = pd.read_csv(out)
    assert given["high"].between(100, 110).all()
    assert np.median(np.abs(np.log(given["high"] / given["low"]))) < 0.03


@pytest.mark.parametrize("options", [[], ["--scan", "random"], ["--given", "sex=female"]], ids=" ".join)
def test_a_seed_draws_the_same_again_and_none_draws_afresh(model: Path, options: list[str]) -> None:
    words = ["sample", model, "-n", 100, *options]
    one, again, other = (depnet(*words, "--seed", seed).stdout for seed in (1, 1, 2))
    assert one == again != other
    fresh, fresh_too = depnet(*words), depnet(*words)
    assert fresh.stdout != fresh_too.stdout
    assert fresh.stderr.startswith(b"depnet: drawn with --seed ")
    assert depnet(*words, "--seed", fresh.stderr.split()[-1].decode()).stdout == fresh.stdout


@pytest.fixture(scope="module")
def durations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("durations")
    rng = np.random.default_rng(0)
    late = rng.random(200) < 0.5
    wait = pd.to_timedelta(np.round(rng.gamma(2, np.where(late, 4000, 400))) - 600, "s").as_unit("ns")
    frame = pd.DataFrame({"late": np.where(late, "yes", "no"), "wait": wait})
    frame.loc[rng.random(200) < 0.1, "wait"] = pd.NaT
    frame.to_parquet(folder / "t.parquet")
    frame.to_csv(folder / "t.csv", index=False)
    depnet("fit", folder / "t.parquet", "-o", folder / "m.json", "--seed", 0)
    return folder


@pytest.mark.parametrize("name", ["drawn.csv", "drawn.parquet", "drawn.jsonl"])
def test_drawn_rows_are_read_back_as_durations(durations: Path, name: str) -> None:
    depnet("sample", durations / "m.json", "-n", 300, "-o", durations / name, "--seed", 0)
    wait = read(durations / name).domain.variables[1]
    assert there(wait.bins).kind == "duration"
    if name.endswith("parquet"):
        assert pd.read_parquet(durations / name)["wait"].dtype == "timedelta64[us]"


def test_filled_files_keep_what_was_there(durations: Path) -> None:
    for ending in ("t.parquet", "t.csv"):
        depnet("impute", durations / "m.json", durations / ending, "-o", durations / f"full-{ending}")
    depnet("impute", durations / "m.json", durations / "t.parquet", "-o", durations / "other.csv")
    before, full = (pd.read_parquet(durations / name) for name in ("t.parquet", "full-t.parquet"))
    assert full["wait"].dtype == before["wait"].dtype
    assert full["wait"].notna().all()
    there = before["wait"].notna()
    assert (full["wait"] == before["wait"])[there].all()
    for name in ("full-t.csv", "other.csv"):
        assert (pd.to_timedelta(pd.read_csv(durations / name)["wait"]) == full["wait"]).all()
