"""`depnet score`: how well a model predicts the rows of a table."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SEED, Run, choice, command, output
from depnet.cli.table_options import UNKNOWN, WHERE, text_options
from depnet.wording import counted

SHOWN = 5

if TYPE_CHECKING:
    from depnet.data import Holed
    from depnet.inference.judge.rows import RowScores
    from depnet.model import Network


@command("depnet score model.json new.csv")
@click.argument("model")
@click.argument("table")
@output("Every row's score, and its tail mass: how unusual it is.")
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

    The tail mass says how unusual a row is: the less, the more unusual (docs/odd-rows.md).
    """
    import numpy as np

    from depnet.cli.files import load_models, read_holed, write_numbers
    from depnet.inference.judge.compare import scored
    from depnet.inference.judge.rows import row_scores
    from depnet.inference.rows.query import score_holed
    from depnet.model.holes import log_pattern

    loaded = load_models(model)
    network = loaded.network if of == "network" else loaded.ask()
    holed = read_holed(table, network.domain, where=where, unknown=unknown)
    each = score_holed(network, holed.codes, holed.hidden, rng=run.steady_rng, n_jobs=run.threads)
    if of == "law":
        each = each + log_pattern(network, holed.hidden)
    found = scored("data", "first", each, holed)
    odd = row_scores(loaded.network, holed, holed.codes.size)
    if run.output is not None:
        write_numbers({"score": each, "tail": np.exp(odd.each)}, run.place, force=run.force)
    with_holes = int(holed.hidden.any(axis=1).sum())
    kind = kind_of(network)
    document: dict[str, Any] = {
        "score": found.mean,
        "standard_error": found.standard_error,
        "kind": kind,
        "unit": "nats per row",
        "rows": holed.rows,
        "rows_with_holes": with_holes,
        "oddest": _oddest(loaded.network, holed, odd),
        "output": run.output,
    }
    rows = counted(holed.rows, "row") + (f", {with_holes:,} with missing values" if with_holes else "")
    line = (
        f"{kind} per row: {found.mean:.4f} ± {found.standard_error:.4f}, the nearer to 0 the better ({rows})"
    )
    run.answer(document, show=lambda: _show(line, document["oddest"]))


def _oddest(network: "Network", table: "Holed", odd: "RowScores") -> list[dict[str, Any]]:
    """Rows by their numbers from 1 on, equal ones once, with their tail masses and the oddest cell of each."""
    import numpy as np

    from depnet.data.table.cells import about, cell_values
    from depnet.inference.judge.cells import cell_laws

    rows, alike = odd.order[odd.begins[:-1]][:SHOWN], np.diff(odd.begins)[:SHOWN]
    laws = cell_laws(network, table.rows_at(rows))
    found = []
    for place, (row, count) in enumerate(zip(rows.tolist(), alike.tolist(), strict=True)):
        i = int(laws.tails[place].argmin())
        variable, best = table.domain.variables[i], int(laws.best[place, i])
        found.append(
            {
                "row": row + 1,
                "alike": count,
                "tail": float(np.exp(odd.each[row])),
                "column": variable.name,
                "value": cell_values(table, i, np.array([row]))[0],
                "expected": about(variable, best) if best >= 0 else None,
            }
        )
    return found


def _show(line: str, oddest: list[dict[str, Any]]) -> None:
    from depnet.cli.render import show_lines, show_table

    show_lines(line)
    if oddest:
        head = ["row", "rows like it", "tail mass", "column", "value", "expected"]
        texts = ("{row:,}", "{alike:,}", "{tail:.2g}", "{column}", "{value}", "{expected}")
        rows = [[text.format_map(one) for text in texts] for one in oddest]
        show_table(head, rows, title="most unusual rows", left=[False] * 3 + [True] * 3)


def kind_of(network: "Network") -> str:
    return "pseudo-log-likelihood" if network.order is None else "log-likelihood"
