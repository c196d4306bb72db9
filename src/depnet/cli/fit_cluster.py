"""`depnet fit --cluster` and `--local-cluster`: a model from Parquet files whose rows stay on workers."""

import contextlib
import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from depnet.cli.command import Run
    from depnet.cli.table_options import NewTable
    from depnet.cluster.fit import ClusterFit
    from depnet.fitting.fit import FitOptions

NOT_ON_A_CLUSTER = {
    "--where": "workers read whole files. Write the rows that you want to Parquet files of their own.",
    "--text": "the types of Parquet files are taken as they are. Write such columns as text.",
}


@contextlib.contextmanager
def connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """A client of the cluster at `address`, or of `workers` processes on this machine."""
    try:
        distributed: Any = importlib.import_module("distributed")  # which has no types
    except ImportError:
        raise click.ClickException(
            'a cluster needs Dask: pip install "depnet[cluster]"; then run this again.'
        ) from None
    if address is not None:
        try:
            client = distributed.Client(address, timeout=10)
        except (OSError, ValueError) as error:
            raise click.ClickException(
                f"--cluster {address}: there is no Dask scheduler that answers ({error}). Start one with dask scheduler, "
                "and workers with dask worker."
            ) from None
        with client:
            yield client
        return
    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",  # any free port: None is 8787, with a warning where that is taken
            host="127.0.0.1",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def fit_cluster(
    table: str,
    options: "FitOptions",
    chosen: "NewTable",
    run: "Run",
    address: str | None,
    workers: int | None,
) -> "ClusterFit":
    """The model of `depnet fit`. What workers cannot do is refused before any are asked for."""
    from depnet.cli.progress import progress
    from depnet.cluster.fit import fit_on_cluster
    from depnet.cluster.placed import TableRequest
    from depnet.data.frames.variables import StateOptions

    if address is not None and workers is not None:
        raise click.UsageError("either --cluster or --local-cluster.")
    refused = {"--where": chosen.where is not None, "--text": "text" in run.dialect}
    for name, why in NOT_ON_A_CLUSTER.items():
        if refused[name]:
            raise click.UsageError(f"{name} is not for a cluster: {why}")
    missing: Any = "keep" if chosen.missing == "complete" else chosen.missing
    bins = {} if chosen.bins is None else {"bins": chosen.bins}
    request = TableRequest(
        table,
        chosen.columns or None,
        chosen.without,
        StateOptions(missing=missing, max_states=chosen.max_states, **bins),
        "all" if chosen.columns else chosen.keep,
    )
    with connected(address, workers) as client, progress("reading") as told:
        return fit_on_cluster(request, options, run.fit_rng, client, told)
