"""`depnet score`: how well a model predicts the rows of a table."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SEED, Run, choice, command, output
from depnet.cli.table_options import UNKNOWN, WHERE, text_options
from depnet.wording import counted

SHOWN = 5
WORDS = (False, False, True, True, True)

if TYPE_CHECKING:
    from depnet.data import Holed
    from depnet.inference.judge.cell_laws import CellLaws
    from depnet.model import Network


@command(
    "depnet score model.json new.csv",
)
@click.argument("model")
@click.argument("table")
@output("Every row's score, and its tail mass: how odd it is.")
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

    How odd a row is, its tail mass says: the less, the odder (docs/odd-rows.md).
    """
    import numpy as np

    from depnet.cli.files import law_in, load_models
    from depnet.cli.tables import read_holed, write_numbers
    from depnet.inference.judge.cell_laws import cell_laws
    from depnet.inference.judge.compare import scored
    from depnet.inference.rows.holed_score import score_holed
    from depnet.model.holes import log_pattern

    loaded = load_models(model)
    network = loaded.first if of == "network" else law_in(loaded)
    holed = read_holed(table, network.domain, where=where, unknown=unknown)
    each = score_holed(network, holed.codes, holed.hidden, rng=run.steady_rng, n_jobs=run.threads)
    if of == "law":
        each = each + log_pattern(network, holed.hidden)
    found = scored("data", "first", each, holed)
    odd = cell_laws(loaded.first, holed)
    if run.output is not None:
        write_numbers({"score": each, "tail": odd.row_tails}, run.place, force=run.force)
    with_holes = int(holed.hidden.any(axis=1).sum())
    kind = kind_of(network)
    document = {
        "score": found.mean,
        "standard_error": found.standard_error,
        "kind": kind,
        "unit": "nats per row",
        "rows": holed.rows,
        "rows_with_holes": with_holes,
        "oddest": [_odd(r, odd, holed) for r in np.argsort(odd.row_tails, kind="stable")[:SHOWN].tolist()],
        "output": run.output,
    }
    rows = counted(holed.rows, "row") + (f", {with_holes:,} with holes" if with_holes else "")
    line = f"{found.mean:.4f} ± {found.standard_error:.4f} nats a row ({kind} of {rows})"
    run.answer(document, show=lambda: _show(line, document["oddest"]))


def _odd(row: int, odd: "CellLaws", table: "Holed") -> dict[str, Any]:
    """A row by its number from 1 on, its tail mass, and the oddest of its cells."""
    import numpy as np

    from depnet.data.table.cells import about, cell_values

    i = int(odd.tails[row].argmin())
    variable, best = table.domain.variables[i], int(odd.best[row, i])
    return {
        "row": row + 1,
        "tail": float(odd.row_tails[row]),
        "column": variable.name,
        "value": cell_values(table, i, np.array([row]))[0],
        "expected": about(variable, best) if best >= 0 else None,
    }


def _show(line: str, oddest: list[dict[str, Any]]) -> None:
    from depnet.cli.render import show_lines, show_table

    show_lines(line)
    rows = [
        [f"{o['row']:,}", f"{o['tail']:.2g}", o["column"], str(o["value"]), str(o["expected"])]
        for o in oddest
    ]
    if rows:
        show_table(
            ["row", "tail", "its oddest cell", "value", "expected"], rows, title="oddest rows", left=WORDS
        )


def kind_of(network: "Network") -> str:
    """What scores of a network's rows are."""
    return "pseudo-log-likelihood" if network.order is None else "log-likelihood"
