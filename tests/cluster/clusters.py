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


def stay_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on no table fits one place."""
    monkeypatch.setattr("depnet.cluster.forecast.CELL_BYTES", 1 << 40)


def send_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on every node is worth its way to workers."""
    monkeypatch.setattr("depnet.learning.grow.parallel.HERE_SECONDS", -1.0)
    monkeypatch.setattr("depnet.learning.grow.parallel.SENT_BYTES", 10**18)
    monkeypatch.setattr("depnet.learning.boost.in_turn.SENT_CELLS", 0)
