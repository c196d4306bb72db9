"""A file is written whole or not at all: by tables, models and commands alike (which have tests of their own)."""

import errno
import os
import shutil
import signal
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from depnet import files
from depnet.files import new_file, stamp_of


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


@pytest.mark.parametrize("fails", [True, False])
def test_a_file_is_whole_or_not_there_and_one_that_appears_meanwhile_is_kept(
    fails: bool, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"

    def interrupted() -> None:
        with new_file(str(path)) as place:
            place.write_text("ours")
            if fails:
                raise RuntimeError
            path.write_text("theirs")

    with pytest.raises(RuntimeError if fails else FileExistsError):
        interrupted()
    assert [p.read_text() for p in tmp_path.iterdir()] == ([] if fails else ["theirs"])


def test_a_long_ending_leaves_room_for_the_new_file(tmp_path: Path) -> None:
    name = "x." + "y" * 250
    with new_file(str(tmp_path / name)) as place:
        place.write_text("rows")
    assert (tmp_path / name).read_text() == "rows"


def test_of_many_that_read_change_and_write_one_file_none_is_lost_unsaid(tmp_path: Path) -> None:
    path = tmp_path / "number"
    path.write_text("0")
    all_have_read = threading.Barrier(10)

    def one_more(first: bool) -> bool:
        since, number = stamp_of(str(path)), int(path.read_text())
        if first:
            all_have_read.wait()
        try:
            with new_file(str(path), force=True, since=since) as place:
                place.write_text(str(number + 1))
        except OSError as error:
            if error.errno != errno.ESTALE:
                raise
            return False
        return True

    with ThreadPoolExecutor(10) as pool:
        assert sum(pool.map(one_more, [True] * 10)) == 1, "the others say that they were too late"
    assert path.read_text() == "1"
    assert one_more(False)
    assert path.read_text() == "2"
    assert [p.name for p in tmp_path.iterdir()] == ["number"]


def test_a_scratch_folder_that_nobody_holds_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / f"{files.SCRATCH}killed").mkdir()
    (tmp_path / f"{files.SCRATCH}killed" / "rows").write_text("rows")
    (tmp_path / "depnet-scratches").mkdir()
    (tmp_path / f"{files.SCRATCH}link").symlink_to(tmp_path / "depnet-scratches")
    with files.scratch_folder() as held:
        assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
            ["depnet-scratches", f"{files.SCRATCH}link", held.name]
        )
        with files.scratch_folder() as other:
            assert held.exists(), "it is locked"
            assert other != held
    assert not held.exists()
    assert not other.exists()


@pytest.mark.parametrize("moment", ["made", "used", "removed"])
def test_a_scratch_folder_of_a_killed_process_is_removed_by_the_next(moment: str, tmp_path: Path) -> None:
    """Killed before it is locked, with rows in it, and before they are removed: they are gone after the next start."""
    child = os.fork()
    if child == 0:
        try:
            _killed_in_scratch(tmp_path, moment)
        finally:
            os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    assert len(list(tmp_path.rglob("rows"))) == (moment != "made")
    assert any(tmp_path.iterdir())
    with files.scratch_folder(tmp_path):
        assert not list(tmp_path.rglob("rows"))


def _killed_in_scratch(place: Path, moment: str) -> None:
    def kill(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    made = tempfile.mkdtemp
    if moment == "removed":
        pytest.MonkeyPatch().setattr(shutil, "rmtree", kill)
    if moment == "made":
        pytest.MonkeyPatch().setattr(tempfile, "mkdtemp", lambda *given, **named: kill(made(*given, **named)))
    with files.scratch_folder(place) as folder:
        (folder / "rows").write_text("rows")
        if moment == "used":
            kill()
