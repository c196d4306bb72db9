"""Answers on a terminal: tables, lines and bars. In a pipe the same without colours, 160 columns wide.

Names and labels are whatever a table held: what would move a terminal's cursor, or turn its text around, is escaped here.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence

import click

from depnet.cli.layout import fold, table_lines
from depnet.wording import printable

WIDTH_OF_A_PIPE = 160


def width_of_output() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_OF_A_PIPE


def show_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str | None = None,
    left: int | Sequence[bool] = 1,
    bars: bool = False,
) -> None:
    """A table; all but the first `left` columns (or those marked) are numbers, to the right, unless the last has `bars`."""
    lefts = [at < left for at in range(len(head))] if isinstance(left, int) else list(left)
    if bars:
        lefts[-1] = True
    if title is not None:
        show_lines(title, style="bold")
    cells = [[printable(cell) for cell in row] for row in rows]
    lines = table_lines(
        [printable(name) for name in head], cells, [not each for each in lefts], width_of_output()
    )
    rule = next(at for at, line in enumerate(lines) if line.startswith(" ─"))
    click.echo()
    for at, line in enumerate(lines):
        click.echo(_styled(line, "bold" if at < rule else ""))
    click.echo()


def show_lines(*lines: str, style: str = "") -> None:
    """Plain lines, bold, dim or in a colour; long ones are folded at words."""
    for line in lines:
        for part in fold(printable(line), width_of_output()):
            click.echo(_styled(part, style))


def _styled(text: str, style: str) -> str:
    """A text with a terminal's signs for bold, dim or a colour (`click.echo` leaves these out elsewhere)."""
    if not text or not style or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, **({style: True} if style in ("bold", "dim") else {"fg": style}))


def bar(share: float, width: int = 24) -> str:
    """A share of one as a bar of blocks.

    >>> bar(0.5, width=4)
    '██'
    """
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]
