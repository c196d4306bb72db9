"""What drawn rows keep, in the shell: found, said, given, left alone; in files that are drawn and filled."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.entry import answer, depnet, refused
from tests.inference.test_kept import with_holes
from tests.sampling.test_kept import broken, orders_frame


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trips") / "trips.csv"
    orders_frame().to_csv(path, index=False)
    return path


def read(path: Path) -> pd.DataFrame:
    found = pd.read_csv(path)
    return found.assign(**{name: pd.to_datetime(found[name], format="mixed") for name in ("left", "back")})


def test_they_are_said_and_kept_in_files(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    said = depnet("fit", table, "-o", model, "--penalty", "mdl").stdout.decode()
    assert "back is never before left: kept in drawn rows\n" in said
    depnet("sample", model, "-n", 3_000, "--seed", 1, "-o", tmp_path / "new.csv")
    assert broken(read(tmp_path / "new.csv")) == 0
    depnet(
        "sample",
        model,
        "-n",
        50,
        "--seed",
        1,
        "--given",
        "total > 100 and back > left",
        "-o",
        tmp_path / "given.csv",
    )
    given = read(tmp_path / "given.csv")
    assert broken(given) == 0
    assert (given["total"] > 100).all()
    with_holes(orders_frame()).to_csv(tmp_path / "holes.csv", index=False)
    for method in ("mode", "draw"):
        depnet(
            "impute",
            model,
            tmp_path / "holes.csv",
            "-o",
            tmp_path / f"{method}.csv",
            "--method",
            method,
            "--seed",
            1,
        )
        assert broken(read(tmp_path / f"{method}.csv")) == 0


def test_they_are_given_or_left_alone(table: Path, tmp_path: Path) -> None:
    model, words = tmp_path / "m.json", ["--penalty", "mdl"]
    found = answer("fit", table, "-o", model, *words)["constraints"]
    assert "total = net + tax" in found
    none = answer("fit", table, "-o", model, "--force", *words, "--no-constraints")
    assert none["constraints"] == []
    assert "constraints" not in json.loads(model.read_text())["law"]
    own = answer(
        "fit", table, "-o", model, "--force", *words, "--no-constraints", "--constraint", "girls <= children"
    )
    assert own["constraints"] == ["children >= girls"]
    both = answer("fit", table, "-o", model, "--force", *words, "--constraint", "net > tax")["constraints"]
    assert "net > tax" in both
    assert set(found) <= set(both)


@pytest.mark.parametrize("text", ["net >= nothing", "net >= back", "net = 3", "total = net + kind"])
def test_what_is_none_is_refused_before_anything_is_learned(table: Path, tmp_path: Path, text: str) -> None:
    refused("fit", table, "-o", tmp_path / "m.json", "--constraint", text)
    assert not (tmp_path / "m.json").exists()
