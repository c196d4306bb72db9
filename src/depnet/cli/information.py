"""`depnet information`: how much columns tell of each other."""

import itertools

import click

from depnet.cli.command import GIVEN, SEED, Run, command, names_of
from depnet.cli.files import load_network
from depnet.cli.given import complete_variable, parse
from depnet.wording import Grid


@command(
    "depnet information model.json sex survived",
    "depnet information model.json class,sex survived --given age=adult",
    "depnet information model.json",
)
@click.argument("model")
@click.argument("columns", nargs=-1, shell_complete=complete_variable)
@GIVEN
@SEED
def information(run: Run, model: str, columns: tuple[str, ...], given: tuple[str, ...]) -> None:
    """Say how much columns tell about each other, in bits.

    0: knowing one says nothing about the other, given what is known. 1: as much as the answer to a yes-or-no question when
    both answers are equally likely. Join columns with commas to take them together. Without COLUMNS, all pairs are listed,
    the strongest first.
    """
    from depnet.inference.ask.information import information

    law = load_network(model, chains=False)
    known, sides = parse(given, law.domain), [tuple(names_of(text)) for text in columns]
    sides = sides or [(name,) for name in law.domain.names if name not in (known or {})]
    if len(sides) < 2:
        raise click.UsageError("name at least two columns, or none to list all pairs.")
    found = [
        (pair, information(law, *pair, known, rng=run.steady_rng))
        for pair in itertools.combinations(sides, 2)
    ]
    found.sort(key=lambda each: -each[1].bits)
    pairs = [
        {"a": list(a), "b": list(b), "bits": x.bits, "standard_error": x.standard_error}
        for (a, b), x in found
    ]
    rows = [
        [", ".join(a), ", ".join(b), f"{x.bits:.4f}", f"{x.standard_error:.4f}" if x.standard_error else ""]
        for (a, b), x in found
    ]
    run.answer({"pairs": pairs}, Grid(["column", "and", "bits", "± (computing)"], rows, left=2))
