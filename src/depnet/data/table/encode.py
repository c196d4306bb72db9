"""From a table to its domain, the layout to give frames like it back, and its codes; or to codes of a model's domain.

A value is the state with an equal label (1, 1.0 and True are equal), else the only one with the same text (1 for "1"), so
that a column read with another type means the same. A number has the bin it lies in, the first or last where it lies beyond.

In later rows, for a model, what is missing stays hidden, or is the variable's state for missing values.
`handle_unknown="error"` refuses a value that is no state, with the row and the nearest labels; `"missing"` takes such values
for missing ones, and one `UnknownStatesWarning` for all columns says which, how many and an example.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.data.binning.bins import Bins, Numbers
from depnet.data.binning.cut import MAX_BINS
from depnet.data.binning.times import DAY
from depnet.data.table import limits
from depnet.data.table.columns import Column, ColumnLayout, Layout, empty_column, value_of
from depnet.data.table.dataset import CodedColumn, Holed, table_of_columns
from depnet.data.table.kinds import Kinds
from depnet.data.table.left_out import (
    Keep,
    LeftOut,
    check_keep,
    check_some_left,
    find_reason_to_leave_out,
    warn_left_out,
)
from depnet.data.table.mixed import Mixed, find_mixed, warn_mixed
from depnet.data.table.open import Columns, Opened, open_frame
from depnet.data.table.variable import Domain, Variable
from depnet.data.table.variables import MAX_STATES, BinChoice, Missing, StateOptions, variable_of
from depnet.errors import DataError, Hint, UnknownStatesWarning, brief, outside
from depnet.wording import nearest, plural

HandleUnknown: TypeAlias = Literal["error", "missing"]

SHOWN = 3
"""Columns named in a warning."""

UNKNOWN, HIDDEN = -2, -1

NUMERIC = ("integer", "float", "date", "datetime", "duration")
"""What frames have as numbers, also where a column is said to be categories."""

_LINES = {"date": "dates", "datetime": "dates", "duration": "durations"}
"""The lines that numbers of some kinds lie on; all others are numbers."""


def encode(
    frame: Any,
    domain: Domain,
    *,
    handle_unknown: HandleUnknown = "error",
    absent: Literal["error", "missing"] = "error",
    values: bool = True,
) -> Holed:
    """The codes of a frame's rows, columns found by name (a numpy array's by place); others are left alone.

    `handle_unknown`: a value that is no state is an error, or like a missing value, which a warning says. `absent`: a
    column that is not there at all is an error, too, or full of missing values. With `values` the numbers
    of columns with bins are kept as they are, too.

    >>> from depnet.data import Variable
    >>> domain = Domain((Variable("sex", ("female", "male")),))
    >>> encode([{"sex": "male"}, {"sex": None}], domain).hidden.tolist()
    [[False], [True]]
    """
    for option, value in (("handle_unknown", handle_unknown), ("absent", absent)):
        if value not in ("error", "missing"):
            raise DataError(f'{option} is "error" or "missing"; got {brief(value)}.')
    table, _ = encode_columns(open_frame(frame), domain, handle_unknown, absent=absent, values=values)
    return table


def encode_columns(
    opened: Opened,
    domain: Domain,
    handle_unknown: HandleUnknown,
    *,
    absent: str = "error",
    values: bool = True,
    tell: Callable[[int], object] = lambda _: None,
) -> tuple[Holed, Mapping[int, IntArray]]:
    """As `encode`, and of each variable that has some, the rows whose value is no state; `tell` hears of each column."""
    unknown: dict[int, IntArray] = {}
    said: list[str] = []

    def columns() -> Iterator[CodedColumn]:
        for i, place in enumerate(places_of(opened, domain, absent)):
            variable = domain.variables[i]
            if place is None:
                column = empty_column(ColumnLayout(variable.name, "empty"), opened.rows)
            else:
                column = opened.column(place)
            coded = code_column(column, variable)
            if coded.unknown is not None:
                if handle_unknown == "error":
                    raise DataError(
                        f"column {variable.name!r}, row {coded.unknown[0]}: the model has no state "
                        f"{brief(coded.example)}. {nearest(coded.example, variable.states)} Or take unknown states as "
                        "missing (",
                        Hint("handle_unknown", "missing"),
                        ").",
                    )
                unknown[i] = coded.unknown
                said.append(f"{len(coded.unknown):,} of {variable.name!r}, such as {brief(coded.example)}")
            yield coded.codes, coded.gone, coded.numbers if values else None
            tell(1)

    table = table_of_columns(domain, opened.rows, columns())
    if said:
        more = len(said) - SHOWN
        others = f"; and {plural(more, 'more column')}" if more > 0 else ""
        warnings.warn(
            UnknownStatesWarning(
                f"values that the model does not know: {'; '.join(said[:SHOWN])}{others}. They count as missing (",
                Hint("handle_unknown", "missing"),
                ").",
            ),
            stacklevel=outside(),
        )
    return table, unknown


def places_of(opened: Opened, domain: Domain, absent: str) -> list[int | None]:
    if opened.positional:
        if len(opened.names) != len(domain):
            raise DataError(
                f"the array has {len(opened.names)} columns; expected {len(domain)}: "
                f"{', '.join(map(brief, domain.names[:5]))}{', ...' if len(domain) > 5 else ''}."
            )
        return list(range(len(domain)))
    where = {name: place for place, name in enumerate(opened.names)}
    for name in domain.names:
        if name not in where and absent == "error":
            raise DataError(f"the table has no column {brief(name)}. {nearest(name, opened.names)}")
    return [where.get(name) for name in domain.names]


def describe(
    frame: Any,
    *,
    bins: BinChoice = "quantile",
    max_bins: int = MAX_BINS,
    missing: Missing = "keep",
    keep: Keep = (),
    max_states: int = MAX_STATES,
    kinds: Kinds | None = None,
) -> tuple[Domain, Layout]:
    """The domain of a frame and its layout.

    `bins` says how numeric columns become states (docs/frames.md); `missing`: "keep" leaves holes as holes,
    "state" makes a state of its own for them in the columns that have some, "error" refuses them. Columns that nothing can
    be learned from (names, identifiers) are left out, with a warning, but for those that `keep` names. Of text the
    `max_states - 1` most frequent values are states, and all others together one more. `kinds` say what some columns are
    (`depnet.data.table.kinds`).

    >>> domain, layout = describe([{"sex": "male", "age": 40}, {"sex": "female", "age": 30}])
    >>> domain.variables[0].states, domain.variables[1].states, layout.kind
    (('female', 'male'), (30, 40), 'dicts')
    """
    found = describe_table(frame, StateOptions(bins, max_bins, missing, max_states, kinds or {}), keep)
    warn_mixed(found.mixed)
    warn_left_out(found.left_out)
    return found.domain, found.layout


class Description(NamedTuple):
    """What a table was found to be, the columns that were left out, and its codes where they were asked for."""

    domain: Domain
    layout: Layout
    left_out: tuple[LeftOut, ...]
    table: Holed | None = None
    mixed: tuple[Mixed, ...] = ()
    """Columns that are text because of a few values."""


def describe_table(
    frame: Any,
    options: StateOptions,
    keep: Keep = (),
    *,
    coded: bool = False,
    weights: str | None = None,
    tell: Callable[[int], object] = lambda _: None,
) -> Description:
    """Describe a table as `describe` does, without the warnings; with `coded` also code it, reading each column once.

    The column `weights` is no variable: it has the survey weights of the rows. `tell` is called after each column.
    """
    opened: Columns = frame if isinstance(frame, Columns) else open_frame(frame)
    options.check_names(opened.names)
    check_keep(keep, opened.names)
    weighed = None if weights is None else weights_in(opened, weights)  # type: ignore[arg-type]  # it can be read
    variables, columns, left, codes, mixed = [], [], [], [], []
    for place in range(len(opened.names)):
        if opened.names[place] == weights:
            continue
        summary = opened.summary(place, options)
        unlikely = find_reason_to_leave_out(summary, options, "all" if opened.positional else keep)
        mixed.append(find_mixed(summary, options, keep))
        if unlikely is not None:
            left.append(unlikely)
        else:
            variables.append(variable_of(summary, options))
            layout = opened.layout(place)
            if summary.kind == "label" and layout.kind in NUMERIC and isinstance(opened, Opened):
                layout = replace(layout, values=opened.column(place).distinct())
            if variables[-1].other is not None and summary.declared:
                # Some categories are one state: it is text.
                layout = replace(layout, dtype=None, values=None)
            columns.append(layout)
            if coded:
                assert isinstance(opened, Opened)
                codes.append(code_column(opened.column(place), variables[-1]))
        tell(1)
    check_some_left(left, len(opened.keys) - (weights is not None))
    domain = Domain(tuple(variables))
    # A column's own codes go as they come into the table.
    table = table_of_columns(domain, opened.rows, (codes.pop(0)[:3] for _ in variables)) if coded else None
    if weighed is not None and table is not None:
        table = table.weighed(weighed, f"column {weights!r}")
    layouts = Layout(opened.kind, tuple(columns), opened.structured)
    return Description(domain, layouts, tuple(left), table, tuple(each for each in mixed if each is not None))


def weights_in(opened: Opened, name: str) -> NDArray[Any]:
    """The numbers of a column of weights, NaN where they are missing."""
    if name not in opened.names:
        raise DataError(f"weights: there is no column {brief(name)}. {nearest(name, opened.names)}")
    column = opened.column(opened.names.index(name))
    if column.numbers is None or column.kind not in ("integer", "float"):
        raise DataError(
            f"column {name!r} has the weights, so it has numbers; got {brief(next(column.values()))}."
        )
    return np.where(column.hidden, np.nan, column.numbers.astype(np.float64))


class Coded(NamedTuple):
    """The codes of a column's rows, any where a value is `gone` (None: nowhere).

    The rows `unknown` have a value that is no state, such as `example`, and count as gone. `numbers` are those of a variable
    with bins, as they are in the table.
    """

    codes: NDArray[Any]
    gone: NDArray[np.bool_] | None
    numbers: Numbers | None = None
    unknown: IntArray | None = None
    example: object = None


def code_column(column: Column, variable: Variable) -> Coded:
    bins, numbers, dtype = variable.bins, None, np.uint8 if variable.cardinality <= 256 else np.uint16
    if column.ids is not None:
        codes = np.array([*_codes_of(variable, column.labels), HIDDEN], dtype=np.int32)[column.ids]
        if bins is not None and column.labels:
            numbers = _numbers_of_text(bins, column)
    elif bins is not None:
        numbers = _numbers_in(bins, column, variable)
        return Coded(
            _bin_codes(numbers, bins, dtype), column.hidden if column.hidden.any() else None, numbers
        )
    else:
        codes = np.where(column.hidden, HIDDEN, _among_states(column, variable))
    gone, unknown = codes < 0, np.flatnonzero(codes == UNKNOWN)
    found = Coded(codes.astype(dtype), gone if gone.any() else None, numbers)
    if not len(unknown):
        return found
    return found._replace(unknown=unknown, example=_value_in(column, int(unknown[0])))


def _codes_of(variable: Variable, values: Sequence[object]) -> list[int]:
    """The code of each value, or UNKNOWN."""
    return [UNKNOWN if code is None else code for code in map(variable.finder(), values)]


def _bin_codes(numbers: Numbers, bins: Bins, dtype: Any) -> NDArray[Any]:
    """The bin of every number: how many inner edges it is not below."""
    cuts = bins.edges[1:-1]
    if len(cuts) > limits.MANY_CUTS:
        return bins.locate(numbers).astype(dtype)
    codes = np.zeros(len(numbers), dtype=dtype)
    for begin in range(0, len(numbers), limits.CACHED_NUMBERS):
        here = slice(begin, begin + limits.CACHED_NUMBERS)
        some, chunk = numbers[here], codes[here]
        for cut in cuts:
            chunk += some >= cut
    return codes


def _numbers_in(bins: Bins, column: Column, variable: Variable) -> Numbers:
    """The numbers of a column as bins have them: days, or microseconds."""
    numbers = column.numbers
    assert numbers is not None
    if _LINES.get(bins.kind) != _LINES.get(column.kind):
        wanted = "dates with times" if bins.kind == "datetime" else _LINES.get(bins.kind, "numbers")
        raise DataError(
            f"column {column.name!r} has {wanted}, in bins such as {variable.states[0]!r}; this one has "
            f"{_LINES.get(column.kind, 'numbers')}. Convert it."
        )
    if bins.kind == "datetime" and column.kind == "date":
        return numbers * DAY
    if bins.kind == "date" and column.kind == "datetime":
        return numbers // DAY
    return numbers


def _numbers_of_text(bins: Bins, column: Column) -> Numbers | None:
    """The numbers that the labels of a column say; None where some say none."""
    try:
        each = np.array([*map(bins.number, column.labels), 0])  # the last is a hole's
    except DataError:
        return None
    numbers: Numbers = each[column.ids]
    return numbers


def _among_states(column: Column, variable: Variable) -> IntArray:
    """Numbers, booleans or dates as states: equal ones by bisection, what is left by its distinct values."""
    numbers = column.numbers
    assert numbers is not None
    codes = np.full(len(numbers), UNKNOWN)
    states = [
        (state, code)
        for code, state in enumerate(variable.states)
        if isinstance(state, (int, float)) and abs(state) < 2**53 and state is not variable.missing
    ]
    if states and column.kind in ("boolean", "integer", "float"):
        labels, own = (np.array(each) for each in zip(*sorted(states), strict=True))
        place = np.minimum(np.searchsorted(labels.astype(np.float64), numbers), len(labels) - 1)
        codes = np.where(labels[place] == numbers, own[place], UNKNOWN)
    left = (codes == UNKNOWN) & ~column.hidden
    if left.any():
        distinct, ids = np.unique(numbers[left], return_inverse=True)
        values = [value_of(column.kind, number) for number in distinct.tolist()]
        codes[left] = np.array(_codes_of(variable, values))[ids]
    return codes


def _value_in(column: Column, row: int) -> object:
    if column.ids is not None:
        return column.labels[column.ids[row]]
    assert column.numbers is not None
    return value_of(column.kind, column.numbers[row].item())
