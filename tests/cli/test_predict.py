"""`depnet predict`: a column of new rows, learned on the spot or asked of a model."""

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.cli.entry import answer, depnet, refused


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A number and a class that a third column tells; the last 40 rows lack both."""
    place = tmp_path_factory.mktemp("predict")
    rng = np.random.default_rng(2)
    size = rng.integers(1, 100, 440)
    price = size * 10 + rng.normal(0, 8, 440)
    rows = [f"{s},{'large' if s > 50 else 'small'},${p:.2f}" for s, p in zip(size, price, strict=True)]
    (place / "all.csv").write_text("\n".join(["size,kind,price", *rows]), encoding="utf-8")
    (place / "train.csv").write_text("\n".join(["size,kind,price", *rows[:400]]), encoding="utf-8")
    holed = [f"{s},," for s in size[400:]]
    (place / "holed.csv").write_text("\n".join(["size,kind,price", *rows[:400], *holed]), encoding="utf-8")
    (place / "new.csv").write_text("\n".join(["size", *map(str, size[400:])]), encoding="utf-8")
    depnet("fit", place / "train.csv", "-o", place / "model.json")
    return place


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("source", ["train.csv", "model.json"])
def test_numbers_have_their_ends_and_classes_their_shares(folder: Path, source: str, tmp_path: Path) -> None:
    truth = table(folder / "all.csv")[400:]
    numbers, classes = tmp_path / "numbers.csv", tmp_path / "classes.csv"
    said = answer("predict", folder / source, "price", "--rows", folder / "new.csv", "-o", numbers)
    assert (said["rows"], said["columns"]) == (40, ["price", "low", "high"])
    depnet("predict", folder / source, "kind", "--rows", folder / "new.csv", "-o", classes)
    prices = np.array([float(row["price"][1:]) for row in truth])
    found, low, high = np.array(
        [[float(row[c]) for c in ("price", "low", "high")] for row in table(numbers)]
    ).T
    assert np.abs(found - prices).mean() < 40  # of numbers up to 1,000, whose mean is off by 250
    assert ((low <= prices) & (prices <= high)).mean() > 0.6
    assert [row["row"] for row in table(numbers)] == [str(k) for k in range(1, 41)]
    for row, true in zip(table(classes), truth, strict=True):
        assert float(row["kind=large"]) + float(row["kind=small"]) == pytest.approx(1, abs=1e-4)
        assert abs(int(true["size"]) - 50) < 5 or row["kind"] == true["kind"]


def test_without_rows_the_table_s_own_holes_are_predicted(folder: Path, tmp_path: Path) -> None:
    depnet("predict", folder / "holed.csv", "price", "-o", tmp_path / "out.csv")
    found = table(tmp_path / "out.csv")
    assert [int(row["row"]) for row in found] == list(range(401, 441))
    sizes = [int(row["size"]) for row in table(folder / "all.csv")[400:]]
    assert np.corrcoef([float(row["price"]) for row in found], sizes)[0, 1] > 0.95


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train.csv", "prise", "--rows", "new.csv"], "Did you mean 'price'"),
        (["model.json", "prise", "--rows", "new.csv"], "Did you mean 'price'"),
        (["train.csv", "price"], "has a value in every row"),
        (["model.json", "price"], "name the rows to predict with --rows"),
        (["train.csv", "price", "--rows", "new.csv", "-o", "new.csv", "--force"], "would be lost"),
    ],
)
def test_what_cannot_be_predicted(folder: Path, words: list[str], said: str) -> None:
    assert said in refused("predict", *words, cwd=folder, code=2 if "name the rows" in said else 1)
