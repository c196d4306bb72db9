"""Commands killed with SIGKILL at random moments: what they write is the old file or the new one, never a part of it."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from tests.cli.entry import COMMAND

SHORT, LONG = 2, 100


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that takes about as long to learn as the command takes to start."""
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    rng = np.random.default_rng(0)
    mood = rng.integers(0, 4, 5_000)[:, None]
    codes = np.where(rng.random((5_000, 12)) < 0.7, mood, rng.integers(0, 4, (5_000, 12)))
    header = ",".join(f"X{i}" for i in range(12))
    path.write_text(
        "\n".join([header, *(",".join(f"s{code}" for code in row) for row in codes.tolist())]) + "\n"
    )
    return path


def ran(arguments: list[object], killed_after: float | None = None) -> bool:
    """Run the command, kill it after `killed_after` seconds if it is still there, and say whether it ended by itself."""
    process = subprocess.Popen(
        [COMMAND, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        _, error = process.communicate(timeout=killed_after)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        return False
    assert process.returncode == 0, error.decode()
    return True


CASES: dict[str, list[object]] = {
    "model.json": ["fit", "ROWS", "--penalty", "mdl"],
    "newer.json": ["update", "MODEL", "TABLE", "--seed", 1],
    "rows.csv": ["sample", "MODEL", "-n", 200_000, "--seed", 1],
    "rows.parquet": ["sample", "MODEL", "-n", 200_000, "--seed", 1],
}


@pytest.mark.parametrize("times", [SHORT, pytest.param(LONG, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", CASES)
def test_a_file_is_replaced_whole_or_not_at_all(
    times: int, name: str, rows: Path, table: Path, model: Path, tmp_path: Path
) -> None:
    """Killed at moments spread over all that the command takes: what else is there is named as temporary."""
    output, files = tmp_path / name, {"ROWS": rows, "TABLE": table, "MODEL": model}
    arguments = [*(files.get(str(word), word) for word in CASES[name]), "-o", output, "--force"]
    begin = time.perf_counter()
    assert ran(arguments)
    whole, new, rng = time.perf_counter() - begin, output.read_bytes(), random.Random(1)
    for _ in range(times):
        output.write_bytes(b"old")
        ended = ran(arguments, whole * rng.uniform(0.3, 1.05))
        assert output.read_bytes() in ([new] if ended else [b"old", new])
        others = {path for path in tmp_path.iterdir() if path != output}
        assert all(path.name.startswith(".depnet-") for path in others)
        for path in others:
            path.unlink()


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
