"""`depnet odd`: the most unusual rows of a table, and why."""

from typing import Any

import click

from depnet.cli.command import Run, command, option, output
from depnet.cli.files import UNKNOWN, WHERE, load_models, read_holed, text_options, write_table
from depnet.wording import Grid


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

    For each row: the cell that fits the rest of its row worst, its value, and what was expected there. "1 in 200": only one
    such row in 200 has a value that fits as badly, so the larger the number, the more unusual (docs/odd-rows.md). Equal rows
    are listed once.
    """
    from depnet.inference.judge.cells import row_scores
    from depnet.inference.judge.odd import list_reasons

    network = load_models(model).network
    holed = read_holed(table, network.domain, where=where, handle_unknown=unknown)
    found = list_reasons(network, holed, row_scores(network, holed, holed.codes.size), rows)
    if run.output is not None:
        write_table(found, run.place, force=run.force)
    run.answer({"rows": holed.rows, "odd": found}, _table(found))


def _table(found: list[dict[str, Any]]) -> Grid:
    from depnet.inference.judge.odd import how_odd

    rows, before = [], None
    for one in found:
        first = one["row"] != before
        begin = [f"{one['row']:,}", f"{one['rows_like_it']:,}"] if first else ["", ""]
        rows.append([*begin, one["column"], one["value"], str(one["expected"]), how_odd(one["tail"])])
        before = one["row"]
    head = ["row", "rows like it", "column", "value", "expected", "how unusual"]
    return Grid(head, rows, left=[False, False, True, True, True, False])
