"""From a table to codes of a domain that is already there: later rows, for a model.

What is missing stays hidden, or is the variable's state for missing values. `handle_unknown="error"` refuses a value that is
no state, with the row and the nearest labels; `"missing"` takes such values for missing ones, and one `UnknownStatesWarning`
for all columns says which, how many and an example.
"""

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from depnet.arrays import IntArray
from depnet.data.frames.codes import Coded
from depnet.data.frames.open import Opened, open_frame
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed, TableBuilder
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
    places = places_of(opened, domain, absent)
    made = TableBuilder(domain, opened.rows)
    unknown: dict[int, IntArray] = {}
    said: list[str] = []
    for i, variable in enumerate(domain.variables):
        place = places[i]
        coded = Coded.hidden_in(opened.rows) if place is None else opened.coded(place, variable)
        if coded.unknown is not None:
            if handle_unknown == "error":
                raise DataError(
                    f"column {variable.name!r}, row {coded.unknown[0]}: the model has no state {brief(coded.example)}. "
                    f"{nearest(coded.example, variable.states)} Or take unknown states as missing "
                    "(",
                    Hint("handle_unknown", "missing"),
                    ").",
                )
            unknown[i] = coded.unknown
            said.append(f"{len(coded.unknown):,} of {variable.name!r}, such as {brief(coded.example)}")
        made.put(i, coded.codes, coded.gone, coded.numbers if values else None)
        tell(1)
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
    return made.holed(), unknown


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
