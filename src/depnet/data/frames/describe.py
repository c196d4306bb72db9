"""From a frame to its domain: which states each column has, and the layout to give frames like it back."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from depnet.data.binning.cut import MAX_BINS
from depnet.data.binning.ranked import RankedArray
from depnet.data.frames.columns import Column, times_of_text
from depnet.data.frames.left_out import (
    Keep,
    LeftOut,
    check_keep,
    check_some_left,
    counts_from,
    left_out,
    warn_left_out,
)
from depnet.data.frames.open import open_frame
from depnet.data.frames.variables import MAX_STATES, BinChoice, Missing, StateOptions, Summary, variable_of
from depnet.data.table.domain import Domain
from depnet.data.table.layout import ColumnLayout, Layout
from depnet.data.table.variable import Variable


def describe(
    frame: Any,
    *,
    bins: BinChoice = "quantile",
    max_bins: int = MAX_BINS,
    missing: Missing = "keep",
    keep: Keep = (),
    max_states: int = MAX_STATES,
) -> tuple[Domain, Layout]:
    """The domain of a frame and its layout.

    `bins` says how numeric columns become states (docs/frames.md); `missing`: "keep" leaves holes as holes,
    "state" makes a state of its own for them in the columns that have some, "error" refuses them. Columns that nothing can
    be learned from (names, identifiers) are left out, with a warning, but for those that `keep` names. Of text the
    `max_states - 1` most frequent values are states, and all others together one more.

    >>> domain, layout = describe([{"sex": "male", "age": 40}, {"sex": "female", "age": 30}])
    >>> domain.variables[0].states, domain.variables[1].states, layout.kind
    (('female', 'male'), (30, 40), 'dicts')
    """
    found = described(frame, StateOptions(bins, max_bins, missing, max_states), keep)
    warn_left_out(found.left_out)
    return found.domain, found.layout


class Described(NamedTuple):
    """What a frame was found to be, and the columns that were left out."""

    domain: Domain
    layout: Layout
    left_out: tuple[LeftOut, ...]


def described(frame: Any, options: StateOptions, keep: Keep = ()) -> Described:
    """As `describe`, which says what was left out."""
    opened = open_frame(frame)
    options.check_names(opened.names)
    check_keep(keep, opened.names)
    variables, columns, left = [], [], []
    for place in range(len(opened.keys)):
        column = opened.column(place)
        summary = summary_of(column if options.as_they_are(opened.names[place]) else times_of_text(column))
        unlikely = left_out(summary, options, "all" if opened.positional else keep)
        if unlikely is not None:
            left.append(unlikely)
            continue
        variables.append(variable_of(summary, options))
        columns.append(_layout_of(column, variables[-1]))
    check_some_left(left, len(opened.keys))
    return Described(
        Domain(tuple(variables)), Layout(opened.kind, tuple(columns), opened.structured), tuple(left)
    )


def _layout_of(column: Column, variable: Variable) -> ColumnLayout:
    """The column's own, but where some of its categories are one state: then it is text."""
    if variable.other is None or not column.declared:
        return column.layout
    return replace(column.layout, dtype=None, values=None)


def summary_of(column: Column) -> Summary:
    """The summary of a frame's column."""
    hidden = int(column.hidden.sum())
    times = np.zeros(0, dtype=np.int64)
    if column.ids is not None:
        times = np.bincount(column.ids[column.ids >= 0], minlength=len(column.labels))
    return Summary(
        column.name,
        column.kind,
        len(column.hidden),
        hidden,
        int(np.argmax(column.hidden)) if hidden else 0,
        column.labels,
        column.declared,
        None if column.numbers is None or hidden == len(column.hidden) else RankedArray.of(column.present),
        tuple(times.tolist()),
        int(np.count_nonzero(times)),
        counts_from(column.present) if column.kind == "integer" and not hidden else None,
        column.ordered,
        column.layout.form,
    )
