"""Columns of text that are numbers, dates or times but for a few values: these make text of the column, which is said.

A column is one of these where nine of its values in ten are of one kind, and more than 16 of them are different: fewer are
labels that look like numbers (1, 2, 3 and "4 or more").
"""

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from depnet.data.table.kinds import HELD, NOUNS, numbers_in
from depnet.data.table.variables import FEW_VALUES, ColumnSummary, StateOptions
from depnet.errors import Hint, MixedColumnWarning, brief, outside

MOSTLY = 0.9
"""The least share of a column that is of one kind."""

FIRST = 25
"""The number of different values that a kind is tried on before all others are looked at."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A column that is text, since `others` of its `rows` values, such as `first`, are not of its `kind`."""

    name: str
    kind: str
    others: int
    rows: int
    first: str

    @property
    def said(self) -> str:
        """Why it is text."""
        are, more = ("is", "") if self.others == 1 else ("are", ", ...")
        why = f"{self.others:,} of its {self.rows:,} values {are} not {NOUNS[self.kind]}: {brief(self.first)}{more}"
        return f"read as text, because {why}"


def find_mixed(
    column: ColumnSummary, options: StateOptions, keep: Collection[str] | Literal["all"]
) -> Mixed | None:
    """What a column of text is but for a few values; None where it is text, or was said to be."""
    asked = options.names(column.name) or options.as_they_are(column.name)
    if column.kind != "label" or column.declared or column.different <= FEW_VALUES:
        return None
    if asked or (keep != "all" and column.name in keep):
        return None
    texts, counts = [*map(str, column.labels)], column.counts
    rows = sum(counts)
    if sum(n for text, n in zip(texts, counts, strict=True) if any(map(str.isdigit, text))) < MOSTLY * rows:
        return None
    for kind in HELD:
        few = numbers_in(texts[:FIRST], counts[:FIRST], kind).numbers
        if 2 * few.count(None) > len(few):
            continue
        numbers = numbers_in(texts, counts, kind).numbers
        others = [k for k, number in enumerate(numbers) if number is None]
        wrong = sum(counts[k] for k in others)
        if others and wrong <= (1 - MOSTLY) * rows and len(texts) - len(others) > FEW_VALUES:
            return Mixed(column.name, kind, wrong, rows, texts[others[0]])
    return None


def warn_mixed(found: Sequence[Mixed]) -> None:
    """Say it of each of them, and how they are read as what they nearly are."""
    for column in found:
        them = "it" if column.others == 1 else "them"
        warnings.warn(
            MixedColumnWarning(
                f"column {column.name!r} is {column.said}. Correct {them}, or make {them} missing (in files with ",
                Hint("missing_values", [column.first, ...]),
                "), and say ",
                Hint("kinds", {column.name: column.kind}),
                "; if it is text, say ",
                Hint("kinds", {column.name: "category"}),
                ".",
            ),
            stacklevel=outside(),
        )
