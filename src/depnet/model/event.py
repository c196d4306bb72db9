"""Events: what may be known of several variables together, or asked of them.

An event is a condition on one variable, a comparison of two, or several of these joined by and and or. What is missing
compares as unknown, as in SQL: a row is in an event where that is true, and neither in "region = north" nor in "not region =
north" where its region is missing. So "not" has no place in an event: it is taken into the conditions when text is read
(`depnet.model.given_text`), and what is unknown there is simply not met.

A *product* is a condition on each of some variables: evidence as elimination and passes take it. Any event without
comparisons is a union of disjoint products, A or B being A, and what is of B outside of A (`disjoint_products`). Every event
is part of a product, its `hull`: what each variable must be, whatever the others are.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.data.binning.bins import Numbers
from depnet.data.binning.times import DAY
from depnet.data.table.variable import Domain, Variable
from depnet.errors import EvidenceError
from depnet.model.conditions import Allowed
from depnet.model.sources.limits import MOST_PRODUCTS

Product: TypeAlias = Mapping[int, Allowed]

COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge
}  # fmt: skip
NEGATED = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Rows(Protocol):
    """Rows that events are looked for in: a table has these, and so have drawn rows."""

    @property
    def domain(self) -> Domain: ...

    def column(self, i: int) -> NDArray[Any]: ...

    def known(self, i: int) -> NDArray[np.bool_] | None: ...

    def numbers(self, i: int) -> Numbers | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class On:
    """A condition on variable `column`; `plain` where it is the text of one, `condition`, as `interpret` reads it."""

    column: int
    allowed: Allowed
    said: str
    plain: bool = False
    condition: Any = None

    def __str__(self) -> str:
        return self.said

    def rows(self, table: Rows) -> NDArray[np.bool_]:
        i = self.column
        return self.allowed.rows(table.column(i), table.known(i), table.numbers(i))


@dataclass(frozen=True, slots=True)
class Comparison:
    left: int
    sign: str
    right: int
    said: str

    def __str__(self) -> str:
        return self.said

    def rows(self, table: Rows) -> NDArray[np.bool_]:
        alike = self.sign not in ("=", "!=")  # words in an order are compared by their places
        left, right = (compared_values(table, i, places=alike) for i in (self.left, self.right))
        met = np.asarray(COMPARE[self.sign](left, right), dtype=bool)
        for known in (table.known(self.left), table.known(self.right)):
            met = met if known is None else met & known
        return met


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """All of the parts ("and"), or any of them ("or")."""

    word: str
    parts: "tuple[Event, ...]"

    def __str__(self) -> str:
        inner = (f"({part})" if isinstance(part, Joined) else str(part) for part in self.parts)
        return f" {self.word} ".join(inner)

    def rows(self, table: Rows) -> NDArray[np.bool_]:
        return reduce(_JOIN[self.word], (part.rows(table) for part in self.parts))


Event: TypeAlias = On | Comparison | Joined

_JOIN: Mapping[str, Callable[[Any, Any], Any]] = {"and": operator.and_, "or": operator.or_}


def join(word: str, events: Iterable[Event]) -> Event:
    """The event that all of some are true ("and"), or that one of them is ("or").

    Conditions on one variable become one: all of those among parts that are joined by and, or where there are no others.
    """
    flat = [part for event in events for part in parts_of(event, word)]
    ons: dict[int, list[On]] = {}
    for event in flat:
        if isinstance(event, On):
            ons.setdefault(event.column, []).append(event)
    others = [event for event in flat if not isinstance(event, On)]
    if word == "and" or (len(ons) == 1 and not others):
        flat = [_join_conditions(each, word) for each in ons.values()] + others
    return flat[0] if len(flat) == 1 else Joined(word, tuple(flat))


def parts_of(event: Event, word: str = "and") -> tuple[Event, ...]:
    """The parts that a word joins; of another event, itself alone."""
    return event.parts if isinstance(event, Joined) and event.word == word else (event,)


def _join_conditions(ons: Sequence[On], word: str) -> On:
    if len(ons) == 1:
        return ons[0]
    allowed = reduce(_JOIN[word], (on.allowed for on in ons))
    return On(ons[0].column, allowed, f"({f' {word} '.join(map(str, ons))})")


def columns_of(event: Event) -> frozenset[int]:
    if isinstance(event, On):
        return frozenset({event.column})
    if isinstance(event, Comparison):
        return frozenset({event.left, event.right})
    return frozenset().union(*map(columns_of, event.parts))


def hull(event: Event) -> Product:
    """What it says of each variable alone, whatever the others are; it is the event itself where that is a product."""
    if isinstance(event, On):
        return {event.column: event.allowed}
    if isinstance(event, Comparison):
        return {}
    parts = [hull(part) for part in event.parts]
    if event.word == "and":
        return reduce(meet, parts, {})
    shared = set(parts[0]).intersection(*parts[1:])
    return {i: reduce(operator.or_, (part[i] for part in parts)) for i in sorted(shared)}


def meet(some: Product, others: Product) -> Product:
    shared = {i: some[i] & others[i] for i in some if i in others}
    return {**some, **others, **shared}


def disjoint_products(
    event: Event, bases: Sequence[Product] = ({},), most: int = MOST_PRODUCTS
) -> list[Product] | None:
    """Products no two of which share a state, together the event inside of disjoint products, `bases`.

    None where they would be too many, and of an event with a comparison of two variables.
    """
    if isinstance(event, Comparison):
        return None
    if isinstance(event, On):
        cut = [meet(base, {event.column: event.allowed}) for base in bases]
        allows = (product[event.column] for product in cut)
        return [p for p, each in zip(cut, allows, strict=True) if each.missing or each.weights().any()]
    left: list[Product] | None = list(bases)
    found: list[Product] = []
    for part in event.parts:
        inside = (
            None if left is None or len(found) + len(left) > most else disjoint_products(part, left, most)
        )
        if left is None or inside is None:
            return None
        found = [*found, *inside] if event.word == "or" else inside
        left = disjoint_products(_outside(part), left, most) if event.word == "or" else inside
    return found if len(found) <= most else None


def _outside(event: Event) -> Event:
    """All states that are not in it; what is missing is a state here."""
    if isinstance(event, On):
        return On(event.column, ~event.allowed, f"not {event}")
    if isinstance(event, Comparison):
        return event  # it has no products on either side
    return join("or" if event.word == "and" else "and", map(_outside, event.parts))


def compare(domain: Domain, left: int, sign: str, right: int, said: str) -> Comparison:
    """A comparison of two variables, if their values can be compared."""
    a, b = domain.variables[left], domain.variables[right]
    kinds = [_kind(variable) for variable in (a, b)]
    ordered = kinds[0] == kinds[1] and (kinds[0] != "label" or (a.has_order and a.states == b.states))
    if kinds[0] != kinds[1] or not (ordered or sign in ("=", "!=")):
        words = {"label": "text", "number": "a number", "time": "a date or time", "duration": "a duration"}
        why = (
            "their labels have no order"
            if kinds[0] == kinds[1]
            else (f"{a.name!r} is {words[kinds[0]]}, {b.name!r} is {words[kinds[1]]}")
        )
        raise EvidenceError(f"{said!r} cannot be compared: {why}.")
    return Comparison(left, sign, right, said)


def _kind(variable: Variable) -> str:
    if variable.scale != "number":
        return "label"
    if variable.bins is None or variable.bins.kind in ("float", "integer"):
        return "number"
    return "duration" if variable.bins.kind == "duration" else "time"


def compared_values(table: Rows, i: int, *, places: bool = True) -> NDArray[Any]:
    """The values of a variable in all rows, to be compared: numbers, moments, or labels; of bins alone their medians."""
    variable, codes, numbers = table.domain.variables[i], table.column(i), table.numbers(i)
    if variable.bins is not None:
        inside = np.minimum(codes, len(variable.present_states) - 1)
        values = variable.bins.middle()[inside] if numbers is None else numbers
        return np.asarray(values) * DAY if variable.bins.kind == "date" else np.asarray(values)
    if variable.scale == "ordered" and places:
        return np.asarray(codes, dtype=np.int64)
    states = np.array(variable.states, dtype=object)
    if variable.scale == "number":
        states = np.array([*variable.present_states, *([np.nan] if variable.missing is not None else [])])
    return np.asarray(states[codes])
