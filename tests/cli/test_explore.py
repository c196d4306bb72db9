"""`depnet explore` before its page is there: what is missing is said in one line."""

import json
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from depnet.files import scratch_folder
from tests.cli.entry import depnet
from tests.narrowed import there


def test_a_missing_extra_is_said_in_one_line(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nicegui", None)
    done = depnet("explore", model, code=1)
    assert b"pip install 'depnet[explore]'" in done.stderr


def test_rows_without_a_model_are_a_misuse(table: Path) -> None:
    assert b"--data needs a MODEL" in depnet("explore", "--data", table, code=2).stderr


def test_a_port_that_is_taken_is_said(model: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = depnet("explore", model, "--no-open", "--port", taken.getsockname()[1], code=1)
    assert b"cannot be listened on" in done.stderr
    assert b"Give another --port" in done.stderr


def test_a_model_that_is_none_is_said(table: Path) -> None:
    assert b"is not a model file" in depnet("explore", table, "--no-open", code=1).stderr


def test_the_address_as_json_and_the_folder_of_a_killed_page(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed, the page leaves the folder in which uploads would lie; the next to need one removes it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = [sys.executable, "-m", "depnet", "explore", str(model), "--no-open", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            said = [there(running.stdout).readline() for _ in range(3)]
            monkeypatch.setattr(tempfile, "tempdir", None)  # looks at TMPDIR again
            (left,) = tmp_path.glob("depnet-*")
            with scratch_folder():
                assert left.exists(), "it is in use"
        finally:
            running.kill()
    assert json.loads("".join(said))["url"].startswith("http://127.0.0.1:")
    assert left.exists()
    with scratch_folder() as own:
        assert list(tmp_path.glob("depnet-*")) == [own]
