"""A command killed with SIGKILL leaves nothing for good (in the moments of a write: test_write_window.py)."""

import os
import subprocess
import time
from pathlib import Path

from tests.cli.entry import COMMAND


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
