"""`depnet score`: how well a model predicts the rows of a table."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import FORCE, JOBS, SEED, command, output
from depnet.cli.table_options import UNKNOWN, WHERE, text_options
from depnet.wording import counted

if TYPE_CHECKING:
    from depnet.inference.compare import Scored


@command(
    "depnet score model.json new.csv",
)
@click.argument("model")
@click.argument("table")
@output("Every row's score, as a table with one column.")
@FORCE
@WHERE
@UNKNOWN
@SEED
@JOBS
@text_options
def score(
    model: str,
    table: str,
    output: str | None,
    force: bool,
    where: str | None,
    unknown: str,
    seed: int | None,
    jobs: int,
    as_json: bool,
) -> None:
    """How well a model predicts the rows of a table.

    The pseudo-log-likelihood of a row: the sum over nodes of log theta, in nats; the nearer to 0 the better. A
    hole in a row is unknown, and integrated out.
    """
    from depnet.cli.command import emit, generator, threads_of
    from depnet.cli.files import check_output, load_model
    from depnet.cli.tables import read_holed, write_numbers
    from depnet.inference.compare import scored
    from depnet.inference.holed_score import score_holed

    check_output(output, force)
    network = load_model(model)
    holed = read_holed(table, network.domain, where=where, unknown=unknown)
    rng, used = generator(seed)
    each = score_holed(network, holed.codes, holed.hidden, rng=rng, n_jobs=threads_of(jobs))
    summary = scored("data", "first", each, holed)
    if output is not None:
        write_numbers({"score": each}, output, force=force)
    if as_json:
        document = {
            "score": summary.mean,
            "standard_error": summary.standard_error,
            "unit": "nats per row",
            "rows": holed.rows,
            "rows_with_holes": int(holed.hidden.any(axis=1).sum()),
            "output": output,
            "seed": used,
        }
        emit(document, err=output == "-")
    elif output != "-":
        _show(summary, holed)


def _show(summary: "Scored", holed: Any) -> None:
    from depnet.cli.render import show_lines

    holes = int(holed.hidden.any(axis=1).sum())
    unknown = f", {holes:,} with holes" if holes else ""
    show_lines(
        f"{summary.mean:.4f} ± {summary.standard_error:.4f} nats a row (pseudo-log-likelihood of "
        f"{counted(holed.rows, 'row')}{unknown})"
    )
