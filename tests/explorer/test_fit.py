"""A dropped table, read and learned, without a browser."""

from pathlib import Path

import pandas as pd
import pytest

import depnet
from depnet.errors import DataError, DepnetError
from depnet.explorer.fit import learn_model, model_file, read_table, some_columns
from depnet.explorer.rows import StoppedError
from depnet.fitting.fit import FitOptions, fit_law
from depnet.model.file import load_model


def test_a_dropped_table_is_learned_as_the_command_learns_it(tmp_path: Path) -> None:
    buffer = "\n".join(
        ["class,sex,age,survived,id"]
        + [
            ",".join(
                [*(str(v.states[row[i]]) for i, v in enumerate(depnet.titanic().domain.variables)), f"n{at}"]
            )
            for at, row in enumerate(depnet.titanic().codes.tolist())
        ]
    )
    table = read_table("people.csv", buffer.encode(), "utf-8")
    assert table.unlikely == ("id",)
    told: list[tuple[int, int]] = []
    loaded = learn_model(
        table, ["sex", "class", "survived"], "mdl", lambda *now: told.append(now), lambda: False
    )
    assert told[0] == (0, 6)  # the nodes of both
    assert told[-1] == (6, 6)
    assert loaded.network.domain.names == ("class", "sex", "survived")
    assert loaded.name == "people"
    expected = depnet.learn(some_columns(table.rows, ["class", "sex", "survived"]).dataset(), smoothing=0.5)
    assert loaded.network.nodes == expected.nodes
    law = fit_law(some_columns(table.rows, ["class", "sex", "survived"]).dataset(), FitOptions(penalty="mdl"))
    assert loaded.law is not None
    assert loaded.law.nodes == law.nodes
    (tmp_path / "model.json").write_bytes(model_file(loaded))
    both = load_model(tmp_path / "model.json")
    assert (both.network, both.law) == (loaded.network, loaded.law)
    with pytest.raises(StoppedError):
        learn_model(table, ["sex", "class"], "mdl", lambda *now: None, lambda: True)


@pytest.mark.parametrize(
    ("content", "encoding", "says"),
    [
        (b"a,b\n1,2\n1,2,3\n", "utf-8", "line 3 has 3 fields; expected 2"),
        (b"", "utf-8", "the file is empty"),
        ("a,b\ncaf\xe9,1\n".encode("latin-1"), "utf-8", "under Text encoding above"),
        (b"a\n1\n2\n", "utf-8", "one column"),
        (b"\x1f\x8b\x08", "utf-8", "packed"),
        (b"a,a\n1,2\n", "utf-8", "both named 'a'"),
    ],
)
def test_a_bad_table_has_one_clear_line(content: bytes, encoding: str, says: str) -> None:
    with pytest.raises(DepnetError) as error:
        read_table("people.csv", content, encoding)
    text = str(error.value)
    assert says in text
    assert "\n" not in text
    assert "=" not in text  # no argument of the library's, which the page does not have


def test_another_encoding_can_be_said() -> None:
    table = read_table("people.csv", "a,b\ncaf\xe9,1\nx,2\n".encode("latin-1"), "latin-1")
    assert "caf\xe9" in table.rows.domain.variables[0].states


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.jsonl", b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b', "b": 1}\n'),
        ("t.jsonl", b'{"a": 1, "b": 2, "c": ' + b"9" * 5000 + b"}\n"),
        ("t.csv", b"a,b\n" + b"9" * 5000 + b",1\n2,3\n"),
    ],
    ids=["nested", "digits", "cell"],
)
def test_what_python_itself_refuses_is_one_line_or_read(name: str, content: bytes) -> None:
    said = ""
    try:
        assert read_table(name, content, "utf-8").rows.rows
    except DataError as error:
        said = str(error)
    assert len(said) < 1000
    assert "\n" not in said


def test_reading_tells_how_far_it_is() -> None:
    told: list[tuple[int, int]] = []
    rows = "".join(f"{i % 3},{i % 2}\n" for i in range(2000)).encode()
    read_table("t.csv", b"a,b\n" + rows, "utf-8", lambda done, steps: told.append((done, steps)))
    assert told
    assert told[-1][0] == told[-1][1]


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "jsonl"])
def test_any_file_is_read_and_the_same_columns_are_left_out(tmp_path: Path, ending: str) -> None:
    rows = [{"id": f"p{k:04}", "sex": "fm"[k % 2], "age": 20 + k % 50} for k in range(200)]
    frame = pd.DataFrame(rows)
    path = tmp_path / f"people.{ending}"
    if ending == "xlsx":
        frame.to_excel(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        depnet.write(frame, path)
    found = read_table(path.name, path.read_bytes(), "utf-8")
    assert found.rows.rows == 200
    assert found.unlikely == ("id",)
