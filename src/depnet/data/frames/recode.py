"""A table's codes as those of another domain: later rows, read on their own, for a model that is there already.

A state is the one with an equal label, else the only one with the same text, else the bin in which its value lies
(`Variable.find`). Reading with `bins_for(domain)` cuts numbers where the domain does, with `labels_of(domain)`
leaves words as they are.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import read_only
from depnet.data.binning.bins import Bins
from depnet.data.frames.encode import HandleUnknown
from depnet.data.table.dataset import Dataset, code_type
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed
from depnet.data.table.variable import Variable
from depnet.errors import DataError, brief
from depnet.wording import nearest


def with_holes(table: Dataset | Holed) -> Holed:
    """A complete table as one that could have holes."""
    if isinstance(table, Holed):
        return table
    return Holed(table.domain, table.codes, np.zeros(table.codes.shape, dtype=bool, order="F"), table.weights)


def bins_for(domain: Domain) -> dict[str, Any]:
    """What to give as `bins` to read a table for this domain: its own edges, and no other bins."""
    return {variable.name: _edges(variable.bins) for variable in domain.variables}


def labels_of(domain: Domain) -> list[str]:
    """What to give as `text` to read a table for this domain: the variables whose states are all words, such as 01."""
    return [
        variable.name
        for variable in domain.variables
        if variable.bins is None and all(isinstance(state, str) for state in variable.states)
    ]


def recoded(table: Dataset | Holed, domain: Domain, *, handle_unknown: HandleUnknown = "error") -> Holed:
    """The rows of `table` in the codes of `domain`, variables found by their names; others are left out.

    `handle_unknown`: a state that `domain` does not have is an error, or like a missing value.

    >>> from depnet.data import Variable
    >>> new = Dataset.from_codes([[1], [0]], domain=Domain((Variable("sex", ("female", "male")),)))
    >>> recoded(new, Domain((Variable("sex", ("male", "other", "female")),))).codes.tolist()
    [[0], [2]]
    """
    codes = np.zeros((table.rows, len(domain)), dtype=code_type(domain), order="F")
    hidden = np.zeros(codes.shape, dtype=bool, order="F")
    for i, variable in enumerate(domain.variables):
        if variable.name not in table.domain.names:
            raise DataError(
                f"the table has no column {brief(variable.name)}, which the model has. "
                f"{nearest(variable.name, table.domain.names)}"
            )
        j = table.domain.index(variable.name)
        own = table.codes[:, j].astype(np.int64)
        holes = table.hidden[:, j] if isinstance(table, Holed) else np.zeros(table.rows, dtype=bool)
        codes_of = _codes_of(table.domain.variables[j], variable)
        each = np.where(holes, -1, codes_of[own])
        if handle_unknown == "error" and (each == -2).any():
            row = int(np.argmax(each == -2))
            value = table.domain.variables[j].states[own[row]]
            raise DataError(
                f"column {variable.name!r}, row {row}: the model has no state {brief(value)}. "
                f'{nearest(value, variable.states)} Or take unknown states as missing (`handle_unknown="missing"`).'
            )
        gone = each < 0
        codes[:, i] = np.where(gone, 0 if variable.missing is None else variable.cardinality - 1, each)
        hidden[:, i] = gone & (variable.missing is None)
    return Holed(domain, read_only(codes), read_only(hidden), table.weights)


def missing_cells(table: Dataset | Holed, domain: Domain) -> NDArray[np.bool_]:
    """[row, variable of `domain`]: is the cell empty in `table`? A state that `domain` does not have is not.

    >>> from depnet.data import Variable
    >>> table = Holed(Domain((Variable("x", ("a",)),)), np.zeros((2, 1), np.uint8), np.array([[False], [True]]))
    >>> missing_cells(table, Domain((Variable("x", ("b", "c")),))).tolist()
    [[False], [True]]
    """
    places = [table.domain.index(name) for name in domain.names]
    empty = (
        np.array(table.hidden[:, places])
        if isinstance(table, Holed)
        else np.zeros((table.rows, len(domain)), bool)
    )
    for i, j in enumerate(places):
        variable = table.domain.variables[j]
        if variable.missing is not None:
            empty[:, i] |= table.codes[:, j] == variable.cardinality - 1
    return empty


def _edges(bins: Bins | None) -> Any:
    if bins is None:
        return "categories"
    return [edge if bins.kind in ("float", "integer") else bins.text(edge) for edge in bins.edges]


def _codes_of(own: Variable, wanted: Variable) -> Any:
    """For each state of `own` its code in `wanted`: -1 for missing, -2 where there is none."""
    states = own.present_states
    if own.bins is not None and wanted.bins is not None and own.bins.edges == wanted.bins.edges:
        found: list[int] = list(range(len(states)))
    elif own.bins is not None:
        found = [_found(wanted, own.bins.text(value)) for value in own.bins.middle().tolist()]
    else:
        found = [_found(wanted, state) for state in states]
    return np.array([*found, *([-1] if own.missing is not None else [])])


def _found(variable: Variable, value: object) -> int:
    code = variable.find(value)
    return -2 if code is None else code
