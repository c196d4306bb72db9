"""`depnet score`: how well a model predicts the rows of a table."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SEED, Run, choice, command, output
from depnet.cli.files import UNKNOWN, WHERE, load_models, read_holed, text_options, write_numbers
from depnet.wording import plural

if TYPE_CHECKING:
    from depnet.model import Network


@command("depnet score model.json new.csv")
@click.argument("model")
@click.argument("table")
@output("Every row's score.")
@choice(
    "--of",
    "law",
    "network",
    text="The log-likelihood of the ordered law, or the dependency network's pseudo-log-likelihood.",
)
@WHERE
@UNKNOWN
@SEED
@JOBS
@text_options
def score(run: Run, model: str, table: str, of: str, where: str | None, unknown: str) -> None:
    """Say how well a model predicts a table's rows.

    The score is the average log-likelihood of a row: the nearer to 0 the better. In a row with missing values the known
    ones count. With --of network it is the pseudo-log-likelihood: how well each column is predicted from all others,
    summed over the columns.

    Which rows are unusual, and why: depnet odd.
    """
    from depnet.inference.holes import score_holed
    from depnet.inference.judge.compare import scored

    loaded = load_models(model)
    network = loaded.network if of == "network" else loaded.ask()
    holed = read_holed(table, network.domain, where=where, handle_unknown=unknown)
    each = score_holed(network, holed.codes, holed.hidden, rng=run.steady_rng)
    found = scored("data", "first", each, holed)
    if run.output is not None:
        write_numbers({"score": each}, run.place, force=run.force)
    with_holes = int(holed.hidden.any(axis=1).sum())
    kind = kind_of(network)
    document: dict[str, Any] = {
        "score": found.mean,
        "standard_error": found.standard_error,
        "kind": kind,
        "unit": "nats per row",
        "rows": holed.rows,
        "rows_with_holes": with_holes,
        "output": run.output,
    }
    rows = plural(holed.rows, "row") + (f", {with_holes:,} with missing values" if with_holes else "")
    line = (
        f"{kind} per row: {found.mean:.4f} ± {found.standard_error:.4f}, the nearer to 0 the better ({rows})"
    )
    run.answer(document, line)


def kind_of(network: "Network") -> str:
    return "pseudo-log-likelihood" if network.order is None else "log-likelihood"
