"""Killed in the very moments of a write, and errors of the disk there: the old file or the new one, for every command."""

import errno
import itertools
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from depnet.files import new_file
from tests.cli.entry import COMMAND, refused

OLD, NEW = b"the old file", b"the new file"
MOMENTS = [
    *itertools.product(["fsync"], [0, 1], ["before", "after"]),
    *itertools.product(["replace", "hardlink_to", "unlink"], [0], ["before", "after"]),
]
ROUNDS = 200 // len(MOMENTS) + 1

Words = Callable[[Path, Path, Path], list[object]]
COMMANDS: dict[str, tuple[str, Words]] = {
    "fit": ("m.json", lambda table, model, out: ["fit", table, "--penalty", "mdl", "-o", out]),
    "update": ("m.json", lambda table, model, out: ["update", model, table, "-o", out]),
    "sample": ("rows.csv", lambda table, model, out: ["sample", model, "-n", 50_000, "-o", out]),
    "sample, Parquet": ("rows.parquet", lambda table, model, out: ["sample", model, "-n", 50_000, "-o", out]),
    "impute": ("rows.csv", lambda table, model, out: ["impute", model, table, "-o", out]),
    "score": ("rows.csv", lambda table, model, out: ["score", model, table, "-o", out]),
    "query": ("rows.csv", lambda table, model, out: ["query", model, "survived", "--each", table, "-o", out]),
    "export": ("graph.svg", lambda table, model, out: ["export", model, "-o", out]),
    "report": ("report.html", lambda table, model, out: ["export", model, "-o", out]),
    "example": ("people.csv", lambda table, model, out: ["example", "-o", out]),
}


def armed(site: str, number: int, when: str) -> None:
    """From now on this process kills itself before or after the call `number` (from 0) of `site`."""
    owner: Any = os if site == "fsync" else Path
    call, calls = getattr(owner, site), iter(range(10**9))

    def killing(*given: Any, **named: Any) -> Any:
        own = next(calls) == number
        if own and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = call(*given, **named)
        if own:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, site, killing)


def killed_in_a_fork(site: str, number: int, when: str, path: Path, *, force: bool) -> bool:
    """Write the new file in a process of its own that kills itself in this moment; was it killed?"""
    child = os.fork()
    if child == 0:
        try:
            armed(site, number, when)
            with new_file(str(path), force=force) as place:
                place.write_bytes(NEW)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("rounds", [1, pytest.param(ROUNDS, marks=pytest.mark.long)])
@pytest.mark.parametrize("force", [True, False], ids=["replaced", "new"])
def test_killed_in_every_moment_of_a_write(rounds: int, force: bool, tmp_path: Path) -> None:
    path = tmp_path / "file"
    killed = 0
    for site, number, when in MOMENTS * rounds:
        path.unlink(missing_ok=True)
        if force:
            path.write_bytes(OLD)
        killed += killed_in_a_fork(site, number, when, path, force=force)
        found = path.read_bytes() if path.exists() else None
        assert found in (NEW, OLD if force else None), (site, number, when)
        for other in tmp_path.iterdir():
            if other != path:
                assert other.name.startswith(".depnet-")
                other.unlink()
    # Of rename and link only one is called, and after a rename nothing is left to be removed.
    assert killed == (len(MOMENTS) - (3 if force else 2)) * rounds


@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EROFS, errno.EIO], ids=["full", "read-only", "broken"]
)
@pytest.mark.parametrize("case", COMMANDS)
def test_a_disk_that_fails_at_the_end_of_a_write(
    case: str, number: int, table: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For those who may not mount: the error comes with the file's fsync, or with the rename where a file has its name."""
    name, words = COMMANDS[case]
    output = tmp_path / name
    output.write_bytes(OLD)

    def fails(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    if number == errno.EROFS:
        monkeypatch.setattr(Path, "replace", fails)
    else:
        monkeypatch.setattr(os, "fsync", fails)
    said = refused(*words(table, model, output), "--force")
    assert os.strerror(number) in said
    assert name in said
    assert output.read_bytes() == OLD
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_next_command_removes_the_folder_of_a_killed_one(table: Path, tmp_path: Path) -> None:
    """Killed for real, while rows of standard input have a folder."""
    place, model = tmp_path / "tmp", tmp_path / "model.json"
    place.mkdir()
    at = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen(
        [COMMAND, "fit", "-", "-o", str(model)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=at
    ) as running:
        assert running.stdin is not None
        running.stdin.write(b"a,b\n" + b"1,2\n" * 500_000)  # and no end
        running.stdin.flush()
        ends = time.monotonic() + 60
        while not list(place.glob("depnet-*/stream")):
            assert running.poll() is None
            assert time.monotonic() < ends, "there is no such folder"
            time.sleep(0.02)
        running.kill()
    assert list(place.glob("depnet-scratch-*"))
    following = [COMMAND, "fit", "-", "--penalty", "mdl", "-o", str(model)]
    subprocess.run(following, env=at, input=table.read_bytes(), capture_output=True, check=True)
    assert not list(place.glob("depnet-*"))
