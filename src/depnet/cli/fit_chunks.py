"""`depnet fit --cluster`, `--local-cluster` and `--memory`: a model from Parquet files that are read a chunk at a time."""

import contextlib
import importlib
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import click

from depnet.files import scratch_folder

if TYPE_CHECKING:
    from depnet.cli.command import Run
    from depnet.cli.table_options import NewTable
    from depnet.cluster.fit import ClusterFit
    from depnet.fitting.fit import FitOptions

NOT_IN_CHUNKS = {
    "--where": "whole files are read. Write the rows that you want to Parquet files of their own.",
    "--text": "the types of Parquet files are taken as they are. Write such columns as text.",
}


def fit_from_chunks(
    table: str,
    options: "FitOptions",
    chosen: "NewTable",
    run: "Run",
    address: str | None,
    workers: int | None,
    memory: str | None,
) -> "ClusterFit":
    """The model of `depnet fit`. What workers cannot do, or rows could not be fitted with, is refused before any start."""
    from depnet.cli.files import check_no_input
    from depnet.cli.render import progress
    from depnet.cluster.fit import check_options, fit_chunks
    from depnet.cluster.source import files_of
    from depnet.cluster.table import TableRequest, Where
    from depnet.data.table.variables import StateOptions

    if address is not None and workers is not None:
        raise click.UsageError("either --cluster or --local-cluster.")
    refused = {"--where": chosen.where is not None, "--text": "text" in run.dialect}
    for name, why in NOT_IN_CHUNKS.items():
        if refused[name]:
            raise click.UsageError(
                f"{name} is not for a table that is read in chunks (--cluster, --local-cluster, --memory): {why}"
            )
    if table == "-":
        raise click.UsageError(
            "a table in chunks is read from Parquet files, and no standard input. Write the table to a Parquet file first, "
            "or leave --cluster, --local-cluster and --memory out."
        )
    check_no_input(run.output, files_of(table))
    missing: Any = "keep" if chosen.missing in ("auto", "complete") else chosen.missing
    bins = {} if chosen.bins is None else {"bins": chosen.bins}
    request = TableRequest(
        table,
        chosen.columns or None,
        chosen.without,
        StateOptions(missing=missing, max_states=chosen.max_states, **bins),
        "all" if chosen.columns else chosen.keep,
    )
    check_options(request, options)
    Where(None, memory)  # whose error is told before any worker starts
    here = address is None and workers is None
    with (
        contextlib.nullcontext() if here else connected(address, workers) as client,
        progress("reading") as told,
    ):
        count = None if told is None else (lambda done, steps: told(done, steps, "learning"))
        return fit_chunks(request, options, run.steady_rng, Where(client, memory), count)


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
