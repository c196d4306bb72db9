"""Files that are no table, or a broken one: each gets an error that says where, what, and what to do."""

import codecs
import contextlib
import gzip
import io
import os
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import depnet
from depnet import Dataset, read
from depnet.errors import DataError, DataFileError, DataFileNotFoundError, LeftOutWarning
from tests.refusals import refuses


def refuse(path: object, message: str, **options: object) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(path, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value), "an error is one line"


def csv(directory: Path, content: bytes | str, name: str = "t.csv") -> Path:
    path = directory / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,x\n2\n3,z\n", r"t\.csv, line 3 has 1 field; expected 2.*comma.*Complete the line"),
        ("a,b\n1,x\n2,y,z\n", r"line 3 has 3 fields; expected 2.*begins with '2,y,z'.*in quotes"),
        ('a,b\n1,"two\nlines"\n2\n', r"line 4 has 1 field"),
        ('a,b\n1,"x\n2,y\n', r"line 2: a quote \(\"\) opens here and never closes"),
        ('a,b\n1,"x"y\n', r"line 2: .*"),
        ("a,a\n1,2\n", r"columns 1 and 2 are both named 'a'.*Rename one"),
        (",a\n0,2\n", r"column 1 of 2 has no name.*index=False.*header=False"),
        ("a, \n0,2\n", r"column 2 of 2 has no name"),
        ("", r"the file is empty"),
        ("\n\n", r"the file is empty"),
        ("a,b\n", r"no rows"),
        ("a,b", r"no rows"),
        ('b\nNA\n""\n', r"no column is left to learn from\. Left out: 'b' \(no value\)\.$"),
        ("a,b\n1,c\0d\n", r"column 'b', row 0: 'c\\x00d' holds a NUL byte"),
        (
            "a\n1e999\n2.5\n" + "\n".join(map(str, range(40))),
            r"column 'a' is numbers, but row 0 \(line 2\) has '1e999'",
        ),
        ("a,b\0c\n1,2\n3,4\n", r"column 2, 'b\\x00c', has a NUL"),
        ('{"a": 1}\n{"a":\n', r"line 2 is not JSON"),
        ('{"a": 1}\n[1]\n', r"line 2: expected an object"),
        ('{"a": 1, "a": 2}\n', r"line 1: the field 'a' occurs twice"),
        ('{"a": {"b": 1}}\n', r"column 'a': a column holds text.*got STRUCT.*leave it out"),
        ('{"a": [1, 2]}\n', r"column 'a': a column holds text"),
        ('{"a": 1}\n{"A": 2}\n', "fields 'a' and 'A' differ in upper and lower case"),
        ('{"a\\u0000": 1}\n{"a\\u0000": 2}\n', "NUL"),
    ],
)
def test_a_broken_file(tmp_path: Path, content: str, message: str) -> None:
    refuse(csv(tmp_path, content, "t.jsonl" if content.startswith("{") else "t.csv"), message)


def test_numbers_with_a_few_texts(tmp_path: Path) -> None:
    cells = [str(i) for i in range(50)]
    cells[7] = '"a\nb"'  # a line break, so that rows and lines differ
    cells[30] = "oops"
    path = csv(tmp_path, "x\n" + "\n".join(cells) + "\n")
    refuse(
        path,
        r"column 'x' is numbers, but row 7 \(line 9\) has 'a\\nb'; 1 more cell like it.*missing_values.*text=",
    )
    refuse(path, r"row 30 \(line 33\) has 'oops'\. If", missing_values=["a\nb"])
    assert read(path, text=["x"]).domain.variables[0].cardinality == 50
    holed = read(path, missing_values=["a\nb", "oops"], keep=["x"])
    assert holed.domain.variables[0].bins is not None


def test_labels_that_are_numbers_in_part_are_labels(tmp_path: Path) -> None:
    path = csv(tmp_path, "children\n" + "0\n1\n2\n" * 20 + "3+\n")
    assert read(path).domain.variables[0].states == ("0", "1", "2", "3+")
    path = csv(tmp_path, "ticket\n" + "\n".join(f"{i}" if i % 3 else f"A{i}" for i in range(60)))
    assert read(path, keep=["ticket"]).domain.cardinalities == (60,)


def test_unnamed_or_double_columns_do_no_harm_where_others_are_read(tmp_path: Path) -> None:
    assert read(csv(tmp_path, ",a,b,b\n0,1,2,3\n"), columns=["a"]).domain.names == ("a",)


def test_names_that_differ_in_case_only(tmp_path: Path) -> None:
    path = csv(tmp_path, "a,A\n1,2\n3,4\n")
    assert read(path).domain.variables[1].states == (2, 4)
    refuse(path, "differs from another in upper and lower case only", where="a = 1")
    pd.DataFrame({"a": [1, 3], "A": [2, 4]}).to_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").domain.names == ("a", "A")
    assert read(tmp_path / "t.parquet").domain.variables[1].states == (2, 4)


def test_other_encodings(tmp_path: Path) -> None:
    text = "navn,by\nPål,Tromsø\nÅse,Bodø\n"
    path = csv(tmp_path, text.encode("latin-1"))
    refuse(path, r"line 2, character 2: the byte 0xE5 is not utf-8 text.*encoding=\"latin-1\"")
    assert read(path, encoding="latin-1").domain.variables[1].states == ("Bodø", "Tromsø")
    path = csv(tmp_path, text.encode("utf-16"))
    refuse(path, 'this text is UTF-16. Read it with `encoding="utf-16"`')
    assert read(path, encoding="utf-16").domain.names == ("navn", "by")
    refuse(path, "there is no encoding 'klingon'", encoding="klingon")
    many = "a,b\n" + "x,y\n" * 400_000
    path = csv(tmp_path, many.encode() + b"x,\xff\n")  # beyond the first chunks
    refuse(path, r"line 400,002, character 3: the byte 0xFF")
    refuse(csv(tmp_path, "størrelse,b\n1,2\n".encode("cp1252")), "line 1, character 3: the byte 0xF8")


@pytest.mark.parametrize(
    "content",
    [
        *(ends.join([b"a,b", b"1,x", b"2,y", b""]) for ends in (b"\n", b"\r\n", b"\r")),
        b"a,b\r\n1,x\n2,y\r\n",
        b"\n\na,b\n1,x\n\n2,y\n\n",
        codecs.BOM_UTF8 + b"a,b\n1,x\n2,y",
    ],
)
def test_line_ends_empty_lines_and_a_mark(tmp_path: Path, content: bytes) -> None:
    table = read(csv(tmp_path, content))
    assert table.domain.names == ("a", "b")
    assert table.domain.variables[1].states == ("x", "y")
    assert table.rows == 2


def test_quotes_delimiters_and_line_breaks_in_fields(tmp_path: Path) -> None:
    table = read(csv(tmp_path, 'a,b\n1,"x, ""y"""\n2,"line\nbreak"\n3,""\n'))
    assert table.domain.variables[1].states == ("line\nbreak", 'x, "y"')
    assert table.hidden[:, 1].tolist() == [False, False, True]


@pytest.mark.parametrize("columns", [1_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_very_many_columns(tmp_path: Path, columns: int) -> None:
    cells = np.random.default_rng(0).integers(0, 3, (20, columns))
    lines = [",".join(f"v{i}" for i in range(columns)), *(",".join(map(str, row)) for row in cells.tolist())]
    table = read(csv(tmp_path, "\n".join(lines)))
    assert np.array_equal(table.codes, Dataset.from_frame(cells).codes)


def test_one_row_and_a_column_without_a_value(tmp_path: Path) -> None:
    assert read(csv(tmp_path, "a,b,c\n1,x,0.5\n")).codes.tolist() == [[0, 0, 0]]
    path = csv(tmp_path, "a,b\n1,\n2,\n")
    assert read(path, missing="state").domain.variables[1].states == ("(missing)",)


def test_columns_of_no_type(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({"x": [None, None], "y": [1, 2]}).to_parquet(path)
    refuse(path, "column 'x' has no value in its 2 rows", keep=["x"])
    with pytest.warns(LeftOutWarning, match=r"from it: 'x' \(no value\)\.$"):
        assert read(path).domain.names == ("y",)
    assert read(path, missing="state").domain.variables[0].states == ("(missing)",)


def test_directories_models_and_other_things(tmp_path: Path) -> None:
    refuse(tmp_path, "this is a directory. Name a file in it")
    for name in ("m.json", "m.csv", "m.json.gz"):
        depnet.save(depnet.Network.from_joint([[0.4, 0.1], [0.2, 0.3]]), tmp_path / name)
        refuse(tmp_path / name, r"this is a depnet model, not a table. Use depnet.load")
    refuse(csv(tmp_path, b"PK\x03\x04...", "t.xlsx"), "zip archive. Unpack it")
    refuse(csv(tmp_path, b"ARROW1..", "t.feather"), "Arrow")
    refuse(None, "a path, a file object or '-'; got None")
    refuse("nul\0byte", "null")
    refuse(csv(tmp_path, "a\n1\n"), "the format is one of csv, tsv, parquet, json", format="xls")
    os.mkfifo(tmp_path / "pipe")
    refuse(tmp_path / "pipe", "this is not a file. Give a stream")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataFileNotFoundError, match="there is no such file") as caught:
        read(tmp_path / "none.csv")
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value, DataError)


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = csv(tmp_path, "a\n1\n")

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", forbidden)
    refuses(DataFileError, r"cannot be read \(Permission denied\)", read, path)


def test_truncated_and_damaged_gzip(tmp_path: Path) -> None:
    rows = "a,b\n" + "".join(f"{i},x{i * 7919 % 9973}\n" for i in range(60_000))
    whole = gzip.compress(rows.encode())
    for part in (whole[: len(whole) // 2], whole[:-8], whole[:200]):
        refuse(csv(tmp_path, part, "t.csv.gz"), "ends too early: it is not complete. Get it again")
    broken = bytearray(whole)
    broken[len(whole) // 2 : len(whole) // 2 + 40] = bytes(40)
    refuse(csv(tmp_path, bytes(broken), "t.csv.gz"), "compressed file is damaged|ends too early")


def test_truncated_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": range(1000)}).to_parquet(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refuse(path, "not the whole of one: its end is missing")
    path.write_bytes(gzip.compress(whole))
    refuse(path, "compressed inside already")
    broken = bytearray(whole)
    broken[4:60] = os.urandom(56)
    path.write_bytes(broken)
    refuse(path, "cannot be read")


def test_json_of_mixed_types_is_text(tmp_path: Path) -> None:
    table = read(csv(tmp_path, '{"a": 1}\n{"a": "x"}\n{"a": true}\n{"b": 1}\n', "t.jsonl"), columns=["a"])
    assert table.domain.variables[0].states == ("1", "true", "x")


def test_a_column_of_identifiers_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({"id": [f"user {i}" for i in range(30_000)], "x": 1}).to_parquet(path)
    with pytest.warns(
        LeftOutWarning, match=r"'id' \(30,000 different values in 30,000 rows\).*`kinds={'id': 'category'}`"
    ):
        assert read(path).domain.names == ("x",)
    assert read(path, keep=["id"], max_states=50).domain.cardinalities == (50, 1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.5, np.inf], "column 'x', row 1: inf has no place in a quantile bin"),
        ([b"1", b"2"], "column 'x': a column holds text, booleans, numbers, dates.*got BLOB"),
    ],
)
def test_values_that_no_column_has(tmp_path: Path, values: list[object], message: str) -> None:
    pd.DataFrame({"x": values}).to_parquet(tmp_path / "t.parquet")
    refuse(tmp_path / "t.parquet", message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": "lots"}, "memory is a size of at least 100 MB"),
        ({"memory": 5}, "memory is a size"),
        ({"missing": "drop"}, 'missing is "keep", "state" or "error"'),
        ({"bins": {"z": 3}}, "there is no column 'z'"),
        ({"max_bins": 0}, "max_bins is a whole number"),
        ({"delimiter": ",,"}, "the delimiter is one character"),
        ({"columns": []}, "columns is empty"),
        ({"columns": ["a"], "without": ["b"]}, "give one of them"),
        ({"without": "a"}, "without is a list of names"),
        ({"without": ["z"]}, "has no column 'z'"),
        ({"where": " "}, "where is a condition"),
        ({"missing_values": [3]}, "missing_values are texts"),
        ({"text": ["z"]}, "has no column 'z'"),
    ],
)
def test_options_that_mean_nothing(tmp_path: Path, options: dict[str, object], message: str) -> None:
    refuse(csv(tmp_path, "a,b\n1,2\n"), message, **options)


def test_nothing_is_left_in_the_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    read(io.StringIO("a\n1\n"))
    refuse(csv(tmp_path, "a,b\n1\n"), "line 2")
    assert list(scratch.iterdir()) == []


def test_other_delimiters_in_a_name_are_not_between_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for text in ("a (x;y;z),b\n1,2\n3,4\n", "a|b|c,d\n1,2\n3,4\n", "a;b;c;d,e\n1;5,2\n3;5,4\n"):
        path.write_text(text)
        assert len(read(path).domain) == 2
    path.write_text("a,b;c\n1,5;2\n3,5;4\n")
    assert read(path).domain.names == ("a", "b;c")
    path.write_text('"a,b,c";d\n1,5;2\n3,5;4\n')
    assert read(path).domain.names == ("a,b,c", "d")


def test_what_the_engine_says_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n" + "x" * 140_000 + ',"' + "y" * 140_000 + '"z\n')
    with pytest.raises(DataError) as caught:
        read(path)
    assert len(str(caught.value)) < 1000
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a" * 5000: [1, 2]}).write_parquet(path)
    with pytest.raises(DataError) as caught:
        read(path, where="nothing = 1")
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "text",
    ["9" * 5000, "-" + "9" * 5000, "1e" + "9" * 400, "0." + "9" * 5000],
    ids=["whole", "less", "power", "part"],
)
def test_numbers_of_thousands_of_digits(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"a,b\n{text},1\n2,3\n4,5\n")
    with contextlib.suppress(DataError):
        read(path)


@pytest.mark.parametrize("before", ['{"a": ', ""])
def test_json_that_is_nested_very_deep(tmp_path: Path, before: str) -> None:
    with pytest.raises(DataError):
        read(csv(tmp_path, before + "[" * 5000 + "]" * 5000 + ("}\n" if before else ""), "t.jsonl"))
