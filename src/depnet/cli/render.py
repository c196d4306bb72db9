"""Answers on a terminal: rich tables and lines. In a pipe the same without colours, 160 columns wide.

Names and labels are whatever a table held: what would move a terminal's cursor, or turn its text around, is escaped here.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from depnet.wording import printable

if TYPE_CHECKING:
    from rich.console import Console

WIDTH_OF_A_PIPE = 160


def console() -> "Console":
    """Where answers go: standard output."""
    from rich.console import Console

    there = Console(highlight=False, soft_wrap=False)
    return there if there.is_terminal else Console(highlight=False, width=WIDTH_OF_A_PIPE)


def show_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str | None = None,
    left: int = 1,
    bars: bool = False,
) -> None:
    """A table; all but the first `left` columns are numbers, to the right, unless the last has `bars`."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(header_style="bold", box=box.SIMPLE_HEAD)
    for at, name in enumerate(head):
        table.add_column(
            Text(printable(name)),
            justify="left" if at < left or (bars and at == len(head) - 1) else "right",
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    if title is not None:  # as a line: rich would fold a table's own title at the width of its columns
        show_lines(title, style="bold")
    console().print(table)


def show_lines(*lines: str, style: str = "") -> None:
    """Plain lines, whatever brackets they have; long ones are folded at words."""
    from rich.text import Text

    there = console()
    for line in lines:
        there.print(Text(printable(line), style=style))


def bar(share: float, width: int = 24) -> str:
    """A share of one as a bar of blocks.

    >>> bar(0.5, width=4)
    '██'
    """
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]
