"""A table's file with its empty cells filled: cell by cell as text, by DuckDB where types are to stay."""

import json
from pathlib import Path

import numpy as np
import pytest

from depnet.data import Domain, Variable
from depnet.data.files.fill import Fillings, fill_file, filled_cells
from depnet.data.files.source import Dialect
from depnet.errors import DataError

DOMAIN = Domain((Variable("sex", ("female", "male")), Variable("alive", ("no", "yes"))))
EMPTY = np.array([[False, True], [True, False], [False, False]])
CHUNKS = [
    filled_cells(np.array([0]), np.array([[0, 1]]), EMPTY[:1], DOMAIN),
    filled_cells(np.array([1]), np.array([[1, 0]]), EMPTY[1:2], DOMAIN),
]
FILLINGS = Fillings(DOMAIN.names, 3, CHUNKS)
HOLES = 'note,alive,sex\n"a, b",,female\n 01 ,no,\n,no,female\n'


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "holes.csv").write_text(HOLES)
    return str(tmp_path / "holes.csv")


def test_what_was_there_stays_as_it_was_written(path: str, tmp_path: Path) -> None:
    fill_file(path, FILLINGS, str(tmp_path / "full.csv"))
    full = 'note,alive,sex\n"a, b",yes,female\n 01 ,no,male\n,no,female\n'
    assert (tmp_path / "full.csv").read_text() == full
    with pytest.raises(DataError, match="there is a file of that name already"):
        fill_file(path, FILLINGS, str(tmp_path / "full.csv"))
    fill_file(path, FILLINGS, str(tmp_path / "full.tsv"))
    assert (tmp_path / "full.tsv").read_text().splitlines()[1] == "a, b\tyes\tfemale"


def test_types_stay_in_other_formats(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill_file(path, FILLINGS, str(tmp_path / "full.jsonl"))
    rows = [json.loads(line) for line in (tmp_path / "full.jsonl").read_text().splitlines()]
    assert [(row["alive"], row["sex"]) for row in rows] == [
        ("yes", "female"),
        ("no", "male"),
        ("no", "female"),
    ]
    fill_file(str(tmp_path / "full.jsonl"), FILLINGS, "-")
    assert capsys.readouterr().out.splitlines()[0] == "note,alive,sex"


def test_a_file_is_read_as_it_was_said_to_be_in_other_formats(tmp_path: Path) -> None:
    (tmp_path / "holes.csv").write_text("?;female\nno;?\nno;female\n")
    dialect = Dialect(header=False, delimiter=";", missing_values=("?",))
    fill_file(
        str(tmp_path / "holes.csv"),
        Fillings(("X1", "X0"), 3, CHUNKS),
        str(tmp_path / "full.jsonl"),
        dialect=dialect,
    )
    rows = [json.loads(line) for line in (tmp_path / "full.jsonl").read_text().splitlines()]
    assert [(row["X0"], row["X1"]) for row in rows] == [("yes", "female"), ("no", "male"), ("no", "female")]


def test_a_file_that_has_changed_is_noticed(path: str, tmp_path: Path) -> None:
    fewer = Fillings(DOMAIN.names, 2, CHUNKS)
    with pytest.raises(DataError, match="had 2 rows when it was read, and 3 when it was filled"):
        fill_file(path, fewer, str(tmp_path / "full.csv"))
    assert not (tmp_path / "full.csv").exists()
