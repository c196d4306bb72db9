"""Commands killed with SIGKILL at random moments: what they write is the old file or the new one, never a part of it."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.cli.entry import COMMAND
from tests.cluster.tables import mixed_table, write_parts

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


def kill_at_random(
    times: int, arguments: list[object], seed: int, after_each: Callable[[bool], None]
) -> tuple[int, int]:
    """How often the command was killed, `times` if it can be, and how often it was faster.

    Moments are spread over all that it takes.
    """
    begin = time.perf_counter()
    assert ran(arguments)
    whole = time.perf_counter() - begin
    after_each(True)
    rng, killed, faster = random.Random(seed), 0, 0
    while killed < times and faster < 5 * times:
        begin = time.perf_counter()
        ended = ran(arguments, whole * rng.uniform(0.3, 1.05))
        if ended:  # the machine has become quicker, or the moment was late
            whole = min(whole, time.perf_counter() - begin)
        killed, faster = killed + (not ended), faster + ended
        after_each(ended)
    return killed, faster


def check_replaced(times: int, arguments: list[object], output: Path, old: bytes) -> None:
    """Killed or not, `output` holds the old bytes or the new ones, and what else is there is named as temporary."""
    output.write_bytes(old)
    new = b""  # of the first run, which nobody kills

    def after_each(ended: bool) -> None:
        nonlocal new
        found = output.read_bytes()
        new = new or found
        assert new != old
        assert found == new if ended else found in (old, new)
        others = {path for path in output.parent.iterdir() if path != output}
        assert all(path.name.startswith(".depnet-") for path in others)
        for path in others:
            path.unlink()
        output.write_bytes(old)

    killed, _ = kill_at_random(times, arguments, 1, after_each)
    assert killed == times


@pytest.mark.parametrize("times", [SHORT, pytest.param(LONG, marks=pytest.mark.long)])
def test_fit_replaces_a_model_whole_or_not_at_all(times: int, rows: Path, tmp_path: Path) -> None:
    output = tmp_path / "model.json"
    check_replaced(
        times, ["fit", rows, "--penalty", "mdl", "-o", output, "--force"], output, b"an older model"
    )


@pytest.mark.parametrize("times", [SHORT, pytest.param(LONG, marks=pytest.mark.long)])
def test_update_replaces_a_model_whole_or_not_at_all(
    times: int, table: Path, model: Path, tmp_path: Path
) -> None:
    output = tmp_path / "model.json"
    check_replaced(
        times, ["update", output, table, "-o", output, "--force", "--seed", 1], output, model.read_bytes()
    )


@pytest.mark.parametrize("times", [SHORT, pytest.param(LONG, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_sample_replaces_a_table_whole_or_not_at_all(
    times: int, name: str, model: Path, tmp_path: Path
) -> None:
    arguments = ["sample", model, "-n", 200_000, "--seed", 1, "--force"]
    check_replaced(times, [*arguments, "-o", tmp_path / name], tmp_path / name, b"old")


def killed_with_a_folder(arguments: list[object], place: Path, holds: str) -> None:
    """Start the command with TMPDIR at `place`, and kill it once its folder there holds files of this name."""
    command = [COMMAND, *map(str, arguments)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=at(place)
    ) as running:
        assert running.stdin is not None
        if "-" in command:
            running.stdin.write(b"a,b\n" + b"1,2\n" * 500_000)  # and no end
            running.stdin.flush()
        ends = time.monotonic() + 60
        while not list(place.glob(f"depnet-*/{holds}")):
            assert running.poll() is None
            assert time.monotonic() < ends, "there is no such folder"
            time.sleep(0.02)
        running.kill()


def at(place: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(place)}


@pytest.mark.parametrize(
    "case",
    [
        "standard input",
        pytest.param("local cluster", marks=[pytest.mark.long, pytest.mark.xdist_group("dask")]),
    ],
)
def test_the_next_command_removes_the_folder_of_a_killed_one(case: str, table: Path, tmp_path: Path) -> None:
    """Killed for real, while rows of standard input or the workers of a local cluster have a folder."""
    place, parts, model = tmp_path / "tmp", tmp_path / "parts", tmp_path / "model.json"
    place.mkdir()
    parts.mkdir()
    if case == "local cluster":
        pytest.importorskip("distributed")
        write_parts(mixed_table(50_000, seed=1), parts, 3)
        fit: list[object] = ["fit", parts, "--local-cluster", 2, "--missing", "state", "-o", model]
        killed_with_a_folder(fit, place, "dask-scratch-space/worker-*")
        time.sleep(3)  # its workers see that it is gone
    else:
        killed_with_a_folder(["fit", "-", "-o", model], place, "stream")
    assert list(place.glob("depnet-scratch-*"))
    following = [COMMAND, "fit", str(table), "--penalty", "mdl", "-o", str(model)]
    subprocess.run(following, env=at(place), check=True, capture_output=True)
    assert not list(place.glob("depnet-*"))
