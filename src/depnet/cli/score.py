"""`depnet score`: how well a model predicts the rows of a table."""

from typing import TYPE_CHECKING

import click

from depnet.cli.command import JOBS, SEED, Run, choice, command, output
from depnet.cli.table_options import UNKNOWN, WHERE, text_options
from depnet.wording import counted

if TYPE_CHECKING:
    from depnet.model import Network


@command(
    "depnet score model.json new.csv",
)
@click.argument("model")
@click.argument("table")
@output("Every row's score, as a table with one column.")
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
def score(
    run: Run,
    model: str,
    table: str,
    of: str,
    where: str | None,
    unknown: str,
) -> None:
    """How well a model predicts the rows of a table.

    The log-likelihood of a row under the model's law, in nats; the nearer to 0 the better. Of a row with holes it is
    that of the cells that are known, and of which these are. With --of network it is the pseudo-log-likelihood: the sum
    over columns of how well each is predicted from all others.
    """
    from depnet.cli.files import load_asked
    from depnet.cli.tables import read_holed, write_numbers
    from depnet.inference.judge.compare import scored
    from depnet.inference.rows.holed_score import score_holed
    from depnet.model.holes import log_pattern

    network = load_asked(model, chains=of == "network")
    holed = read_holed(table, network.domain, where=where, unknown=unknown)
    each = score_holed(network, holed.codes, holed.hidden, rng=run.steady_rng, n_jobs=run.threads)
    if of == "law":
        each = each + log_pattern(network, holed.hidden)
    found = scored("data", "first", each, holed)
    if run.output is not None:
        write_numbers({"score": each}, run.place, force=run.force)
    with_holes = int(holed.hidden.any(axis=1).sum())
    kind = kind_of(network)
    document = {
        "score": found.mean,
        "standard_error": found.standard_error,
        "kind": kind,
        "unit": "nats per row",
        "rows": holed.rows,
        "rows_with_holes": with_holes,
        "output": run.output,
    }
    rows = counted(holed.rows, "row") + (f", {with_holes:,} with holes" if with_holes else "")
    line = f"{found.mean:.4f} ± {found.standard_error:.4f} nats a row ({kind} of {rows})"
    run.answer(document, line)


def kind_of(network: "Network") -> str:
    """What scores of a network's rows are."""
    return "pseudo-log-likelihood" if network.order is None else "log-likelihood"
