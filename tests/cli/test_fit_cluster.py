"""`depnet fit --cluster` and `--local-cluster`, on real clusters of worker processes."""

import contextlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import depnet
from depnet import Dataset
from depnet.cli.fit_cluster import NOT_ON_A_CLUSTER
from tests.cli.entry import real, refused
from tests.cluster.tables import assert_same_network, mixed_table, write_parts

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.xdist_group("dask")]

FIT = ["--penalty", "structural-mdl", "--missing", "error"]


@contextlib.contextmanager
def usual_port_taken() -> Iterator[None]:
    """Dask's usual port for its dashboard, taken by us or by somebody else."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            stack.enter_context(socket.create_server(("127.0.0.1", 8787)))
        yield


def test_a_local_cluster_gives_the_network_of_one_process(tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    rows.mkdir()
    frame = mixed_table(2000, seed=6)
    write_parts(frame, rows, 3)
    model = tmp_path / "model.json"
    with usual_port_taken():
        done = real("fit", rows, "--local-cluster", 2, *FIT, "-o", model, "--json")
    assert b"8787" not in done.stderr, "nobody asked for a dashboard"
    found = json.loads(done.stdout)
    expected = depnet.learn(Dataset.from_frame(frame), penalty="structural-mdl", smoothing=0.5)
    assert_same_network(depnet.load(model), expected)
    law = depnet.learn(Dataset.from_frame(frame), penalty="structural-mdl", smoothing=0.5, order="auto")
    assert_same_network(depnet.load(model, law=True), law)
    assert found["law"]["leaves"] == sum(node.source.size for node in law.nodes)
    assert found["rows"] == 2000
    assert found["leaves"] == sum(node.source.size for node in expected.nodes)
    assert found["rounds"] > 1


def test_the_penalty_may_be_chosen_there(tmp_path: Path) -> None:
    frame = mixed_table(200, seed=8)[["class", "alive"]]
    (tmp_path / "rows").mkdir()
    write_parts(frame, tmp_path / "rows", 2)
    model = tmp_path / "model.json"
    real(
        "fit", tmp_path / "rows", "--local-cluster", 2, "--missing", "error", "-o", model
    )  # auto is the default
    expected = depnet.learn(Dataset.from_frame(frame), penalty="auto", smoothing=0.5)
    assert_same_network(depnet.load(model), expected)


def test_a_cluster_by_its_address(tmp_path: Path) -> None:
    frame = mixed_table(1000, seed=7)[["class", "alive", "fare"]]
    write_parts(frame, tmp_path, 2)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        real(
            "fit",
            f"{tmp_path}/*.parquet",
            "--cluster",
            cluster.scheduler_address,
            *FIT,
            "-o",
            tmp_path / "m.json",
        )
    expected = depnet.learn(Dataset.from_frame(frame), penalty="structural-mdl", smoothing=0.5)
    assert_same_network(depnet.load(tmp_path / "m.json"), expected)


@pytest.mark.parametrize("option", NOT_ON_A_CLUSTER)
def test_what_needs_all_rows_in_one_place(option: str, tmp_path: Path) -> None:
    words = [option, "alive"] if option in ("--where", "--without") else option.split()
    message = refused("fit", tmp_path, "--local-cluster", 2, *FIT, *words, "-o", tmp_path / "m.json", code=2)
    assert f"{option} is not for a cluster" in message
    assert NOT_ON_A_CLUSTER[option].split(". ")[-1].split(" --")[0] in message


def test_no_such_cluster(tmp_path: Path) -> None:
    message = refused(
        "fit", tmp_path, "--cluster", "tcp://127.0.0.1:9", *FIT, "-o", tmp_path / "m.json", by=real
    )
    assert "there is no Dask scheduler that answers" in message
    both = refused(
        "fit",
        tmp_path,
        "--cluster",
        "tcp://127.0.0.1:9",
        "--local-cluster",
        2,
        *FIT,
        "-o",
        tmp_path / "m.json",
        code=2,
    )
    assert "either --cluster or --local-cluster" in both
