"""What a terminal shows: tables, lines and bars; progress on standard error. In a pipe the same without colours.

Names and labels are whatever a table held: what would move a terminal's cursor, or turn its text around, is escaped here.
"""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import click

from depnet.wording import printable, shown_width

WIDEST = 60
"""Places that a column takes at most; a longer cell moves the rest of its own row only."""
WIDTH_OF_A_BAR = 40
SECONDS_BETWEEN = 0.2


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
    lefts[-1] = lefts[-1] or bars
    if title is not None:
        show_lines(title, style="bold")
    cells = [[printable(cell) for cell in row] for row in [head, *rows]]
    widths = [min(max(map(shown_width, column)), WIDEST) for column in zip(*cells, strict=True)]
    click.echo()
    for at, row in enumerate(cells):
        blanks = [" " * (width - shown_width(cell)) for cell, width in zip(row, widths, strict=True)]
        parts = [c + b if is_left else b + c for c, b, is_left in zip(row, blanks, lefts, strict=True)]
        click.echo(_styled(f"  {'   '.join(parts)}".rstrip(), "" if at else "bold"))
        if at == 0:
            click.echo(" " + "─" * (sum(widths) + 3 * len(widths) - 1))
    click.echo()


def show_lines(*lines: str, style: str = "") -> None:
    for line in lines:
        click.echo(_styled(printable(line).rstrip(), style))


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


class Told(Protocol):
    """Called with what is done, of how much, and what goes on now, where that changes."""

    def __call__(self, done: int, total: int, now: str | None = None, /) -> None:
        """Note it; the bar is drawn by a thread."""


@contextmanager
def progress(what: str) -> Iterator[Told | None]:
    """A callback told(done, total) behind which a bar is drawn, with the time that has passed; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    state: tuple[int, int | None, str] = (0, None, what)

    def told(done: int, total: int, now: str | None = None, /) -> None:
        nonlocal state
        state = (done, total, now if now is not None else state[2])

    began, ended = time.monotonic(), threading.Event()

    def draw() -> None:
        while not ended.wait(SECONDS_BETWEEN):
            line = bar_line(*state, time.monotonic() - began)
            sys.stderr.write(f"\r{line[: shutil.get_terminal_size().columns - 1]}\x1b[K")
            sys.stderr.flush()

    drawing = threading.Thread(target=draw, name="depnet-progress", daemon=True)
    drawing.start()
    try:
        yield told
    finally:
        ended.set()
        drawing.join()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def bar_line(done: int, total: int | None, what: str, seconds: float) -> str:
    """What is done as a line: the work, a bar, numbers, and minutes and seconds.

    >>> bar_line(1, 4, "learning", 61)[:24], bar_line(1, 4, "learning", 61)[-10:]
    ('learning ━━━━━━━━━━     ', ' 1/4  1:01')
    """
    filled = round(WIDTH_OF_A_BAR * min(done / total, 1)) if total else 0
    numbers = f"{done:,}/{total:,}" if total is not None else ""
    passed = f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
    return f"{printable(what)} {'━' * filled:{WIDTH_OF_A_BAR}} {numbers}  {passed}"
