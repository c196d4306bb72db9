"""`depnet fit`: a model from a table."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import FORCE, JOBS, SEED, command, output, removed_option
from depnet.cli.table_options import learning_options, new_table_options, text_options
from depnet.wording import counted

if TYPE_CHECKING:
    from depnet.cli.table_options import NewTable
    from depnet.estimators.settings import Settings
    from depnet.inference.completion import Completed
    from depnet.learning.certificate import Certificate
    from depnet.model.network import Network


@command(
    "depnet fit table.csv -o model.json",
)
@click.argument("table")
@output("The model (.json, .json.gz).", required=True)
@FORCE
@click.option(
    "--penalty",
    type=click.Choice(["auto", "mdl", "structural-mdl", "aic", "none"]),
    default="auto",
    show_default=True,
    help="What complexity costs; auto: chosen on rows held out, with the smoothing (see depnet tune).",
)
@click.option(
    "--smoothing",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    help="Pseudo-count of every cell; with --penalty auto, the unit of those tried.",
)
@removed_option(
    "--blocks", "variables that move together need no block: the ordered law is of the whole table"
)
@removed_option("--calibrate", "the ordered law has the data's marginals as it is learned", is_flag=True)
@new_table_options
@learning_options
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Parquet files, on the workers of a Dask cluster, such as tcp://host:8786.",
)
@click.option(
    "--local-cluster",
    type=click.IntRange(min=1),
    metavar="N",
    help="The same on N worker processes of this machine, to try it.",
)
@click.option("--resume", metavar="FILE", help="Grows node by node: a fit that was killed goes on from it.")
@SEED
@JOBS
@text_options
def fit(
    table: str,
    output: str,
    force: bool,
    penalty: str,
    smoothing: float,
    chosen: "NewTable",
    learning: dict[str, Any],
    cluster: str | None,
    local_cluster: int | None,
    resume: str | None,
    seed: int | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Learn a model from a table.

    Text, whole numbers of few values and truth values are states as they are; other numbers and dates are
    binned by quantiles.
    """
    from depnet.cli.command import emit, generator
    from depnet.cli.files import check_output, save_model
    from depnet.cli.progress import progress
    from depnet.estimators.settings import Settings
    from depnet.learning.certificate import certificate

    settings = Settings(
        penalty=penalty,
        smoothing=smoothing,
        n_jobs=jobs,
        resume=resume,
        **learning,
    )
    check_output(output, force)
    if cluster is not None or local_cluster is not None:
        _fit_on_cluster(table, output, force, settings, chosen, (cluster, local_cluster), as_json)
        return
    rows = chosen.read(table)
    rng, used = generator(seed)
    with progress("learning") as told:
        total = len(rows.domain) + (0 if rows.complete else settings.rounds)
        found = settings.complete(rows, rng, None if told is None else lambda done: told(done, total))
    network = found.network.with_counts(found.dataset)
    save_model(network, output, force)
    summary = _summary(found, certificate(network, found.dataset), output, used)
    if as_json:
        emit(summary, err=output == "-")
    elif output != "-":
        _show(summary)


def _fit_on_cluster(
    table: str,
    output: str,
    force: bool,
    settings: "Settings",
    chosen: "NewTable",
    place: tuple[str | None, int | None],
    as_json: bool,
) -> None:
    from depnet.cli.command import emit
    from depnet.cli.files import save_model
    from depnet.cli.fit_cluster import learn_on_cluster, refuse_options
    from depnet.cli.render import show_lines

    address, workers = place
    if address is not None and workers is not None:
        raise click.UsageError("either --cluster or --local-cluster.")
    refuse_options(
        missing=chosen.missing,
        without=chosen.without,
        where=chosen.where,
    )
    read = {"columns": chosen.columns, "bins": chosen.bins or "quantile", "missing": chosen.missing}
    options = {
        name: getattr(settings, name)
        for name in (
            "penalty", "smoothing", "max_leaves", "min_leaf_rows", "roles", "forbidden", "max_seconds", "resume",
        )
    }  # fmt: skip
    network, rounds = learn_on_cluster(table, address=address, workers=workers, options={**read, **options})
    save_model(network, output, force)
    counts = network.nodes[0].table.counts
    summary = {
        "output": output,
        "rows": 0 if counts is None else int(counts.sum()),
        **_sizes(network),
        "rounds": rounds,
    }
    if as_json:
        emit(summary, err=output == "-")
    elif output != "-":
        show_lines(
            f"{_size_text(summary)}, in {counted(rounds, 'round')}",
            f"written: {output}",
        )


def _sizes(network: "Network") -> dict[str, Any]:
    return {
        "variables": len(network.domain),
        "leaves": sum(node.source.size for node in network.nodes),
        "links": sum(len(node.source.inputs) for node in network.nodes),
    }


def _summary(found: "Completed", proven: "Certificate", output: str, seed: int) -> dict[str, Any]:
    from depnet.model.score import score

    network = found.network
    return {
        "output": output,
        "rows": found.dataset.total,
        **_sizes(network),
        "score": score(network, found.dataset),
        "fc_limit": proven.fc_limit,
        "one_leaf_limit": proven.one_leaf_limit,
        "completion": {
            "holes": int(found.hidden.sum()),
            "rounds": len(found.rounds),
            "settled": found.converged,
        },
        "seed": seed,
    }


def _size_text(summary: dict[str, Any]) -> str:
    return (
        f"{counted(summary['rows'], 'row')} of {counted(summary['variables'], 'variable')}: "
        f"{counted(summary['links'], 'link')}, {counted(summary['leaves'], 'leaf', 'leaves')}"
    )


def _show(summary: dict[str, Any]) -> None:
    from depnet.cli.render import show_lines

    holes = summary["completion"]
    lines = [
        _size_text(summary),
        f"pseudo-log-likelihood {summary['score']:.4f} nats a row, on these rows",
        (
            f"FC(data || model) <= {summary['fc_limit']:.4g} nats (Theorem 3); one leaf a node: "
            f"{summary['one_leaf_limit']:.4g}"
        ),
    ]
    if holes["holes"]:
        settled = "settled" if holes["settled"] else "NOT settled"
        lines.append(
            f"{counted(holes['holes'], 'hole')} completed in {counted(holes['rounds'], 'round')}, {settled}; assumes that "
            "cells are missing at random"
        )
    show_lines(*lines, f"written: {summary['output']}")
