"""From a table to its domain: which states each column has, and the layout to give frames like it back."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from depnet.data.binning.cut import MAX_BINS
from depnet.data.frames.left_out import (
    Keep,
    LeftOut,
    check_keep,
    check_some_left,
    left_out,
    warn_left_out,
)
from depnet.data.frames.open import open_frame
from depnet.data.frames.variables import MAX_STATES, BinChoice, Missing, StateOptions, Summary, variable_of
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed, TableBuilder
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
    """What a table was found to be, the columns that were left out, and its codes where they were asked for."""

    domain: Domain
    layout: Layout
    left_out: tuple[LeftOut, ...]
    table: Holed | None = None


def described(
    frame: Any,
    options: StateOptions,
    keep: Keep = (),
    *,
    coded: bool = False,
    tell: Callable[[int], object] = lambda _: None,
) -> Described:
    """As `describe`, which says what was left out; with `coded` the table's codes, too, each column being read once.

    `tell` hears of each column that is done.
    """
    opened = open_frame(frame)
    options.check_names(opened.names)
    check_keep(keep, opened.names)
    variables, columns, left, codes = [], [], [], []
    for place in range(len(opened.names)):
        summary = opened.summary(place, options)
        unlikely = left_out(summary, options, "all" if opened.positional else keep)
        if unlikely is not None:
            left.append(unlikely)
        else:
            variables.append(variable_of(summary, options))
            columns.append(_layout_of(opened.layout(place), summary, variables[-1]))
            if coded:
                codes.append(opened.coded(place, variables[-1]))
        tell(1)
    check_some_left(left, len(opened.keys))
    domain = Domain(tuple(variables))
    table = None
    if coded:
        made = TableBuilder(domain, opened.rows)
        for i in range(len(domain)):
            each, gone, numbers, *_ = codes.pop(0)
            made.put(i, each, gone, numbers)
        table = made.holed()
    return Described(domain, Layout(opened.kind, tuple(columns), opened.structured), tuple(left), table)


def _layout_of(layout: ColumnLayout, summary: Summary, variable: Variable) -> ColumnLayout:
    """The column's own, but where some of its categories are one state: then it is text."""
    if variable.other is None or not summary.declared:
        return layout
    return replace(layout, dtype=None, values=None)
