"""Constraints: what holds in each row of a table between its columns, and is to hold in each drawn row.

A column is never above another (`Before`), or it is the sum of others (`Total`). They speak of numbers, dates and durations,
and of cells that are known: a row that lacks one of the cells keeps the constraint. As text they are conditions on columns,
in the one grammar (`depnet.model.given_text`): arrival >= departure, total = net + tax.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.data.table.variable import Domain, Variable
from depnet.errors import EvidenceError, brief
from depnet.model.event import COMPARE, Comparison, Rows, compare, compared_values
from depnet.model.given_text import EQUALS, cut_at_sign, open_places, quote, read_event, unquote
from depnet.wording import some_of

ROUNDING = 1e-9
"""Sums of floats are as equal as this, in parts of the largest number."""
MOST_DIGITS = 9
"""Decimals of a total beyond which it counts as not rounded."""

_PLUS = re.compile(r"\s([+-])\s")


@dataclass(frozen=True, slots=True)
class Before:
    """`low` is at most `high`, or, if it is `strict`, below it.

    >>> str(Before("departure", "arrival"))
    'arrival >= departure'
    """

    low: str
    high: str
    strict: bool = False

    def __str__(self) -> str:
        return f"{quote(self.high)} {'>' if self.strict else '>='} {quote(self.low)}"

    @property
    def names(self) -> tuple[str, ...]:
        return self.low, self.high

    def say(self, domain: Domain) -> str:
        """In plain words."""
        bins = domain.variables[domain.index(self.high)].bins
        dates = bins is not None and bins.kind in ("date", "datetime")
        above, below = ("after", "before") if dates else ("above", "below")
        return f"{self.high} is {f'always {above}' if self.strict else f'never {below}'} {self.low}"

    def holds(self, table: Rows) -> NDArray[np.bool_]:
        """[row]: does the row keep it, where all of it is known?"""
        high, low = (compared_values(table, table.domain.index(name)) for name in (self.high, self.low))
        return np.asarray(COMPARE[">" if self.strict else ">="](high, low), dtype=bool)


@dataclass(frozen=True, slots=True)
class Total:
    """`total` is the sum of `parts`, rounded to as many decimals as `digits` (None: as floats are).

    >>> str(Total("total", ("net", "sales tax")))
    'total = net + "sales tax"'
    """

    total: str
    parts: tuple[str, ...]
    digits: int | None = None

    def __str__(self) -> str:
        return f"{quote(self.total)} = {' + '.join(map(quote, self.parts))}"

    @property
    def names(self) -> tuple[str, ...]:
        return self.total, *self.parts

    def say(self, domain: Domain) -> str:  # as of `Before`
        """In plain words."""
        if len(self.parts) == 1:
            return f"{self.total} is always {self.parts[0]}"
        return f"{self.total} is the sum of {', '.join(self.parts[:-1])} and {self.parts[-1]}"

    def holds(self, table: Rows) -> NDArray[np.bool_]:
        """[row]: does the row keep it, where all of it is known?"""
        each = [compared_values(table, table.domain.index(name)) for name in self.names]
        return are_sums(each[0], each[1:], self.digits)


Constraint: TypeAlias = Before | Total

SAID = 5
"""Constraints that are said one by one."""


def say_constraints(domain: Domain, constraints: Sequence[Constraint]) -> list[str]:
    """A line for each, and one for all that are left."""
    lines = [f"{each.say(domain)}: kept in drawn rows" for each in constraints[:SAID]]
    more = [str(each) for each in constraints[SAID:]]
    return [*lines, f"kept in drawn rows, too: {some_of(more)}"] if more else lines


def are_sums(
    total: NDArray[np.generic], parts: Sequence[NDArray[np.generic]], digits: int | None
) -> NDArray[np.bool_]:
    """[row]: is the total the sum of the parts, to half a unit of its last decimal?"""
    found = np.sum(np.stack([each.astype(np.float64) for each in parts]), axis=0)
    largest = np.max(np.abs(np.stack([total, *parts]).astype(np.float64)), axis=0, initial=1.0)
    half = 0.0 if digits is None else 0.5 * 10.0**-digits
    return np.asarray(np.abs(total - found) <= half + ROUNDING * largest)


def keeps(constraint: Constraint, table: Rows) -> NDArray[np.bool_]:
    """[row]: does each row keep it? One that lacks a cell of it does, and so do all that have bins in place of numbers."""
    variables = [table.domain.variables[table.domain.index(name)] for name in constraint.names]
    held = constraint.holds(table)
    if any(
        each.bins is not None and table.numbers(table.domain.index(each.name)) is None for each in variables
    ):
        return np.ones_like(held)
    for name in constraint.names:
        known = table.known(table.domain.index(name))
        held = held if known is None else held | ~known
    return held


def check_constraint(constraint: object, domain: Domain) -> None:
    """Raise an error unless the columns are there, and their values can be compared, or added."""
    if not isinstance(constraint, Before | Total):
        raise EvidenceError(f"a constraint is text such as 'arrival >= departure'; got {brief(constraint)}.")
    places = [domain.index(name) for name in constraint.names]
    if len(set(places)) < len(places) or len(places) < 2:
        raise EvidenceError(f"the constraint {str(constraint)!r} names a column twice. Name each once.")
    for i in places:
        if not is_number(domain.variables[i], summed=isinstance(constraint, Total)):
            what = "has no numbers" if isinstance(constraint, Total) else "has no numbers, dates or durations"
            raise EvidenceError(f"the constraint {str(constraint)!r}: {domain.names[i]!r} {what}.")
    if isinstance(constraint, Before):
        compare(domain, places[0], "<", places[1], str(constraint))


def is_number(variable: Variable, *, summed: bool = False) -> bool:
    """Are the values of a variable numbers? Unless they are to be `summed`, dates and durations are numbers, too."""
    if variable.scale != "number":
        return False
    return variable.bins is None or not summed or variable.bins.kind in ("float", "integer")


def read_constraint(domain: Domain, text: object) -> Constraint:
    """The constraint that a text means.

    >>> domain = Domain(tuple(Variable(name, (1, 2, 3, 4)) for name in ("net", "tax", "total")))
    >>> read_constraint(domain, "net < total"), read_constraint(domain, "tax = total - net")
    (Before(low='net', high='total', strict=True), Total(total='total', parts=('net', 'tax'), digits=None))
    """
    if isinstance(text, Before | Total):
        check_constraint(text, domain)
        return text
    if not isinstance(text, str):
        raise EvidenceError(f"a constraint is text such as 'arrival >= departure'; got {brief(text)}.")
    name, sign, rest = cut_at_sign(domain, text)
    terms = _terms(rest)
    if sign in EQUALS and len(terms) > 1:
        added = [unquote(term) for plus, term in terms if plus]
        taken = [unquote(term) for plus, term in terms if not plus]
        if len(added) > 1 and taken:
            raise EvidenceError(
                f"the constraint {text!r} adds and takes away. Write it as one total: total = part + part + part."
            )
        # a = c - b: c is the total
        found: Constraint = Total(added[0], (*taken, name)) if taken else Total(name, tuple(added))
    else:
        event = read_event(domain, text)
        if not isinstance(event, Comparison) or event.sign in ("=", "!="):
            raise EvidenceError(
                f"{text!r} is no constraint. Write one such as 'arrival >= departure' or 'total = net + tax'."
            )
        low, high = domain.names[event.left], domain.names[event.right]
        if event.sign in (">", ">="):
            low, high = high, low
        found = Before(low, high, event.sign in ("<", ">"))
    check_constraint(found, domain)
    return found


def _terms(text: str) -> list[tuple[bool, str]]:
    """The terms of a sum, each with whether it is added; a sign between terms stands between blanks, outside quotes."""
    outside, found, begin, plus = open_places(text), [], 0, True
    for sign in _PLUS.finditer(text):
        if outside[sign.start(1)]:
            found.append((plus, text[begin : sign.start()]))
            begin, plus = sign.end(), sign[1] == "+"
    return [*found, (plus, text[begin:])]
