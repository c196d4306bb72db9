"""`depnet fit --cluster` and `--local-cluster`: a model from Parquet files that workers read."""

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
    from depnet.cluster.fit import ClusterFit, PartsFitted
    from depnet.data.frames.left_out import LeftOut
    from depnet.fitting.fit import FitOptions
    from depnet.learning.grow.rounds import Round

NOT_ON_A_CLUSTER = {
    "--where": "workers read whole files. Write the rows that you want to Parquet files of their own.",
    "--text": "the types of Parquet files are taken as they are. Write such columns as text.",
}


def fit_cluster(
    table: str,
    options: "FitOptions",
    chosen: "NewTable",
    run: "Run",
    address: str | None,
    workers: int | None,
) -> "ClusterFit":
    """The model of `depnet fit`. What workers cannot do, or rows could not be fitted with, is refused before any start."""
    from depnet.cli.files import check_no_input
    from depnet.cli.progress import progress
    from depnet.cluster.fit import check_options, fit_on_cluster
    from depnet.cluster.placed import TableRequest
    from depnet.cluster.source import files_of
    from depnet.data.frames.variables import StateOptions

    if address is not None and workers is not None:
        raise click.UsageError("either --cluster or --local-cluster.")
    refused = {"--where": chosen.where is not None, "--text": "text" in run.dialect}
    for name, why in NOT_ON_A_CLUSTER.items():
        if refused[name]:
            raise click.UsageError(f"{name} is not for a cluster: {why}")
    if table == "-":
        raise click.UsageError(
            "a cluster reads Parquet files, and no standard input. Write the table to a Parquet file first, or leave "
            "--cluster and --local-cluster out."
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
    with connected(address, workers) as client, progress("reading") as told:
        if told is None:
            return fit_on_cluster(request, options, run.steady_rng, client)
        grown = total = 0

        def count(done: int, steps: int) -> None:
            nonlocal grown, total
            grown, total = done, steps
            told(done, steps, "learning")

        def report(done: "Round") -> None:
            told(grown, max(total, 2 * done.nodes), round_text(done))

        return fit_on_cluster(request, options, run.steady_rng, client, count, report)


def parts_document(found: "PartsFitted", left: "Sequence[LeftOut]") -> tuple[dict[str, Any], list[str]]:
    """What is said of a model whose rows stayed in parts, as JSON and in lines: all that counts can say."""
    from depnet.cli.model_documents import law_document, sizes, sizes_line
    from depnet.cluster.fit import score
    from depnet.fitting.explained import law_nearness, plain_figures
    from depnet.learning.certificate import BIT

    network, law, variables = found.network, found.law, len(found.network.domain)
    apart = law_nearness(law)
    known, nothing = found.kl / BIT, found.one_leaf_kl / BIT
    proven = f"the law is {known:.4g} bits a row from these rows, KL(data || law); independent columns are {nothing:.4g}"
    figures = [*plain_figures(law, apart), proven]
    proof = {"score": score(law), "kl": found.kl, "one_leaf_kl": found.one_leaf_kl}
    document = {
        "rows": found.rows,
        "variables": variables,
        "left_out": [picked(column, "name", "why") for column in left],
        **sizes(network),
        "score": score(network),
        "law": {**law_document(law), **proof},
        "marginals": marginals_document(apart),
        "figures": figures,
    }
    learned = (
        f"learned from {counted(found.rows, 'row')} of {counted(variables, 'column')}, which stayed in parts"
    )
    return document, [learned, *figures, sizes_line(network, law)]


def round_text(done: "Round") -> str:
    """How far a cluster has come, for its progress bar.

    >>> from depnet.learning.grow.rounds import Round
    >>> round_text(Round(number=7, live=12, done=3, nodes=40, leaves=900, told=0, counted=0, seconds=0.1))
    'round 7: 12 live nodes, 900 leaves counted'
    """
    return f"round {done.number:,}: {done.live:,} live nodes, {done.leaves:,} leaves counted"
