"""Conditions: what is known of a variable, or asked of it, as weights of its states.

A condition is one of

- a state by its label, or a number, date, moment or duration: that state, or the values of its bin that are equal to it
  (where the bin keeps none, those next to it);
- a set of these (a set, a list, an array): any of them;
- a range: `slice(4000, 5000)` is 4000 <= X < 5000, where None is an open end, and `range(4, 8)` is 4 <= X < 8; an
  interval with `left`, `right` and `closed`, as pandas has it, is closed as it says;
- a comparison as text: ">5000", ">=5000", "<5000", "<=5000", "4000..5000" (both ends are in), "!=male". A label that
  is exactly such a text (the ">50K" of a census) is that label.

Its weights are w(x) = P(X meets it | state x). A state of one value meets it or does not. Where an end of a range
cuts a bin, w is the share of the bin's training values inside, counted among the values that the bin keeps
(`Bins.quantiles`, at equal distances in rank). Weights times theta condition on the range exactly, as far as the other
variables depend on the bin alone.
"""

import math
import re
from collections.abc import Iterable, Sequence, Set
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.binning.bins import Bins, Number
from depnet.data.table.variable import Variable
from depnet.errors import DataError, EvidenceError, brief
from depnet.model.spans import Span, ends_of, extent, has_line, inside, shares, within
from depnet.wording import nearest, some_of

SIGNS = {">=": ">=", "<=": "<=", "!=": "!=", "≥": ">=", "≤": "<=", "≠": "!=", ">": ">", "<": "<"}
"""How a comparison begins, the longer signs first, and what it means."""
_COMPARISON = re.compile(rf"\s*({'|'.join(SIGNS)})(.*)", re.DOTALL)
_SPAN = re.compile(r"(.*?)\.\.(.*)", re.DOTALL)


def condition_weights(variable: Variable, condition: object) -> FloatArray:
    """[state]: P(the variable meets the condition | its state), from 0 to 1.

    All are 0 where no training value meets it. What cannot be a condition of this variable is an EvidenceError.

    >>> ages = Bins((0, 18, 65, 99), ((3, 9, 10, 17), (30, 40), (70,)), "integer")
    >>> age = Variable("age", ages.labels, ages)
    >>> condition_weights(age, ">=10").tolist(), condition_weights(age, slice(None, 40)).tolist()
    ([0.5, 1.0, 1.0], [1.0, 0.5, 0.0])
    >>> condition_weights(Variable("income", ("<=50K", ">50K")), ">50K").tolist()
    [0.0, 1.0]
    """
    codes, spans = _alternatives(variable, condition)
    weights = np.zeros(variable.cardinality)
    if spans:
        weights[: len(variable.present_states)] = shares(variable, spans)
    weights[list(codes)] = 1.0
    return weights


def met_by(
    variable: Variable, condition: object, values: Iterable[Number], sizes: Iterable[int]
) -> list[bool]:
    """Does each value of the bins meet the condition? The first `sizes[0]` are of bin 0, and so on.

    >>> ages = Bins((0, 18, 99), ((3, 17), (30, 40)), "integer")
    >>> met_by(Variable("age", ages.labels, ages), "<=30", [3, 17, 30, 40], [2, 2])
    [True, True, True, False]
    """
    codes, spans = _alternatives(variable, condition)
    bins = [k for k, size in enumerate(sizes) for _ in range(size)]
    return [
        k in codes or inside([plain], spans) > 0
        for k, plain in zip(bins, np.asarray(values).tolist(), strict=True)
    ]


def narrowed(variable: Variable, condition: object) -> Variable:
    """The variable with bins that keep only values which meet the condition, to draw from.

    >>> ages = Bins((0, 18, 99), ((3, 9, 10, 17), (30, 40)), "integer")
    >>> narrowed(Variable("age", ages.labels, ages), ">9").bins.quantiles
    ((10, 17), (30, 40))
    """
    bins = variable.bins
    if bins is None:
        return variable
    codes, spans = _alternatives(variable, condition)
    if not spans:
        return variable
    kept = tuple(
        values if code in codes else within(bins, code, spans) or values
        for code, values in enumerate(bins.quantiles)
    )
    return Variable(variable.name, variable.states, Bins(bins.edges, kept, bins.kind), variable.missing)


def beyond_data(variable: Variable, condition: object) -> str | None:
    """What to say of a value that lies beyond the data, and means the first bin or the last; None: nothing.

    >>> ages = Bins((0, 18, 99), ((3, 9, 10, 17), (30, 40)), "integer")
    >>> beyond_data(Variable("age", ages.labels, ages), 130)
    "'age' = 130 is beyond the data (0 to 98): answered as its last bin, [18, 99)."
    """
    bins = variable.bins
    if bins is None:
        return None
    low, high = extent(bins)
    for value in _values(condition):
        if isinstance(value, (slice, range)) or _is_interval(value) or value in variable.states:
            continue
        try:
            number = bins.number(value)
        except DataError:  # a comparison
            continue
        if not low <= number <= high:
            end, label = ("first", bins.labels[0]) if number < low else ("last", bins.labels[-1])
            return (
                f"{variable.name!r} = {bins.text(number)} is beyond the data ({_range_of(bins)}): answered as its {end} "
                f"bin, {label}."
            )
    return None


def empty_condition(variable: Variable, condition: object) -> str:
    """What to say of a condition that no training value meets."""
    said = said_of(variable.name, condition)
    if variable.bins is not None:
        return f"no value of the data meets {said}: {variable.name!r} goes from {_range_of(variable.bins)}."
    states = some_of(list(map(brief, variable.states)))
    return f"the evidence on {variable.name!r} allows no state at all: {brief(condition)}. Its states are {states}."


def said_of(name: str, condition: object) -> str:
    """A condition as people read it.

    >>> said_of("age", 30), said_of("age", ">30"), said_of("age", slice(30, 40)), said_of("class", {"1st", "2nd"})
    ('age = 30', 'age > 30', '30 <= age < 40', 'class in {1st, 2nd}')
    """
    if isinstance(condition, range) and condition.step == 1:
        condition = slice(condition.start, condition.stop)
    if isinstance(condition, slice):
        low = "" if condition.start is None else f"{condition.start} <= "
        high = "" if condition.stop is None else f" < {condition.stop}"
        return f"{low}{name}{high}"
    if _is_interval(condition):
        return f"{name} in {condition}"
    if isinstance(condition, str):
        compared = _COMPARISON.fullmatch(condition)
        if compared:
            return f"{name} {SIGNS[compared[1]]} {compared[2].strip()}"
        if re.fullmatch(r"[-+.\d].*\.\.|(.*[-+.\d])?\.\.[-+.\d].*", condition):
            return f"{name} in {condition}"
    values = _values(condition)
    if not (len(values) == 1 and values[0] is condition):
        return f"{name} in {{{', '.join(sorted(map(str, values)))}}}"
    return f"{name} = {condition}"


def _alternatives(variable: Variable, condition: object) -> tuple[set[int], list[Span]]:
    """The states, and the ranges of numbers, any of which a condition allows."""
    _refuse_pair(variable, condition)
    codes: set[int] = set()
    spans: list[Span] = []
    for one in _values(condition):
        if isinstance(one, (slice, range)):
            spans.append(_sliced(variable, one))
        elif _is_interval(one):
            spans.append(_interval(variable, one))
        elif isinstance(one, str) and one not in variable.states:
            some, ranges = _compared(variable, one)
            codes |= some
            spans += ranges
        else:
            point = _point(variable, one)
            codes |= {variable.code(one)} if point is None else set()  # an unknown label is its error
            spans += [] if point is None else [point]
    return codes, spans


def _point(variable: Variable, value: object) -> Span | None:
    """A value of a variable with bins as the range of itself; None of a label, and of a value beyond the data."""
    bins = variable.bins
    if bins is None or value in variable.states:
        return None
    code = variable.code(value)
    span = Span(*ends_of(variable, value))
    return span if len(bins.quantiles[code]) > 1 and within(bins, code, [span]) else None


def _values(condition: object) -> Sequence[object]:
    """The members of a set, a list or an array; of anything else, itself alone."""
    if isinstance(condition, np.ndarray):
        return list(condition.ravel())
    if isinstance(condition, (Set, list, tuple)):
        return list(condition)
    if isinstance(condition, Iterable) and hasattr(condition, "to_list"):  # a series of pandas or polars
        return list(condition.to_list())
    return [condition]


def _refuse_pair(variable: Variable, condition: object) -> None:
    """(4000, 5000) is refused where it may be a range or a set."""
    if not (isinstance(condition, tuple) and len(condition) == 2) or not has_line(variable):
        return
    low, high = condition
    if isinstance(low, str) or isinstance(high, str):
        return
    raise EvidenceError(
        f"the pair {brief(condition)} on {variable.name!r} may be a range or a set. Write slice({low!r}, {high!r}) for "
        f"the values from {low} up to {high}, or {{{low!r}, {high!r}}} for "
        f"{'the two bins that they lie in' if variable.bins is not None else 'these two values'}."
    )


def _compared(variable: Variable, text: str) -> tuple[set[int], list[Span]]:
    """What a text means that is no label: a comparison, a range, else a value or the error that offers the nearest."""
    compared = _COMPARISON.fullmatch(text)
    if compared:
        sign, value = SIGNS[compared[1]], compared[2].strip()
        if sign == "!=":
            return _others(variable, value)
        first, last = _ends(variable, value, text)
        below, above = -math.inf, math.inf
        compared_with = {
            ">": Span(last, above, "neither"),
            ">=": Span(first, above),
            "<": Span(below, first, "neither"),
            "<=": Span(below, last),
        }
        return set(), [compared_with[sign]]
    between = _SPAN.fullmatch(text)
    if between:
        low, high = (part.strip() for part in between.groups())
        ends = (
            _ends(variable, low, text)[0] if low else -math.inf,
            _ends(variable, high, text)[1] if high else math.inf,
        )
        return set(), [_not_empty(variable, Span(*ends), text)]
    point = _point(variable, text)
    return ({variable.code(text)}, []) if point is None else (set(), [point])


def _others(variable: Variable, text: str) -> tuple[set[int], list[Span]]:
    """All states, or values, but one, and a missing value."""
    point = _point(variable, text)
    if point is None:
        return set(range(variable.cardinality)) - {label_code(variable, text)}, []
    missing = set() if variable.missing is None else {variable.cardinality - 1}
    return missing, [Span(-math.inf, point.low, "neither"), Span(point.high, math.inf, "neither")]


def label_code(variable: Variable, text: str) -> int:
    """The code of the state that a text means: its label, an equal number, or the bin of a number or date.

    >>> label_code(Variable("x", (1, 2)), "2"), label_code(Variable("x", (True, False)), "false")
    (1, 1)
    """
    readings: list[Any] = [text]
    for read in (int, float):
        try:
            readings.append(read(text))
        except ValueError:
            continue
    if text.lower() in ("true", "false"):
        readings.append(text.lower() == "true")
    for value in readings:
        code = variable.find(value)
        if code is not None:
            return code
    return variable.code(text)  # an error that offers the nearest


def _sliced(variable: Variable, given: slice | range) -> Span:
    if given.step not in (None, 1):
        raise EvidenceError(
            f"a range of {variable.name!r} has no step; got {brief(given)}. Give a set of its values instead."
        )
    low = -math.inf if given.start is None else _ends(variable, given.start, given)[0]
    high = math.inf if given.stop is None else _ends(variable, given.stop, given)[0]
    return _not_empty(variable, Span(low, high, "left"), given)


def _is_interval(value: object) -> bool:
    """An interval as pandas has it; not imported to ask."""
    return all(hasattr(value, name) for name in ("left", "right", "closed"))


def _interval(variable: Variable, given: Any) -> Span:
    if given.closed not in ("left", "right", "both", "neither"):
        raise EvidenceError(
            f"an interval of {variable.name!r} is closed in a way depnet does not know: {brief(given)}."
        )
    low, high = (_ends(variable, end, given) for end in (given.left, given.right))
    closed_low, closed_high = given.closed in ("left", "both"), given.closed in ("right", "both")
    return _not_empty(
        variable, Span(low[0 if closed_low else 1], high[1 if closed_high else 0], given.closed), given
    )


def _not_empty(variable: Variable, span: Span, given: object) -> Span:
    if span.empty:
        raise EvidenceError(
            f"the range {brief(given)} of {variable.name!r} is empty: its ends are the wrong way round, or equal."
        )
    return span


def _ends(variable: Variable, value: object, given: object) -> tuple[Number, Number]:
    """The first and the last number that a value means, as an end of the condition `given`."""
    if not has_line(variable):
        raise EvidenceError(
            f"variable {variable.name!r} has no state {brief(given)}, and its states have no order to compare "
            f"{brief(value)} by. {nearest(given, variable.states)} Sets of states, and !=, can be asked."
        )
    try:
        return ends_of(variable, value)
    except DataError as error:
        raise EvidenceError(f"the condition {brief(given)} on {variable.name!r}: {error}") from None


def _range_of(bins: Bins) -> str:
    low, high = extent(bins)
    low, high = (
        kept if math.isinf(end) else end
        for end, kept in ((low, bins.quantiles[0][0]), (high, bins.quantiles[-1][-1]))
    )
    return f"{bins.text(low)} to {bins.text(high)}"
