"""Text in columns: lines folded at words, and tables of folded cells."""

import re
from collections.abc import Sequence

from depnet.wording import shown_width

_WORD = re.compile(r"\s*\S+\s*|\s+")
BETWEEN = "   "
"""What is between two columns of a table."""


def fold(text: str, width: int) -> list[str]:
    """A text as lines of at most `width` places: broken between words, and inside a word that is wider than a line.

    >>> fold("one two three", 8)
    ['one two', 'three']
    >>> fold("abcdefgh", 3)
    ['abc', 'def', 'gh']
    """
    if shown_width(text) <= width:
        return [text]
    lines, line, taken = [], "", 0
    for word in _WORD.findall(text):
        if line.strip() and taken + shown_width(word.rstrip()) > width:
            lines.append(line.rstrip())
            line, taken = "", 0
            word = word.lstrip()
        for character in word:
            places = shown_width(character)
            if line and taken + places > width and not character.isspace():
                lines.append(line.rstrip())
                line, taken = "", 0
            line, taken = line + character, taken + places
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def table_lines(
    head: Sequence[str], rows: Sequence[Sequence[str]], to_the_right: Sequence[bool], width: int
) -> list[str]:
    r"""A table as lines of at most `width` places: the head, a rule, and the rows; cells that are too wide are folded.

    >>> print("\n".join(table_lines(["state", "share"], [["No", "0.5"]], [False, True], 80)))
      state   share
     ───────────────
      No        0.5
    """
    columns = [[name, *(row[at] for row in rows)] for at, name in enumerate(head)]
    room = width - 3 - len(BETWEEN) * (len(head) - 1)
    widths = _within([max(map(shown_width, cells)) for cells in columns], room)
    rule = " " + "─" * (sum(widths) + len(BETWEEN) * (len(widths) - 1) + 2)
    first, *others = [_row_lines(row, widths, to_the_right) for row in [head, *rows]]
    return [*first, rule, *(line for lines in others for line in lines)]


def _within(widths: list[int], room: int) -> list[int]:
    """Widths of columns that together take at most `room`, where one place each does: the widest give way first."""
    most = max(widths, default=0)
    if sum(widths) > room:
        most = next((cap for cap in range(room, 1, -1) if sum(min(w, cap) for w in widths) <= room), 1)
    return [min(width, most) for width in widths]


def _row_lines(row: Sequence[str], widths: Sequence[int], to_the_right: Sequence[bool]) -> list[str]:
    folded = [fold(cell, width) for cell, width in zip(row, widths, strict=True)]
    lines = []
    for at in range(max(map(len, folded), default=0)):
        cells = []
        for parts, width, right in zip(folded, widths, to_the_right, strict=True):
            part = parts[at] if at < len(parts) else ""
            blank = " " * (width - shown_width(part))
            cells.append(blank + part if right else part + blank)
        lines.append(("  " + BETWEEN.join(cells)).rstrip())
    return lines
