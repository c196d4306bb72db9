"""`depnet paper ...`: the paper's claims, run and looked at."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from depnet.cli.command import JSON_REPORT, manners, set_force

SEED = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The (first) seed."
)


def _may_be_written(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """Asked before the experiment runs: over an existing file only with --force."""
    from depnet.cli.files import check_output

    check_output(value, manners().force)
    return value


FORCE = click.option(
    "--force",
    is_flag=True,
    is_eager=True,  # before the files that it is about
    expose_value=False,
    callback=set_force,
    help="Replace files that exist.",
)
OUT = click.option("--out", metavar="FILE", callback=_may_be_written, help="Write the records as JSON.")
PLOT = click.option(
    "--plot", metavar="FILE", callback=_may_be_written, help="Draw into this .png, .svg or .pdf file."
)


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every experiment."""
    return SEED(OUT(PLOT(FORCE(JSON_REPORT(command)))))


@click.group()
def paper() -> None:
    """The paper's tables, theorems and figures, from real computation."""


@paper.command()
@common
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="How many seeds.")
@click.option("--coupling", type=float, default=1.0, show_default=True, help="J of the Ising model.")
def table1(seed: int, seeds: int, coupling: float, out: str | None, plot: str | None) -> int:
    """Table 1: FC(p^D||pi) and the FC-limit, beside the paper."""
    from depnet.cli.deliver import deliver
    from depnet.paper.table1 import table1

    return deliver(table1(range(seed, seed + seeds), coupling=coupling), out, plot)


FAMILY = click.option(
    "--family", default="RB12-21", show_default=True, help="IsingHxW, or RBn-e: n nodes and e edges."
)
ROWS = click.option(
    "--rows", type=click.IntRange(min=1), default=1_000, show_default=True, help="Training rows."
)
SMOOTHING = click.option(
    "--smoothing",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    help="Pseudo-count of every cell; 0 is the paper's, and may leave several laws.",
)


@paper.command()
@common
@FAMILY
@ROWS
@SMOOTHING
@click.option("--orders", type=click.IntRange(min=1), default=6, show_default=True, help="Sequential orders.")
def scans(
    seed: int, family: str, rows: int, smoothing: float, orders: int, out: str | None, plot: str | None
) -> int:
    """Random and sequential scans, and the bound.

    Distances between their laws, and Theorem 3's bound for each.
    """
    from depnet.cli.deliver import deliver
    from depnet.paper.scans import scans

    return deliver(scans(family, rows, seed, orders=orders, smoothing=smoothing), out, plot)


@paper.command()
@common
@FAMILY
@ROWS
@SMOOTHING
@click.option(
    "--steps", type=click.IntRange(min=1), default=200, show_default=True, help="Turns of the game."
)
@click.option("--simultaneous", is_flag=True, help="All players at once, as the paper's display has it.")
def game(
    seed: int,
    family: str,
    rows: int,
    smoothing: float,
    steps: int,
    simultaneous: bool,
    out: str | None,
    plot: str | None,
) -> int:
    """The random scan as a game, to its equilibrium.

    p^t and the two costs on the way to the Nash equilibrium (pi, {pi_i}).
    """
    from depnet.cli.deliver import deliver
    from depnet.paper.game import game

    report = game(family, rows, seed, steps=steps, simultaneous=simultaneous, smoothing=smoothing)
    return deliver(report, out, plot)


@paper.command()
@common
def perturbation(seed: int, out: str | None, plot: str | None) -> int:
    """A small change can move the stationary law far.

    The size of the change, how far pi moves, and the FC-limit beside it.

    Nothing in it is random: every --seed gives the same.
    """
    from depnet.cli.deliver import deliver
    from depnet.paper.perturbation import perturbation

    return deliver(perturbation(), out, plot)


@paper.command()
@common
@click.option("--most", type=click.IntRange(min=100), default=10**7, show_default=True, help="The largest N.")
@click.option(
    "--family",
    "families",
    multiple=True,
    help="IsingHxW or RBn-e; may be repeated.  [default: both of the paper]",
)
@click.option(
    "--smoothing", type=click.FloatRange(min=0), default=0.0, show_default=True, help="Pseudo-count."
)
def convergence(
    seed: int, most: int, families: tuple[str, ...], smoothing: float, out: str | None, plot: str | None
) -> int:
    """Theorems 5 and 6: the model goes to the true law."""
    from depnet.cli.deliver import deliver
    from depnet.paper.convergence import SIZES, convergence
    from depnet.paper.data_sets import FAMILIES

    sizes = [size for size in SIZES if size <= most]
    return deliver(
        convergence(seed, families=families or FAMILIES, sizes=sizes, smoothing=smoothing), out, plot
    )


@paper.command()
@common
@FAMILY
@click.option("--rows", type=click.IntRange(min=1), default=10_000, show_default=True, help="Training rows.")
@SMOOTHING
@click.option(
    "--clamped", type=click.IntRange(min=1), default=4, show_default=True, help="Clamped variables."
)
@click.option(
    "--sets", type=click.IntRange(min=1), default=8, show_default=True, help="Sets of clamped variables."
)
def rare(
    seed: int,
    family: str,
    rows: int,
    smoothing: float,
    clamped: int,
    sets: int,
    out: str | None,
    plot: str | None,
) -> int:
    """Rare evidence is inferred worse.

    Sec. 5, and 5.1: clamped chains have no joint in common.
    """
    from depnet.cli.deliver import deliver
    from depnet.paper.rare import rare

    return deliver(rare(family, rows, seed, clamped=clamped, sets=sets, smoothing=smoothing), out, plot)


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
@JSON_REPORT
def figures(names: tuple[str, ...], into: Path, formats: tuple[str, ...], out: str | None) -> int:
    """The figures: PNG, SVG and interactive HTML.

    All of them, or those called NAMES, which are the paper's labels.
    """
    from depnet.cli.deliver import deliver
    from depnet.cli.files import check_output
    from depnet.paper.figures import FIGURES, FORMATS, write_figures

    for name in names or FIGURES:
        for suffix in formats or FORMATS:
            if (into / f"{name}.{suffix}").exists():
                check_output(str(into / f"{name}.{suffix}"), manners().force)
    return deliver(write_figures(into, names, formats or FORMATS), out, None)


@paper.command()
@click.argument("what", type=click.Choice(["couplings", "tightness", "sequential", "overfit"]))
@click.option(
    "--seeds", type=click.IntRange(min=1), help="How many seeds.  [default: depends on the experiment]"
)
@common
def beyond(what: str, seeds: int | None, seed: int, out: str | None, plot: str | None) -> int:
    """Ours: couplings, tightness, sequential scans, overfitting.

    What the paper leaves open; nothing of it is claimed by the paper.
    """
    from depnet.cli.deliver import deliver
    from depnet.paper.beyond import BEYOND

    report = BEYOND[what](seed) if seeds is None else BEYOND[what](seed, seeds)
    return deliver(report, out, plot)
