"""A fit that was killed continues from its file and ends in the same network."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from depnet import Aic, Dataset, Mdl, Network, StructuralMdl, learn
from depnet.errors import LearningError


def table(seed: int = 0, weights: bool = False) -> Dataset:
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 3, (300, 1))
    codes = (hidden + (rng.random((300, 5)) < 0.2)) % 3
    return Dataset.from_codes(codes, [3] * 5, weights=np.arange(300) % 3 if weights else None)


class KilledError(Exception):
    pass


def kill_after(nodes: int) -> Any:
    def progress(done: int, total: int) -> None:
        if done == nodes:
            raise KilledError

    return progress


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("weights", [False, True])
def test_a_killed_fit_continues(tmp_path: Path, n_jobs: int, weights: bool) -> None:
    path = tmp_path / "fit.jsonl"
    with pytest.raises(KilledError):
        learn(table(weights=weights), resume=path, progress=kill_after(2), n_jobs=n_jobs)
    assert len(path.read_text().splitlines()) == 3, "a header and two nodes"
    seen: list[int] = []
    resumed = learn(
        table(weights=weights), resume=path, progress=lambda done, total: seen.append(done), n_jobs=n_jobs
    )
    assert seen == [3, 4, 5], "two nodes were not learned again"
    assert resumed == learn(table(weights=weights))
    assert learn(table(weights=weights), resume=path, smoothing=0.5) == learn(
        table(weights=weights), smoothing=0.5
    )


def calls_before_the_end(path: Path | None, **options: Any) -> tuple[Network, int]:
    """The network of penalty="auto", and how many nodes were learned for it, in trials and in the last fit."""
    calls: list[int] = []
    network = learn(
        table(),
        penalty="auto",
        smoothing=0.5,
        resume=path,
        progress=lambda done, total: calls.append(done),
        **options,
    )
    return network, len(calls)


@pytest.mark.parametrize("validation", [None, table(seed=7)])
def test_a_killed_choice_of_penalties_continues(tmp_path: Path, validation: Dataset | None) -> None:
    expected, learned = calls_before_the_end(None, validation=validation)
    for kill_at in (1, learned // 3, learned - 7, learned - 2):
        path = tmp_path / f"fit{kill_at}.jsonl"
        calls = 0

        def progress(done: int, total: int, kill_at: int = kill_at) -> None:
            nonlocal calls
            calls += 1
            if calls == kill_at:
                raise KilledError

        with pytest.raises(KilledError):
            learn(
                table(),
                penalty="auto",
                smoothing=0.5,
                resume=path,
                progress=progress,
                validation=validation,
            )
        known = len(path.read_text().splitlines()) - 1
        assert known == kill_at
        resumed, left = calls_before_the_end(path, validation=validation)
        assert resumed == expected
        # The last fit repeats a trial where rows are given to score on: those nodes are learned once.
        assert left <= learned - known
        assert left == learned - known or validation is not None
        assert calls_before_the_end(path, validation=validation) == (expected, 0)
    with pytest.raises(LearningError, match="other data or other options"):
        calls_before_the_end(path, validation=table(seed=8))


def test_a_process_killed_in_its_trials_leaves_what_it_learned(tmp_path: Path) -> None:
    path = tmp_path / "fit.jsonl"
    script = (
        "import os, signal\n"
        "from depnet import learn\n"
        "from tests.learning.grow.test_resume import table\n"
        "calls = iter(range(12))\n"
        "def progress(done, total):\n"
        "    if next(calls) == 11: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"learn(table(), penalty='auto', smoothing=0.5, resume={str(path)!r}, progress=progress)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(path.read_text().splitlines()) == 1 + 12
    expected, learned = calls_before_the_end(None)
    assert calls_before_the_end(path) == (expected, learned - 12)


def test_a_torn_line_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "fit.jsonl"
    expected = learn(table(), resume=path)
    whole = path.read_bytes()
    for length in range(1, len(whole), 37):
        path.write_bytes(whole[:length])
        assert learn(table(), resume=path) == expected
        assert sorted(path.read_bytes().splitlines()) == sorted(whole.splitlines())


@pytest.mark.parametrize(
    "changed",
    [
        {"penalty": Aic()},
        {"penalty": StructuralMdl()},
        {"penalty": lambda k, n: k / 100},
        {"max_leaves": 4},
        {"min_leaf_rows": 5},
        {"forbidden": [("X0", "X1")]},
        {"roles": {"X0": "input"}},
    ],
)
def test_other_options_are_a_clear_error(tmp_path: Path, changed: dict[str, Any]) -> None:
    path = tmp_path / "fit.jsonl"
    learn(table(), resume=path)
    with pytest.raises(LearningError, match="other data or other options"):
        learn(table(), resume=path, **changed)


def test_other_data_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "fit.jsonl"
    learn(table(), resume=path)
    for other in (table(seed=1), table(weights=True)):
        with pytest.raises(LearningError, match="other data or other options"):
            learn(other, resume=path)


def test_a_users_function_is_known_by_its_values(tmp_path: Path) -> None:
    path = tmp_path / "fit.jsonl"
    learn(table(), resume=path, penalty=lambda k, n: k / 500)
    learn(table(), resume=path, penalty=lambda k, n: k / 500)
    with pytest.raises(LearningError, match="other data or other options"):
        learn(table(), resume=path, penalty=lambda k, n: k / 501)


@pytest.mark.parametrize("content", [b"precious notes\n", b"precious notes", b'{"a": 1}\n', b"[]\n"])
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(LearningError, match="not a resume file"):
        learn(table(), resume=path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "line",
    [
        '{"node": 9, "operations": []}',
        '{"node": -1, "operations": []}',
        '{"node": 0, "operations": [[0, 0, 0]]}',
        '{"node": 0, "operations": [[0, 5, 1]]}',
        '{"node": 0}',
        "nonsense",
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "fit.jsonl"
    learn(table(), resume=path)
    header = path.read_text().splitlines()[0]
    path.write_text(f"{header}\n{line}\n")
    with pytest.raises(LearningError, match="line 2: damaged"):
        learn(table(), resume=path)


def test_the_file_is_lines_of_json(tmp_path: Path) -> None:
    path = tmp_path / "fit.jsonl"
    network = learn(table(), resume=path, penalty=Mdl())
    header, *lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert header["nodes"] == len(lines) == len(network.nodes)
    assert sorted(line["node"] for line in lines) == [0, 1, 2, 3, 4]


def test_an_unwritable_path_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(LearningError, match="cannot be used"):
        learn(table(), resume=tmp_path / "missing" / "fit.jsonl")
