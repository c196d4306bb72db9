"""Files that are not what was asked for: one line, exit code 1, nothing written; of each kind once through the script."""

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.entry import COMMAND, real, refused
from tests.cli.test_write_window import COMMANDS


def failed(*arguments: object, **options: Any) -> str:
    return refused(*arguments, by=real, **options)


def test_a_model_for_a_table_and_the_reverse(model: Path, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert "is a model, not a table. Look into it with depnet show" in failed("fit", model, "-o", out)
    assert "is a model, not a table" in refused("score", model, model)
    assert "depnet fit" in refused("query", table, "survived")
    assert "is not a model file" in refused("compare", table, model)
    assert not out.exists()


def test_a_directory_and_a_missing_file(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert "this is a directory" in failed("fit", tmp_path, "-o", out)
    assert "this is a directory" in refused("query", tmp_path, "survived")
    assert "there is no such file" in refused("fit", tmp_path / "no.csv", "-o", out)
    assert "there is no such model file" in refused("query", tmp_path / "no.json", "survived")
    assert "is a directory. Name a file in it" in refused("sample", model, "-o", tmp_path)
    assert "there is no directory" in refused("sample", model, "-o", tmp_path / "no" / "rows.csv")


def test_too_little_memory_for_the_libraries_is_said(model: Path, table: Path, tmp_path: Path) -> None:
    def limited(kilobytes: int) -> Callable[[], None]:
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes * 1024, kilobytes * 1024))

    for words in (["query", model, "survived"], ["fit", table, "-o", tmp_path / "m.json"]):
        said = refused(*words, by=real, before=limited(400_000))
        assert "this process may have 409 MB of address space (ulimit -v)" in said
    assert b"Usage" in real("--help", before=limited(400_000)).stdout
    assert b"survived" in real("query", model, "survived", "--data", table, before=limited(4_000_000)).stdout


def test_outputs_are_asked_about_before_the_work_begins(model: Path, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("mine")
    nothing = tmp_path / "no-such-input"  # would be the error, were it looked at first
    written = [words(nothing, nothing, out) for _, words in COMMANDS.values()]
    for command in (*written, ["paper", "perturbation", "--out", out]):
        assert "exists. Give another name, or --force" in refused(*command)
    assert out.read_text() == "mine"
    assert "is a directory. Name a file in it" in refused("fit", nothing, "-o", tmp_path)
    assert "there is no directory" in refused("fit", nothing, "-o", tmp_path / "no" / "m.json")
    real("example", "-o", out, "--force")
    assert out.read_text() == table.read_text().replace("\r\n", "\n")


def test_a_damaged_model_says_where(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "torn.json"
    path.write_bytes(model.read_bytes()[:-40])
    assert "torn.json" in refused("query", path, "survived")


def test_a_state_or_column_that_the_model_does_not_have(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("class,sex,age,survived\n1st,mael,adult,No\n")
    line = refused("score", model, path)
    assert "column 'sex', row 0: the model has no state 'mael'. Did you mean 'male'" in line
    assert "--unknown missing" in line
    path.write_text("class,sexx,age,survived\n1st,male,adult,No\n")
    assert "has no column 'sex'. Did you mean 'sexx'?" in refused("score", model, path)


def without_privilege() -> None:
    """Root that obeys the permissions of files: exec leaves it the capabilities of the bounding set only."""
    if os.geteuid() == 0:
        drop, override, read_search = 24, 1, 2  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        library = ctypes.CDLL(None)
        assert library.prctl(drop, override, 0, 0, 0) == 0
        assert library.prctl(drop, read_search, 0, 0, 0) == 0


def test_no_permission(model: Path, table: Path, tmp_path: Path) -> None:
    for source in (model, table):
        shutil.copy(source, tmp_path)
        (tmp_path / source.name).chmod(0)
    for command in (
        ["query", tmp_path / model.name, "survived"],
        ["fit", tmp_path / table.name, "-o", "/dev/null"],
    ):
        assert "Permission denied" in failed(*command, before=without_privilege)
    tmp_path.chmod(0o555)
    try:
        line = failed("example", "-o", tmp_path / "new.csv", before=without_privilege)
    finally:
        tmp_path.chmod(0o755)
    assert "cannot be written to: permission denied" in line


def test_standard_output_on_a_full_disk(model: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        for command in (["query", str(model), "survived"], ["sample", str(model), "-n", "20000"]):
            done = subprocess.run([COMMAND, *command], stdout=full, stderr=subprocess.PIPE, check=False)
            assert done.returncode == 1
            assert done.stderr.startswith(b"depnet: standard output")
            assert done.stderr.count(b"\n") == 1


def test_control_c_is_clean(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    process = subprocess.Popen(
        [COMMAND, "sample", str(model), "-n", "100000000", "-o", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for _ in range(600):  # until rows are being written
        if any(path.stat().st_size > 0 for path in tmp_path.glob(".depnet-*")):
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=120)
    assert process.returncode == 1
    assert error.decode().strip().splitlines() == ["depnet: interrupted."]
    assert list(tmp_path.iterdir()) == []


def test_no_threads(model: Path, table: Path, tmp_path: Path) -> None:
    for command in (["fit", table, "-o", tmp_path / "m.json"], ["impute", model, table]):
        said = refused(*command, "--jobs", 0, code=2)
        assert "threads are 1, 2, ..., or -1 for all cores; got 0." in said
