"""`depnet example`: a small table to try things on."""

import click

from depnet.cli.command import SEED, TABLES, Run, command, option, output
from depnet.cli.files import write_table


@command("depnet example titanic -o titanic.csv")
@click.argument("name", type=click.Choice(["titanic"]), default="titanic")
@output(f"Where to write the table ({TABLES}).  [default: -, CSV]", default="-")
@option(
    "--hide", "Leave out this share of the cells, at random.", type=click.FloatRange(0, 1), metavar="SHARE"
)
@SEED
def example(run: Run, name: str, hide: float | None) -> None:
    """Write a small table to try things on.

    titanic: the 2,201 people aboard, by class, sex, age and survival.
    """
    from depnet.data.table.dataset import Holed
    from depnet.data.titanic import titanic

    people = titanic()
    hidden = run.rng.random(people.codes.shape) < (hide or 0.0)
    codes = people.codes.copy(order="F")
    codes[hidden] = 0
    write_table(Holed(people.domain, codes, hidden), run.place, force=run.force)
    document = {
        "table": name,
        "rows": people.rows,
        "columns": people.domain.names,
        "hidden_cells": int(hidden.sum()),
    }
    run.answer(document)
