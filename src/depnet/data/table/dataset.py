"""A table of codes: N rows of one joint state each, perhaps with holes, with optional integer row weights."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import CodeArray, IntArray, code_type, read_only, set_fields
from depnet.data.binning.bins import Numbers
from depnet.data.table.values import Values
from depnet.data.table.variable import Domain
from depnet.data.table.weights import are_fractions, checked_weights, survey_weights
from depnet.errors import DataError, Hint, brief, is_whole
from depnet.wording import plural, some_of

if TYPE_CHECKING:
    from depnet.data.table.kinds import Kinds
    from depnet.data.table.left_out import Keep
    from depnet.data.table.variables import BinChoice

SHOWN_VARIABLES = 20

CodedColumn: TypeAlias = tuple[NDArray[Any], NDArray[np.bool_] | None, Numbers | None]
"""The codes of a column, where its value is missing (None: nowhere), and its numbers as they came, if it has bins."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Holed:
    """A table of codes that may have holes; one that has none for certain is a `Dataset`.

    Attributes:
        domain: the variables of the columns.
        codes: `codes[r, i]` is the code of X_i in row r: read-only, column-major, uint8 or uint16.
        hidden: `hidden[r, i]` says that the value of X_i in row r is missing; its code is then 0. None when the table is
            made: nothing is.
        weights: how many equal rows each row stands for; None: one each. Floats are survey weights
            (`depnet.data.table.weights`).
        values: the numbers of the columns that have bins, as they came; None where they are not known.

    >>> from depnet.data import Variable
    >>> domain = Domain((Variable("sex", ("female", "male")),))
    >>> table = Holed(domain, np.array([[1], [0]], dtype=np.uint8), np.array([[False], [True]]))
    >>> table.rows, table.complete
    (2, False)
    """

    domain: Domain
    codes: CodeArray
    hidden: NDArray[np.bool_] = None  # type: ignore[assignment]  # an array as soon as it is made
    weights: NDArray[Any] | None = None
    values: Values | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.domain, Domain):
            raise DataError(
                f"Dataset(domain, codes) takes a Domain first; got {brief(self.domain)}. Make it with "
                "Dataset.from_codes(codes, cardinalities)."
            )
        codes, hidden = self.codes, self.hidden
        if not isinstance(codes, np.ndarray) or codes.dtype != code_type(self.domain.cardinalities):
            got = f"one of {codes.dtype}" if isinstance(codes, np.ndarray) else brief(codes)
            raise DataError(
                f"the codes of a Dataset are an array of {code_type(self.domain.cardinalities)}; got {got}. Make it with "
                "Dataset.from_codes(codes, cardinalities)."
            )
        check_shape(codes, self.domain)
        if codes.size and (codes.max(axis=0) >= self.domain.cardinalities).any():  # kernels do not check
            reject_codes_outside(codes, self.domain)
        if hidden is None:
            hidden = nothing_hidden(codes.shape)
        if getattr(hidden, "dtype", None) != np.bool_ or hidden.shape != codes.shape:
            got = f"{hidden.dtype} {hidden.shape}" if isinstance(hidden, np.ndarray) else brief(hidden)
            raise DataError(f"hidden is a boolean array of the shape {codes.shape}; got {got}.")
        if _any(hidden) and codes[hidden].any():
            raise DataError("the code of a hidden value is 0.")
        for name, array in (("codes", codes), ("hidden", hidden)):
            own = read_only(array.copy(order="F")) if array.flags.writeable else array
            object.__setattr__(self, name, own)
        weights = self.weights
        if weights is not None:
            floats = isinstance(weights, np.ndarray) and weights.dtype == np.float64
            if not (floats and weights.shape == (self.rows,) and are_fractions(weights)):
                object.__setattr__(self, "weights", checked_weights(weights, self.rows))

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
        known = None if variable.missing is None else self.codes[:, i] != variable.cardinality - 1
        if self.complete or not self.hidden[:, i].any():
            return known
        return ~self.hidden[:, i] if known is None else known & ~self.hidden[:, i]

    def numbers(self, i: int) -> Numbers | None:
        """The numbers of X_i in all rows as they came; None where it has no bins, or they are not known."""
        return None if self.values is None else self.values.get(i)

    @property
    def rows(self) -> int:
        """The number of rows stored."""
        return int(self.codes.shape[0])

    @property
    def total(self) -> int:
        """N, the number of training samples: the sum of the row weights, to the next whole number."""
        return self.rows if self.weights is None else round(float(self.weights.sum()))

    @property
    def surveyed(self) -> bool:
        """Has it survey weights?"""
        return self.weights is not None and self.weights.dtype == np.float64

    def weighed(self, weights: ArrayLike, name: str = "sample_weight") -> "Holed":
        """The table with survey weights (`depnet.data.table.weights`)."""
        if self.weights is not None:
            raise DataError(f"the table has weights of its own: give either these or {name}.")
        each = survey_weights(weights, self.rows, name)
        if isinstance(self, Dataset):
            return Dataset.of_checked(self.domain, self.codes, each, self.values)
        return replace(self, weights=each)

    @property
    def complete(self) -> bool:
        """Is nothing missing?"""
        return not _any(self.hidden)

    def dataset(self) -> "Dataset":
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
        codes: CodeArray = np.empty(
            (len(rows), len(self.domain)), dtype=code_type(self.domain.cardinalities), order="F"
        )
        codes[:] = self.codes[rows]
        return holed_table(
            self.domain,
            codes,
            None if self.complete else np.asfortranarray(self.hidden[rows]),
            None if self.weights is None else self.weights[rows],
            None if self.values is None else self.values.rows_of(rows),
        )

    def whole_rows(self) -> "Dataset":
        """The rows without holes, for what needs all cells of a row."""
        if self.complete:
            return self.dataset()
        return self.rows_at(np.flatnonzero(~self.hidden.any(axis=1))).dataset()

    def __reduce__(self) -> Any:
        # What takes no memory here would be written out cell by cell.
        hidden = None if self.complete else self.hidden
        return holed_table, (self.domain, self.codes, hidden, self.weights, self.values)


class Dataset(Holed):
    """Training data: a table of codes without holes, where a row with weight w stands for w equal rows.

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

    __slots__ = ()

    def __init__(
        self,
        domain: Domain,
        codes: CodeArray,
        weights: ArrayLike | None = None,
        values: Values | None = None,
    ) -> None:
        super().__init__(domain, codes, weights=weights, values=values)  # type: ignore[arg-type]  # checked there

    def dataset(self) -> "Dataset":
        """Itself."""
        return self

    def __reduce__(self) -> Any:
        return Dataset.of_checked, (self.domain, self.codes, self.weights, self.values)

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
        return cls.of_checked(
            domain, checked, None if weights is None else checked_weights(weights, len(checked))
        )

    @classmethod
    def of_checked(
        cls,
        domain: Domain,
        codes: CodeArray,
        weights: NDArray[Any] | None = None,
        values: Values | None = None,
    ) -> "Dataset":
        """A dataset of arrays that were checked already, or made so that nothing can be wrong: not once more."""
        of = {"domain": domain, "codes": read_only(codes), "weights": weights, "values": values}
        return set_fields(object.__new__(cls), **of, hidden=nothing_hidden(codes.shape))

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
        kinds: "Kinds | None" = None,
        weights: str | None = None,
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
            kinds: what columns are, by name: "number", "category", "ordered" (or a list of its values in order), "date",
                "time" or "skip". Such columns are taken whatever they look like.
            weights: the name of the column of survey weights (docs/weights.md), which is then no variable.

        Returns:
            The dataset.

        >>> Dataset.from_frame([{"sex": "male"}, {"sex": "female"}]).codes.tolist()
        [[1], [0]]
        """
        from depnet.data.table.encode import describe_table  # which makes tables of its own
        from depnet.data.table.left_out import warn_left_out
        from depnet.data.table.mixed import warn_mixed
        from depnet.data.table.variables import StateOptions

        if missing not in ("error", "state"):
            raise DataError(f'Dataset.from_frame: missing is "error" or "state"; got {brief(missing)}.')
        options = StateOptions(bins, max_bins, missing, max_states, kinds or {})
        found = describe_table(frame, options, keep, coded=True, weights=weights)
        warn_mixed(found.mixed)
        warn_left_out(found.left_out)
        assert found.table is not None
        return found.table.dataset()

    def __str__(self) -> str:
        some = some_of([f"{v.name} ({v.cardinality:,})" for v in self.domain.variables], SHOWN_VARIABLES)
        weighed = "" if self.weights is None else f" that stand for {self.total:,}"
        variables = plural(len(self.domain), "variable")
        return f"{plural(self.rows, 'row')}{weighed} of {variables} (their states): {some}"


def holed_table(
    domain: Domain,
    codes: CodeArray,
    hidden: NDArray[np.bool_] | None,
    weights: NDArray[Any] | None = None,
    values: Values | None = None,
) -> Holed:
    """A table of arrays that are its own from then on; None for `hidden`: nothing is missing."""
    holes = nothing_hidden(codes.shape) if hidden is None else read_only(hidden)
    return Holed(domain, read_only(codes), holes, weights, values)


def holed_rows(domain: Domain, codes: CodeArray, hidden: NDArray[np.bool_]) -> Holed:
    seen = codes.copy(order="F")
    seen[hidden] = 0
    return Holed(domain, read_only(seen), hidden)


def join_rows(tables: Sequence[Holed]) -> Holed:
    """The rows of tables of one domain, one after the other, with their holes, weights and numbers."""
    domain, shape = tables[0].domain, (sum(table.rows for table in tables), len(tables[0].domain))
    codes: CodeArray = np.empty(shape, dtype=code_type(domain.cardinalities), order="F")
    np.concatenate([table.codes for table in tables], out=codes)
    hidden = None
    if not all(table.complete for table in tables):
        hidden = np.asfortranarray(np.concatenate([table.hidden for table in tables]))
    weights: NDArray[Any] | None = None
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
    codes: CodeArray = np.zeros((rows, len(domain)), dtype=code_type(domain.cardinalities), order="F")
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


def checked_codes(codes: ArrayLike, domain: Domain) -> CodeArray:
    """Codes as a table keeps them: column-major, in as few bytes as they need."""
    try:
        raw: NDArray[Any] = np.asarray(codes)
    except ValueError as error:
        raise DataError(f"codes are a rectangular table of integers [rows, variables]; {error}.") from None
    if raw.ndim == 1 and raw.size == 0:
        raw = raw.reshape(0, len(domain))
    check_shape(raw, domain)
    if raw.size and raw.dtype.kind not in "bui":
        _reject_non_integers(raw, domain)
    checked: CodeArray = np.empty(raw.shape, dtype=code_type(domain.cardinalities), order="F")
    for i, k in enumerate(domain.cardinalities):
        column = raw[:, i]
        if column.size and (column.min() < 0 or column.max() >= k):  # before a cast that would wrap
            reject_codes_outside(raw, domain)
        checked[:, i] = column
    return read_only(checked)


def check_shape(codes: NDArray[Any], domain: Domain) -> None:
    if codes.ndim != 2 or codes.shape[1] != len(domain):
        raise DataError(
            f"codes have the shape {codes.shape}; expected [rows, {len(domain)}], one column for each variable."
        )


def reject_codes_outside(codes: NDArray[Any], domain: Domain) -> NoReturn:
    outside = (codes < 0) | (codes >= np.array(domain.cardinalities))
    i = int(np.flatnonzero(outside.any(axis=0))[0])
    row = int(np.flatnonzero(outside[:, i])[0])
    variable = domain.variables[i]
    raise DataError(
        f"column {variable.name!r}, row {row}: code {codes[row, i]} is outside "
        f"0..{variable.cardinality - 1} ({variable.cardinality} states)."
    )


def _reject_non_integers(raw: NDArray[Any], domain: Domain) -> NoReturn:
    """Say which cell is not an integer: a missing value before any other, since .astype(int) would hide it."""
    for wrong, what_to_do in (
        (lambda value: value is None or value != value, "Remove or complete missing values first."),
        (lambda value: not is_whole(value), "Convert with .astype(int) if these are whole numbers."),
    ):
        for i, variable in enumerate(domain.variables):
            for row, value in enumerate(raw[:, i].tolist()):
                if wrong(value):
                    raise DataError(
                        f"column {variable.name!r}, row {row}: codes are integers; got {brief(value)} "
                        f"({raw.dtype}). {what_to_do}"
                    )
    raise DataError(f"codes are integers; got an array of {raw.dtype}. Convert with .astype(int).")
