"""The codes of numbers: how many cuts each of them is not below."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.data.table.variable import Variable

_MANY_CUTS = 64
"""Above this many comparisons a row, bisection is quicker."""

_BLOCK = 1 << 16
"""Numbers that are compared with all cuts before the next ones: they stay in the processor's cache."""


class Coded(NamedTuple):
    """The codes of a column's rows, whatever they are where the value is `absent`; None: nowhere."""

    codes: NDArray[Any]
    absent: NDArray[np.bool_] | None
    numbers: NDArray[Any] | None = None
    """As they are in the file, where the variable has bins."""

    @classmethod
    def of(cls, cells: NDArray[Any], variable: Variable) -> "Coded":
        """Of numbers as the engine gives them, masked where they are missing."""
        dtype = np.uint8 if variable.cardinality <= 256 else np.uint16
        numbers = np.ma.getdata(cells)
        codes = located(numbers, variable, dtype)
        return cls(codes, absent_of(cells), None if variable.bins is None else numbers)


def absent_of(cells: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Where cells are missing."""
    return np.ma.getmaskarray(cells) if isinstance(cells, np.ma.MaskedArray) else None


def located(values: NDArray[Any], variable: Variable, dtype: Any) -> NDArray[Any]:
    """The codes of numbers by bins, or by the states that they are."""
    cuts = _cuts(variable)
    if len(cuts) > _MANY_CUTS:
        return np.searchsorted(np.array(cuts), values, side="right").astype(dtype)
    codes = np.zeros(len(values), dtype=dtype)
    for begin in range(0, len(values), _BLOCK):
        some, block = values[begin : begin + _BLOCK], codes[begin : begin + _BLOCK]
        for cut in cuts:
            block += some >= cut
    return codes


def _cuts(variable: Variable) -> list[Any]:
    """Where the next code begins: a bin's lower edge, or the next state's number."""
    if variable.bins is not None:
        return list(variable.bins.edges[1:-1])
    return list(variable.present_states[1:])
