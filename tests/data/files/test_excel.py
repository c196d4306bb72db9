"""A workbook is read as the CSV file of its first sheet; what is hostile or damaged is refused in words."""

import datetime as dt
import zipfile
from pathlib import Path

import pytest

import depnet
from depnet.data.files import workbook as reader
from depnet.errors import DataError
from tests.refusals import refuses

openpyxl = pytest.importorskip("openpyxl")

HEAD: list[object] = ["sex", "age", "on", "ok"]
ROWS: list[list[object]] = [
    ["f", 31, dt.datetime(2024, 5, 1), True],
    ["m", 40.5, dt.datetime(2024, 5, 2), False],
    ["f", None, dt.datetime(2024, 5, 3), True],
    ["a,b", "#N/A", dt.datetime(2024, 5, 4), False],
]


def workbook(path: Path, rows: list[list[object]]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    book.create_sheet("other").append(["not", "this"])
    book.save(path)
    return path


def test_the_first_sheet_is_read_as_a_csv_file_is(tmp_path: Path) -> None:
    # a title line that is empty, a column to the right without a name, a line without values
    sheet: list[list[object]] = [[], HEAD, *[[*row, None, None] for row in ROWS[:2]], [None] * 4, *ROWS[2:]]
    found = depnet.read(workbook(tmp_path / "t.xlsx", sheet))
    text = "sex,age,on,ok\nf,31,2024-05-01,true\nm,40.5,2024-05-02,false\nf,,2024-05-03,true\n"
    text += '"a,b",,2024-05-04,false\n'
    (tmp_path / "t.csv").write_text(text)
    same = depnet.read(tmp_path / "t.csv")
    assert found.domain == same.domain
    assert (found.codes == same.codes).all()


def test_a_stream_and_a_wrong_name_are_read_by_their_content(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.csv", [HEAD, *ROWS])
    with path.open("rb") as stream:
        assert depnet.read(stream).domain == depnet.read(path).domain


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "t.xlsx", [HEAD, *ROWS])
    monkeypatch.setattr(reader, "MOST_CELLS", 10)
    refuses(DataError, "more than 10 cells", depnet.read, path)
    monkeypatch.setattr(reader, "MOST_BYTES", 10)
    refuses(DataError, "bytes when it is unpacked; 10 at most", depnet.read, path)


def test_a_damaged_workbook_is_refused_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook")
    refuses(DataError, r"t\.xlsx: this workbook cannot be read \(", depnet.read, path)


def test_a_table_with_too_many_cells_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 100)
    with pytest.raises(DataError, match="100 rows of 2 columns, 200 cells; 199 at most"):
        depnet.read(tmp_path / "t.csv", max_cells=199)
    assert depnet.read(tmp_path / "t.csv", max_cells=200, keep="all").rows == 100
