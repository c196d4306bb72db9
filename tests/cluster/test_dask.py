"""On a real cluster of worker processes."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import pytest

import depnet
from depnet import Aic, Boost, Dataset, StructuralMdl
from depnet.cluster import learn, learn_both, on_dask, waiting
from depnet.cluster.nodes import DaskNodes
from depnet.errors import LearningError
from depnet.learning.choose.ladder import Auto
from depnet.learning.grow.rounds import Round
from tests.cluster.clusters import kill_workers, send_everything, stay_in_parts, two_workers
from tests.cluster.tables import assert_same_network, counted_pickles, mixed_table, write_parts

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.xdist_group("dask")]

LADDER = Auto((StructuralMdl(), Aic()), (0.5, 2.0), standard_errors=0.5)


@pytest.fixture
def client(dask_client: Any) -> Any:
    return dask_client


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    stay_in_parts(monkeypatch)


@pytest.fixture
def mortal() -> Iterator[Any]:
    """A cluster of its own for workers that are killed: the others keep theirs."""
    with two_workers() as client:
        yield client


@pytest.mark.parametrize("fits", [True, False])
def test_parquet_files_give_the_local_network(
    client: Any, tmp_path: Path, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fits:
        stay_in_parts(monkeypatch)
    frame = mixed_table(3000, seed=1)
    write_parts(frame, tmp_path, 3)
    expected = depnet.learn(Dataset.from_frame(frame), smoothing=0.5)
    assert_same_network(learn(tmp_path, client=client, rows_per_part=700, smoothing=0.5), expected)


def test_a_dask_frame_gives_the_local_network(client: Any) -> None:
    dd: Any = pytest.importorskip("dask.dataframe")
    frame = mixed_table(1500, seed=2)[["class", "alive", "fare", "parts"]]
    expected = depnet.learn(Dataset.from_frame(frame))
    assert_same_network(learn(dd.from_pandas(frame, npartitions=4), client=client), expected)


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("penalty", [Aic(), LADDER])
def test_an_order_is_that_of_one_process(client: Any, tmp_path: Path, penalty: Any) -> None:
    frame = mixed_table(1200, seed=9)[["class", "alive", "fare", "parts"]]
    write_parts(frame, tmp_path, 3, row_group=200)
    options: dict[str, Any] = {"penalty": penalty, "smoothing": 0.5, "order": "auto"}
    expected = depnet.learn(Dataset.from_frame(frame), **options)
    found = learn(tmp_path, client=client, rows_per_part=300, **options)
    assert found.order is not None
    assert_same_network(found, expected)


@pytest.mark.usefixtures("in_parts")
def test_both_networks_where_workers_are_killed(mortal: Any, tmp_path: Path) -> None:
    """All of them, twice: then every part is stale."""
    frame = mixed_table(1500, seed=10)[["class", "alive", "fare", "parts"]]
    write_parts(frame, tmp_path, 3, row_group=250)
    data = Dataset.from_frame(frame)
    killed: list[int] = []

    def kill(report: Round) -> None:
        if report.number == 2 and len(killed) < 4:
            killed.extend(kill_workers(mortal, 8))

    network, law = learn_both(tmp_path, client=mortal, report=kill)
    assert len(killed) >= 4
    assert_same_network(network, depnet.learn(data))
    assert_same_network(law, depnet.learn(data, order="auto"))


@pytest.mark.usefixtures("in_parts")
def test_a_killed_worker_changes_nothing(mortal: Any, tmp_path: Path) -> None:
    frame = mixed_table(3000, seed=3)
    write_parts(frame, tmp_path, 4)
    expected = depnet.learn(Dataset.from_frame(frame))
    killed: list[int] = []

    def kill(report: Round) -> None:
        if report.number == 3:
            killed.extend(kill_workers(mortal, 1))

    found = learn(tmp_path, client=mortal, report=kill)
    assert len(killed) == 1
    assert_same_network(found, expected)


def test_a_cluster_without_workers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(waiting, "WORKERLESS_SECONDS", 0.1)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(LearningError, match="no workers for"),
    ):
        on_dask.DaskWorkers(client).gather([client.submit(int)])


def test_nodes_are_spread_by_joblib_and_the_table_is_sent_once(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = Dataset.from_frame(mixed_table(2000, seed=4))
    pickled = counted_pickles(monkeypatch)
    client.wait_for_workers(2)  # with one only, joblib learns here
    with joblib.parallel_config(backend="dask", client=client):
        spread = depnet.learn(dataset, n_jobs=-1)
        depnet.learn(dataset, n_jobs=-1)
    assert len(pickled) == 2 < len(dataset.domain)
    assert_same_network(spread, depnet.learn(dataset))
    assert set(client.run(native_tables).values()) <= {0, 1}  # not one for every network that was learned


def test_boosted_nodes_are_those_of_one_process(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = mixed_table(600, seed=11)[["class", "alive", "fare", "parts"]]
    write_parts(frame, tmp_path, 3, row_group=100)
    options: dict[str, Any] = {"boost": Boost(stages=20), "smoothing": 0.5, "order": "auto", "cuts": True}
    expected = depnet.learn(Dataset.from_frame(frame), **options)
    sent = sent_nodes(monkeypatch)
    assert learn(tmp_path, client=client, rows_per_part=200, **options) == expected
    assert sent[0] == len(frame.columns)  # the decision graphs
    assert sent[1] == len(frame.columns) - 1  # the stages, of all but the first in the order


def sent_nodes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """From now on every node is sent to workers; how many went at once."""
    sent: list[int] = []
    run = DaskNodes.run

    def counted(nodes: DaskNodes, work: Any, items: Any) -> Any:
        sent.append(len(items))
        return run(nodes, work, items)

    send_everything(monkeypatch)
    monkeypatch.setattr(DaskNodes, "run", counted)
    return sent


def test_stages_of_workers_are_kept_by_the_driver(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fit that is stopped after some nodes goes on from them, and boosts only those that are missing."""
    (tmp_path / "rows").mkdir()
    frame = mixed_table(400, seed=12)[["class", "alive", "port", "parts"]]
    write_parts(frame, tmp_path / "rows", 2)
    options: dict[str, Any] = {"boost": Boost(stages=5), "resume": tmp_path / "fit", "client": client}
    send_everything(monkeypatch)

    class StopError(Exception):
        pass

    def stop(done: int, nodes: int) -> None:
        if done == 2:
            raise StopError

    with pytest.raises(StopError):
        learn(tmp_path / "rows", progress=stop, **options)
    kept = (tmp_path / "fit.stages").read_bytes()
    assert kept.count(b"\n") == 1 + 2
    found = learn(tmp_path / "rows", **options)
    assert (tmp_path / "fit.stages").read_bytes().startswith(kept)
    assert found == depnet.learn(Dataset.from_frame(frame), boost=Boost(stages=5))


@pytest.mark.parametrize("many", [1, 8])
def test_nodes_go_on_where_workers_are_killed(
    mortal: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    """One of them, or all: then the rows are sent again."""
    frame = mixed_table(20_000, seed=13)
    write_parts(frame, tmp_path, 2, row_group=10_000)
    killed: list[int] = []

    def kill(done: int, nodes: int) -> None:
        if done == 1 and not killed:
            killed.extend(kill_workers(mortal, many))

    send_everything(monkeypatch)
    boost = Boost(stages=60)
    found = learn(tmp_path, client=mortal, boost=boost, progress=kill)
    assert len(killed) == min(many, 2)
    assert found == depnet.learn(Dataset.from_frame(frame), boost=boost)


@pytest.mark.usefixtures("in_parts")
def test_boosting_that_does_not_fit_is_refused_before_a_row_is_read(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_parts(mixed_table(50, seed=1), tmp_path, 1)
    monkeypatch.setattr(on_dask.DaskPlace, "columns", None)  # the first pass, which is not begun
    with pytest.raises(LearningError, match=r"boosting: 50 rows of 6 columns need about .* Learn without it"):
        learn(tmp_path, client=client, boost="auto")


def native_tables() -> int:
    from depnet.learning.grow import native

    return len(native.TABLES)


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("rows_per_part", [60, 10_000])
def test_the_penalty_is_chosen_as_in_one_process(client: Any, tmp_path: Path, rows_per_part: int) -> None:
    frame = mixed_table(300, seed=6)[["class", "alive", "parts"]]
    write_parts(frame, tmp_path, 2, row_group=30)
    expected = depnet.learn(Dataset.from_frame(frame), penalty=LADDER, smoothing=0.5)
    found = learn(tmp_path, client=client, rows_per_part=rows_per_part, penalty=LADDER, smoothing=0.5)
    assert_same_network(found, expected)


@pytest.mark.usefixtures("in_parts")
def test_a_killed_driver_continues_from_its_file(tmp_path: Path) -> None:
    """The process that grows the nodes is killed at once after its third node; another one goes on, and removes its rows."""
    rows, scratch = tmp_path / "rows", tmp_path / "scratch"
    rows.mkdir()
    scratch.mkdir()
    frame = mixed_table(2000, seed=5)
    write_parts(frame, rows, 3)
    script = (
        "import os, signal, sys\n"
        "from depnet.cluster import forecast, learn\n"
        "forecast.CELL_BYTES = 1 << 40\n"
        "def kill(done, nodes):\n"
        "    if done == 3: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"learn({str(rows)!r}, memory='1GB', resume={str(tmp_path / 'resume')!r}, progress=kill, "
        f"scratch={str(scratch)!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "resume").read_bytes().count(b"\n") == 1 + 3
    assert list(scratch.glob("*/part-*.npy")), "it left its rows behind"
    found = learn(rows, memory="1GB", resume=tmp_path / "resume", scratch=scratch)
    assert_same_network(found, depnet.learn(Dataset.from_frame(frame)))
    assert not list(scratch.iterdir())
