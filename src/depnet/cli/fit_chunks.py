"""`depnet fit --cluster`, `--local-cluster` and `--memory`: a model from Parquet files that are read a chunk at a time."""

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import picked
from depnet.cli.dask_client import connected
from depnet.cli.model_documents import marginals_document
from depnet.wording import counted

if TYPE_CHECKING:
    from depnet.cli.command import Run
    from depnet.cli.table_options import NewTable
    from depnet.cluster.fit import ClusterFit, CountedModel
    from depnet.data.table.variables import LeftOut
    from depnet.fitting.fit import FitOptions

NOT_IN_CHUNKS = {
    "--where": "whole files are read. Write the rows that you want to Parquet files of their own.",
    "--text": "the types of Parquet files are taken as they are. Write such columns as text.",
}

NO_BOUND = "no FC-limit and no KL(data || law) are known: they compare rows with each other, and these were only counted"


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
    from depnet.cli.progress import progress
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


def counted_document(found: "CountedModel", left: "Sequence[LeftOut]") -> tuple[dict[str, Any], list[str]]:
    """What is said of a model whose rows were only counted, as JSON and in lines."""
    from depnet.cli.model_documents import law_document, sizes, sizes_line
    from depnet.cluster.fit import entropy, score
    from depnet.fitting.explained import law_nearness, plain_figures

    network, law, variables = found.network, found.law, len(found.network.domain)
    apart = law_nearness(law)
    figures = [*plain_figures(law, apart), NO_BOUND]
    document = {
        "rows": found.rows,
        "sample": found.sample,
        "variables": variables,
        "left_out": [picked(column, "name", "why") for column in left],
        **sizes(network),
        "score": score(network),
        "entropy": entropy(network),
        "law": {**law_document(law), "score": score(law), "entropy": entropy(law)},
        "marginals": marginals_document(apart),
        "figures": figures,
    }
    learned = (
        f"learned from {counted(found.rows, 'row')} of {counted(variables, 'column')}: the structure from a sample of "
        f"{found.sample:,} of them, every table from all"
    )
    return document, [learned, *figures, sizes_line(network, law)]
