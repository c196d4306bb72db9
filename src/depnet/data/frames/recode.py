"""A table's codes as those of another domain: later rows, read on their own, for a model that is there already.

A state is the one with an equal label, else the only one with the same text, else the bin in which its value lies
(`Variable.find`). Reading with `bins_for(domain)` cuts numbers where the domain does, with `labels_of(domain)`
leaves words as they are.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.data.binning.bins import Bins, Numbers
from depnet.data.binning.calendar import DAY
from depnet.data.frames.encode import HIDDEN, UNKNOWN
from depnet.data.frames.unknown import HandleUnknown, Unknowns
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed, TableBuilder, with_holes
from depnet.data.table.variable import Variable
from depnet.errors import DataError, brief
from depnet.wording import nearest


def bins_for(domain: Domain) -> dict[str, Any]:
    """What to give as `bins` to read a table for this domain: its own edges, and texts where others are one state."""
    return {
        variable.name: _edges(variable.bins) if variable.other is None else list(variable.present_states[:-1])
        for variable in domain.variables
    }


def labels_of(domain: Domain) -> list[str]:
    """What to give as `text` to read a table for this domain: the variables whose states are all words, such as 01."""
    return [
        variable.name
        for variable in domain.variables
        if variable.bins is None and all(isinstance(state, str) for state in variable.states)
    ]


def recoded(table: Dataset | Holed, domain: Domain, *, handle_unknown: HandleUnknown = "error") -> Holed:
    """The rows of `table` in the codes of `domain`, variables found by their names; others are left out.

    `handle_unknown`: a state that `domain` does not have is an error, or like a missing value, which a warning says.

    >>> from depnet.data import Variable
    >>> new = Dataset.from_codes([[1], [0]], domain=Domain((Variable("sex", ("female", "male")),)))
    >>> recoded(new, Domain((Variable("sex", ("male", "other", "female")),))).codes.tolist()
    [[0], [2]]
    """
    table = with_holes(table)
    made, unknown = TableBuilder(domain, table.rows), Unknowns()
    for i, variable in enumerate(domain.variables):
        if variable.name not in table.domain.names:
            raise DataError(
                f"the table has no column {brief(variable.name)}, which the model has. "
                f"{nearest(variable.name, table.domain.names)}"
            )
        j = table.domain.index(variable.name)
        own = table.codes[:, j].astype(np.int64)
        codes_of = _codes_of(table.domain.variables[j], variable)
        each = np.where(table.hidden[:, j], HIDDEN, codes_of[own])
        strange = np.flatnonzero(each == UNKNOWN)
        if len(strange):
            value = table.domain.variables[j].states[own[strange[0]]]
            if handle_unknown == "error":
                raise DataError(
                    f"column {variable.name!r}, row {strange[0]}: the model has no state {brief(value)}. "
                    f'{nearest(value, variable.states)} Or take unknown states as missing (`handle_unknown="missing"`).'
                )
            unknown.add(variable.name, len(strange), value)
        made.put(i, each, each < 0, _numbers(table.numbers(j), table.domain.variables[j].bins, variable.bins))
    unknown.warn()
    return made.holed(table.weights)


def missing_cells(table: Dataset | Holed, domain: Domain) -> NDArray[np.bool_]:
    """[row, variable of `domain`]: is the cell empty in `table`? A state that `domain` does not have is not.

    >>> from depnet.data import Variable
    >>> table = Holed(Domain((Variable("x", ("a",)),)), np.zeros((2, 1), np.uint8), np.array([[False], [True]]))
    >>> missing_cells(table, Domain((Variable("x", ("b", "c")),))).tolist()
    [[False], [True]]
    """
    places = [table.domain.index(name) for name in domain.names]
    empty = np.array(with_holes(table).hidden[:, places])
    for i, j in enumerate(places):
        variable = table.domain.variables[j]
        if variable.missing is not None:
            empty[:, i] |= table.codes[:, j] == variable.cardinality - 1
    return empty


def _numbers(numbers: Numbers | None, own: Bins | None, wanted: Bins | None) -> Numbers | None:
    """A column's numbers as other bins count them: days as moments, and the other way round."""
    if numbers is None or own is None or wanted is None or own.kind == wanted.kind:
        return None if wanted is None else numbers
    if (own.kind, wanted.kind) == ("date", "datetime"):
        return numbers * DAY
    return numbers // DAY if (own.kind, wanted.kind) == ("datetime", "date") else numbers


def _edges(bins: Bins | None) -> Any:
    if bins is None:
        return "categories"
    return [edge if bins.kind in ("float", "integer") else bins.text(edge) for edge in bins.edges]


def _codes_of(own: Variable, wanted: Variable) -> Any:
    """For each state of `own` its code in `wanted`: HIDDEN for missing, UNKNOWN where there is none."""
    states, find = own.present_states, wanted.finder()
    if own.bins is not None and wanted.bins is not None and own.bins.edges == wanted.bins.edges:
        found: list[int | None] = list(range(len(states)))
    elif own.bins is not None:
        found = [find(own.bins.text(value)) for value in own.bins.middle().tolist()]
    else:
        found = list(map(find, states))
    codes = [UNKNOWN if code is None else code for code in found]
    return np.array([*codes, *([HIDDEN] if own.missing is not None else [])])
