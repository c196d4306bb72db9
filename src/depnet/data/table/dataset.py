"""A table of codes: N rows of one joint state each, with optional integer row weights."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.binning.bins import Numbers
from depnet.data.table.code_checks import (
    check_shape,
    checked_codes,
    checked_weights,
    code_type,
    reject_codes_outside,
)
from depnet.data.table.domain import Domain
from depnet.data.table.values import Values
from depnet.errors import DataError, Hint, brief
from depnet.wording import counted, some_of

if TYPE_CHECKING:
    from depnet.data.table.variables import BinChoice, Keep

SHOWN_VARIABLES = 20

CodedColumn: TypeAlias = tuple[NDArray[Any], NDArray[np.bool_] | None, Numbers | None]
"""The codes of a column, where its value is missing (None: nowhere), and its numbers as they came, if it has bins."""


class CodeTable:
    """What tables of codes have in common, with holes (`Holed`) and without (`Dataset`)."""

    __slots__ = ()
    domain: Domain
    codes: CodeArray
    weights: IntArray | None
    values: Values | None

    def column(self, i: int) -> CodeArray:
        """The codes of X_i, contiguous.

        Args:
            i: the number of the variable.

        Returns:
            An array [row].
        """
        return self.codes[:, i]

    def known(self, i: int) -> NDArray[np.bool_] | None:
        """In which rows X_i is known; None: in all."""
        variable = self.domain.variables[i]
        if variable.missing is None:
            return None
        return np.asarray(self.codes[:, i] != variable.cardinality - 1)

    def numbers(self, i: int) -> Numbers | None:
        """The numbers of X_i in all rows as they came; None where it has no bins, or they are not known."""
        return None if self.values is None else self.values.get(i)

    @property
    def rows(self) -> int:
        """The number of rows stored."""
        return int(self.codes.shape[0])

    @property
    def total(self) -> int:
        """N, the number of training samples: the sum of the row weights."""
        return self.rows if self.weights is None else int(self.weights.sum())


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Dataset(CodeTable):
    """Training data: a table of codes, where a row with weight w stands for w equal rows.

    Make one with `from_codes` or `from_frame`.

    Attributes:
        domain: the variables of the columns.
        codes: `codes[r, i]` is the code of X_i in row r: read-only, column-major, uint8 or uint16.
        weights: how many equal rows each row stands for; None: one each.
        values: the numbers of the columns that have bins, as they came; None where they are not known.

    >>> table = Dataset.from_frame([{"sex": "male", "age": 40}, {"sex": "female", "age": 30}])
    >>> table.domain.names, table.codes.tolist()
    (('sex', 'age'), [[1, 1], [0, 0]])
    """

    domain: Domain
    codes: CodeArray
    weights: IntArray | None = None
    values: Values | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.domain, Domain):
            raise DataError(
                f"Dataset(domain, codes) takes a Domain first; got {brief(self.domain)}. Make it with "
                "Dataset.from_codes(codes, cardinalities)."
            )
        codes = self.codes
        if not isinstance(codes, np.ndarray) or codes.dtype != code_type(self.domain):
            got = f"one of {codes.dtype}" if isinstance(codes, np.ndarray) else brief(codes)
            raise DataError(
                f"the codes of a Dataset are an array of {code_type(self.domain)}; got {got}. Make it with "
                "Dataset.from_codes(codes, cardinalities)."
            )
        check_shape(codes, self.domain)
        if codes.size and (codes.max(axis=0) >= self.domain.cardinalities).any():  # kernels do not check
            reject_codes_outside(codes, self.domain)
        if codes.flags.writeable:
            object.__setattr__(self, "codes", read_only(codes.copy(order="F")))
        object.__setattr__(self, "weights", checked_weights(self.weights, self.rows))

    @classmethod
    def from_codes(
        cls,
        codes: ArrayLike,
        cardinalities: Sequence[int] | None = None,
        weights: ArrayLike | None = None,
        *,
        domain: Domain | None = None,
    ) -> "Dataset":
        """Check a table of integer codes [N, n] and make it a dataset.

        Give either the `cardinalities` or a `domain`.

        Args:
            codes: whole numbers, [row, variable], from 0 on.
            cardinalities: how many states each variable has; the variables are then X0, X1, ... with their codes as
                states.
            weights: how many equal rows each row stands for; None: one each.
            domain: the variables, with their names and states.

        Returns:
            The dataset, whose arrays are read-only.

        >>> Dataset.from_codes([[0, 2], [1, 0]], cardinalities=[2, 3]).rows
        2
        """
        if (cardinalities is None) == (domain is None):
            raise DataError("Dataset.from_codes takes either cardinalities or a domain, and not both.")
        if domain is None:
            assert cardinalities is not None
            domain = Domain.from_cardinalities(cardinalities)
        checked = checked_codes(codes, domain)
        return cls.of_checked(domain, checked, checked_weights(weights, len(checked)))

    @classmethod
    def of_checked(
        cls,
        domain: Domain,
        codes: CodeArray,
        weights: IntArray | None = None,
        values: Values | None = None,
    ) -> "Dataset":
        """A dataset of read-only arrays that were checked already, or made so that nothing can be wrong: not once more."""
        dataset = object.__new__(cls)
        for name, value in (("domain", domain), ("codes", codes), ("weights", weights), ("values", values)):
            object.__setattr__(dataset, name, value)
        return dataset

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        bins: "BinChoice" = "quantile",
        max_bins: int = 16,
        missing: Literal["error", "state"] = "error",
        keep: "Keep" = (),
        max_states: int = 1000,
    ) -> "Dataset":
        """A complete table from a pandas, polars or pyarrow frame, a numpy array or a list of dictionaries.

        For missing values that are to be completed see `depnet.data.encode`.

        Args:
            frame: the table.
            bins: how numbers become states: "quantile", a number of bins, a list of edges, "categories", or a mapping of
                column names to these.
            max_bins: the most bins of a column that `bins` leaves free.
            missing: missing values are an "error", or a "state" of their own.
            keep: names of columns to take although they look like names, identifiers or row numbers, which are left out
                otherwise.
            max_states: of text, all but the most frequent values are one state, "other".

        Returns:
            The dataset.

        >>> Dataset.from_frame([{"sex": "male"}, {"sex": "female"}]).codes.tolist()
        [[1], [0]]
        """
        from depnet.data.table.encode import described  # which makes tables of its own
        from depnet.data.table.variables import StateOptions, warn_left_out

        if missing not in ("error", "state"):
            raise DataError(f'Dataset.from_frame: missing is "error" or "state"; got {brief(missing)}.')
        found = described(frame, StateOptions(bins, max_bins, missing, max_states), keep, coded=True)
        warn_left_out(found.left_out)
        assert found.table is not None
        return found.table.dataset()

    def __str__(self) -> str:
        some = some_of([f"{v.name} ({v.cardinality:,})" for v in self.domain.variables], SHOWN_VARIABLES)
        weighed = "" if self.weights is None else f" that stand for {self.total:,}"
        variables = counted(len(self.domain), "variable")
        return f"{counted(self.rows, 'row')}{weighed} of {variables} (their states): {some}"


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
        hidden: Any = self.hidden
        if getattr(hidden, "dtype", None) != np.bool_ or hidden.shape != table.codes.shape:
            got = f"{hidden.dtype} {hidden.shape}" if isinstance(hidden, np.ndarray) else brief(hidden)
            raise DataError(f"hidden is a boolean array of the shape {table.codes.shape}; got {got}.")
        if _any(hidden) and table.codes[hidden].any():
            raise DataError("the code of a hidden value is 0.")
        object.__setattr__(self, "codes", table.codes)
        object.__setattr__(self, "weights", table.weights)
        hidden = read_only(hidden.copy(order="F")) if hidden.flags.writeable else hidden
        object.__setattr__(self, "hidden", hidden)

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
        return holed_table(
            self.domain,
            codes,
            None if self.complete else np.asfortranarray(self.hidden[rows]),
            None if self.weights is None else self.weights[rows],
            None if self.values is None else self.values.rows_of(rows),
        )

    def __reduce__(self) -> Any:
        # What takes no memory here would be written out cell by cell.
        hidden = None if self.complete else self.hidden
        return holed_table, (self.domain, self.codes, hidden, self.weights, self.values)

    def whole_rows(self) -> Dataset:
        """The rows without holes, for what needs all cells of a row."""
        if self.complete:
            return self.dataset()
        return self.rows_at(np.flatnonzero(~self.hidden.any(axis=1))).dataset()


def holed_table(
    domain: Domain,
    codes: CodeArray,
    hidden: NDArray[np.bool_] | None,
    weights: IntArray | None = None,
    values: Values | None = None,
) -> Holed:
    """A table of arrays that are its own from then on; None for `hidden`: nothing is missing."""
    holes = nothing_hidden(codes.shape) if hidden is None else read_only(hidden)
    return Holed(domain, read_only(codes), holes, weights, values)


def with_holes(table: Dataset | Holed) -> Holed:
    """A complete table as one that could have holes."""
    if isinstance(table, Holed):
        return table
    return holed_table(table.domain, table.codes, None, table.weights, table.values)


def holed_rows(domain: Domain, codes: CodeArray, hidden: NDArray[np.bool_]) -> Holed:
    seen = codes.copy(order="F")
    seen[hidden] = 0
    return Holed(domain, read_only(seen), hidden)


def join_rows(tables: Sequence[Holed]) -> Holed:
    """The rows of tables of one domain, one after the other, with their holes, weights and numbers."""
    domain, shape = tables[0].domain, (sum(table.rows for table in tables), len(tables[0].domain))
    codes: CodeArray = np.empty(shape, dtype=code_type(domain), order="F")
    np.concatenate([table.codes for table in tables], out=codes)
    hidden = None
    if not all(table.complete for table in tables):
        hidden = np.asfortranarray(np.concatenate([table.hidden for table in tables]))
    weights = None
    if any(table.weights is not None for table in tables):
        each = [np.ones(t.rows, dtype=np.int64) if t.weights is None else t.weights for t in tables]
        weights = np.concatenate(each)
    values = Values()
    for i in sorted(set().union(*(table.values or () for table in tables))):
        found = [_numbers_or_holes(table, i) for table in tables]
        if all(numbers is not None for numbers in found):
            values.put(i, np.concatenate(found))  # type: ignore[arg-type]  # none is None
    return holed_table(domain, codes, hidden, weights, values if len(values) else None)


def _numbers_or_holes(table: Holed, i: int) -> Numbers | None:
    """The numbers of X_i; any where all of it is missing, as in a chunk that came without its type."""
    numbers, known = table.numbers(i), table.known(i)
    if numbers is None and known is not None and not known.any():
        return np.zeros(table.rows, np.int64)
    return numbers


def nothing_hidden(shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The `hidden` of a complete table: one False for all cells, which takes no memory."""
    return np.broadcast_to(np.False_, shape)


def _any(hidden: NDArray[np.bool_]) -> bool:
    return hidden.strides != (0, 0) and bool(hidden.any())


def table_of_columns(domain: Domain, rows: int, columns: Iterable[CodedColumn]) -> Holed:
    """A table of codes put in column by column: codes, where the value is missing, and the numbers as they came.

    Whatever the code is where a value is missing: there it is hidden, or the variable's own state.
    """
    values = Values()
    codes: CodeArray = np.zeros((rows, len(domain)), dtype=code_type(domain), order="F")
    hidden: NDArray[np.bool_] | None = None
    for i, (variable, (own, missing, numbers)) in enumerate(zip(domain.variables, columns, strict=True)):
        codes[:, i] = own
        if numbers is not None:
            values.put(i, numbers)
        if missing is None or not missing.any():
            continue
        codes[missing, i] = 0 if variable.missing is None else variable.cardinality - 1
        if variable.missing is None:
            hidden = np.zeros(codes.shape, dtype=bool, order="F") if hidden is None else hidden
            hidden[:, i] = missing
    return holed_table(domain, codes, hidden, values=values if len(values) else None)
