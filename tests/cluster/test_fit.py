"""`depnet fit --cluster` writes the file of `depnet fit`, whether the table fits one place or stays in parts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.entry import answer, depnet, refused
from tests.cluster.clusters import send_everything, stay_in_parts
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
    monkeypatch.setattr("depnet.cluster.source.FEWEST_ROWS", 190)  # or these few rows would be one part
    one, other, said, said_too = both_files(table(), dask_client, tmp_path, *TABLES[table])
    assert one == other
    assert {**said, "output": None} == {**said_too, "output": None}


@pytest.mark.parametrize("table", [numbers, left_out], ids=lambda table: table.__name__)
def test_the_file_of_rows_that_stay_in_parts_is_the_same(
    table: Callable[[], Any], dask_client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("depnet.cluster.source.FEWEST_ROWS", 190)
    stay_in_parts(monkeypatch)
    one, other, said, said_too = both_files(table(), dask_client, tmp_path)
    assert one == other
    for name in ("rows", "variables", "left_out", "leaves", "links", "marginals"):
        assert said_too[name] == said[name]
    for name in ("kl", "one_leaf_kl", "score"):
        assert said_too["law"][name] == pytest.approx(said["law"][name], abs=1e-9)
    assert said_too["score"] == pytest.approx(said["score"], abs=1e-9)
    assert said_too["figures"] == said["figures"][:-1]  # the bound of Theorem 3 needs all rows in one place


def test_the_file_with_boosted_nodes_is_the_same(
    dask_client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_everything(monkeypatch)
    frame = mixed_table(400, seed=6)[["class", "alive", "fare"]]
    one, other, said, _ = both_files(frame, dask_client, tmp_path, "--boost", "--jobs", "1")
    assert said["boosted"] > 0
    assert one == other


def test_what_does_not_fit_is_refused_before_a_row_is_read(
    dask_client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stay_in_parts(monkeypatch)
    monkeypatch.setattr(
        "depnet.cluster.on_dask.DaskPlace.columns", None
    )  # the first pass, which is not begun
    holes().to_parquet(tmp_path / "table.parquet")
    fit = ["fit", tmp_path / "table.parquet", "--cluster", dask_client.cluster.scheduler_address]
    message = refused(*fit, "-o", tmp_path / "m.json")
    assert (
        "missing values are completed by drawing all rows again and again: 600 rows of 6 columns" in message
    )
    assert "--missing state" in message
    message = refused(*fit, "--missing", "state", "--boost", "-o", tmp_path / "m.json")
    assert "boosting: 600 rows of 6 columns need about" in message
    assert "Learn without it" in message
    assert not (tmp_path / "m.json").exists()


def test_holes_that_files_do_not_tell_of_are_refused_after_the_first_pass(
    dask_client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NaN is a value to Parquet, and missing to us."""
    import pyarrow as pa
    from pyarrow import parquet

    stay_in_parts(monkeypatch)
    parquet.write_table(pa.table({"x": [0.5, float("nan")] * 30, "y": [1, 2] * 30}), tmp_path / "t.parquet")
    address = dask_client.cluster.scheduler_address
    message = refused("fit", tmp_path / "t.parquet", "--cluster", address, "-o", tmp_path / "m.json")
    assert "missing values are completed" in message


def test_several_files_are_one_table(dask_client: Any, tmp_path: Path) -> None:
    frame = mixed_table(900, seed=7)
    rows = tmp_path / "rows"
    rows.mkdir()
    frame[:300].to_parquet(rows / "a.parquet")
    frame[300:].to_parquet(rows / "b.parquet")
    frame.to_parquet(tmp_path / "all.parquet")
    depnet("fit", rows, "--cluster", dask_client.cluster.scheduler_address, "-o", tmp_path / "parts.json")
    depnet("fit", tmp_path / "all.parquet", "-o", tmp_path / "whole.json")
    assert (tmp_path / "parts.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
