"""A file is written whole or not at all: by tables, models and commands alike (which have tests of their own)."""

import os
import threading
from pathlib import Path

import pytest

from depnet.files import new_file


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with new_file(str(pipe)) as place:
        place.write_text("rows")
    reader.join()
    assert read == ["rows"]
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_long_ending_leaves_room_for_the_new_file(tmp_path: Path) -> None:
    name = "x." + "y" * 250
    with new_file(str(tmp_path / name)) as place:
        place.write_text("rows")
    assert (tmp_path / name).read_text() == "rows"


def test_names_that_no_file_can_have() -> None:
    for name, error in (("a\0b", OSError), ("", IsADirectoryError), ("no/such/", IsADirectoryError)):
        with pytest.raises(error), new_file(name):
            raise AssertionError
