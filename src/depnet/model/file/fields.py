"""The types of a file's objects: what they have in common, and those that say what the table was.

Variables, counts and the layout of the frame each have their way in and out. One type serves both ways. What msgspec finds
wrong on the way in (a field that is missing, unknown or of another type, a number out of range) is a `ModelFileError` with
its place.
"""

import contextlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Sized
from typing import Annotated, Any, TypeAlias, TypeVar, get_args

import msgspec
import numpy as np
from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from numpy.typing import NDArray

from depnet.arrays import IntArray, read_only
from depnet.data.binning.bins import MAX_QUANTILES, TIMES, Bins
from depnet.data.frames.decode import check_column
from depnet.data.frames.dtypes import available, dtype_of, plain_dtype
from depnet.data.table.columns import ColumnKind, ColumnLayout, FrameKind, Layout
from depnet.data.table.variable import Domain, Variable
from depnet.data.table.weights import are_fractions
from depnet.errors import DataError, EvidenceError, ModelError, ModelFileError, brief
from depnet.model.marginals import MarginalCounts, PairTables
from depnet.model.sources.source import MAX_LEAVES
from depnet.model.table import MAX_COUNT

CHANGED = "The file is damaged, or was changed after it was written; get it again, or save the network again."

Count: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_COUNT)] | Annotated[float, Meta(ge=0, le=MAX_COUNT)]
"""Of rows; with survey weights a multiple of 2^-16."""
Whole: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Leaf: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_LEAVES)]


class Fields(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """An object of the file: it has its fields and no others."""


Value = TypeVar("Value")
_LONGEST = 400  # a field of the file may have any name
_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?P<key>key in )?\$(?P<place>.*)`)?", re.S)


def decode(data: bytes | bytearray | Raw, kind: type[Value], at: str = "") -> Value:
    """JSON as a value of a type. `at` is its place in the file, such as nodes[3]."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        found = _PLACE.fullmatch(str(error))
        assert found is not None
        place = (at + (found["place"] or "")).removeprefix(".") or "the file"
        what = found["what"][:1].lower() + found["what"][1:_LONGEST]
        raise fault(place[:_LONGEST], f"{what}.") from None
    except msgspec.DecodeError as error:
        what = f"this is not JSON: {str(error).removeprefix('JSON is malformed: ')}"
        if "truncated" in what:
            what = "the file ends too early: it is not complete"
        raise ModelFileError(f"{what}. {CHANGED}") from None
    except UnicodeDecodeError:
        raise ModelFileError(f"a text in it is not UTF-8. {CHANGED}") from None
    except RecursionError:
        raise ModelFileError(f"lists and objects are nested too deeply. {CHANGED}") from None


def fault(at: str, what: str) -> ModelFileError:
    return ModelFileError(f"{at}: {what}")


@contextlib.contextmanager
def locate_errors(at: str) -> Iterator[None]:
    """Add the place in the file to errors that the library raises about a value."""
    try:
        yield
    except ModelFileError:
        raise
    except (DataError, ModelError, EvidenceError) as error:
        raise fault(at, str(error)) from None


def check_length(values: Sized, length: int, at: str) -> None:
    """The error of a list that is not as long as it must be."""
    if len(values) != length:
        raise fault(at, f"expected {length:,} entries; got {len(values):,}.")


def whole_array(values: Sequence[int], low: int, high: int, length: int | None, at: str) -> NDArray[np.int32]:
    """A given number of whole numbers from `low` to `high`."""
    if length is not None:
        check_length(values, length, at)
    numbers = np.array(values, dtype=np.int32)
    wrong = np.flatnonzero((numbers < low) | (numbers > high))
    if len(wrong):
        k = int(wrong[0])
        raise fault(f"{at}[{k}]", f"expected a whole number from {low:,} to {high:,}; got {numbers[k]}.")
    return numbers


def check_each(fine: NDArray[np.bool_], at: str, what: str) -> None:
    """The error of the first entry that is not fine."""
    if not fine.all():
        raise fault(f"{at}[{int(np.argmin(fine))}]", what)


MAX_LABEL_BITS = 4096
"""Whole numbers as labels: JSON sets no limit, but Python reads no more than 4,300 digits."""

_MAX_OF_ONE_HASH = 1000
"""Labels that may fall together in a dictionary."""


class BinsFields(Fields):
    """The bins of a variable; an edge that is null is infinite."""

    kind: str
    edges: list[int | float | None]
    quantiles: list[Annotated[list[int | float], Meta(max_length=MAX_QUANTILES)]]
    form: str | None = None

    @classmethod
    def of(cls, bins: Bins) -> "BinsFields":
        edges = [None if math.isinf(edge) else edge for edge in bins.edges]
        return cls(bins.kind, edges, [list(values) for values in bins.quantiles], bins.form)

    def read(self, at: str) -> Bins:
        edges = [
            math.copysign(math.inf, k - 1) if edge is None else edge for k, edge in enumerate(self.edges)
        ]
        with locate_errors(at):  # what is infinite in between, among others
            return Bins(tuple(edges), tuple(map(tuple, self.quantiles)), self.kind, self.form)  # type: ignore[arg-type]  # it checks the kind


class VariableFields(Fields):
    name: str
    states: list[str | int | float | bool]
    bins: BinsFields | UnsetType = UNSET
    missing: bool = False
    other: bool = False
    ordered: bool = False

    @classmethod
    def of(cls, variable: Variable, at: str) -> "VariableFields":
        _check_labels(variable.states, f"{at}.states")
        return cls(
            variable.name,
            list(variable.states),
            UNSET if variable.bins is None else BinsFields.of(variable.bins),
            missing=variable.missing is not None,
            other=variable.other is not None,
            ordered=variable.ordered,
        )

    def read(self, at: str) -> Variable:
        states = self.states
        _check_labels(states, f"{at}.states")
        bins = None if self.bins is UNSET else self.bins.read(f"{at}.bins")
        other = states[-1 - self.missing] if self.other and len(states) > self.missing else None
        missing = states[-1] if self.missing and states else None
        with locate_errors(at):
            return Variable(self.name, tuple(states), bins, missing, self.ordered, other=other)


def _check_labels(labels: Any, at: str) -> None:
    """Whole numbers as labels must be of a size that every reader can take, and be what a table could have.

    They can be chosen so that a dictionary of them takes quadratic time.
    """
    for code, label in enumerate(labels):
        if isinstance(label, int) and label.bit_length() > MAX_LABEL_BITS:
            raise fault(f"{at}[{code}]", "this whole number is too long for a label. Make it a string.")
    if len(labels) > _MAX_OF_ONE_HASH:
        ((_, most),) = Counter(map(hash, labels)).most_common(1)
        if most > _MAX_OF_ONE_HASH:
            what = f"{most:,} of the labels have one hash: they were made to take time. Make them strings."
            raise fault(at, what)


class DomainFields(Fields):
    variables: list[VariableFields]

    def read(self) -> Domain:
        at = "domain.variables"
        with locate_errors(at):
            return Domain(tuple(each.read(f"{at}[{i}]") for i, each in enumerate(self.variables)))


class CountsFields(Fields):
    singles: list[list[Count]]
    pairs: list[list[Count]] | None
    total: Count | UnsetType = UNSET

    @classmethod
    def of(cls, counts: MarginalCounts) -> "CountsFields":
        pairs = counts.pairs
        return cls(
            [[*single.tolist()] for single in counts.singles],
            None if pairs is None else [[*pairs[pair].ravel().tolist()] for pair in sorted(pairs)],
            counts.total if counts.holes.any() else UNSET,
        )

    def read(self, domain: Domain) -> MarginalCounts:
        cards = domain.cardinalities
        check_length(self.singles, len(cards), "counts.singles")
        singles = tuple(
            _tally(single, k, f"counts.singles[{i}]")
            for i, (single, k) in enumerate(zip(self.singles, cards, strict=True))
        )
        pairs = None if self.pairs is None else _pairs(self.pairs, cards)
        with locate_errors("counts"):
            counts = MarginalCounts(singles, pairs, -1 if self.total is UNSET else self.total)
            if pairs is not None:
                pairs.check(singles, counts.total)
        return counts


def _tally(numbers: list[Any], states: int, at: str) -> IntArray:
    check_length(numbers, states, at)
    if sum(numbers) >= MAX_COUNT:
        raise fault(at, "the counts sum to 2^53 or more.")
    return read_only(count_array(numbers, at))


def count_array(numbers: Any, at: str) -> NDArray[Any]:
    """Counts as an array: whole numbers, or floats where rows have survey weights."""
    found = np.array(numbers)
    if found.dtype.kind != "f":
        return found.astype(np.int64)
    if not are_fractions(found):
        raise fault(at, "counts are whole numbers, or with survey weights multiples of 2^-16.")
    return found


def _pairs(given: list[list[Any]], cards: tuple[int, ...]) -> PairTables:
    """All tables in one array: one array for each of millions of small tables would take a hundred times their text."""
    n = len(cards)
    check_length(given, n * (n - 1) // 2, "counts.pairs")
    sizes = [cards[i] * cards[j] for i in range(n) for j in range(i + 1, n)]
    for p, (table, size) in enumerate(zip(given, sizes, strict=True)):
        check_length(table, size, f"counts.pairs[{p}]")
    floats = any(isinstance(count, float) for table in given for count in table)
    each = (count for table in given for count in table)
    numbers: NDArray[Any] = np.fromiter(each, dtype=np.float64 if floats else np.int64, count=sum(sizes))
    if floats and not are_fractions(numbers):
        raise fault("counts.pairs", "counts are whole numbers, or with survey weights multiples of 2^-16.")
    return PairTables(cards, read_only(numbers), 0, n)


class ColumnFields(Fields):
    key: str | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
    kind: ColumnKind
    dtype: Any

    def read(self, variable: Variable, frame: FrameKind, at: str) -> ColumnLayout:
        kinds = get_args(ColumnKind)
        if variable.bins is not None:
            others = {"integer": ("float",), **dict.fromkeys(TIMES, ("label",))}  # times may be text
            kinds = (variable.bins.kind, *others.get(variable.bins.kind, ()))
        if self.kind not in kinds:
            raise fault(f"{at}.kind", f"expected one of {', '.join(kinds)}; got {brief(self.kind)}.")
        with locate_errors(f"{at}.dtype"):
            column = ColumnLayout(self.key, self.kind, dtype_of(self.dtype, frame, variable.present_states))
            check_column(variable, column, frame)
        return column


class LayoutFields(Fields):
    """The frame that the model was learned from, so that results are like it: a model is the same without it."""

    frame: FrameKind
    structured: bool
    columns: list[ColumnFields]

    @classmethod
    def of(cls, layout: Layout, domain: Domain) -> "LayoutFields":
        """What a file says of a layout; a type that cannot be kept is null, the usual one."""
        columns = []
        for variable, column in zip(domain.variables, layout.columns, strict=True):
            states = variable.present_states
            key = column.key if type(column.key) in (str, int) else variable.name
            values = column.values is None or tuple(column.values) == states
            dtype = plain_dtype(column.dtype, layout.kind, states) if values else None
            columns.append(ColumnFields(key, column.kind, dtype))
        return cls(layout.kind, layout.structured, columns)

    def read(self, domain: Domain) -> Layout | None:
        """The layout that a file describes; None where the library of its kind of frame is not installed."""
        if not available(self.frame):
            return None
        at = "layout.columns"
        check_length(self.columns, len(domain), at)
        columns = tuple(
            each.read(variable, self.frame, f"{at}[{i}]")
            for i, (each, variable) in enumerate(zip(self.columns, domain.variables, strict=True))
        )
        keys = [column.key for column in columns]
        if len(set(map(str, keys))) < len(keys):
            raise fault(at, "two columns have one key.")
        for i, key in enumerate(keys if self.structured else ()):
            if not isinstance(key, str) or not key:
                raise fault(f"{at}[{i}].key", f"expected the name of a field; got {brief(key)}.")
        return Layout(self.frame, columns, self.structured)
