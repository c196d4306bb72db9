"""A client of a Dask cluster: of one that runs, or of worker processes on this machine that last as long as the command."""

import contextlib
import importlib
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import click

from depnet.files import scratch_folder


@contextlib.contextmanager
def connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """A client of the cluster at `address`, or of `workers` processes on this machine."""
    try:
        distributed: Any = importlib.import_module("distributed")  # which has no types
    except ImportError:
        raise click.ClickException(
            'a cluster needs Dask: pip install "depnet[cluster]"; then run this again.'
        ) from None
    if address is None:
        with _local_cluster(distributed, workers) as cluster, distributed.Client(cluster) as client:
            yield client
        return
    try:
        client = distributed.Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise click.ClickException(
            f"--cluster {address}: there is no Dask scheduler that answers ({error}). Start one with dask scheduler, "
            "and workers with dask worker."
        ) from None
    with client:
        yield client


@contextlib.contextmanager
def _local_cluster(distributed: Any, workers: int | None) -> Iterator[Any]:
    """A cluster of processes that end with the command, and what they put on disk with them, or with the next command.

    Ctrl-C is for the command, which closes the cluster; a terminal sends it to every process. A cluster that is half
    started, or whose workers go by themselves, cannot be closed: so it is started in a thread of its own, which is
    waited for, and which blocks the signal. Threads and processes inherit that.
    """
    config: Any = importlib.import_module("dask").config

    def start() -> Any:
        _block_interrupts()
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",  # any free port: None is 8787, with a warning where that is taken
            host="127.0.0.1",
            silence_logs=50,
        )

    with scratch_folder() as scratch, config.set({"temporary-directory": str(scratch)}):
        with ThreadPoolExecutor(1) as thread:
            starting = thread.submit(start)
            try:
                cluster = starting.result()
            except KeyboardInterrupt:
                starting.result().close()
                raise
        with cluster:
            yield cluster


def _block_interrupts() -> None:
    """Ctrl-C is not heard by this thread and by what it begins, where the system lets threads choose."""
    if not hasattr(signal, "pthread_sigmask"):
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which unblocks the signal where it begins, and so has to begin before
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
