"""The codes of a column's rows under its variable, whether that was made of this column or belongs to a model.

A value is the state with an equal label (1, 1.0 and True are equal), else the only one with the same text (1 for
"1"), so that a column read with another type means the same. A number has the bin it lies in, the first or last
where it lies beyond.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.data.binning.bins import TIME_TEXTS, Bins, Number, Numbers
from depnet.data.binning.times import DAY
from depnet.data.table.columns import Column
from depnet.data.table.variable import Variable
from depnet.errors import DataError

UNKNOWN, HIDDEN = -2, -1

MANY_CUTS = 64
"""Above this many comparisons a number, bisection is quicker."""

CHUNK = 1 << 16
"""Numbers that are compared with all cuts before the next ones: they stay in the processor's cache."""

_LINES = {"date": "dates", "datetime": "dates", "duration": "durations"}
"""The lines that numbers of some kinds lie on; all others are numbers."""


class Coded(NamedTuple):
    """The codes of a column's rows, any where a value is `gone` (None: nowhere).

    The rows `unknown` have a value that is no state, such as `example`, and count as gone. `numbers` are those of a variable
    with bins, as they are in the table.
    """

    codes: NDArray[Any]
    gone: NDArray[np.bool_] | None
    numbers: Numbers | None = None
    unknown: IntArray | None = None
    example: object = None

    @classmethod
    def hidden_in(cls, rows: int) -> "Coded":
        return cls(np.zeros(rows, dtype=np.uint8), np.ones(rows, dtype=bool))


def code_column(column: Column, variable: Variable) -> Coded:
    if column.kind == "empty":
        return Coded.hidden_in(len(column.hidden))
    bins, numbers, dtype = variable.bins, None, np.uint8 if variable.cardinality <= 256 else np.uint16
    if column.ids is not None:
        codes = np.array([*codes_of(variable, column.labels), HIDDEN], dtype=np.int32)[column.ids]
        if bins is not None:
            numbers = _numbers_of_text(bins, column)
    elif bins is not None:
        numbers = _numbers_in(bins, column, variable)
        return Coded(
            _bin_codes(numbers, bins, dtype), column.hidden if column.hidden.any() else None, numbers
        )
    else:
        codes = np.where(column.hidden, HIDDEN, _among_states(column, variable))
    gone = codes < 0
    if not gone.any():
        return Coded(codes.astype(dtype), None, numbers)
    unknown: IntArray = np.flatnonzero(codes == UNKNOWN)
    found = Coded(codes.astype(dtype), gone, numbers)
    if not len(unknown):
        return found
    return found._replace(unknown=unknown, example=_value_in(column, int(unknown[0])))


def codes_of(variable: Variable, values: Iterable[object]) -> list[int]:
    """The code of each value, or UNKNOWN."""
    find = variable.finder()
    return [UNKNOWN if code is None else code for code in map(find, values)]


def _bin_codes(numbers: Numbers, bins: Bins, dtype: Any) -> NDArray[Any]:
    """The bin of every number: how many inner edges it is not below."""
    cuts = bins.edges[1:-1]
    if len(cuts) > MANY_CUTS:
        return bins.locate(numbers).astype(dtype)
    codes = np.zeros(len(numbers), dtype=dtype)
    for begin in range(0, len(numbers), CHUNK):
        some, chunk = numbers[begin : begin + CHUNK], codes[begin : begin + CHUNK]
        for cut in cuts:
            chunk += some >= cut
    return codes


def _numbers_in(bins: Bins, column: Column, variable: Variable) -> Numbers:
    """The numbers of a column as bins have them: days, or microseconds."""
    numbers = column.numbers
    assert numbers is not None
    if _LINES.get(bins.kind) != _LINES.get(column.kind):
        wanted = "dates with times" if bins.kind == "datetime" else _LINES.get(bins.kind, "numbers")
        raise DataError(
            f"column {column.name!r} has {wanted}, in bins such as {variable.states[0]!r}; this one has "
            f"{_LINES.get(column.kind, 'numbers')}. Convert it."
        )
    if bins.kind == "datetime" and column.kind == "date":
        return numbers * DAY
    if bins.kind == "date" and column.kind == "datetime":
        return numbers // DAY
    return numbers


def _numbers_of_text(bins: Bins, column: Column) -> Numbers | None:
    """The numbers that the labels of a column say; None where some say none."""
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
        values = (_value_of(column, number) for number in distinct.tolist())
        codes[left] = np.array(codes_of(variable, values))[ids]
    return codes


def _equal_numbers(numbers: Numbers, labels: Sequence[Number], codes: Sequence[int]) -> IntArray:
    """The code of the label that each number is equal to, or UNKNOWN."""
    order = np.argsort(labels)
    ordered = np.array(labels, dtype=np.float64)[order]
    place = np.minimum(np.searchsorted(ordered, numbers), len(order) - 1)
    return np.where(ordered[place] == numbers, np.array(codes)[order][place], UNKNOWN)


def _value_of(column: Column, number: Any) -> object:
    """What a number of a column stands for: itself, a boolean, or a date or duration as text."""
    if column.kind == "boolean":
        return bool(number)
    return TIME_TEXTS[column.kind](number) if column.kind in TIME_TEXTS else number


def _value_in(column: Column, row: int) -> object:
    if column.ids is not None:
        return column.labels[column.ids[row]]
    assert column.numbers is not None
    return _value_of(column, column.numbers[row].item())
