"""`depnet score`: how well a model predicts the rows of a table."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SEED, THEORY, Run, choice, command, output
from depnet.cli.files import UNKNOWN, WHERE, load_models, read_holed, text_options, write_numbers
from depnet.wording import once_in, percent, plural

if TYPE_CHECKING:
    from depnet.data import Holed
    from depnet.model.mixture import AnyNetwork


@command("depnet score model.json new.csv", "depnet score model.json new.csv --theory   # the log-likelihood")
@click.argument("model")
@click.argument("table")
@output("A table of every row's log-likelihood.")
@choice(
    "--of",
    "law",
    "network",
    text="Score by the joint model (law), or each column by all others (network); docs/theory.md.",
)
@WHERE
@UNKNOWN
@SEED
@JOBS
@THEORY
@text_options
def score(run: Run, model: str, table: str, of: str, where: str | None, unknown: str) -> None:
    """Say how well a model predicts a table's rows.

    Shows how much of the uncertainty about each column the other columns remove, and how often the model itself would
    draw such a row. In a row with missing values the known ones count.

    Which rows are unusual, and why: depnet odd.
    """
    from depnet.inference.holes import score_holed
    from depnet.inference.judge.compare import scored
    from depnet.model.score import log_pattern

    loaded = load_models(model)
    network = loaded.network if of == "network" else loaded.ask()
    holed = read_holed(table, network.domain, where=where, handle_unknown=unknown)
    each = score_holed(network, holed.codes, holed.hidden, rng=run.steady_rng)
    known = each - log_pattern(network, holed.hidden) if of == "law" else each
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
    lines = [rows, *removed_lines(network, scored("data", "first", known, holed).mean, holed)]
    if of == "law":
        lines.append(
            f"a typical row comes up once in {once_in(found.mean)} rows drawn from the model "
            f"(± {percent(found.standard_error)}): the smaller the number, the better"
        )
    if run.theory:
        lines.append(f"{kind} per row: {found.mean:.4f} ± {found.standard_error:.4f} nats")
    run.answer(document, *lines)


def removed_lines(network: "AnyNetwork", score: float, table: "Holed") -> list[str]:
    """What knowing the other columns is worth, on these rows and on those held back when the model was learned."""
    from depnet.inference.judge.compare import scored

    if network.counts is None:
        return []
    alone = scored("data", "first", network.counts.independent_scores(table), table).mean
    removed = 1 - score / alone if alone else 0.0
    said = f"removes {percent(removed)} of the uncertainty" if removed >= 0 else "does not help"
    held_out = network.held_out
    before = (
        "" if held_out is None else f" (on rows held back when it was learned: {percent(held_out.predicted)})"
    )
    return [f"knowing the other columns {said}{before}"]


def kind_of(network: "AnyNetwork") -> str:
    return "log-likelihood" if network.ordered else "pseudo-log-likelihood"
