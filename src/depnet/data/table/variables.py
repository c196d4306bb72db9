"""From what a column holds to its variable: one rule, for frames, files and clusters.

Text, categories and booleans are states as they are. So are whole numbers where a column has at most 16 different ones
(also where they are stored as floats); from three on they are numbers still, each in a bin of its own: of two, an order says
nothing. Other numbers, dates, moments and durations are binned. Floats beside holes that are all whole are whole numbers, of
which pandas made floats. Columns that
nothing can be learned from are left out (`depnet.data.table.left_out`).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.data.binning.bins import TIME_NUMBERS, TIMES, Bins, Kind, Number
from depnet.data.binning.cut import (
    MAX_BINS,
    Ranked,
    are_whole,
    given_bins,
    number_of_bins,
    one_value_bins,
    quantile_bins,
)
from depnet.data.binning.forms import find_form, number_in, texts_in
from depnet.data.binning.times import form_of
from depnet.data.binning.times import is_form as is_moment_form
from depnet.data.table.columns import Column, ColumnKind, is_kind, value_of
from depnet.data.table.kinds import HELD, ChosenKind, KindError, Kinds, check_kinds, has_labels, numbers_in
from depnet.data.table.variable import (
    MAX_CARDINALITY,
    MISSING_LABEL,
    Label,
    Variable,
    ordered_states,
    text_of,
    with_missing_state,
    with_other_state,
)
from depnet.errors import DataError, Hint, brief, whole_number
from depnet.wording import nearest

FEW_VALUES = 16
"""Whole numbers are states as they are up to this many different ones."""

MAX_STATES = 1000
"""Of text and categories: rarer ones are one state, "other". A leaf with a probability for each of more states would need
more rows than most tables have."""

How: TypeAlias = Literal["quantile", "categories"] | int | Sequence[Any] | NDArray[Any]
BinChoice: TypeAlias = How | Mapping[str, How]
"""How to bin: "quantile", a number of quantile bins, edges, "categories" (no bins:
every number a state), or a mapping of columns to one of these. Of a column of text, "categories" makes every text a state,
and a list has the texts that are states; all others are one more."""

Missing: TypeAlias = Literal["keep", "state", "error"]


@dataclass(frozen=True, slots=True)
class StateOptions:
    bins: BinChoice = "quantile"
    max_bins: int = MAX_BINS
    missing: Missing = "keep"
    max_states: int = MAX_STATES
    kinds: Kinds = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_kinds(self.kinds)
        for name, kind in self.kinds.items():
            if has_labels(kind) and self.has_bins_for(name):
                raise DataError(
                    f"column {brief(name)}: kinds say {brief(kind)}, and bins are of numbers. Give one."
                )
        if self.missing not in ("keep", "state", "error"):
            raise DataError(f'missing is "keep", "state" or "error"; got {brief(self.missing)}.')
        whole_number("max_bins", self.max_bins, at_least=1, error=DataError)
        whole_number("max_states", self.max_states, at_least=2, error=DataError)
        if self.max_states >= MAX_CARDINALITY:
            raise DataError(f"max_states is below {MAX_CARDINALITY:,}; got {self.max_states:,}.")

    def has_bins_for(self, name: str) -> bool:
        return isinstance(self.bins, Mapping) and name in self.bins

    def names(self, name: str) -> bool:
        """Whether `bins` or `kinds` name this column."""
        return name in self.kinds or self.has_bins_for(name)

    def how(self, name: str) -> How:
        return self.bins.get(name, "quantile") if isinstance(self.bins, Mapping) else self.bins

    def as_they_are(self, name: str) -> bool:
        """Is every value of a column asked to be a state?"""
        how = self.how(name)
        return isinstance(how, str) and how == "categories"

    def check_names(self, names: Sequence[str]) -> None:
        """`bins` and `kinds` by name are of columns that there are."""
        for option, given in (("bins", self.bins), ("kinds", self.kinds)):
            for name in given if isinstance(given, Mapping) else ():
                if name not in names:
                    raise DataError(f"{option}: there is no column {brief(name)}. {nearest(name, names)}")


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSummary:
    """All that a column's variable depends on, whether it is in a frame or in a file.

    `labels` are the distinct ones of a label column (`declared`: the frame's own categories, in their order,
    which `ordered` ones are compared by) and `counts`
    the rows that have each; of very many only the most frequent ones, `different` being how many there are.
    `numbers` are the values of any other, by rank, where it has some, and `counts_from` the first of whole ones that go up
    by one a row. `first_hidden` is the first of the `hidden` rows, which the message of `missing="error"` names.
    `form` is how text has its moments.
    """

    name: str
    kind: ColumnKind
    rows: int
    hidden: int
    first_hidden: int = 0
    labels: tuple[Any, ...] = ()
    declared: bool = False
    numbers: Ranked | None = None
    counts: tuple[int, ...] = ()
    different: int = 0
    counts_from: int | None = None
    ordered: bool = False
    form: str | None = None

    @property
    def has_states(self) -> bool:
        """Has it states though it may have no value? Booleans and declared categories do."""
        return self.declared or self.kind == "boolean"

    @classmethod
    def of(cls, column: Column) -> "ColumnSummary":
        hidden = int(column.hidden.sum())
        times = np.zeros(0, dtype=np.int64)
        if column.ids is not None:
            times = np.bincount(column.ids[column.ids >= 0], minlength=len(column.labels))
        return cls(
            column.name,
            column.kind,
            len(column.hidden),
            hidden,
            int(np.argmax(column.hidden)) if hidden else 0,
            column.labels,
            column.declared,
            None if column.numbers is None or hidden == len(column.hidden) else Ranked.of(column.present),
            tuple(times.tolist()),
            int(np.count_nonzero(times)),
            counts_from(column.present) if column.kind == "integer" and not hidden else None,
            column.ordered,
            column.layout.form,
        )

    def as_kind(self, kind: ChosenKind, column: Column | None = None) -> "ColumnSummary":
        """The column as what it is said to be; a value that cannot be that is an error, with its row if that is known."""
        if kind == "skip" or self.kind == "empty":
            return self
        if has_labels(kind):
            return self._as_labels(kind, column)
        if self.kind in HELD[kind] or (kind == "number" and self.kind == "boolean"):
            return self
        if self.kind != "label":
            assert self.numbers is not None
            raise self._not_of_kind(kind, value_of(self.kind, self.numbers.values[0].item()), column)
        texts = [*map(text_of, self.labels)]
        held, form, numbers = numbers_in(texts, self.counts, kind)  # type: ignore[arg-type]  # a word
        for text, number in zip(texts, numbers, strict=True):
            if number is None:
                raise self._not_of_kind(kind, text, column)
        return self._with_numbers(numbers, held, form)

    def _as_labels(self, kind: ChosenKind, column: Column | None) -> "ColumnSummary":
        """Every value a label, in an order that means something unless the kind is "category"."""
        labels, counts, declared = self.labels, self.counts, self.declared
        if self.kind == "boolean":
            if isinstance(kind, str):
                return self
        elif self.numbers is not None:
            values = (value_of(self.kind, number) for number in self.numbers.values.tolist())
            labels, counts, declared = (
                tuple(map(text_of, values)),
                tuple(np.diff(self.numbers.ends).tolist()),
                True,
            )
        elif not declared and kind == "ordered" and all(is_kind("float", str(label)) for label in labels):
            pairs = sorted(zip(labels, counts, strict=True), key=lambda pair: float(pair[0]))
            labels, counts, declared = (
                tuple(label for label, _ in pairs),
                tuple(count for _, count in pairs),
                True,
            )
        if not isinstance(kind, str):
            find = Variable(self.name, tuple(kind), ordered=True).finder()
            for label, count in zip(labels, counts, strict=True):
                if count and find(label) is None:
                    raise self._not_of_kind(kind, label, column)
            labels, counts, declared = tuple(kind), (0,) * len(kind), True
        return replace(
            self._with_numbers((), "label", None),
            labels=labels,
            counts=counts,
            different=len(labels),
            declared=declared,
            ordered=kind != "category",
        )

    def _not_of_kind(self, kind: ChosenKind, value: object, column: Column | None) -> KindError:
        rows = () if column is None else map(text_of, column.values())
        return KindError(
            self.name, kind, next((r for r, v in enumerate(rows) if v == text_of(value)), None), value
        )

    def _with_numbers(self, numbers: Iterable[Any], kind: ColumnKind, form: str | None) -> "ColumnSummary":
        """Text whose labels say these numbers."""
        each = np.array([*numbers], dtype=np.float64 if kind == "float" else np.int64)
        ranked = Ranked.of(each, self.counts) if len(each) else None
        plain = replace(self, labels=(), counts=(), different=0, declared=False, ordered=False)
        return replace(plain, kind=kind, numbers=ranked, form=form)

    def with_times(self) -> "ColumnSummary":
        """As it is; but text that is all numbers, dates, times or durations of one form is that, as in a file of text."""
        labels = self.labels
        if self.kind != "label" or self.declared or not all(isinstance(label, str) for label in labels):
            return self
        fits = (kind for kind in TIMES if labels and all(is_kind(kind, label) for label in labels))
        kind: ColumnKind | None = next(fits, None)
        form = form_of(labels, self.counts) if kind == "datetime" else None
        number: Callable[[str], float] = TIME_NUMBERS.get(kind or "", float)
        if kind is None:
            found = find_form(labels)
            if found is None:
                return self
            kind, form = found
            number = partial(number_in, form=found.text)
        return self._with_numbers(map(number, labels), kind, form)


def variable_of(column: ColumnSummary, options: StateOptions) -> Variable:
    """The variable of a column: one rule for frames and files."""
    missing = options.missing
    if column.hidden and missing == "error":
        raise DataError(
            f'column {column.name!r}, row {column.first_hidden}: the value is missing. Make "missing" a state with ',
            Hint("missing", "state"),
            ", or remove or complete such rows.",
        )
    if not column.has_states and column.hidden == column.rows:
        if missing == "state" and column.hidden:
            return Variable(column.name, (MISSING_LABEL,), missing=MISSING_LABEL)
        raise DataError(
            f"column {column.name!r} has no value in its {column.rows:,} rows. Leave it out (",
            Hint("columns", [...]),
            ")",
            *((', or make "missing" a state (', Hint("missing", "state"), ").") if column.rows else "."),
        )
    if column.kind == "label":
        variable = _variable_of_labels(column, options)
    elif column.kind == "boolean":
        variable = Variable(column.name, (False, True))
    else:
        variable = Variable(column.name, *_states_of_numbers(column, options))
    return with_missing_state(variable) if column.hidden and missing == "state" else variable


def _variable_of_labels(column: ColumnSummary, options: StateOptions) -> Variable:
    """Text: its values in their order, of very many the most frequent ones, or those that `bins` lists."""
    how = options.how(column.name)
    listed = isinstance(how, Sequence) and not isinstance(how, str)
    most = MAX_CARDINALITY - 1 if options.as_they_are(column.name) else options.max_states
    if listed:
        return with_other_state(column.name, tuple(how))  # type: ignore[arg-type]  # a sequence
    if len(column.labels) <= most and column.different <= most:
        states = ordered_states(column.labels, column.labels if column.declared else None)
        return Variable(column.name, states, ordered=column.ordered)
    ranks = sorted(range(len(column.labels)), key=lambda k: (-column.counts[k], str(column.labels[k])))
    frequent = sorted(ranks[: most - 1]) if column.declared else ranks[: most - 1]
    labels = [column.labels[k] for k in frequent]
    return with_other_state(column.name, ordered_states(labels, labels if column.declared else None))


def _states_of_numbers(column: ColumnSummary, options: StateOptions) -> tuple[tuple[Label, ...], Bins | None]:
    numbers, as_they_are = column.numbers, options.as_they_are(column.name)
    assert numbers is not None
    if column.kind in ("integer", "float") and (as_they_are or not options.has_bins_for(column.name)):
        distinct = numbers.values[: (MAX_CARDINALITY if as_they_are else FEW_VALUES) + 1]
        states = ordered_states((distinct.astype(np.int64) if are_whole(distinct) else distinct).tolist())
        if as_they_are:
            return states, None
        if len(states) <= FEW_VALUES and all(isinstance(state, int) for state in states):
            few = len(states) < 3 and column.form is None
            cut = None if few else one_value_bins(states)  # type: ignore[arg-type]  # all are whole
            return states, cut if cut is None else replace(cut, form=column.form)
    kind: Kind = column.kind  # type: ignore[assignment]  # all others are numbers
    if kind == "float" and column.hidden and are_whole(numbers.values):
        kind = "integer"
    try:
        labels, cut = _cut(numbers, kind, options.how(column.name), options.max_bins)
        return labels, replace(cut, form=column.form)
    except DataError as error:
        raise DataError(f"column {column.name!r}: {error}") from None


def _cut(numbers: Ranked, kind: Kind, how: How, max_bins: int) -> tuple[tuple[Label, ...], Bins]:
    if isinstance(how, str) and how == "quantile":
        how = number_of_bins(len(numbers), max_bins)
    if isinstance(how, int) and not isinstance(how, bool):
        whole_number("the number of bins", how, at_least=1, error=DataError)
        cut = quantile_bins(numbers, kind, how)
        return cut.labels, cut
    if isinstance(how, (Sequence, np.ndarray)) and not isinstance(how, str):
        shape = Bins((0, 1), ((0,),), kind)
        edges = [_edge(edge, shape) for edge in how]
        if kind == "integer" and any(math.isfinite(edge) and edge != int(edge) for edge in edges):
            kind = "float"  # of a column that has other than whole numbers elsewhere
        cut = given_bins(numbers, edges, kind)
        return cut.ranges, cut
    raise DataError(
        'bins are "quantile", a number of bins, a list of edges, or (for numbers) "categories"; '
        f"got {brief(how)}."
    )


def _edge(edge: Any, shape: Bins) -> Number:
    """Numbers are edges of any kind: of dates and durations as `Bins` count them; dates and durations are read."""
    if isinstance(edge, (int, float, np.number)) and not isinstance(edge, bool):
        return edge  # type: ignore[return-value]  # Bins makes it plain
    return shape.number(edge)


def read_as(variables: Iterable[Variable]) -> list[str]:
    """Of text that was found to be numbers, dates or times as people write them: which columns, as what, an example.

    >>> prices = Bins((0, 9), ((4.5,),), form="$0.00")
    >>> read_as([Variable("price", prices.labels, prices), Variable("sex", ("female", "male"))])
    ['price as numbers ($4.50)']
    """
    nouns = {"date": "dates", "datetime": "dates", "duration": "times"}
    return [
        f"{variable.name} as {nouns.get(bins.kind, 'numbers')} ({texts_in(bins.middle()[-1:], bins.form)[0]})"
        for variable in variables
        if (bins := variable.bins) is not None and bins.form is not None and not is_moment_form(bins.form)
    ]


def counts_from(numbers: NDArray[Any]) -> int | None:
    """Whole numbers in the order of their rows: the first one, where each is one more than that before; else None.

    >>> counts_from(np.array([1, 2, 3])), counts_from(np.array([1990, 1991])), counts_from(np.array([1, 3, 2]))
    (1, 1990, None)
    """
    if not len(numbers) or int(numbers[-1]) - int(numbers[0]) != len(numbers) - 1:
        return None
    first = int(numbers[0])
    return first if np.array_equal(numbers, np.arange(first, first + len(numbers))) else None
