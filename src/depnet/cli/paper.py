"""`depnet paper ...`: the paper's claims, run and looked at."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import Option, number

if TYPE_CHECKING:
    from depnet.paper.report import Report

SEED = number("--seed", 0, "The (first) seed.", least=0)
OUT = click.option("--out", metavar="FILE", help="Write the records as JSON.")
PLOT = click.option("--plot", metavar="FILE", help="Draw into this .png, .svg or .pdf file.")
FORCE = click.option("--force", is_flag=True, help="Replace files that exist.")
JSON = click.option("--json", "as_json", is_flag=True, help="The records as JSON.")
FAMILY = click.option(
    "--family", default="RB12-21", show_default=True, help="IsingHxW, or RBn-e: n nodes and e edges."
)
ROWS = number("--rows", 1_000, "Training rows.")
SMOOTHING = number(
    "--smoothing", 0.5, "Pseudo-count of every cell; 0 is the paper's, and may leave several laws.", least=0
)


@click.group()
def paper() -> None:
    """The paper's tables, theorems and figures, from real computation."""


def experiment(*options: Option) -> Callable[[Callable[..., "Report"]], click.Command]:
    """A command that runs an experiment with its own options, a seed among them, and delivers the report."""

    def decorate(run: Callable[..., "Report"]) -> click.Command:
        @functools.wraps(run)
        def command(out: str | None, plot: str | None, force: bool, as_json: bool, **chosen: Any) -> int:
            from depnet.cli.deliver import deliver
            from depnet.cli.files import check_output

            check_output(out, force)
            check_output(plot, force)
            return deliver(run(**chosen), out, plot, force=force, as_json=as_json)

        decorated: Any = command
        for option in reversed((SEED, OUT, PLOT, FORCE, JSON, *options)):
            decorated = option(decorated)
        return paper.command()(decorated)

    return decorate


@experiment(
    number("--seeds", 1, "How many seeds."),
    click.option("--coupling", type=float, default=1.0, show_default=True, help="J of the Ising model."),
)
def table1(seed: int, seeds: int, coupling: float) -> "Report":
    """Table 1: FC(p^D||pi) and the FC-limit, beside the paper."""
    from depnet.paper.table1 import table1

    return table1(range(seed, seed + seeds), coupling=coupling)


@experiment(FAMILY, ROWS, SMOOTHING, number("--orders", 6, "Sequential orders."))
def scans(**chosen: Any) -> "Report":
    """Random and sequential scans, and the bound.

    Distances between their laws, and Theorem 3's bound for each.
    """
    from depnet.paper.scans import scans

    return scans(**chosen)


@experiment(
    FAMILY,
    ROWS,
    SMOOTHING,
    number("--steps", 200, "Turns of the game."),
    click.option("--simultaneous", is_flag=True, help="All players at once, as the paper's display has it."),
)
def game(**chosen: Any) -> "Report":
    """The random scan as a game, to its equilibrium.

    p^t and the two costs on the way to the Nash equilibrium (pi, {pi_i}).
    """
    from depnet.paper.game import game

    return game(**chosen)


@experiment()
def perturbation(seed: int) -> "Report":
    """A small change can move the stationary law far.

    The size of the change, how far pi moves, and the FC-limit beside it.

    Nothing in it is random: every --seed gives the same.
    """
    from depnet.paper.perturbation import perturbation

    return perturbation()


@experiment(
    number("--most", 10**7, "The largest N.", least=100),
    click.option(
        "--family",
        "families",
        multiple=True,
        help="IsingHxW or RBn-e; may be repeated.  [default: both of the paper]",
    ),
    number("--smoothing", 0.0, "Pseudo-count.", least=0),
)
def convergence(seed: int, most: int, families: tuple[str, ...], smoothing: float) -> "Report":
    """Theorems 5 and 6: the model goes to the true law."""
    from depnet.paper.convergence import SIZES, convergence
    from depnet.paper.data_sets import FAMILIES

    sizes = [size for size in SIZES if size <= most]
    return convergence(seed, families=families or FAMILIES, sizes=sizes, smoothing=smoothing)


@experiment(
    FAMILY,
    number("--rows", 10_000, "Training rows."),
    SMOOTHING,
    number("--clamped", 4, "Clamped variables."),
    number("--sets", 8, "Sets of clamped variables."),
)
def rare(**chosen: Any) -> "Report":
    """Rare evidence is inferred worse.

    Sec. 5, and 5.1: clamped chains have no joint in common.
    """
    from depnet.paper.rare import rare

    return rare(**chosen)


@paper.command()
@click.argument("names", nargs=-1)
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("figures"),
    show_default=True,
    help="The folder they are written to.",
)
@click.option(
    "--format",
    "formats",
    type=click.Choice(["png", "svg", "html"]),
    multiple=True,
    help="May be repeated.  [default: all three]",
)
@OUT
@FORCE
@JSON
def figures(
    names: tuple[str, ...], into: Path, formats: tuple[str, ...], out: str | None, force: bool, as_json: bool
) -> int:
    """The figures: PNG, SVG and interactive HTML.

    All of them, or those called NAMES, which are the paper's labels.
    """
    from depnet.cli.deliver import deliver
    from depnet.cli.files import check_output
    from depnet.paper.figures import FIGURES, FORMATS, write_figures

    check_output(out, force)
    for name in names or FIGURES:
        for suffix in formats or FORMATS:
            if (into / f"{name}.{suffix}").exists():
                check_output(str(into / f"{name}.{suffix}"), force)
    return deliver(write_figures(into, names, formats or FORMATS), out, force=force, as_json=as_json)
