"""`depnet paper ...`: the paper's claims, run and looked at."""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import Option, flag, number, option, show
from depnet.cli.files import check_output, save_text
from depnet.wording import Grid, Line

if TYPE_CHECKING:
    from depnet.paper.report import Report

OUT = option("--out", "Write the records as JSON.", metavar="FILE")
FORCE = flag("--force", "Replace files that exist.")
JSON = flag("--json as_json", "The records as JSON.")
SEED = number("--seed", 0, "The (first) seed.", least=0)
SEEDS = number("--seeds", 1, "How many seeds.")
COUPLING = option("--coupling", "J of the Ising model.", type=float, default=1.0)
FAMILY = option("--family", "IsingHxW, or RBn-e: n nodes and e edges.", default="RB12-21")
FAMILIES = option("--family families", "May be repeated.  [default: both of the paper]", multiple=True)
ROWS, MANY_ROWS = (number("--rows", rows, "Training rows.") for rows in (1_000, 10_000))
MOST = number("--most", 10**7, "The largest N.", least=100)
SMOOTHING = number(
    "--smoothing", 0.5, "Pseudo-count of every cell; 0 is the paper's, and may leave several laws.", least=0
)
NO_SMOOTHING = number("--smoothing", 0.0, "Pseudo-count.", least=0)
ORDERS = number("--orders", 6, "Sequential orders.")
STEPS = number("--steps", 200, "Turns of the game.")
SIMULTANEOUS = flag("--simultaneous", "All players at once, as the paper's display has it.")
CLAMPED = number("--clamped", 4, "Clamped variables.")
SETS = number("--sets", 8, "Sets of clamped variables.")
EXPERIMENTS: dict[str, tuple[str, str, list[Option]]] = {
    "table1": (
        "learned", "Table 1: FC(p^D||pi) and the FC-limit, beside the paper.", [SEED, SEEDS, COUPLING],
    ),
    "scans": (
        "chains", "Random and sequential scans, and Theorem 3's bound for each.", [SEED, FAMILY, ROWS, SMOOTHING, ORDERS],
    ),
    "game": (
        "chains", "The random scan as a game, to its equilibrium.", [SEED, FAMILY, ROWS, SMOOTHING, STEPS, SIMULTANEOUS],
    ),
    "perturbation": ("chains", "A small change can move the stationary law far.", []),
    "convergence": (
        "learned", "Theorems 5 and 6: the model goes to the true law.", [SEED, MOST, FAMILIES, NO_SMOOTHING],
    ),
    "rare": (
        "learned", "Rare evidence is inferred worse.\n\nSec. 5, and 5.1: clamped chains have no joint in common.",
        [SEED, FAMILY, MANY_ROWS, SMOOTHING, CLAMPED, SETS],
    ),
}  # fmt: skip
"""The module, help and options of each experiment, which is a function of that name."""


@click.group()
def paper() -> None:
    """Compute the paper's tables, theorems and figures."""


def _add_experiment(name: str, module: str, text: str, options: list[Option]) -> None:
    def command(out: str | None, force: bool, as_json: bool, **chosen: Any) -> int:
        check_output(out, force)
        run = getattr(importlib.import_module(f"depnet.paper.{module}"), name)
        return deliver(run(**chosen), out, force=force, as_json=as_json)

    decorated: Any = command
    for add in reversed((OUT, FORCE, JSON, *options)):
        decorated = add(decorated)
    paper.command(name, help=text)(decorated)


for experiment, told in EXPERIMENTS.items():
    _add_experiment(experiment, *told)


@paper.command()
@click.argument("names", nargs=-1)
@option(
    "--into",
    "The folder they are written to.",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("figures"),
)
@option(
    "--format formats", "May be repeated.  [default: both]", type=click.Choice(["png", "svg"]), multiple=True
)
@OUT
@FORCE
@JSON
def figures(
    names: tuple[str, ...], into: Path, formats: tuple[str, ...], out: str | None, force: bool, as_json: bool
) -> int:
    """The figures, as PNG and SVG.

    All of them, or those called NAMES, which are the paper's labels.
    """
    from depnet.paper.figures import FIGURES, FORMATS, write_figures

    check_output(out, force)
    for name in names or FIGURES:
        for suffix in formats or FORMATS:
            if (into / f"{name}.{suffix}").exists():
                check_output(str(into / f"{name}.{suffix}"), force)
    return deliver(write_figures(into, names, formats or FORMATS), out, force=force, as_json=as_json)


def deliver(report: "Report", out: str | None = None, *, force: bool = False, as_json: bool = False) -> int:
    """Show a report, write what was asked for, whole or not at all; 1 if a claim of the theory did not hold."""
    if as_json:
        click.echo(report.json(), nl=False)
    else:
        _show(report)
    if out is not None:
        save_text(report.json(), out, force)
        click.echo(f"written: {out}", err=as_json)
    return 0 if report.holds else 1


def _show(report: "Report") -> None:
    """A report as a table, with its claims and notes below."""
    numbers = {key for row in report.rows for key, value in row.items() if isinstance(value, (int, float))}
    table = Grid(
        [column.title for column in report.columns],
        [[column.text(row.get(column.key)) for column in report.columns] for row in report.rows],
        left=[column.key not in numbers for column in report.columns],
        title=report.title,
    )
    claims = [
        Line(f"holds {claim.text}", "green") if claim.holds else Line(f"FAILS {claim.text}", "red")
        for claim in report.claims
    ]
    show(table, *claims, *(Line(note, "dim") for note in report.notes))
