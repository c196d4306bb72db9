"""Conditions: what is known of a variable, or asked of it.

A condition is one of

- a state by its label, or a number, date, moment or duration;
- None, or the text "is missing": the cell is empty; "is known": it is not;
- a set of these (a set, a list, an array): any of them;
- a range: `slice(4000, 5000)` is 4000 <= X < 5000, where None is an open end, and `range(4, 8)` is 4 <= X < 8; an
  interval with `left`, `right` and `closed`, as pandas has it, is closed as it says;
- a comparison as text: ">5000", ">=5000", "<5000", "<=5000", "4000..5000" (both ends are in), "!=male". A label that
  is exactly such a text (the ">50K" of a census) is that label.

All but "is missing" say that the value is known. A table's rows meet a condition or do not, by their values
(`Allowed.rows`). Of a law's states the weights are w(x) = P(X meets it | state x). Where an end of a range cuts a bin, w is
the share of the bin's training values inside, counted among the values that the bin keeps (`Bins.quantiles`, at equal
distances in rank). A single number cuts its bin, too: where the bin does not keep it, it counts for half of a value. Which
of the kept values are allowed is `Evidence.levels`, by which a law that knows where in their bins numbers lie answers.
"""

import math
import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.data.binning.bins import Bins, Number, Numbers
from depnet.data.table.columns import is_missing
from depnet.data.table.variable import Variable
from depnet.errors import DataError, EvidenceError, brief
from depnet.model.spans import INFINITE, Closed, Span, complement, ends_of, extent, overlap, shares, within
from depnet.wording import nearest, some_of

SIGNS = {">=": ">=", "<=": "<=", "!=": "!=", "≥": ">=", "≤": "<=", "≠": "!=", ">": ">", "<": "<"}
"""How a comparison begins, the longer signs first, and what it means."""
COMPARISON = re.compile(rf"\s*({'|'.join(SIGNS)})(.*)", re.DOTALL)
_SPAN = re.compile(r"(.*?)\.\.(.*)", re.DOTALL)

MISSING, KNOWN = "is missing", "is known"


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a condition on a variable allows: states by their codes, numbers in ranges or alone, and holes."""

    variable: Variable
    codes: frozenset[int]
    spans: tuple[Span, ...] = ()
    points: tuple[Span, ...] = ()
    """Single numbers of a variable with bins (a day is all its moments)."""
    missing: bool = False

    def weights(self) -> FloatArray:
        """[state]: P(the condition is met | the state), from 0 to 1; all are 0 where no training value meets it.

        Of a variable that has no state for missing values, holes are not told from others: they have no weight.
        """
        variable = self.variable
        weights = np.zeros(variable.cardinality)
        spans, codes = list(self.spans), set(self.codes)
        if variable.bins is not None:
            for point in self.points:
                code = int(variable.bins.locate([point.low])[0])
                cuts = len(variable.bins.quantiles[code]) > 1 and within(variable.bins, code, [point])
                spans += [point] if cuts else []
                codes |= set() if cuts else {code}  # all that is known of it, or beyond the data
        if spans:
            weights[: len(variable.present_states)] = shares(variable, spans)
        weights[list(codes)] = 1.0
        if self.missing and variable.missing is not None:
            weights[-1] = 1.0
        return weights

    def __and__(self, other: "Allowed") -> "Allowed":
        missing = self.missing and other.missing
        if self.variable.bins is None:
            return Allowed(self.variable, self._states & other._states, missing=missing)
        return Allowed(self.variable, frozenset(), overlap(self._numbers, other._numbers), missing=missing)

    def __or__(self, other: "Allowed") -> "Allowed":
        missing = self.missing or other.missing
        if self.variable.bins is None:
            return Allowed(self.variable, self._states | other._states, missing=missing)
        return Allowed(self.variable, frozenset(), (*self._numbers, *other._numbers), missing=missing)

    def __invert__(self) -> "Allowed":
        """All that it does not allow, known or missing."""
        if self.variable.bins is None:
            others = frozenset(range(len(self.variable.present_states))) - self._states
            return Allowed(self.variable, others, missing=not self.missing)
        return Allowed(self.variable, frozenset(), complement(self._numbers), missing=not self.missing)

    @property
    def _states(self) -> frozenset[int]:
        """The known states that it allows, of a variable without bins."""
        return frozenset(np.flatnonzero(self.weights()[: len(self.variable.present_states)]).tolist())

    @property
    def _numbers(self) -> tuple[Span, ...]:
        """All numbers that it allows, of a variable with bins: the first and the last bin have no end."""
        bins = self.variable.bins
        assert bins is not None
        edges = (-math.inf, *bins.edges[1:-1], math.inf)
        whole = (Span(edges[code], edges[code + 1], "left") for code in sorted(self.codes))
        return (*whole, *self.spans, *self.points)

    def narrow(self) -> Variable:
        """The variable with bins that keep only values which meet the condition, to draw from."""
        variable, bins, spans = self.variable, self.variable.bins, (*self.spans, *self.points)
        if bins is None or not spans:
            return variable
        kept = tuple(
            values if code in self.codes else within(bins, code, spans) or values
            for code, values in enumerate(bins.quantiles)
        )
        return Variable(variable.name, variable.states, replace(bins, quantiles=kept), variable.missing)

    def rows(
        self, codes: NDArray[Any], known: NDArray[np.bool_] | None, numbers: Numbers | None
    ) -> NDArray[np.bool_]:
        """Which rows of a table meet it, by their codes, whether they are `known`, and their `numbers`.

        Without numbers, a row of a bin meets a range that the bin has a part in.
        """
        if self.variable.bins is not None and numbers is not None:
            by_state = np.zeros(self.variable.cardinality, dtype=bool)
            by_state[list(self.codes)] = True
        else:
            by_state = self.weights() > 0
        if self.variable.missing is not None:
            by_state[-1] = False  # as `known` says
        met: NDArray[np.bool_] = by_state[codes]
        if self.variable.bins is not None and numbers is not None:
            for span in (*self.spans, *self.points):
                met |= span.covers(numbers)
        if known is not None:
            met &= known
            if self.missing:
                met |= ~known
        return met


def interpret(variable: Variable, condition: object) -> Allowed:
    """What a condition allows. What cannot be a condition of this variable is an EvidenceError.

    >>> from depnet.data import Bins
    >>> interpret(Variable("income", ("<=50K", ">50K")), ">50K").weights().tolist()
    [0.0, 1.0]
    >>> ages = Bins((0, 18, 99), ((3, 9, 10, 17), (30, 40)), "integer")
    >>> found = interpret(Variable("age", ages.labels, ages), {9, None})
    >>> found.points, found.missing
    ((Span(low=9, high=9, closed='both'),), True)
    """
    _refuse_pair(variable, condition)
    codes: set[int] = set()
    spans: list[Span] = []
    points: list[Span] = []
    missing = False
    for one in members(condition):
        if is_range(one):
            spans.append(_span(variable, one))
        elif _means_missing(variable, one):
            missing = True
        else:
            text = isinstance(one, str) and one not in variable.states
            found = _read_comparison(variable, one) if text else _value(variable, one)
            codes |= found.codes
            spans += found.spans
            points += found.points
    return Allowed(variable, frozenset(codes), tuple(spans), tuple(points), missing)


def _means_missing(variable: Variable, value: object) -> bool:
    """None, the text of it, or the label of the state for missing values."""
    if is_missing(value) or (value == MISSING and value not in variable.states):
        return True
    return variable.missing is not None and value == variable.missing


def _value(variable: Variable, value: object) -> Allowed:
    """One value: of bins a number, else a state; an unknown label is an error that offers the nearest."""
    code = variable.code(value)
    if variable.bins is None:
        return Allowed(variable, frozenset({code}))
    try:
        first, last = ends_of(variable, value)
    except DataError:  # the label of a bin
        return Allowed(variable, frozenset({code}))
    if first in INFINITE:  # beyond the data, and in no bin: no value is infinite
        return Allowed(variable, frozenset(), (Span(first, last),))
    return Allowed(variable, frozenset(), points=(Span(first, last),))


def members(condition: object) -> Sequence[object]:
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
    if not (isinstance(condition, tuple) and len(condition) == 2) or not variable.has_order:
        return
    low, high = condition
    if isinstance(low, str) or isinstance(high, str):
        return
    raise EvidenceError(
        f"the pair {brief(condition)} on {variable.name!r} may be a range or a set. Write slice({low!r}, {high!r}) for "
        f"the values from {low} up to {high}, or {{{low!r}, {high!r}}} for "
        f"{'the two bins that they lie in' if variable.bins is not None else 'these two values'}."
    )


def _read_comparison(variable: Variable, text: Any) -> Allowed:
    """What a text means that is no label: a comparison, a range, else a value or the error that offers the nearest."""
    if text == KNOWN:
        return Allowed(variable, frozenset(range(len(variable.present_states))))
    compared = COMPARISON.fullmatch(text)
    if compared:
        return _sign(variable, SIGNS[compared[1]], compared[2].strip(), text)
    between = _SPAN.fullmatch(text)
    if between:
        low, high = (part.strip() for part in between.groups())
        span = Span(
            _ends(variable, low, text)[0] if low else -math.inf,
            _ends(variable, high, text)[1] if high else math.inf,
        )
        return Allowed(variable, frozenset(), (_not_empty(variable, span, text),))
    return _value(variable, text)


def _sign(variable: Variable, sign: str, value: str, text: str) -> Allowed:
    if sign == "!=" and (variable.bins is None or value in variable.states):
        others = set(range(len(variable.present_states))) - {label_code(variable, value)}
        return Allowed(variable, frozenset(others))
    first, last = _ends(variable, value, text)
    below, above = Span(-math.inf, first, "neither"), Span(last, math.inf, "neither")
    spans = {
        ">": (above,),
        ">=": (Span(first, math.inf),),
        "<": (below,),
        "<=": (Span(-math.inf, last),),
        "!=": (below, above),
    }[sign]
    return Allowed(variable, frozenset(), spans)


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


def _span(variable: Variable, given: Any) -> Span:
    """The numbers of a slice, a range or an interval."""
    if isinstance(given, (slice, range)):
        if given.step not in (None, 1):
            raise EvidenceError(
                f"a range of {variable.name!r} has no step; got {brief(given)}. Give a set of its values instead."
            )
        low, high, closed = given.start, given.stop, "left"
    else:
        low, high, closed = given.left, given.right, given.closed
    if closed not in get_args(Closed):
        raise EvidenceError(
            f"an interval is closed 'left', 'right', 'both' or 'neither'; that of {variable.name!r} is {brief(given)}."
        )
    # An end that is in has all its moments in, and one that is not, none.
    first = -math.inf if low is None else _ends(variable, low, given)[closed not in ("left", "both")]
    last = math.inf if high is None else _ends(variable, high, given)[closed in ("right", "both")]
    return _not_empty(variable, Span(first, last, closed), given)  # type: ignore[arg-type]  # it was checked


def is_range(value: object) -> bool:
    """A slice, a range, or an interval as pandas has it, which is not imported to ask."""
    return isinstance(value, (slice, range)) or all(
        hasattr(value, name) for name in ("left", "right", "closed")
    )


def _not_empty(variable: Variable, span: Span, given: object) -> Span:
    if span.empty:
        raise EvidenceError(
            f"the range {brief(given)} of {variable.name!r} is empty: its ends are the wrong way round, or equal."
        )
    return span


def _ends(variable: Variable, value: object, given: object) -> tuple[Number, Number]:
    """The first and the last number that a value means, as an end of the condition `given`."""
    if not variable.has_order:
        raise EvidenceError(
            f"{variable.name!r} has no value {brief(given)}, and its values have no order, so that nothing is above or "
            f"below {brief(value)}. {nearest(given, variable.states)} Sets of values, and !=, can be asked."
        )
    try:
        return ends_of(variable, value)
    except DataError as error:
        raise EvidenceError(f"the condition {brief(given)} on {variable.name!r}: {error}") from None


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
    for value in members(condition):
        if value is None or is_range(value) or value in variable.states:
            continue
        try:
            number = bins.number(value)
        except DataError:  # a comparison
            continue
        if not low <= number <= high and number not in INFINITE:
            end, place = ("first", 0) if number < low else ("last", -1)
            return (
                f"{variable.name!r} = {bins.text(number)} is beyond the data ({_range_of(bins)}): answered as its {end} "
                f"bin, {variable.present_states[place]}."
            )
    return None


def empty_condition(variable: Variable, condition: object) -> str:
    """What to say of a condition that no training value meets."""
    said = describe(variable.name, condition)
    if variable.bins is not None:
        return f"no value of the data meets {said}: {variable.name!r} goes from {_range_of(variable.bins)}."
    states = some_of(list(map(brief, variable.states)))
    return f"the evidence on {variable.name!r} allows no state at all: {brief(condition)}. Its states are {states}."


def describe(name: str, condition: object) -> str:
    """A condition as people read it.

    >>> describe("age", 30), describe("age", ">30"), describe("age", slice(30, 40)), describe("class", {"1st", "2nd"})
    ('age = 30', 'age > 30', '30 <= age < 40', 'class in {1st, 2nd}')
    >>> describe("age", None)
    'age is missing'
    """
    if isinstance(condition, range) and condition.step == 1:
        condition = slice(condition.start, condition.stop)
    if isinstance(condition, slice):
        low = "" if condition.start is None else f"{condition.start} <= "
        high = "" if condition.stop is None else f" < {condition.stop}"
        return f"{low}{name}{high}"
    if is_range(condition):
        return f"{name} in {condition}"
    if condition is None or condition in (MISSING, KNOWN):
        return f"{name} {MISSING if condition is None else condition}"
    if isinstance(condition, str):
        compared = COMPARISON.fullmatch(condition)
        if compared:
            return f"{name} {SIGNS[compared[1]]} {compared[2].strip()}"
        if re.fullmatch(r"[-+.\d].*\.\.|(.*[-+.\d])?\.\.[-+.\d].*", condition):
            return f"{name} in {condition}"
    values = members(condition)
    if not (len(values) == 1 and values[0] is condition):
        return f"{name} in {{{', '.join(sorted(map(str, values)))}}}"
    return f"{name} = {condition}"


def _range_of(bins: Bins) -> str:
    low, high = extent(bins)
    low, high = (
        kept if math.isinf(end) else end
        for end, kept in ((low, bins.quantiles[0][0]), (high, bins.quantiles[-1][-1]))
    )
    return f"{bins.text(low)} to {bins.text(high)}"
