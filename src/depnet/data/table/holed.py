"""A table of codes with holes: what a frame becomes before its missing values are completed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.errors import DataError, brief


@dataclass(frozen=True, slots=True, eq=False)
class Holed:
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
        if table.codes[hidden].any():
            raise DataError("the code of a hidden value is 0.")
        object.__setattr__(self, "codes", table.codes)
        object.__setattr__(self, "weights", table.weights)
        if hidden.flags.writeable:
            object.__setattr__(self, "hidden", read_only(hidden.copy(order="F")))

    @property
    def rows(self) -> int:
        """The number of rows stored."""
        return int(self.codes.shape[0])

    @property
    def total(self) -> int:
        """The sum of the row weights."""
        return self.rows if self.weights is None else int(self.weights.sum())

    @property
    def complete(self) -> bool:
        """Is nothing missing?"""
        return not self.hidden.any()

    def dataset(self) -> Dataset:
        """The table as a `Dataset`; a hole is an error that says where."""
        if not self.complete:
            i = int(np.argmax(self.hidden.any(axis=0)))
            row = int(np.argmax(self.hidden[:, i]))
            cells, columns = int(self.hidden.sum()), int(self.hidden.any(axis=0).sum())
            raise DataError(
                f"column {self.domain.variables[i].name!r}, row {row}: the value is missing ({cells:,} missing "
                f'in {columns:,} of {len(self.domain):,} columns). Make "missing" a state with `missing="state"`, or '
                "complete the table first."
            )
        return Dataset(self.domain, self.codes, self.weights)
