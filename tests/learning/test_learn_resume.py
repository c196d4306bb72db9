"""A fit that was killed continues from its file and ends in the same network."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from depnet import Aic, Dataset, Mdl, StructuralMdl, learn
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
        {"blocks": [("X0", "X1")]},
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
