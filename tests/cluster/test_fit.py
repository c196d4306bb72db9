"""`depnet fit --cluster` writes the file of `depnet fit`, where the table fits one place; else one of the same form."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from depnet import load
from tests.cli.entry import answer
from tests.cluster.clusters import SMALL, room_for
from tests.cluster.tables import mixed_table

pytest.importorskip("distributed")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.xdist_group("dask")]


def categories() -> Any:
    return mixed_table(700, seed=1)[["class", "port", "alive"]]


def numbers() -> Any:
    return mixed_table(1500, seed=2)[["fare", "born", "parts"]].assign(weight=np.sqrt(np.arange(1500.0)))


def holes() -> Any:
    frame = mixed_table(600, seed=3)
    for name in ("port", "fare", "born"):
        frame.loc[np.random.default_rng(0).random(600) < 0.1, name] = None
    return frame


def left_out() -> Any:
    """With columns that nothing can be learned from, with one value, and dates that are text."""
    frame = mixed_table(500, seed=4)
    return frame.assign(
        row=np.arange(500),
        name=[f"n{k}" for k in range(500)],
        one=1,
        none=None,
        day=frame["born"].dt.strftime("%Y-%m-%d"),
    )


def many_states() -> Any:
    rng = np.random.default_rng(5)
    return mixed_table(800, seed=5)[["class", "alive"]].assign(
        word=[f"w{k}" for k in rng.geometric(0.05, 800)]
    )


TABLES: dict[Callable[[], Any], list[str]] = {
    categories: [],
    numbers: [],
    holes: [],
    left_out: ["--keep", "row", "--without", "alive"],
    many_states: ["--max-states", "5", "--bins", "4"],
}


def both_files(frame: Any, client: Any, directory: Path, *options: str) -> tuple[bytes, bytes, Any, Any]:
    """The model of one process and that of a cluster, and what is said of them."""
    table = directory / "table.parquet"
    frame.to_parquet(table, row_group_size=190)
    one = answer("fit", table, "-o", directory / "one.json", *options)
    address = client.cluster.scheduler_address
    other = answer("fit", table, "-o", directory / "other.json", "--cluster", address, *options)
    return (directory / "one.json").read_bytes(), (directory / "other.json").read_bytes(), one, other


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_the_file_is_that_of_one_process(
    table: Callable[[], Any], dask_client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("depnet.cluster.source.FEWEST_ROWS", 190)  # or these few rows would be one chunk
    one, other, said, said_too = both_files(table(), dask_client, tmp_path, *TABLES[table])
    assert one == other
    assert {**said, "output": None} == {**said_too, "output": None}


@pytest.mark.parametrize("table", [numbers, holes, left_out], ids=lambda table: table.__name__)
def test_a_larger_table_has_the_structure_of_a_sample_and_the_counts_of_all_rows(
    table: Callable[[], Any], dask_client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("depnet.cluster.source.FEWEST_ROWS", 190)
    frame = table()
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=190)
    room_for(frame.size // 2, monkeypatch)
    fit = ["fit", tmp_path / "table.parquet", "--memory", SMALL]
    here = answer(*fit, "-o", tmp_path / "here.json")
    there = answer(*fit, "-o", tmp_path / "there.json", "--cluster", dask_client.cluster.scheduler_address)
    assert (tmp_path / "here.json").read_bytes() == (tmp_path / "there.json").read_bytes()
    assert {**here, "output": None} == {**there, "output": None}
    assert here["rows"] == len(frame)
    assert 0.4 * len(frame) < here["sample"] < 0.6 * len(frame)
    assert any(line.startswith("there is no FC-limit") for line in [*here["figures"], *here["details"]])
    law = load(tmp_path / "here.json", law=True)
    assert law.counts is not None
    assert law.counts.total == len(frame)
    if table is not holes:
        assert all(np.sum(node.table.counts) == len(frame) for node in law.nodes)
    assert -here["law"]["score"] == pytest.approx(here["law"]["entropy"], rel=0.05)  # but for smoothing


def test_the_file_with_boosted_nodes_is_the_same(dask_client: Any, tmp_path: Path) -> None:
    frame = mixed_table(900, seed=6)[["class", "alive", "fare"]]
    one, other, said, _ = both_files(frame, dask_client, tmp_path, "--boost", "--jobs", "1")
    assert said["boosted"] > 0
    assert one == other
