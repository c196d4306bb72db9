"""`depnet nearest`: rows of a table that are like a row."""

from typing import Any

import click

from depnet.cli.command import GIVEN, Run, command, option, output
from depnet.cli.files import UNKNOWN, WHERE, load_models, read_holed, text_options, write_table
from depnet.cli.given import parse
from depnet.wording import Grid


@command(
    "depnet nearest model.json table.csv --given sex=female,class=1st --target survived",
    "depnet nearest model.json table.csv --row 17 -n 5",
)
@click.argument("model")
@click.argument("table")
@GIVEN
@option("--row", "The number of a row of the table, from 1 on, instead of --given.", type=click.IntRange(1))
@option("--target", "Compare what matters to this column.  [default: to all]", metavar="COLUMN")
@option("-n --rows", "How many rows.", type=click.IntRange(1), default=10)
@output("A table of the rows, instead of a list.")
@WHERE
@UNKNOWN
@text_options
def nearest(
    run: Run,
    model: str,
    table: str,
    given: tuple[str, ...],
    row: int | None,
    target: str | None,
    rows: int,
    where: str | None,
    unknown: str,
) -> None:
    """List the rows of a table that are most like a given one.

    Rows are alike where the model predicts the same for them, of the target or of every column; among those, rows with the
    most equal values come first (docs/odd-rows.md). Equal rows are listed once.
    """
    from depnet.inference import nearest

    loaded = load_models(model)
    known: Any = parse(given, loaded.domain)
    if (known is None) == (row is None):
        raise click.UsageError("nearest needs a row: --given sex=female,age=30, or --row 17.")
    holed = read_holed(table, loaded.domain, where=where, handle_unknown=unknown)
    this = known if row is None else row - 1
    found = nearest(loaded.network, holed, this, target, n=rows, law=loaded.law).columns()
    listed = [dict(zip(found, cells, strict=True)) for cells in zip(*found.values(), strict=True)]
    if run.output is not None:
        write_table(listed, run.place, force=run.force)
    texts = [["" if cell is None else str(cell) for cell in one.values()] for one in listed]
    left = [name not in ("row", "rows_like_it", "alike") for name in found]
    heads = ["rows like it" if name == "rows_like_it" else name for name in found]
    run.answer({"rows": holed.rows, "nearest": listed}, Grid(heads, texts, left=left))
