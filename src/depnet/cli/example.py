"""`depnet example`: a small table to try things on."""

import click

from depnet.cli.command import SEED, TABLES, Run, command, output


@command("depnet example titanic -o titanic.csv")
@click.argument("name", type=click.Choice(["titanic"]), default="titanic")
@output(f"Where the table goes ({TABLES}).  [default: -, CSV]", default="-")
@click.option(
    "--hide",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="SHARE",
    help="Leave out this share of the cells, at random.",
)
@SEED
def example(run: Run, name: str, hide: float) -> None:
    """A small table to try things on.

    titanic: the 2,201 people aboard, by class, sex, age and survival.
    """
    from depnet.cli.tables import write_table
    from depnet.data.table.dataset import Holed
    from depnet.data.titanic import titanic

    people = titanic()
    hidden = run.rng.random(people.codes.shape) < hide
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
