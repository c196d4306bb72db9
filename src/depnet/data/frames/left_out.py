"""Columns that nothing can be learned from, left out unless they are asked for: one rule, for frames, files and clusters.

- text (or categories) of at least 20 different values, more than half as many as there are values: names, identifiers,
  free text. A state is then seen in less than two rows, which is no ground for a probability;
- whole numbers that are the number of their row, from 0 or 1 on, in 20 rows or more;
- a column without a single value, unless missing is a state.

Any other number is a measure, however different its values: bins make states of it. Columns of an array have no names, and
are all kept.
"""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.errors import DataError, Hint, LeftOutWarning, brief
from depnet.wording import nearest

if TYPE_CHECKING:
    from depnet.data.frames.variables import StateOptions, Summary

ENOUGH = 20
"""Fewer different texts, or fewer rows, tell nothing of what a column is."""

SHOWN = 10

Keep: TypeAlias = Collection[str] | Literal["all"]
"""Names of columns that are kept, whatever they look like, or "all"."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    name: str
    why: str
    empty: bool = False
    """It has no value at all."""

    def __str__(self) -> str:
        return f"{brief(self.name)} ({self.why})"


def left_out(column: "Summary", options: "StateOptions", keep: Keep) -> LeftOut | None:
    """Why a column is left out; None where it is kept, since it is in `keep` or `bins` names it."""
    asked = isinstance(options.bins, Mapping) and column.name in options.bins
    if asked or (isinstance(keep, str) and keep == "all") or column.name in keep:
        return None
    there = column.rows - column.hidden
    if (
        not there
        and column.rows
        and not column.declared
        and column.kind != "boolean"
        and options.missing != "state"
    ):
        return LeftOut(column.name, "no value", empty=True)
    if column.counts_from in (0, 1) and column.rows >= ENOUGH:
        return LeftOut(column.name, "row numbers")
    if column.kind == "label" and column.different >= ENOUGH and 2 * column.different > there:
        return LeftOut(column.name, f"{column.different:,} different values in {there:,} rows")
    return None


def counts_from(numbers: NDArray[Any]) -> int | None:
    """Whole numbers in the order of their rows: the first one, where each is one more than that before; else None.

    >>> counts_from(np.array([1, 2, 3])), counts_from(np.array([1990, 1991])), counts_from(np.array([1, 3, 2]))
    (1, 1990, None)
    """
    if not len(numbers) or int(numbers[-1]) - int(numbers[0]) != len(numbers) - 1:
        return None
    first = int(numbers[0])
    return first if np.array_equal(numbers, np.arange(first, first + len(numbers))) else None


def check_keep(keep: object, names: Sequence[str]) -> None:
    """`keep` names columns that there are, or is "all"."""
    if isinstance(keep, str) and keep == "all":
        return
    if isinstance(keep, str) or not isinstance(keep, Collection):
        raise DataError(f'keep is a list of names of columns, or "all"; got {brief(keep)}.')
    for name in keep:
        if name not in names:
            raise DataError(f"keep: there is no column {brief(name)}. {nearest(name, names)}")


def check_some_left(left: Sequence[LeftOut], columns: int) -> None:
    if columns == len(left):
        raise DataError(f"no column is left to learn from. Left out: {_named(left)}.", *_how_to_keep(left))


def warn_left_out(left: Sequence[LeftOut]) -> None:
    """Say it, in one line, of all columns that are left out."""
    if not left:
        return
    them = "it" if len(left) == 1 else "them"
    warnings.warn(
        LeftOutWarning(
            f"left out, since nothing can be learned from {them}: {_named(left)}.", *_how_to_keep(left)
        ),
        stacklevel=3,
    )


def _named(left: Sequence[LeftOut]) -> str:
    more = f", and {len(left) - SHOWN:,} more" if len(left) > SHOWN else ""
    return ", ".join(map(str, left[:SHOWN])) + more


def _how_to_keep(left: Sequence[LeftOut]) -> "tuple[str | Hint, ...]":
    named = [column.name for column in left if not column.empty][:SHOWN]
    it = "it" if len(named) == 1 else "some"
    return (f" To keep {it}, say ", Hint("keep", named), ".") if named else ()
