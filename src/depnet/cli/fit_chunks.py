"""`depnet fit --cluster` and `--memory`: a model from Parquet files that are read a chunk at a time."""

import contextlib
import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from depnet.cli.command import Run
    from depnet.cli.files import NewTable
    from depnet.cluster.fit import ClusterFit
    from depnet.fitting.fit import FitOptions

SECONDS = 10
"""That a scheduler may take to answer."""

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
    memory: str | None,
) -> "ClusterFit":
    """The model of `depnet fit`. What workers cannot do, or rows could not be fitted with, is refused before any start."""
    from depnet.cli.command import progress
    from depnet.cli.files import check_output
    from depnet.cluster.fit import check_options, fit_chunks
    from depnet.cluster.source import files_of
    from depnet.cluster.table import TableRequest, Where
    from depnet.data.table.variables import StateOptions

    refused = {"--where": chosen.where is not None, "--text": "text" in run.dialect}
    for name, why in NOT_IN_CHUNKS.items():
        if refused[name]:
            raise click.UsageError(
                f"{name} is not for a table that is read in chunks (--cluster, --memory): {why}"
            )
    if table == "-":
        raise click.UsageError(
            "a table in chunks is read from Parquet files, and no standard input. Write the table to a Parquet file first, "
            "or leave --cluster and --memory out."
        )
    check_output(run.output, run.force, files_of(table))
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
    with (
        contextlib.nullcontext() if address is None else connected(address) as client,
        progress("reading") as told,
    ):
        count = None if told is None else (lambda done, steps: told(done, steps, "learning"))
        return fit_chunks(request, options, run.steady_rng, Where(client, memory), count)


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the cluster at `address`."""
    try:
        distributed: Any = importlib.import_module("distributed")  # which has no types
    except ImportError:
        raise click.ClickException(
            'a cluster needs Dask: pip install "depnet[cluster]"; then run this again.'
        ) from None
    try:
        client = distributed.Client(address, timeout=SECONDS)
    except (OSError, ValueError) as error:
        raise click.ClickException(
            f"--cluster {address}: there is no Dask scheduler that answers ({error}). Start one with dask scheduler, "
            "and workers with dask worker."
        ) from None
    with client:
        yield client
