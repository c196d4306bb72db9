"""`depnet fit --cluster` and `--local-cluster`, on real clusters of worker processes."""

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from depnet.cli.fit_cluster import NOT_ON_A_CLUSTER
from tests.cli.entry import depnet, real, refused
from tests.cluster.tables import mixed_table

pytest.importorskip("distributed")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.xdist_group("dask")]


@contextlib.contextmanager
def usual_port_taken() -> Iterator[None]:
    """Dask's usual port for its dashboard, taken by us or by somebody else."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            stack.enter_context(socket.create_server(("127.0.0.1", 8787)))
        yield


def test_a_local_cluster_gives_the_model_of_one_process(tmp_path: Path) -> None:
    mixed_table(900, seed=6).to_parquet(tmp_path / "table.parquet", row_group_size=300)
    fit = ["fit", tmp_path / "table.parquet", "--penalty", "structural-mdl"]
    with usual_port_taken():
        done = real(*fit, "--local-cluster", 2, "-o", tmp_path / "cluster.json")
    assert b"8787" not in done.stderr, "nobody asked for a dashboard"
    assert done.stdout.startswith(b"learned from 900 rows of 6 columns")
    depnet(*fit, "-o", tmp_path / "one.json")
    assert (tmp_path / "cluster.json").read_bytes() == (tmp_path / "one.json").read_bytes()


@pytest.mark.parametrize("option", NOT_ON_A_CLUSTER)
def test_what_workers_cannot_do_is_refused(option: str, tmp_path: Path) -> None:
    message = refused(
        "fit", tmp_path, "--local-cluster", 2, option, "alive", "-o", tmp_path / "m.json", code=2
    )
    assert f"{option} is not for a cluster" in message
    assert NOT_ON_A_CLUSTER[option].split(". ")[-1].split(" --")[0] in message


def test_no_such_cluster(tmp_path: Path) -> None:
    message = refused("fit", tmp_path, "--cluster", "tcp://127.0.0.1:9", "-o", tmp_path / "m.json", by=real)
    assert "there is no Dask scheduler that answers" in message
    both = refused(
        "fit",
        tmp_path,
        "--cluster",
        "tcp://127.0.0.1:9",
        "--local-cluster",
        2,
        "-o",
        tmp_path / "m.json",
        code=2,
    )
    assert "either --cluster or --local-cluster" in both
