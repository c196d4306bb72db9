"""From a table to its domain, the layout to give frames like it back, and its codes; or to codes of a model's domain.

In later rows, for a model, what is missing stays hidden, or is the variable's state for missing values.
`handle_unknown="error"` refuses a value that is no state, with the row and the nearest labels; `"missing"` takes such values
for missing ones, and one `UnknownStatesWarning` for all columns says which, how many and an example.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

from depnet.arrays import IntArray
from depnet.data.binning.cut import MAX_BINS
from depnet.data.table.codes import Coded
from depnet.data.table.dataset import CodedColumn, Holed, table_of_columns
from depnet.data.table.domain import Domain
from depnet.data.table.layout import Layout
from depnet.data.table.open import Opened, open_frame
from depnet.data.table.variables import (
    MAX_STATES,
    BinChoice,
    Keep,
    LeftOut,
    Missing,
    StateOptions,
    check_keep,
    check_some_left,
    left_out,
    variable_of,
    warn_left_out,
)
from depnet.errors import DataError, Hint, UnknownStatesWarning, brief
from depnet.wording import counted, nearest

HandleUnknown: TypeAlias = Literal["error", "missing"]

SHOWN = 3
"""Columns named in a warning."""


def encode(
    frame: Any,
    domain: Domain,
    *,
    handle_unknown: HandleUnknown = "error",
    absent: Literal["error", "missing"] = "error",
    values: bool = True,
) -> Holed:
    """The codes of a frame's rows, columns found by name (a numpy array's by place); others are left alone.

    `handle_unknown`: a value that is no state is an error, or like a missing value, which a warning says. `absent`: a
    column that is not there at all is an error, too, or full of missing values. With `values` the numbers
    of columns with bins are kept as they are, too.

    >>> from depnet.data import Variable
    >>> domain = Domain((Variable("sex", ("female", "male")),))
    >>> encode([{"sex": "male"}, {"sex": None}], domain).hidden.tolist()
    [[False], [True]]
    """
    for option, value in (("handle_unknown", handle_unknown), ("absent", absent)):
        if value not in ("error", "missing"):
            raise DataError(f'{option} is "error" or "missing"; got {brief(value)}.')
    table, _ = encode_columns(open_frame(frame), domain, handle_unknown, absent=absent, values=values)
    return table


def encode_columns(
    opened: Opened,
    domain: Domain,
    handle_unknown: HandleUnknown,
    *,
    absent: str = "error",
    values: bool = True,
    tell: Callable[[int], object] = lambda _: None,
) -> tuple[Holed, Mapping[int, IntArray]]:
    """As `encode`, and of each variable that has some, the rows whose value is no state; `tell` hears of each column."""
    unknown: dict[int, IntArray] = {}
    said: list[str] = []

    def columns() -> Iterator[CodedColumn]:
        for i, place in enumerate(places_of(opened, domain, absent)):
            variable = domain.variables[i]
            coded = Coded.hidden_in(opened.rows) if place is None else opened.coded(place, variable)
            if coded.unknown is not None:
                if handle_unknown == "error":
                    raise DataError(
                        f"column {variable.name!r}, row {coded.unknown[0]}: the model has no state "
                        f"{brief(coded.example)}. {nearest(coded.example, variable.states)} Or take unknown states as "
                        "missing (",
                        Hint("handle_unknown", "missing"),
                        ").",
                    )
                unknown[i] = coded.unknown
                said.append(f"{len(coded.unknown):,} of {variable.name!r}, such as {brief(coded.example)}")
            yield coded.codes, coded.gone, coded.numbers if values else None
            tell(1)

    table = table_of_columns(domain, opened.rows, columns())
    if said:
        more = len(said) - SHOWN
        others = f"; and {counted(more, 'more column')}" if more > 0 else ""
        warnings.warn(
            UnknownStatesWarning(
                f"values that the model does not know: {'; '.join(said[:SHOWN])}{others}. They count as missing (",
                Hint("handle_unknown", "missing"),
                ").",
            ),
            stacklevel=3,
        )
    return table, unknown


def places_of(opened: Opened, domain: Domain, absent: str) -> list[int | None]:
    if opened.positional:
        if len(opened.names) != len(domain):
            raise DataError(
                f"the array has {len(opened.names)} columns; expected {len(domain)}: "
                f"{', '.join(map(brief, domain.names[:5]))}{', ...' if len(domain) > 5 else ''}."
            )
        return list(range(len(domain)))
    where = {name: place for place, name in enumerate(opened.names)}
    for name in domain.names:
        if name not in where and absent == "error":
            raise DataError(f"the table has no column {brief(name)}. {nearest(name, opened.names)}")
    return [where.get(name) for name in domain.names]


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
            layout = opened.layout(place)
            if (
                variables[-1].other is not None and summary.declared
            ):  # some categories are one state: it is text
                layout = replace(layout, dtype=None, values=None)
            columns.append(layout)
            if coded:
                codes.append(opened.coded(place, variables[-1]))
        tell(1)
    check_some_left(left, len(opened.keys))
    domain = Domain(tuple(variables))
    # A column's own codes go as they come into the table.
    table = table_of_columns(domain, opened.rows, (codes.pop(0)[:3] for _ in variables)) if coded else None
    return Described(domain, Layout(opened.kind, tuple(columns), opened.structured), tuple(left), table)
