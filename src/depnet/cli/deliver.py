"""Reports of the paper's experiments: on the terminal, as JSON, and as plots."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from depnet.paper.report import Report


def show(report: "Report") -> None:
    """A report as a table, with its claims and notes below."""
    from depnet.cli.render import show_lines, show_table

    numbers = {
        c.key for c in report.columns if any(isinstance(r.get(c.key), (int, float)) for r in report.rows)
    }
    show_table(
        [column.title for column in report.columns],
        [[column.text(row.get(column.key)) for column in report.columns] for row in report.rows],
        title=report.title,
        left=[column.key not in numbers for column in report.columns],
    )
    for claim in report.claims:
        show_lines(
            f"{'holds' if claim.holds else 'FAILS'} {claim.text}", style="green" if claim.holds else "red"
        )
    show_lines(*report.notes, style="dim")


def deliver(
    report: "Report",
    out: str | None = None,
    plot: str | None = None,
    *,
    force: bool = False,
    as_json: bool = False,
) -> int:
    """Show a report, write what was asked for, whole or not at all; 1 if a claim of the theory did not hold."""
    from depnet.cli.files import save_text, written_path

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
