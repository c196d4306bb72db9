"""Sampled rows of a file: numbers agree within their bins, and with what is known of them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.entry import answer, depnet


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


def test_holes_are_those_of_the_table_in_every_command(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    dead = rng.random(2000) < 0.3
    cause = np.where(dead, np.where(rng.random(2000) < 0.7, "heart", "lung"), "")
    age = np.where(rng.random(2000) < 0.2, np.nan, (40 + 30 * dead + rng.normal(0, 8, 2000)).round(1))
    table, model, out = tmp_path / "deaths.csv", tmp_path / "deaths.json", tmp_path / "drawn.csv"
    pd.DataFrame({"dead": dead, "cause": cause, "age": age}).to_csv(table, index=False)
    found = answer("fit", table, "-o", model)
    assert found["completion"]["holes"] == int(np.isnan(age).sum())
    assert found["completion"]["states"] == ["cause"]
    answer("sample", model, "-n", 2000, "--seed", 1, "-o", out)
    drawn = pd.read_csv(out)
    assert (drawn["cause"].isna() != drawn["dead"]).mean() > 0.98
    assert abs(drawn["age"].isna().mean() - 0.2) < 0.03
    answer("sample", model, "-n", 200, "--seed", 1, "-o", out, "--force", "--full")
    assert not pd.read_csv(out).isna().any(axis=None)
    assert answer("impute", model, table, "-o", out, "--force")["left"] == {
        "dead": 0,
        "cause": int((~dead).sum()),
        "age": 0,
    }
    assert not pd.read_csv(out)["age"].isna().any()
    assert answer("impute", model, table, "-o", out, "--force", "--all")["left"]["cause"] == 0
    assert not pd.read_csv(out).isna().any(axis=None)


@pytest.mark.parametrize("options", [[], ["--scan", "random"], ["--given", "sex=female"]], ids=" ".join)
def test_a_seed_draws_the_same_again_and_none_draws_afresh(model: Path, options: list[str]) -> None:
    words = ["sample", model, "-n", 100, *options]
    one, again, other = (depnet(*words, "--seed", seed).stdout for seed in (1, 1, 2))
    assert one == again != other
    fresh, fresh_too = depnet(*words), depnet(*words)
    assert fresh.stdout != fresh_too.stdout
    assert fresh.stderr.startswith(b"depnet: drawn with --seed ")
    assert depnet(*words, "--seed", fresh.stderr.split()[-1].decode()).stdout == fresh.stdout
