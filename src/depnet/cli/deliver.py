"""Reports on the terminal, as JSON, and as plots."""

from typing import TYPE_CHECKING

import click

from depnet.cli.command import manners

if TYPE_CHECKING:
    from depnet.paper.report import Report


def show(report: "Report") -> None:
    """A report as a rich table, with its claims and notes below."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:  # a pipe or a file: no guess at its width
        console = Console(highlight=False, width=160)
    table = Table(title=report.title, title_justify="left", header_style="bold")
    numbers = {
        c.key for c in report.columns if any(isinstance(r.get(c.key), (int, float)) for r in report.rows)
    }
    for column in report.columns:
        table.add_column(Text(column.title), justify="right" if column.key in numbers else "left")
    for row in report.rows:
        table.add_row(*(Text(column.text(row.get(column.key))) for column in report.columns))
    console.print(table)
    for claim in report.claims:
        mark = Text("holds ", style="green") if claim.holds else Text("FAILS ", style="bold red")
        console.print(mark + Text(claim.text, style=""))
    for note in report.notes:
        console.print(Text(note, style="dim"))


def deliver(report: "Report", out: str | None, plot: str | None) -> int:
    """Show a report, write what was asked for, whole or not at all; 1 if a claim of the theory did not hold."""
    from depnet.cli.files import save_text, written_path

    as_json, force = manners().json, manners().force
    if as_json:
        click.echo(report.json(), nl=False)
    else:
        show(report)
    if out is not None:
        save_text(report.json(), out, force)
        click.echo(f"written: {out}", err=as_json)
    if plot is not None:
        from depnet.paper.plots import plot_report

        with written_path(plot, force) as place:
            plot_report(report, place)
        click.echo(f"drawn: {plot}", err=as_json)
    return 0 if report.holds else 1
