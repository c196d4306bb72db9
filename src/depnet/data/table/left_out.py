"""Columns that nothing can be learned from, which are left out unless they are asked for.

- text (or categories) of at least 20 different values, more than half as many as there are values: names, identifiers,
  free text. A state is then seen in less than two rows, which is no ground for a probability;
- whole numbers that look like identifiers, in 20 rows or more:

  - those that are the number of their row, from 0 or 1 on;
  - different ones (19 in 20 rows) under a name that says it: id, key, patient_id, FlockID;
  - different ones (99 in 100) that chance would have repeated. Of n numbers drawn from a range of R, n (n - 1) / 2R pairs
    are equal at least, however uneven the draw. Numbers that were given out, one a row, have none; and where 14 or more
    are expected, chance leaves no pair with a probability below 10^-6;

- a column without a single value, unless missing is a state.

Any other number is a measure, however different its values: bins make states of it. So are numbers with fractions, years
(1000 to 2200), columns whose name says time or age, evenly spaced numbers, and ranks, which are all numbers from 0 or 1 to n
in an order of their own. Columns of an array have no names, and are all kept.
"""

import re
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from depnet.data.binning.cut import Ranked, are_whole
from depnet.data.table.variables import ColumnSummary, StateOptions
from depnet.errors import DataError, Hint, LeftOutWarning, brief, outside
from depnet.wording import nearest

ENOUGH = 20
"""Fewer different texts, or fewer rows, tell nothing of what a column is."""

NAMED, GIVEN_OUT = 20, 100
"""One equal number in this many rows is the most of identifiers that have the name of one, and of all others."""

PAIRS = 14.0
"""Equal pairs that chance would leave, at least: it then leaves none with a probability below e^-14."""

YEARS = (1000, 2200)

IDENTIFIER_WORDS = frozenset(("id", "ids", "uuid", "guid", "key", "rowid", "rowname", "rownames"))
TIME_WORD = re.compile("(t|time|date|day|week|month|quarter|year|period|hour|minute|age)s?")
"""Words of names that say what a column is: patient_id, FlockID, dayOfYear."""

SHOWN = 10

Keep: TypeAlias = Collection[str] | Literal["all"]
"""Names of columns that are kept, whatever they look like, or "all"."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    name: str
    why: str
    empty: bool = False
    """It has no value at all."""
    asked: bool = False
    """It is said to be left out."""
    word: str = "category"
    """What keeps it as a kind."""

    def __str__(self) -> str:
        return f"{brief(self.name)} ({self.why})"


def find_reason_to_leave_out(column: ColumnSummary, options: StateOptions, keep: Keep) -> LeftOut | None:
    """Why a column is left out; None where it is kept, since it is in `keep`, or `bins` or `kinds` name it."""
    if options.kinds.get(column.name) == "skip":
        return LeftOut(column.name, "skip", asked=True)
    if options.names(column.name) or (isinstance(keep, str) and keep == "all") or column.name in keep:
        return None
    there = column.rows - column.hidden
    if not there and column.rows and not column.has_states and options.missing != "state":
        return LeftOut(column.name, "no value", empty=True)
    if column.numbers is not None and column.kind in ("integer", "float") and there >= ENOUGH:
        why = _find_identifier(column.name, column.numbers, column.counts_from in (0, 1))
        return None if why is None else LeftOut(column.name, why, word="number")
    if column.kind == "label" and column.different >= ENOUGH and 2 * column.different > there:
        return LeftOut(column.name, f"{column.different:,} different values in {there:,} rows")
    return None


def _find_identifier(name: str, numbers: Ranked, counts_rows: bool) -> str | None:
    """Why numbers look like identifiers; None where they are a measure."""
    rows, values = len(numbers), numbers.values
    repeated = rows - len(values)
    words = {word.lower() for word in re.findall("[A-Z]?[a-z]+|[A-Z]+", name)}
    timed = any(map(TIME_WORD.fullmatch, words))
    if repeated * NAMED > rows or not are_whole(values):
        return None
    said = f"looks like an identifier: {len(values):,} different numbers in {rows:,} rows"
    if not words.isdisjoint(IDENTIFIER_WORDS):
        return said
    if counts_rows and not timed:
        return "row numbers"
    low, high = float(values[0]), float(values[-1])
    steps = np.diff(values)
    ranks = low in (0, 1) and high - low + 1 == rows
    years = YEARS[0] <= low and high <= YEARS[1]
    if repeated * GIVEN_OUT > rows or timed or ranks or years or (steps[0] > 1 and (steps == steps[0]).all()):
        return None
    pairs = rows * (rows - 1) / 2 / (high - low + 1)
    return said if pairs - repeated > PAIRS and repeated * 10 <= pairs else None


def check_keep(keep: object, names: Sequence[str]) -> None:
    if isinstance(keep, str) and keep == "all":
        return
    if isinstance(keep, str) or not isinstance(keep, Collection):
        raise DataError(f'keep is a list of names of columns, or "all"; got {brief(keep)}.')
    for name in keep:
        if name not in names:
            raise DataError(f"keep: there is no column {brief(name)}. {nearest(name, names)}")


def check_some_left(left: Sequence[LeftOut], columns: int) -> None:
    if columns == len(left):
        raise DataError(f"no column is left to learn from. Left out: {_names(left)}.", *_how_to_keep(left))


def warn_left_out(left: Sequence[LeftOut]) -> None:
    """Say it, in one line, of all columns that are left out, but for those that were asked to be."""
    left = [column for column in left if not column.asked]
    if not left:
        return
    them = "it" if len(left) == 1 else "them"
    warnings.warn(
        LeftOutWarning(
            f"left out, since nothing can be learned from {them}: {_names(left)}.", *_how_to_keep(left)
        ),
        stacklevel=outside(),
    )


def _names(left: Sequence[LeftOut]) -> str:
    more = f", and {len(left) - SHOWN:,} more" if len(left) > SHOWN else ""
    return ", ".join(map(str, left[:SHOWN])) + more


def _how_to_keep(left: Sequence[LeftOut]) -> tuple[str | Hint, ...]:
    named = {column.name: column.word for column in left if not (column.empty or column.asked)}
    it = "it" if len(named) == 1 else "some"
    some = dict(list(named.items())[:SHOWN])
    return (f" To keep {it}, say ", Hint("kinds", some), ".") if some else ()
