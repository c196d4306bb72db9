"""A disk that is full, and one that is read-only: a clear error, and the old file as it was."""

import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.entry import real, refused
from tests.cli.test_write_window import COMMANDS, OLD

NAMES = ["fit", "update", "sample", "sample, Parquet", "impute", "export"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one page beside the old file."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no file system may be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def refused_over_the_old_file(
    case: str, table: Path, model: Path, folder: Path, *, then: Callable[[], object] = bool, **options: Any
) -> str:
    """The message of a command that may replace a file in `folder` and cannot; `then` is done once the old one is there."""
    name, command = COMMANDS[case]
    output = folder / name
    output.write_bytes(OLD)
    then()
    message = refused(*command(table, model, output), "--force", by=real, **options)
    assert name in message
    assert output.read_bytes() == OLD
    return message


@pytest.mark.parametrize("read_only", [False, True], ids=["full", "read-only"])
@pytest.mark.parametrize("case", NAMES)
def test_on_such_a_disk_the_old_file_is_as_it_was(
    case: str, read_only: bool, table: Path, model: Path, small_disk: Path
) -> None:
    def close() -> None:
        if read_only:
            subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
        else:
            (small_disk / "filler").write_bytes(b"x" * 4096)

    message = refused_over_the_old_file(case, table, model, small_disk, then=close).lower()
    said = ("read-only", "not yours to write") if read_only else ("no space",)
    assert any(part in message for part in said)
    assert {path.name for path in small_disk.iterdir()} <= {COMMANDS[case][0], "filler"}


@pytest.mark.parametrize("case", ["sample", "sample, Parquet", "export"])
def test_past_the_limit_of_a_file_the_old_file_is_as_it_was(
    case: str, table: Path, model: Path, tmp_path: Path
) -> None:
    """The same for those who may not mount: no file may grow past a thousand bytes (nor a copy of a table that is read)."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    message = refused_over_the_old_file(case, table, model, tmp_path, before=limited)
    assert "too large" in message.lower()
    assert {path.name for path in tmp_path.iterdir()} == {COMMANDS[case][0]}
