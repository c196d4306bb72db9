"""`depnet impute` a chunk of rows at a time: the same file for any chunk, whole or not at all, counted over all rows."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from depnet.errors import EvidenceError
from depnet.inference import imputation as chunks
from depnet.inference.imputation import impute
from tests.cli.entry import answer, depnet, refused


@pytest.fixture(scope="module")
def holes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 rows of the Titanic, a fifth of the cells hidden, some lines empty, words for missing, one column more."""
    folder = tmp_path_factory.mktemp("holes")
    depnet("example", "titanic", "--hide", "0.2", "--seed", "5", "-o", folder / "all.csv")
    header, *rows = (folder / "all.csv").read_text().splitlines()[:201]
    lines = [f"note,{header}", *(f'"NA, {k}",{row}' for k, row in enumerate(rows))]
    lines[50:50] = ["", ""]
    (folder / "holes.csv").write_text("\n".join(lines) + "\n")
    return folder / "holes.csv"


def content(path: Path) -> Any:
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".parquet":
        import duckdb

        return duckdb.execute(f"SELECT * FROM read_parquet('{path}')").fetchall()
    return path.read_bytes()


@pytest.mark.parametrize("size", [1, 60])
@pytest.mark.parametrize("name", ["full.csv", "full.csv.gz", "full.jsonl", "full.parquet"])
def test_the_file_is_the_same_for_any_chunk(
    model: Path, holes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: int
) -> None:
    whole, parts = tmp_path / f"whole-{name}", tmp_path / name
    expected = answer("impute", model, holes, "-o", whole)
    monkeypatch.setattr(chunks, "MOST_ROWS", size)
    found = answer("impute", model, holes, "-o", parts)
    assert content(parts) == content(whole)
    assert found["rows"] == 200
    assert found["holes"] == sum(found["filled"].values()) > 100
    for document in (expected, found):
        del document["output"], document["seed"]
    assert found == expected


def test_unknown_states_of_several_chunks_are_said_once(
    model: Path, holes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(holes.read_text().replace("1st", "4th"))
    monkeypatch.setattr(chunks, "MOST_ROWS", 20)
    assert "the model has no state '4th'" in refused("impute", model, path)
    done = depnet("impute", model, path, "-o", tmp_path / "full.csv", "--unknown", "missing", "--json")
    (line,) = done.stderr.decode().splitlines()
    cells = path.read_text().count("4th")
    assert f"values that the model does not know: {cells} of 'class', such as '4th'" in line
    assert (tmp_path / "full.csv").read_text().count("4th") == cells, "they are not filled"
    assert json.loads(done.stdout)["filled"]["class"] > 0


def test_an_error_in_a_later_chunk_leaves_no_file(
    model: Path, holes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    whole = impute

    def fails(*given: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise EvidenceError("what a row knows has probability 0 under the law.")
        return whole(*given, **named)

    monkeypatch.setattr(chunks, "MOST_ROWS", 20)
    monkeypatch.setattr(chunks, "impute", fails)
    assert "probability 0" in refused("impute", model, holes, "-o", tmp_path / "full.csv")
    assert not list(tmp_path.iterdir())
