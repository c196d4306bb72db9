"""`depnet fit`: a model from a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SEED, VERBOSE, Run, choice, command, number, output, picked
from depnet.cli.table_options import learning_options, new_table_options, text_options
from depnet.wording import counted, some_of

if TYPE_CHECKING:
    from depnet.cli.table_options import NewTable
    from depnet.cluster.fit import CountedModel
    from depnet.data.table.variables import LeftOut
    from depnet.fitting.fit import Fitted


@command(
    "depnet fit table.csv -o model.json",
)
@click.argument("table")
@output("The model (.json, .json.gz).", required=True)
@choice(
    "--penalty",
    "auto",
    "mdl",
    "structural-mdl",
    "aic",
    "none",
    text="What complexity costs; auto: chosen on rows held out, with the smoothing (see depnet tune).",
)
@number(
    "--smoothing", 0.5, "Pseudo-count of every cell; with --penalty auto, the unit of those tried.", least=0
)
@new_table_options
@learning_options
@click.option(
    "--order",
    metavar="auto|A,B,...",
    multiple=True,
    help="Of the law: all columns, the first read by all others; auto: by what they say of each other.  [default: auto]",
)
@click.option(
    "--boost",
    is_flag=True,
    help="Add many small decision graphs to each node where rows held out say that it helps.",
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
@click.option(
    "--memory",
    metavar="SIZE",
    help="Parquet files are read a chunk at a time, and a fit takes no more than this, such as 8GB: of a larger table it "
    "learns the structure from a sample of the rows, and counts them all.",
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

    A model is two networks of the same rows: the paper's dependency network, and the ordered law that answers, samples
    and scores are of. Text, whole numbers of few values and truth values are states as they are; other numbers and dates are
    binned by quantiles. Names, identifiers and row numbers are left out (--keep). The same table gives the same model.
    """
    from depnet.cli.files import save_model
    from depnet.cli.progress import progress
    from depnet.cli.table_options import names_in
    from depnet.fitting.fit import FitOptions, Fitted, fit
    from depnet.model.model import Model

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
    left: Sequence[LeftOut]
    if (cluster, local_cluster, memory) != (None, None, None):
        from depnet.cli.fit_chunks import fit_from_chunks

        done = fit_from_chunks(table, options, chosen, run, cluster, local_cluster, memory)
        found, left = done.found, done.left_out
    else:
        heard: list[LeftOut] = []
        rows = chosen.read(table, heard)
        total, left = options.steps(rows), heard
        with progress("learning") as told:
            found = fit(
                rows, options, run.steady_rng, None if told is None else lambda done: told(done, total)
            )
    save_model(Model(found.network, found.law), run.place, run.force)
    if run.output == "-" and not run.as_json:
        return
    if isinstance(found, Fitted):
        document = _document(found, left)
        lines = _lines(found, document["figures"] + (document["details"] if run.verbose else []))
    else:
        from depnet.cli.fit_chunks import counted_document

        document, lines = counted_document(found, left)
    run.answer(document, *lines, f"written: {run.output}")


def _document(found: "Fitted", left: "Sequence[LeftOut]") -> dict[str, Any]:
    from depnet.cli.model_documents import law_document, law_proof, marginals_document, network_proof, sizes
    from depnet.fitting.explained import exact_figures, law_nearness, plain_figures
    from depnet.learning.certificate import certificates_of_learned

    network, law, rows = found.network, found.law, found.dataset
    of_law, of_network = certificates_of_learned([law, network], rows)
    apart = law_nearness(law)
    assert apart is not None  # a fitted law keeps its counts
    return {
        "rows": rows.total,
        "variables": len(network.domain),
        "left_out": [picked(column, "name", "why") for column in left],
        **sizes(network),
        "score": of_network.score,
        **(network_proof(of_network) or {}),
        "law": {**law_document(law), "score": of_law.score, **law_proof(of_law)},
        "marginals": marginals_document(apart),
        "completion": {
            "holes": int(found.completion.hidden.sum()),
            "rounds": len(found.completion.rounds),
            "settled": found.completion.converged,
            "states": _switched(found),
        },
        "figures": plain_figures(law, apart),
        "details": [*exact_figures(law), of_law.said, of_network.said],
    }


def _switched(found: "Fitted") -> list[str]:
    return [variable.name for variable in found.law.domain.variables if variable.missing is not None]


def _lines(found: "Fitted", figures: list[str]) -> list[str]:
    from depnet.cli.model_documents import sizes_line

    columns = counted(len(found.network.domain), "column")
    lines = [
        f"learned from {counted(found.dataset.total, 'row')} of {columns}",
        *figures,
        sizes_line(found.network, found.law),
    ]
    completion, states = found.completion, _switched(found)
    if states:
        lines.append(f"missing is a state of its own in {counted(len(states), 'column')}: {some_of(states)}")
    if completion.hidden.any():
        settled = "settled" if completion.converged else "NOT settled"
        lines.append(
            f"{counted(int(completion.hidden.sum()), 'hole')} completed in {counted(len(completion.rounds), 'round')}, "
            f"{settled}; assumes that cells are missing at random"
        )
    return lines
