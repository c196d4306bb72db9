"""Tables to files and back; whole or not at all, and never over another file unasked."""

import contextlib
import datetime as dt
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from depnet import Dataset, read, titanic, write
from depnet.data import describe, encode
from depnet.data.files import write as writing
from depnet.data.table.open import open_frame
from depnet.errors import DataError, DataFileError, DataFileExistsError, DataFileNotFoundError
from tests.refusals import refuses

ENDINGS = ("csv", "csv.gz", "tsv", "tsv.gz", "parquet", "jsonl", "ndjson.gz")
AT = [dt.datetime(2020, 1, 1, 12, 0, 0, microsecond) for microsecond in (1, 2, 999_999)]
ROWS: list[dict[str, Any]] = [
    {"label": 'a "b", c\nd', "few": 1, "float": 0.1, "flag": True, "day": dt.date(2020, 2, 29), "at": AT[0]},
    {"label": None, "few": 2, "float": 1 / 3, "flag": False, "day": None, "at": AT[1]},
    {"label": "ünï", "few": 1, "float": None, "flag": True, "day": dt.date(1969, 12, 31), "at": AT[2]},
]
FRAMES: dict[str, Any] = {
    "dicts": ROWS,
    "pandas": pd.DataFrame(ROWS).convert_dtypes(),
    "polars": pl.DataFrame(ROWS),
    "pyarrow": pa.Table.from_pylist(ROWS),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", sorted(FRAMES))
def test_what_is_written_is_read_again(tmp_path: Path, ending: str, kind: str) -> None:
    write(FRAMES[kind], tmp_path / f"t.{ending}")
    again = read(tmp_path / f"t.{ending}")
    domain, _ = describe(ROWS)
    assert again.domain == domain
    assert np.array_equal(again.codes, encode(ROWS, domain).codes)
    assert np.array_equal(again.hidden, encode(ROWS, domain).hidden)


@pytest.mark.parametrize("ending", ENDINGS)
def test_tables_of_codes(tmp_path: Path, ending: str) -> None:
    people = titanic()
    write(people, tmp_path / f"t.{ending}")
    again = read(tmp_path / f"t.{ending}")
    assert again.domain == people.domain
    assert np.array_equal(again.codes, people.codes)


def test_binned_tables_are_written_as_values_of_their_bins(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=500)})
    dataset = Dataset.from_frame(frame)
    write(dataset, tmp_path / "t.csv")
    assert np.array_equal(encode(pd.read_csv(tmp_path / "t.csv"), dataset.domain).codes, dataset.codes)


def test_blocks_join_without_a_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(titanic(), tmp_path / "one.csv")
    monkeypatch.setattr("depnet.data.files.write.BLOCK", 100)
    write(titanic(), tmp_path / "many.csv")
    write(pl.read_csv(tmp_path / "one.csv"), tmp_path / "frame.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "many.csv").read_bytes()
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "frame.csv").read_bytes()
    write(ROWS, tmp_path / "a.csv.gz")
    write(ROWS, tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_an_existing_file_is_replaced_on_request_only(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("precious\n")
    path.chmod(0o640)
    with pytest.raises(
        DataFileExistsError, match=r"there is a file of that name already.*force=True"
    ) as caught:
        write(ROWS, path)
    assert isinstance(caught.value, FileExistsError)
    assert path.read_text() == "precious\n"
    write(ROWS, path, force=True)
    assert path.read_text().startswith("label,")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


@contextlib.contextmanager
def small_files(limit: int) -> Iterator[None]:
    """No file may grow past a limit, as on a full disk."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("kind", ["pyarrow", "codes", "pandas"])
def test_no_room_for_parquet(tmp_path: Path, kind: str) -> None:
    noise = np.random.default_rng(0).integers(0, 200, (50_000, 4))
    columns = {f"x{i}": noise[:, i] for i in range(4)}
    table: Any = {
        "pyarrow": pa.table(columns),
        "pandas": pd.DataFrame(columns),
        "codes": Dataset.from_codes(noise, [200] * 4),
    }[kind]
    with small_files(20_000), pytest.raises(DataFileError, match="was not written"):
        write(table, tmp_path / "t.parquet")
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "d.csv").mkdir()
    weighted = Dataset.from_codes([[0]], [2], weights=[3])
    cases: list[tuple[Any, Any, str]] = [
        (ROWS, tmp_path / "d.csv", "this is a directory"),
        (ROWS, tmp_path / "t.txt", "the name does not tell the format"),
        (ROWS, tmp_path / "t.parquet.gz", "compressed inside already"),
        (ROWS, None, "the path is a string"),
        (ROWS, "a\0b.csv", "null"),
        (weighted, tmp_path / "t.csv", "row weights"),
    ]
    for table, path, message in cases:
        refuses(DataError, message, write, table, path)
    refuses(DataFileNotFoundError, "no such directory", write, ROWS, tmp_path / "none" / "t.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["d.csv"]


def test_standard_output() -> None:
    program = "import depnet; depnet.write([{'a': 1}], '-'); depnet.write([{'a': 1}], '-', format='json')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == 'a\n1\n{"a":1}\n'


def test_an_iterator_is_written_as_it_goes_and_numbers_are_drawn(tmp_path: Path) -> None:
    rows = [{"sex": "male", "age": 40.5 + i, "day": f"2020-01-{1 + i % 28:02}"} for i in range(100)]
    domain, _ = describe(rows, bins={"age": 4})
    codes = encode(rows, domain).codes
    table = Dataset.from_codes(codes, domain=domain)
    given: list[int] = []

    def blocks() -> Iterator[Dataset]:
        for start in range(0, 100, 30):
            given.append(start)
            yield Dataset.from_codes(codes[start : start + 30], domain=domain)

    write(blocks(), tmp_path / "a.csv", rng=np.random.default_rng(0))
    assert given == [0, 30, 60, 90]
    drawn = (tmp_path / "a.csv").read_text().splitlines()[1:]
    ages = [float(line.split(",")[1]) for line in drawn]
    assert set(ages) <= {row["age"] for row in rows}
    assert len(set(ages)) > 4, "not the medians"
    again = encode(
        [{"sex": "male", "age": age, "day": row["day"]} for age, row in zip(ages, rows, strict=True)], domain
    )
    assert (again.codes == codes).all(), "each in its bin"
    write(iter([table]), tmp_path / "b.csv")
    write(table, tmp_path / "c.csv")
    assert (tmp_path / "b.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()
    refuses(DataError, "at least one Dataset; got None", write, iter([]), tmp_path / "d.csv")
    assert not (tmp_path / "d.csv").exists()


@pytest.mark.parametrize("few", [1_000, 1])
def test_labels_of_each_chunk_are_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """By places of labels, or as text where they are many: the first chunk decides."""
    monkeypatch.setattr("depnet.data.table.limits.FEW_LABELS", few)
    cells: list[list[str | None]] = [["b", "a", None, "b"], ["c", "b", None, "it's"]]
    parts = [open_frame(pd.DataFrame({"x": each}, dtype=object)) for each in cells]
    chunks = writing.Chunks(["x"], ["label"], [[part.column(0)] for part in parts])
    writing._write_with_engine(chunks, tmp_path / "rows.parquet")
    read = pd.read_parquet(tmp_path / "rows.parquet")["x"]
    assert [None if pd.isna(cell) else cell for cell in read] == [*cells[0], *cells[1]]
