"""A table of codes with holes: what a frame becomes before its missing values are completed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.table.dataset import CodeTable, Dataset, code_type
from depnet.data.table.domain import Domain
from depnet.data.table.values import Values
from depnet.errors import DataError, Hint, brief


@dataclass(frozen=True, slots=True, eq=False)
class Holed(CodeTable):
    """As a `Dataset`, but `hidden[r, i]` says that the value of X_i in row r is missing; its code is then 0.

    >>> from depnet.data import Variable
    >>> domain = Domain((Variable("sex", ("female", "male")),))
    >>> table = Holed(domain, np.array([[1], [0]], dtype=np.uint8), np.array([[False], [True]]))
    >>> table.rows, table.complete
    (2, False)
    """

    domain: Domain
    codes: CodeArray
    hidden: NDArray[np.bool_]
    weights: IntArray | None = None
    values: Values | None = None

    def __post_init__(self) -> None:
        table = Dataset(self.domain, self.codes, self.weights)
        hidden = self.hidden
        if (
            not isinstance(hidden, np.ndarray)
            or hidden.dtype != np.bool_
            or hidden.shape != table.codes.shape
        ):
            got = f"{hidden.dtype} {hidden.shape}" if isinstance(hidden, np.ndarray) else brief(hidden)
            raise DataError(f"hidden is a boolean array of the shape {table.codes.shape}; got {got}.")
        if _any(hidden) and table.codes[hidden].any():
            raise DataError("the code of a hidden value is 0.")
        object.__setattr__(self, "codes", table.codes)
        object.__setattr__(self, "weights", table.weights)
        if hidden.flags.writeable:
            object.__setattr__(self, "hidden", read_only(hidden.copy(order="F")))

    def known(self, i: int) -> NDArray[np.bool_] | None:
        """In which rows X_i is known; None: in all."""
        known = CodeTable.known(self, i)
        if not _any(self.hidden) or not self.hidden[:, i].any():
            return known
        return ~self.hidden[:, i] if known is None else known & ~self.hidden[:, i]

    @property
    def complete(self) -> bool:
        """Is nothing missing?"""
        return not _any(self.hidden)

    def dataset(self) -> Dataset:
        """The table as a `Dataset`; a hole is an error that says where."""
        if not self.complete:
            i = int(np.argmax(self.hidden.any(axis=0)))
            row = int(np.argmax(self.hidden[:, i]))
            cells, columns = int(self.hidden.sum()), int(self.hidden.any(axis=0).sum())
            raise DataError(
                f"column {self.domain.variables[i].name!r}, row {row}: the value is missing ({cells:,} missing "
                f'in {columns:,} of {len(self.domain):,} columns). Make "missing" a state with ',
                Hint("missing", "state"),
                ", or complete the table first.",
            )
        return Dataset.of_checked(self.domain, self.codes, self.weights, self.values)

    def rows_at(self, rows: IntArray) -> "Holed":
        """Some of the rows, with their values and holes."""
        codes: CodeArray = np.empty((len(rows), len(self.domain)), dtype=code_type(self.domain), order="F")
        codes[:] = self.codes[rows]
        return Holed(
            self.domain,
            read_only(codes),
            nothing_hidden((len(rows), len(self.domain)))
            if self.complete
            else read_only(np.asfortranarray(self.hidden[rows])),
            None if self.weights is None else self.weights[rows],
            None if self.values is None else self.values.rows_of(rows),
        )

    def whole_rows(self) -> Dataset:
        """The rows without holes, for what needs all cells of a row."""
        if self.complete:
            return self.dataset()
        return self.rows_at(np.flatnonzero(~self.hidden.any(axis=1))).dataset()


def with_holes(table: Dataset | Holed) -> Holed:
    """A complete table as one that could have holes."""
    if isinstance(table, Holed):
        return table
    return Holed(table.domain, table.codes, nothing_hidden(table.codes.shape), table.weights, table.values)


def holed_rows(domain: Domain, codes: CodeArray, hidden: NDArray[np.bool_]) -> Holed:
    seen = codes.copy(order="F")
    seen[hidden] = 0
    return Holed(domain, read_only(seen), hidden)


def nothing_hidden(shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The `hidden` of a complete table: one False for all cells, which takes no memory."""
    return np.broadcast_to(np.False_, shape)


def _any(hidden: NDArray[np.bool_]) -> bool:
    return hidden.strides != (0, 0) and bool(hidden.any())


class TableBuilder:
    """A table of codes put in column by column; where values are missing is kept from the first one on.

    Numbers are kept as they came, where they are put in, too.
    """

    def __init__(self, domain: Domain, rows: int) -> None:
        self.domain = domain
        self._values = Values()
        self._codes: CodeArray = np.zeros((rows, len(domain)), dtype=code_type(domain), order="F")
        self._hidden: NDArray[np.bool_] | None = None

    def put(
        self,
        i: int,
        codes: NDArray[Any],
        gone: NDArray[np.bool_] | None,
        numbers: NDArray[Any] | None = None,
    ) -> None:
        """The codes of variable i, whatever they are where the value is `gone`: there they are hidden, or its own state.

        `numbers` are the values of a variable with bins.
        """
        variable = self.domain.variables[i]
        self._codes[:, i] = codes
        if numbers is not None:
            self._values.put(i, numbers)
        if gone is None or not gone.any():
            return
        self._codes[gone, i] = 0 if variable.missing is None else variable.cardinality - 1
        if variable.missing is None:
            if self._hidden is None:
                self._hidden = np.zeros(self._codes.shape, dtype=bool, order="F")
            self._hidden[:, i] = gone

    def holed(self, weights: IntArray | None = None) -> Holed:
        values = self._values if len(self._values) else None
        hidden = nothing_hidden(self._codes.shape) if self._hidden is None else read_only(self._hidden)
        return Holed(self.domain, read_only(self._codes), hidden, weights, values)
