"""What is no file is refused with a line, and nothing waits for ever: pipes, devices, links in a circle."""

import gzip
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from depnet import files
from tests.cli.entry import COMMAND, depnet, real, refused


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["show", "PIPE"],
        ["query", "PIPE", "x"],
        ["sample", "PIPE"],
        ["fit", "PIPE", "-o", "OUT"],
        ["score", "MODEL", "PIPE"],
        ["compare", "MODEL", "PIPE"],
        ["update", "PIPE", "TABLE", "-o", "OUT"],
        ["explore", "PIPE", "--no-open"],
        ["show", "/dev/zero"],
        ["fit", "/dev/zero", "-o", "OUT"],
    ],
    ids=" ".join,
)
def test_a_pipe_or_device_as_input_is_refused(
    words: list[str], pipe: Path, model: Path, table: Path, tmp_path: Path
) -> None:
    if words[0] == "explore":
        pytest.importorskip("nicegui")  # without the extra, that is what the command says
    at = {"PIPE": pipe, "MODEL": model, "TABLE": table, "OUT": tmp_path / "out.json"}
    said = refused(*(at.get(word, word) for word in words))
    assert "this is a pipe" in said or "this is a device" in said or "this is not a file" in said


def test_a_pipe_that_nobody_reads_is_no_output(
    pipe: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    assert "nobody reads this pipe" in refused("sample", model, "-o", pipe)


def test_standard_input_that_never_ends(tmp_path: Path) -> None:
    with Path("/dev/zero").open("rb") as zeros:
        done = subprocess.run(
            [COMMAND, "fit", "-", "-o", tmp_path / "o.json"],
            stdin=zeros,
            capture_output=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 1
    assert b"this is a device" in done.stderr


@pytest.mark.parametrize("command", ["sample", "update"])
def test_a_link_in_a_circle(command: str, model: Path, table: Path, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    words = ["sample", model] if command == "sample" else ["update", model, table]
    assert "symbolic links" in refused(*words, "-o", tmp_path / "a")
    assert "symbolic links" in refused("show", tmp_path / "a")
    assert "symbolic links" in refused("fit", tmp_path / "a", "-o", tmp_path / "c.json")


def test_an_endless_line_of_a_table(tmp_path: Path) -> None:
    long = tmp_path / "long.csv.gz"
    with gzip.open(long, "wb", compresslevel=1) as file:
        file.write(b'a,b\n1,2\n3,"' + b"x" * 20_000_000 + b'"\n')
    assert "longer than 16,777,216 characters" in refused("fit", long, "-o", tmp_path / "o.json")
    assert not (tmp_path / "o.json").exists()


def closed(*numbers: int) -> Callable[[], None]:
    """What closes standard streams in a process before the command begins."""

    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


def test_streams_that_are_closed_at_the_start(model: Path, table: Path, tmp_path: Path) -> None:
    for words in (["query", model, "survived"], ["sample", model, "--seed", 1]):
        assert "standard output: Bad file descriptor" in refused(*words, by=real, before=closed(1))
    assert real("show", model, "--json", before=closed(2)).stdout
    done = real("example", "-o", tmp_path / "a.csv", before=closed(1))
    assert done.stderr == b"", "nothing was to be said there"
    assert (tmp_path / "a.csv").read_text() == table.read_text().replace("\r\n", "\n")
    words = ["fit", table, "-o", tmp_path / "m.json", "--penalty", "mdl"]
    assert "standard output: Bad file descriptor" in refused(*words, by=real, before=closed(1))
    assert b"learned from" in depnet("show", tmp_path / "m.json").stdout, "the model is written, and not lost"
    assert "the file is empty" in refused("fit", "-", "-o", tmp_path / "n.json", by=real, before=closed(0))
    real("example", "-o", tmp_path / "b.csv", before=closed(0, 1))
    assert (tmp_path / "b.csv").read_bytes() == (tmp_path / "a.csv").read_bytes()
