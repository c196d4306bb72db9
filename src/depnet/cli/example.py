"""`depnet example`: a small table to try things on."""

import click

from depnet.cli.command import SEED, TABLES, command, output


@command(
    "depnet example titanic -o titanic.csv",
)
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
def example(name: str, output: str, force: bool, hide: float, seed: int | None, as_json: bool) -> None:
    """A small table to try things on.

    titanic: the 2,201 people aboard, by class, sex, age and survival.
    """
    from depnet.cli.command import answer, generator
    from depnet.cli.files import check_output
    from depnet.cli.tables import write_table
    from depnet.data.table.holed import Holed
    from depnet.data.titanic import titanic

    check_output(output, force)
    people = titanic()
    rng, used = generator(seed)
    hidden = rng.random(people.codes.shape) < hide
    codes = people.codes.copy(order="F")
    codes[hidden] = 0
    write_table(Holed(people.domain, codes, hidden), output, force=force)
    document = {
        "table": name,
        "rows": people.rows,
        "columns": people.domain.names,
        "hidden_cells": int(hidden.sum()),
        "output": output,
        "seed": used,
    }
    answer(as_json, document, output=output)
