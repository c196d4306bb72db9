"""The cells of a table as people read them: values as they came, and holes as holes."""

from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.data.binning.bins import Bins
from depnet.data.table.dataset import Holed
from depnet.data.table.variable import Variable


def known_cells(table: Holed, i: int, rows: IntArray) -> NDArray[np.bool_]:
    """Which of some rows know X_i."""
    known = table.known(i)
    return np.ones(len(rows), dtype=bool) if known is None else known[rows]


def cell_values(table: Holed, i: int, rows: IntArray) -> list[Any]:
    """X_i in some rows: the label of a state, a number as it came, a date or duration as text; None where it is a hole.

    Of a number that the table keeps only the bin of, it is the bin's label.

    >>> from depnet.data.table.dataset import Dataset
    >>> table = Dataset.from_frame([{"size": 1.5}, {"size": 2.0}, {"size": None}], missing="state")
    >>> cell_values(table, 0, np.arange(3))
    [1.5, 2, None]
    """
    variable, numbers = table.domain.variables[i], table.numbers(i)
    known = known_cells(table, i, rows).tolist()
    if variable.bins is not None and numbers is not None:
        read = cache(partial(_value, variable.bins))  # the text of a date takes a while, and there are few
        return [
            read(n) if is_known else None for n, is_known in zip(numbers[rows].tolist(), known, strict=True)
        ]
    states = variable.states
    codes = table.column(i)[rows].tolist()
    return [states[code] if is_known else None for code, is_known in zip(codes, known, strict=True)]


def _value(bins: Bins, number: float) -> Any:
    """A number as it is written: whole ones without a point."""
    if bins.kind in ("integer", "float"):
        return int(number) if number == int(number) and abs(number) < 1e15 else number
    return bins.text(number)


def value_text(variable: Variable, value: object) -> str:
    """A value of a variable as people write it: of a number the shortest text that means it.

    >>> ages = Bins((0, 18, 65), ((3,), (30,)), "float")
    >>> value_text(Variable("age", ages.labels, ages), 40.0)
    '40'
    """
    if variable.bins is None or value in variable.states:
        return str(value)
    return variable.bins.text(variable.bins.number(value))


def about(variable: Variable, code: int) -> str:
    """A state as a value: of a bin, the median of those that it keeps.

    >>> ages = Bins((0, 18, 65), ((3, 9, 17), (30,)), "integer")
    >>> about(Variable("age", ages.labels, ages), 0), about(Variable("sex", ("female", "male")), 0)
    ('9', 'female')
    """
    if variable.bins is None or code >= len(variable.bins):
        return str(variable.states[code])
    return variable.bins.text(variable.bins.middle()[code].item())
