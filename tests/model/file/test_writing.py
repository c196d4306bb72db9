"""Writing is atomic: the new file whole, or the old one as it was and nothing beside it."""

import errno
import os
import stat
from pathlib import Path
from typing import NoReturn

import pytest

import depnet
from depnet import Network
from depnet.errors import ModelFileAccessError, ModelFileError, ModelFileNotFoundError
from tests.refusals import refuses

OLD = Network.from_joint([0.5, 0.5])
NEW = Network.from_joint([[0.1, 0.2], [0.3, 0.4]])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    depnet.save(OLD, tmp_path / "m.json")
    return tmp_path / "m.json"


def assert_untouched(path: Path) -> None:
    assert [p.name for p in path.parent.iterdir()] == [path.name], "no temporary file is left"
    assert depnet.load(path) == OLD


@pytest.mark.parametrize(
    ("number", "what_to_do"),
    [
        (errno.ENOSPC, "Free some space, or save elsewhere"),
        (errno.EDQUOT, "quota"),
        (errno.EIO, "Save elsewhere"),
    ],
)
@pytest.mark.parametrize("step", ["fsync", "fchmod"])
def test_a_full_disk_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, number: int, what_to_do: str, step: str
) -> None:
    def fail(*_: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(os, step, fail)
        with pytest.raises(ModelFileAccessError, match=what_to_do) as error:
            depnet.save(NEW, path)
    assert isinstance(error.value, OSError)
    assert (error.value.errno, error.value.filename) == (number, str(path))
    assert "what was there is as it was" in str(error.value)
    assert_untouched(path)


def test_names_that_are_not_files(path: Path) -> None:
    refuses(ModelFileError, "was not written: this is a directory", depnet.save, OLD, path.parent)
    refuses(ModelFileError, "names a directory", depnet.save, OLD, f"{path.parent}/new/")
    refuses(ModelFileAccessError, "Not a directory", depnet.save, OLD, path / "m.json")
    refuses(ModelFileError, "null", depnet.save, OLD, "a\0b")
    refuses(ModelFileAccessError, "Choose a shorter name", depnet.save, OLD, path.parent / ("x" * 300))
    refuses(ModelFileError, "directory", depnet.save, OLD, "")
    said = "no such directory to write a model file in; make it first"
    refuses(ModelFileNotFoundError, said, depnet.save, OLD, path.parent / "no" / "m.json")
    assert_untouched(path)


def test_a_new_file_gets_what_the_umask_allows(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        depnet.save(OLD, tmp_path / "m.json")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "m.json").stat().st_mode) == 0o640


def test_a_read_only_file_is_not_replaced(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.chmod(0o444)
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda *_: False)  # as it is for anyone but root
        refuses(ModelFileAccessError, "the file that is there is read-only", depnet.save, NEW, path)
    assert_untouched(path)


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "m.json"
    link.symlink_to("../real/m.json")
    for network in (OLD, NEW):  # first to a target that is not there yet
        depnet.save(network, link)
        assert link.is_symlink()
        assert depnet.load(tmp_path / "real" / "m.json") == network
    assert len(list((tmp_path / "links").iterdir())) == 1


def test_a_pipe_can_be_written_and_read() -> None:
    reading, writing = os.pipe()
    try:
        depnet.save(OLD, f"/dev/fd/{writing}")
        os.close(writing)
        assert depnet.load(f"/dev/fd/{reading}") == OLD
    finally:
        os.close(reading)
