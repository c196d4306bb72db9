"""`depnet fit`: a model from a table."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SEED, command, output, removed_option
from depnet.cli.table_options import learning_options, new_table_options, text_options
from depnet.wording import counted

if TYPE_CHECKING:
    from depnet.cli.table_options import NewTable
    from depnet.data import Dataset
    from depnet.fitting.fit import Fitted, Settings
    from depnet.inference.judge.marginals import Nearness
    from depnet.model.marginals import MarginalCounts
    from depnet.model.network import Network

DRAWN = 20_000
"""Rows that stand for the law where its marginals are compared with the table's."""


@command(
    "depnet fit table.csv -o model.json",
)
@click.argument("table")
@output("The model (.json, .json.gz).", required=True)
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
    "--order",
    metavar="auto|A,B,...",
    multiple=True,
    help="Of the law: all columns, the first read by all others; auto: by what they say of each other.  [default: auto]",
)
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
    order: tuple[str, ...],
    cluster: str | None,
    local_cluster: int | None,
    resume: str | None,
    seed: int | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Learn a model from a table.

    A model is two networks of the same rows: the paper's dependency network, and the ordered law that answers, samples
    and scores are of. Text, whole numbers of few values and truth values are states as they are; other numbers and dates are
    binned by quantiles.
    """
    from depnet.cli.command import emit, generator
    from depnet.cli.files import check_output, save_model
    from depnet.cli.progress import progress
    from depnet.fitting.fit import Settings

    settings = Settings(
        penalty=penalty,
        smoothing=smoothing,
        n_jobs=jobs,
        resume=resume,
        order=_order(order),
        **learning,
    )
    check_output(output, force)
    if cluster is not None or local_cluster is not None:
        _fit_on_cluster(table, output, force, settings, chosen, (cluster, local_cluster), as_json)
        return
    rows = chosen.read(table)
    rng, used = generator(seed)
    with progress("learning") as told:
        total = settings.steps(rows)
        found = settings.fit(rows, rng, None if told is None else lambda done: told(done, total))
    save_model(found.network, output, force, found.law)
    if output == "-" and not as_json:
        return
    summary = _summary(found, output, used)
    if as_json:
        emit(summary, err=output == "-")
    else:
        _show(summary)


def _order(texts: tuple[str, ...]) -> Any:
    """The order of the law: "auto", or names."""
    from depnet.cli.table_options import names_in

    return "auto" if not texts or texts == ("auto",) else tuple(names_in(texts))


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
            "penalty", "smoothing", "order", "max_leaves", "min_leaf_rows", "roles", "forbidden", "max_seconds", "resume",
        )
    }  # fmt: skip
    network, law, rounds = learn_on_cluster(
        table, address=address, workers=workers, options={**read, **options}
    )
    save_model(network, output, force, law)
    counts = network.nodes[0].table.counts
    summary = {
        "output": output,
        "rows": 0 if counts is None else int(counts.sum()),
        **sizes(network),
        "law": law_document(law),
        "rounds": rounds,
    }
    if as_json:
        emit(summary, err=output == "-")
    elif output != "-":
        from depnet.fitting.explained import plain_figures

        show_lines(
            f"{_size_text(summary)}, in {counted(rounds, 'round')}",
            *plain_figures(law),
            _sizes_text(summary),
            f"written: {output}",
        )


def sizes(network: "Network") -> dict[str, Any]:
    """Variables, leaves and links of a network."""
    return {
        "variables": len(network.domain),
        "leaves": sum(node.source.size for node in network.nodes),
        "links": sum(len(node.inputs) for node in network.nodes),
    }


def law_document(law: "Network") -> dict[str, Any]:
    """What there is to say of the law without rows: its size, order, and held-out rows."""
    held_out = law.held_out
    size = sizes(law)
    return {
        "leaves": size["leaves"],
        "links": size["links"],
        "order": [law.domain.names[i] for i in law.order or ()],
        "held_out": None
        if held_out is None
        else {
            "rows": held_out.rows,
            "score": held_out.score,
            "independent": held_out.independent,
            "bits_explained": held_out.gained,
            "worth": held_out.worth,
        },
    }


def _summary(found: "Fitted", output: str, seed: int) -> dict[str, Any]:
    from depnet.fitting.explained import plain_figures
    from depnet.learning.certificate import certificate
    from depnet.model.score import score

    network, law, rows = found.network, found.law, found.dataset
    of_law, of_network = certificate(law, rows), certificate(network, rows)
    apart = near(law, rows if law.counts is None else law.counts)
    return {
        "output": output,
        "rows": rows.total,
        **sizes(network),
        "score": score(network, rows),
        "fc_limit": of_network.fc_limit,
        "one_leaf_limit": of_network.one_leaf_limit,
        "no_bound": of_network.no_bound,
        "law": {
            **law_document(law),
            "score": score(law, rows),
            "kl": of_law.kl,
            "one_leaf_kl": of_law.one_leaf_limit,
        },
        "marginals": {
            "one_way": apart.one_way,
            "two_way": apart.two_way,
            "floor": {"one_way": apart.floor_one_way, "two_way": apart.floor_two_way},
            "rows": apart.rows,
        },
        "completion": {
            "holes": int(found.completion.hidden.sum()),
            "rounds": len(found.completion.rounds),
            "settled": found.completion.converged,
        },
        "figures": [*plain_figures(law), apart.said, of_law.said, of_network.said],
        "seed": seed,
    }


def near(law: "Network", rows: "Dataset | MarginalCounts") -> "Nearness":
    """How near the marginals of rows drawn from the law are to the table's; always the same rows."""
    import numpy as np

    from depnet.inference.judge.marginals import nearness
    from depnet.sampling import sample

    return nearness(sample(law, DRAWN, rng=np.random.default_rng(0)), rows)


def _size_text(summary: dict[str, Any]) -> str:
    return f"learned from {counted(summary['rows'], 'row')} of {counted(summary['variables'], 'column')}"


def _sizes_text(summary: dict[str, Any]) -> str:
    law = summary["law"]
    return (
        f"law: {counted(law['links'], 'link')}, {counted(law['leaves'], 'leaf', 'leaves')}; dependency network: "
        f"{counted(summary['links'], 'link')}, {counted(summary['leaves'], 'leaf', 'leaves')}"
    )


def _show(summary: dict[str, Any]) -> None:
    from depnet.cli.render import show_lines

    holes = summary["completion"]
    lines = [_size_text(summary), *summary["figures"], _sizes_text(summary)]
    if holes["holes"]:
        settled = "settled" if holes["settled"] else "NOT settled"
        lines.append(
            f"{counted(holes['holes'], 'hole')} completed in {counted(holes['rounds'], 'round')}, {settled}; assumes that "
            "cells are missing at random"
        )
    show_lines(*lines, f"written: {summary['output']}")
