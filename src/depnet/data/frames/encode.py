"""From a frame to codes of a domain that is already there: the training table, or later rows.

A value is the state with an equal label (1, 1.0 and True are equal), else the only one with the same text (1 for
"1"), so that a column read with another type means the same. A number has the bin it lies in, the first or last
where it lies beyond. What is missing stays hidden, or is the variable's state for missing values.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NoReturn

import numpy as np

from depnet.arrays import IntArray
from depnet.data.binning.bins import TIME_TEXTS, Bins, Number, Numbers
from depnet.data.binning.calendar import DAY
from depnet.data.frames.columns import Column
from depnet.data.frames.open import Opened, open_frame
from depnet.data.frames.unknown import HandleUnknown, Unknowns
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed, TableBuilder
from depnet.data.table.variable import Variable
from depnet.errors import DataError, brief
from depnet.wording import nearest

UNKNOWN, HIDDEN = -2, -1
TABLE = 2**16
"""Whole numbers that span less than this are looked up in a table."""

_LINES = {"date": "dates", "datetime": "dates", "duration": "durations"}
"""The lines that numbers of some kinds lie on; all others are numbers."""


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
    opened = open_frame(frame)
    places = places_of(opened, domain, absent)
    made, unknown = TableBuilder(domain, opened.rows), Unknowns()
    for i, variable in enumerate(domain.variables):
        place, known = places[i], None
        if place is None:
            each = np.full(opened.rows, HIDDEN)
        else:
            column = opened.column(place)
            each = column_codes(column, variable)
            if values and variable.bins is not None:
                known = _values_in(variable.bins, column)
            strange = np.flatnonzero(each == UNKNOWN)
            if len(strange):
                example = _value_in(column, int(strange[0]))
                if handle_unknown == "error":
                    _reject_unknown(variable, int(strange[0]), example)
                unknown.add(variable.name, len(strange), example)
        made.put(i, each, each < 0, known)
    unknown.warn()
    return made.holed()


def column_codes(column: Column, variable: Variable) -> IntArray:
    """The code of every row; HIDDEN where the value is missing, UNKNOWN where it is no state."""
    if column.kind == "empty":
        return np.full(len(column.hidden), HIDDEN)
    if column.ids is not None:
        found = _found(variable, column.labels)
        codes: IntArray = np.array([*found, HIDDEN])[column.ids]
        return codes
    assert column.numbers is not None
    codes = _among_states(column, variable) if variable.bins is None else _binned(column, variable)
    return np.where(column.hidden, HIDDEN, codes) if column.hidden.any() else codes


def _found(variable: Variable, values: Iterable[object]) -> list[int]:
    find = variable.finder()
    codes = map(find, values)
    return [UNKNOWN if code is None else code for code in codes]


def _binned(column: Column, variable: Variable) -> IntArray:
    bins = variable.bins
    assert bins is not None
    if _LINES.get(bins.kind) != _LINES.get(column.kind):
        wanted = "dates with times" if bins.kind == "datetime" else _LINES.get(bins.kind, "numbers")
        raise DataError(
            f"column {column.name!r} has {wanted}, in bins such as {variable.states[0]!r}; this one has "
            f"{_LINES.get(column.kind, 'numbers')}. Convert it."
        )
    return bins.locate(_numbers_in(bins, column))


def _numbers_in(bins: Bins, column: Column) -> Numbers:
    """The numbers of a column as bins have them: days, or microseconds."""
    numbers = column.numbers
    assert numbers is not None
    if bins.kind == "datetime" and column.kind == "date":
        return numbers * DAY
    if bins.kind == "date" and column.kind == "datetime":
        return numbers // DAY
    return numbers


def _values_in(bins: Bins, column: Column) -> Numbers | None:
    """The numbers of a column, of dates that are text, too; None where some have none."""
    if column.ids is None:
        return None if column.numbers is None else _numbers_in(bins, column)
    try:
        each = np.array([*map(bins.number, column.labels), 0])  # the last is a hole's
    except DataError:
        return None
    numbers: Numbers = each[column.ids]
    return numbers


def _among_states(column: Column, variable: Variable) -> IntArray:
    """Numbers, booleans or dates as states: equal ones by bisection, what is left by its distinct values."""
    numbers = column.numbers
    assert numbers is not None
    codes = np.full(len(numbers), UNKNOWN)
    states = [
        (state, code)
        for code, state in enumerate(variable.states)
        if isinstance(state, (int, float)) and abs(state) < 2**53 and state is not variable.missing
    ]
    if states and column.kind in ("boolean", "integer", "float"):
        codes = _equal_numbers(numbers, *zip(*states, strict=True))
    left = (codes == UNKNOWN) & ~column.hidden
    if left.any():
        distinct, ids = np.unique(numbers[left], return_inverse=True)
        values = (value_of(column, number) for number in distinct.tolist())
        codes[left] = np.array(_found(variable, values))[ids]
    return codes


def _equal_numbers(numbers: Numbers, labels: Sequence[Number], codes: Sequence[int]) -> IntArray:
    """The code of the label that each number is equal to, or UNKNOWN: by a table where it is short, else by bisection."""
    low, high = min(labels), max(labels)
    if numbers.dtype == np.int64 and high - low < TABLE:
        table = np.full(int(high - low) + 2, UNKNOWN)
        whole = [
            (int(label - low), code) for label, code in zip(labels, codes, strict=True) if label == int(label)
        ]
        if whole and low == int(low):
            places, found = zip(*whole, strict=True)
            table[list(places)] = found
            inside = (numbers >= low) & (numbers <= high)
            return table[np.where(inside, numbers - int(low), len(table) - 1)]
    ordered = np.array(labels, dtype=np.float64)
    order = np.argsort(ordered)
    place = np.minimum(np.searchsorted(ordered[order], numbers), len(order) - 1)
    return np.where(ordered[order][place] == numbers, np.array(codes)[order][place], UNKNOWN)


def value_of(column: Column, number: Any) -> object:
    """What a number of a column stands for: itself, a boolean, or a date or duration as text."""
    if column.kind == "boolean":
        return bool(number)
    return TIME_TEXTS[column.kind](number) if column.kind in TIME_TEXTS else number


def places_of(opened: Opened, domain: Domain, absent: str) -> list[int | None]:
    """Where each variable's column is in an opened table."""
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


def _value_in(column: Column, row: int) -> object:
    if column.ids is not None:
        return column.labels[column.ids[row]]
    assert column.numbers is not None
    return value_of(column, column.numbers[row].item())


def _reject_unknown(variable: Variable, row: int, value: object) -> NoReturn:
    raise DataError(
        f"column {variable.name!r}, row {row}: {brief(value)} is no state of it. {nearest(value, variable.states)} "
        'With handle_unknown="missing" it counts as missing.'
    )
