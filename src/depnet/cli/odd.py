"""`depnet odd`: the most unusual rows of a table, and why."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import Grid, Run, command, option, output
from depnet.cli.files import UNKNOWN, WHERE, load_models, read_holed, text_options, write_table

if TYPE_CHECKING:
    from depnet.data import Holed
    from depnet.inference.judge.cells import RowScores
    from depnet.model import Network

ODD, MOST_CELLS = 0.05, 3
"""A cell is a reason where its tail mass is less than this, and of a row at most three are; the oddest always is."""


@command("depnet odd model.json table.csv", "depnet odd model.json table.csv -n 100 -o odd.csv")
@click.argument("model")
@click.argument("table")
@option("-n --rows", "How many rows.", type=click.IntRange(1), default=10)
@output("A table of the reasons, a row for each, instead of a list.")
@WHERE
@UNKNOWN
@text_options
def odd(run: Run, model: str, table: str, rows: int, where: str | None, unknown: str) -> None:
    """List the most unusual rows of a table, and why.

    For each row: the cell that fits the rest of its row worst, its value, and what was expected there. "1 in 200" says that
    a value which fits no better comes up once in 200 such rows; the more, the more unusual (docs/odd-rows.md). Rows that are
    equal are listed once.
    """
    from depnet.inference.judge.cells import row_scores

    network = load_models(model).network
    holed = read_holed(table, network.domain, where=where, handle_unknown=unknown)
    found = list_reasons(network, holed, row_scores(network, holed, holed.codes.size), rows)
    if run.output is not None:
        write_table(found, run.place, force=run.force)
    run.answer({"rows": holed.rows, "odd": found}, _table(found))


def list_reasons(network: "Network", table: "Holed", scores: "RowScores", most: int) -> list[dict[str, Any]]:
    """The oddest cells of the oddest rows, these by their numbers from 1 on, equal ones once."""
    import numpy as np

    from depnet.data.table.cells import about, cell_values
    from depnet.inference.judge.cells import cell_laws

    rows, alike = scores.order[scores.begins[:-1]][:most], np.diff(scores.begins)[:most]
    laws = cell_laws(network, table.rows_at(rows))
    found = []
    for place, (row, count) in enumerate(zip(rows.tolist(), alike.tolist(), strict=True)):
        oddest = np.argsort(laws.tails[place], kind="stable")[:MOST_CELLS].tolist()
        for i in [oddest[0], *(i for i in oddest[1:] if laws.tails[place, i] < ODD)]:
            variable, best = table.domain.variables[i], int(laws.best[place, i])
            found.append(
                {
                    "row": row + 1,
                    "rows_like_it": count,
                    "row_tail": float(np.exp(scores.each[row])),
                    "column": variable.name,
                    "value": str(cell_values(table, i, np.array([row]))[0]),
                    "expected": about(variable, best) if best >= 0 else None,
                    "tail": float(laws.tails[place, i]),
                }
            )
    return found


def _table(found: list[dict[str, Any]]) -> Grid:
    rows, before = [], None
    for one in found:
        first = one["row"] != before
        begin = [f"{one['row']:,}", f"{one['rows_like_it']:,}"] if first else ["", ""]
        rows.append([*begin, one["column"], one["value"], str(one["expected"]), how_odd(one["tail"])])
        before = one["row"]
    head = ["row", "rows like it", "column", "value", "expected", "how unusual"]
    return Grid(head, rows, left=[False, False, True, True, True, False])


def how_odd(tail: float) -> str:
    """A tail mass in words.

    >>> how_odd(0.005), how_odd(0.6), how_odd(1e-12)
    ('1 in 200', 'ordinary', '1 in more than 1,000,000')
    """
    if tail > 0.5:
        return "ordinary"
    return f"1 in {1 / tail:,.0f}" if tail >= 1e-6 else "1 in more than 1,000,000"
