"""From a frame to its domain: which states each column has, and the layout to give frames like it back.

Text, categories and booleans are states as they are. Whole numbers stay categories where a column has at most 16
different ones (also where they are stored as floats, as pandas does beside missing values), and are binned beyond;
other numbers, dates and moments are always binned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.checks import whole_number
from depnet.data.binning.bins import Bins, Kind, Number
from depnet.data.binning.cut import MAX_BINS, given_bins, number_of_bins, quantile_bins
from depnet.data.binning.ranked import Ranked, RankedArray
from depnet.data.frames.columns import Column
from depnet.data.frames.open import open_frame
from depnet.data.table.domain import Domain
from depnet.data.table.layout import ColumnKind, Layout
from depnet.data.table.state_order import MISSING_LABEL, ordered_states, with_missing_state
from depnet.data.table.variable import MAX_CARDINALITY, Label, Variable
from depnet.errors import DataError, brief
from depnet.wording import nearest

FEW_VALUES = 16
"""Whole numbers stay categories up to this many different ones."""

How: TypeAlias = Literal["quantile", "categories"] | int | Sequence[Any] | NDArray[Any]
BinChoice: TypeAlias = How | Mapping[str, How]
"""How to bin: "quantile", a number of quantile bins, edges, "categories" (no bins:
every number a state), or a mapping of columns to one of these."""

Missing: TypeAlias = Literal["keep", "state", "error"]


def describe(
    frame: Any, *, bins: BinChoice = "quantile", max_bins: int = MAX_BINS, missing: Missing = "keep"
) -> tuple[Domain, Layout]:
    """The domain of a frame and its layout.

    `bins` says how numeric columns become states (docs/frames.md); `missing`: "keep" leaves holes as holes,
    "state" makes a state of its own for them in the columns that have some, "error" refuses them.

    >>> domain, layout = describe([{"sex": "male", "age": 40}, {"sex": "female", "age": 30}])
    >>> domain.variables[0].states, domain.variables[1].states, layout.kind
    (('female', 'male'), (30, 40), 'dicts')
    """
    opened = open_frame(frame)
    check_options(bins, max_bins, missing, opened.names)
    variables, columns = [], []
    for place in range(len(opened.keys)):
        column = opened.column(place)
        variables.append(variable_of(summary_of(column), bins, max_bins, missing))
        columns.append(column.layout)
    return Domain(tuple(variables)), Layout(opened.kind, tuple(columns), opened.structured)


def check_options(bins: BinChoice, max_bins: int, missing: object, names: Sequence[str]) -> None:
    """What holds for every column: a policy for missing values, a number of bins, names that there are."""
    if missing not in ("keep", "state", "error"):
        raise DataError(f'missing is "keep", "state" or "error"; got {brief(missing)}.')
    whole_number("max_bins", max_bins, at_least=1, error=DataError)
    if isinstance(bins, Mapping):
        for name in bins:
            if name not in names:
                raise DataError(f"bins: there is no column {brief(name)}. {nearest(name, names)}")


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """All that a column's variable depends on, whether it is in a frame or in a file.

    `labels` are the distinct ones of a label column (`declared`: the frame's own categories, in their order,
    which `ordered` ones are compared by),
    `numbers` the values of any other, by rank, where it has some. `first_hidden` is the first of the `hidden` rows, which
    the message of `missing="error"` names.
    """

    name: str
    kind: ColumnKind
    rows: int
    hidden: int
    first_hidden: int = 0
    labels: tuple[Any, ...] = ()
    declared: bool = False
    numbers: Ranked | None = None
    ordered: bool = False


def summary_of(column: Column) -> Summary:
    """The summary of a frame's column."""
    hidden = int(column.hidden.sum())
    return Summary(
        column.name,
        column.kind,
        len(column.hidden),
        hidden,
        int(np.argmax(column.hidden)) if hidden else 0,
        column.labels,
        column.declared,
        None if column.numbers is None or hidden == len(column.hidden) else RankedArray.of(column.present),
        column.ordered,
    )


def variable_of(column: Summary, bins: BinChoice, max_bins: int, missing: Missing) -> Variable:
    """The variable of a column: one rule for frames and files."""
    if column.hidden and missing == "error":
        raise DataError(
            f'column {column.name!r}, row {column.first_hidden}: the value is missing. Make "missing" a state with '
            '`missing="state"`, or remove or complete such rows.'
        )
    if not column.declared and column.kind != "boolean" and column.hidden == column.rows:
        if missing == "state" and column.hidden:
            return Variable(column.name, (MISSING_LABEL,), missing=MISSING_LABEL)
        raise DataError(
            f"column {column.name!r} has no value in its {column.rows:,} rows. Leave it out (`columns=[...]`)"
            + (', or make "missing" a state (`missing="state"`).' if column.rows else ".")
        )
    states, cut = _states(column, bins, max_bins)
    variable = Variable(column.name, states, cut, ordered=column.ordered)
    return with_missing_state(variable) if column.hidden and missing == "state" else variable


def _states(column: Summary, bins: BinChoice, max_bins: int) -> tuple[tuple[Label, ...], Bins | None]:
    if column.kind == "boolean":
        return (False, True), None
    if column.kind == "label":
        return ordered_states(column.labels, column.labels if column.declared else None), None
    how, asked = _how(bins, column.name)
    numbers = column.numbers
    assert numbers is not None
    as_they_are = isinstance(how, str) and how == "categories"
    if column.kind in ("integer", "float") and (as_they_are or not asked):
        states = _numbers_as_they_are(numbers, MAX_CARDINALITY if as_they_are else FEW_VALUES)
        if as_they_are or (len(states) <= FEW_VALUES and all(isinstance(state, int) for state in states)):
            return states, None
    kind: Kind = column.kind  # type: ignore[assignment]  # all others are numbers
    try:
        cut = _cut(numbers, kind, how, max_bins)
    except DataError as error:
        raise DataError(f"column {column.name!r}: {error}") from None
    return cut.labels, cut


def _numbers_as_they_are(numbers: Ranked, most: int) -> tuple[Label, ...]:
    """The different numbers, but no more than one beyond `most`; whole ones where they all are whole."""
    distinct = numbers.distinct(most + 1)
    whole = bool((distinct == np.floor(distinct)).all()) and abs(distinct).max() < 2**53
    return ordered_states(distinct.astype(np.int64).tolist() if whole else distinct.tolist())


def _how(bins: BinChoice, name: str) -> tuple[How, bool]:
    """How to bin a column, and whether that was asked for it by name or by number."""
    if isinstance(bins, Mapping):
        return (bins[name], True) if name in bins else ("quantile", False)
    return bins, False


def _cut(numbers: Ranked, kind: Kind, how: How, max_bins: int) -> Bins:
    if isinstance(how, str) and how == "quantile":
        return quantile_bins(numbers, kind, number_of_bins(len(numbers), max_bins))
    if isinstance(how, int) and not isinstance(how, bool):
        whole_number("the number of bins", how, at_least=1, error=DataError)
        return quantile_bins(numbers, kind, how)
    if isinstance(how, (Sequence, np.ndarray)) and not isinstance(how, str):
        shape = Bins((0, 1), ((0,),), kind)
        return given_bins(numbers, [_edge(edge, shape) for edge in how], kind)
    raise DataError(
        'bins are "quantile", a number of bins, a list of edges, or (for numbers) "categories"; '
        f"got {brief(how)}."
    )


def _edge(edge: Any, shape: Bins) -> Number:
    """Numbers are edges of any kind: of dates, days and moments as `Bins` count them; dates are read."""
    if isinstance(edge, (int, float, np.number)) and not isinstance(edge, bool):
        return edge  # type: ignore[return-value]  # Bins makes it plain
    return shape.number(edge)
