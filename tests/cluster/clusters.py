"""Real clusters of worker processes."""

import contextlib
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest


@contextlib.contextmanager
def two_workers() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    options: Any = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=2, host="127.0.0.1", **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def kill_workers(client: Any, many: int) -> list[int]:
    """Kill some; and where none is left, start two others: a nanny whose worker was killed does not always do so."""
    client.wait_for_workers(2)
    killed = list(client.run(os.getpid).values())[:many]
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    if len(killed) > 1:  # all there are: their nannies may go, too
        client.cluster.scale(0)
        client.cluster.scale(len(client.cluster.worker_spec) + 2)
    return killed


SMALL = "301MB"
"""Of memory, a million bytes more than the program itself takes."""


def room_for(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on this many cells, rows times columns, fit into `SMALL`."""
    monkeypatch.setattr("depnet.cluster.table.CELL_BYTES", 10**6 // cells)
