"""`depnet fit`: a model from a table."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SEED, VERBOSE, Run, choice, command, flag, number, option, output, picked
from depnet.cli.table_options import learning_options, new_table_options, text_options
from depnet.wording import counted, some_of

if TYPE_CHECKING:
    from depnet.cli.table_options import NewTable
    from depnet.cluster.fit import CountedModel
    from depnet.data.table.variables import LeftOut
    from depnet.fitting.fit import Fitted

NO_BOUND = "no FC-limit and no KL(data || law) are known: they compare rows with each other, and these were only counted"


@command("depnet fit table.csv -o model.json")
@click.argument("table")
@output("The model (.json, .json.gz).", required=True)
@choice(
    "--penalty", "auto", "mdl", "structural-mdl", "aic", "none",
    text="What complexity costs; auto: chosen on held-out rows, with the smoothing (see depnet tune).",
)  # fmt: skip
@number(
    "--smoothing", 0.5, "Pseudo-count of every cell; with --penalty auto, the unit of those tried.", least=0
)
@new_table_options
@learning_options
@option(
    "--order",
    "The order of the law: all columns, each predicted from those before it; auto: by what they say of each other.  "
    "[default: auto]",
    metavar="auto|A,B,...",
    multiple=True,
)
@flag("--boost", "Add many small decision graphs to each node where held-out rows say that it helps.")
@option("--cluster", "Read Parquet files on a Dask cluster, such as tcp://host:8786.", metavar="ADDRESS")
@option(
    "--local-cluster",
    "The same with N worker processes on this machine, to try it.",
    type=click.IntRange(min=1),
    metavar="N",
)
@option(
    "--memory",
    "Read Parquet files in chunks and use no more memory than this, such as 8GB. From a larger table the structure is "
    "learned from a sample of the rows; then all rows are counted.",
    metavar="SIZE",
)
@VERBOSE
@SEED
@JOBS
@text_options
def fit(
    run: Run,
    table: str,
    penalty: str,
    smoothing: float,
    chosen: "NewTable",
    learning: dict[str, Any],
    order: tuple[str, ...],
    boost: bool,
    cluster: str | None,
    local_cluster: int | None,
    memory: str | None,
) -> None:
    """Learn a model from a table.

    Text, truth values and whole numbers with few values are taken as they are; other numbers and dates are put in bins.
    Names, identifiers and row numbers are left out (--keep keeps them). The same table always gives the same model: a
    dependency network, and an ordered law of the same rows, which answers, draws and scores.
    """
    from depnet.cli.files import save_model
    from depnet.cli.render import progress
    from depnet.cli.table_options import names_in
    from depnet.fitting.fit import FitOptions, Fitted, fit

    options = FitOptions(
        penalty=penalty,
        smoothing=smoothing,
        missing=chosen.missing,
        n_jobs=run.jobs,
        order="auto" if order in ((), ("auto",)) else tuple(names_in(order)),
        boost="auto" if boost else None,
        **learning,
    )
    found: Fitted | CountedModel
    left: list[LeftOut] = []
    if (cluster, local_cluster, memory) != (None, None, None):
        from depnet.cli.fit_chunks import fit_from_chunks

        done = fit_from_chunks(table, options, chosen, run, cluster, local_cluster, memory)
        found, left = done.found, list(done.left_out)
    else:
        rows = chosen.read(table, left)
        total = options.steps(rows)
        with progress("learning") as told:
            heard = None if told is None else lambda done: told(done, total)
            found = fit(rows, options, run.steady_rng, heard)
    save_model(found, run.place, run.force)
    if run.output == "-" and not run.as_json:
        return
    document, *lines = _rows_said(found, run.verbose) if isinstance(found, Fitted) else _counts_said(found)
    document["left_out"] = [picked(column, "name", "why") for column in left]
    run.answer(document, *lines, f"written: {run.output}")


def _rows_said(found: "Fitted", verbose: bool) -> tuple[Any, ...]:
    """What is said of a model learned from rows: as JSON, and in lines."""
    from depnet.cli.show import law_document, law_proof, network_proof, size_line
    from depnet.fitting.explained import exact_figures
    from depnet.learning.certificate import certificates_of_learned

    network, law, completion = found.network, found.law, found.completion
    document, figures = _common(found, found.dataset.total)
    of_law, of_network = certificates_of_learned([law, network], found.dataset)
    details = [*exact_figures(law), of_law.said, of_network.said]
    holes, rounds = int(completion.hidden.sum()), len(completion.rounds)
    states = [variable.name for variable in law.domain.variables if variable.missing is not None]
    document |= {
        "score": of_network.score,
        **(network_proof(of_network) or {}),
        "law": {**law_document(law), "score": of_law.score, **law_proof(of_law)},
        "completion": {"holes": holes, "rounds": rounds, "settled": completion.converged, "states": states},
        "figures": figures,
        "details": details,
    }
    learned = (
        f"learned from {counted(found.dataset.total, 'row')} of {counted(len(network.domain), 'column')}"
    )
    lines = [learned, *figures, *(details if verbose else []), size_line(network, law)]
    if states:
        lines.append(f"missing is a state of its own in {counted(len(states), 'column')}: {some_of(states)}")
    if holes:
        settled = "settled" if completion.converged else "NOT settled"
        done = f"{counted(holes, 'hole')} completed in {counted(rounds, 'round')}, {settled}"
        lines.append(f"{done}; assumes that cells are missing at random")
    return document, *lines


def _counts_said(found: "CountedModel") -> tuple[Any, ...]:
    from depnet.cli.show import law_document, size_line
    from depnet.cluster.fit import entropy, score

    network, law = found.network, found.law
    document, figures = _common(found, found.rows)
    figures = [*figures, NO_BOUND]
    document |= {
        "sample": found.sample,
        "score": score(network),
        "entropy": entropy(network),
        "law": {**law_document(law), "score": score(law), "entropy": entropy(law)},
        "figures": figures,
    }
    learned = (
        f"learned from {counted(found.rows, 'row')} of {counted(len(network.domain), 'column')}: the structure from a "
        f"sample of {found.sample:,} of them, every table from all"
    )
    return document, learned, *figures, size_line(network, law)


def _common(found: "Fitted | CountedModel", rows: int) -> tuple[dict[str, Any], list[str]]:
    """What JSON says of any fit, and how good the model is in plain words."""
    from depnet.cli.show import marginals_document, sizes
    from depnet.fitting.explained import law_nearness, plain_figures

    near = law_nearness(found.law)
    document = {"rows": rows, "variables": len(found.network.domain), **sizes(found.network)}
    return {**document, "marginals": marginals_document(near)}, plain_figures(found.law, near)
