"""The cards of variables, as plain values: labels and bars that stay on the page, the numbers of each answer, and what a
reader says by choosing bars or by writing a condition.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Variable
from depnet.explorer.histogram import Axis, HistogramLaw, group_digits
from depnet.explorer.known import Held, Known, describe_held, held_by, is_clamped, weights
from depnet.explorer.loaded import Loaded
from depnet.inference.answer.intervals import ends
from depnet.inference.answer.numbers import NumberLaw, shown
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.table import FEWEST_STATES
from depnet.inference.judge.shifts import Shift, shifts_between
from depnet.model.conditions import MISSING
from depnet.model.given_text import EQUALS, split, unquote
from depnet.wording import percent

STATES = 8
"""States of a variable without an order that are shown; with more, the most probable ones and the rest together."""

MOST_STATES = 100
"""Bars of a card that is opened, or whose states have an order."""

OTHERS = -1
"""The code of the states that are shown together."""


class Card(Protocol):
    """The bars of one variable, as plain values for `static/bars.js`. The bar after the others is that of missing values."""

    def static(self, base: dict[str, Any]) -> dict[str, Any]:
        """What stays on the page; `base` are the numbers without evidence."""

    def numbers(self, shift: Shift, *, held: bool = False) -> dict[str, Any]:
        """The answer about it, a number a bar: p posterior, m the model's part and o the table's (null: none).

        `sure` has the ends of each one's interval, unless its state is known.
        """

    def bar_weights(self, held: Held) -> list[float]:
        """The share of each bar that the evidence allows, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class StateCard:
    """A variable of states: the codes that have a bar of their own, in their order; `rest` have one together.

    Which these are is said by the prior, so that no bar moves when something becomes known.
    """

    variable: Variable
    codes: tuple[int, ...]
    rest: tuple[int, ...] = ()
    opened: bool = False
    holes: bool = False
    """Can it be missing? That has a bar of its own, the last: the others are given that it is known."""

    @classmethod
    def of(
        cls,
        variable: Variable,
        prior: FloatArray,
        *,
        opened: bool,
        kept: Iterable[int] = (),
        holes: bool = False,
    ) -> "StateCard":
        """Its likely states, and those to be `kept`; all that stand in an order."""
        most = MOST_STATES if opened or has_ranges(variable) else STATES
        n = len(variable.present_states)
        if n <= most:
            return cls(variable, tuple(range(n)), (), opened, holes)
        likely = np.argsort(-prior, kind="stable")[: most - 1].tolist()
        codes = sorted({*likely, *(code for code in kept if code < n)})
        return cls(variable, tuple(codes), tuple(sorted(set(range(n)) - set(codes))), opened, holes)

    def static(self, base: dict[str, Any]) -> dict[str, Any]:
        variable = self.variable
        states = [{"c": c, "l": str(variable.states[c])} for c in self.codes]
        if self.rest:
            states.append({"c": OTHERS, "l": f"{len(self.rest):,} others"})
        missing = len(variable.present_states)
        if self.holes:
            states.append({"c": missing, "l": "missing"})
        return {
            "name": variable.name,
            "columns": False,
            "ordered": has_ranges(variable),
            "missing": missing if self.holes else -2,
            "opened": self.opened and missing > STATES,
            "states": states,
            "base": base,
        }

    def numbers(self, shift: Shift, *, held: bool = False) -> dict[str, Any]:
        holes, now = shift.missing, shift.now
        gone = holes.joined > 1 - 1e-9  # it is known to be missing: none of its states is so
        posterior = np.zeros_like(shift.posterior) if gone else shift.posterior
        found: dict[str, Any] = {"p": self._each(posterior, holes.joined)} | _about(shift)
        if not held and not gone:
            found["sure"] = now.interval(self.codes).round(4).tolist()
        if now.observed is not None:
            found |= {
                "o": self._each(now.observed, holes.observed),
                "m": self._each(now.law, holes.model),
                "rows": now.rows,
            }
        return found

    def bar_weights(self, held: Held) -> list[float]:
        allowed = weights(self.variable, held)
        found = [float(allowed[c]) for c in self.codes] + ([0.0] if self.rest else [])
        if self.holes:
            n = len(self.variable.present_states)
            found.append(float(allowed[n]) if len(allowed) > n else float(held == MISSING))
        return found

    def _each(self, values: FloatArray, missing: float) -> list[float | None]:
        found = [float(values[c]) for c in self.codes]
        if self.rest:
            found.append(float(values[list(self.rest)].sum()))
        return _rounded(found + ([missing] if self.holes else []))


@dataclass(frozen=True, slots=True, eq=False)
class NumberCard:
    """A number: the bars of its axis, and its mean. `law` is the number without evidence."""

    axis: Axis
    law: NumberLaw
    holes: bool = False

    def static(self, base: dict[str, Any]) -> dict[str, Any]:
        axis = self.axis
        states = [{"c": k, "l": axis.label(k)} for k in range(len(axis))]
        if self.holes:
            states.append({"c": len(axis), "l": "missing"})
        return {
            "name": axis.variable.name,
            "columns": True,
            "ordered": True,
            "missing": len(axis) if self.holes else -2,
            "opened": False,
            "skewed": axis.skewed,
            "log": axis.log,
            "ticks": axis.ticks,
            "states": states,
            "base": base,
        }

    def numbers(self, shift: Shift, *, held: bool = False) -> dict[str, Any]:
        holes, now = shift.missing, shift.now
        found, number = _about(shift), now.number
        tail = [holes.joined] if self.holes else []
        if holes.joined > 1 - 1e-9 or number is None:
            return found | {"p": [0.0] * len(self.axis) + tail}
        drawn = HistogramLaw(self.axis, number.law)
        found["p"] = _rounded(drawn.joined.tolist() + tail)
        if not held:
            rows = now.result.rows_known(shift.name, now.share) + now.result.sure_shares
            found["sure"] = ends(drawn.joined, drawn.errors, rows).round(4).tolist()
            found["between"] = " to ".join(group_digits(shown(end)) for end in number.interval or ())
        if drawn.table is not None:
            found |= {
                "o": _rounded(drawn.table.tolist() + ([holes.observed] if self.holes else [])),
                "m": _rounded(drawn.model.tolist() + ([holes.model] if self.holes else [])),
                "rows": now.rows,
            }
        return found | {
            "mean": group_digits(shown(number.mean)),
            "sd": group_digits(shown(number.standard_deviation, 3)),
            "at": self.axis.place(number.law.centre[0]),
        }

    def bar_weights(self, held: Held) -> list[float]:
        missing = [float(held == MISSING)] if self.holes else []
        return self.axis.allowed(held, self.law) + missing


def _about(shift: Shift) -> dict[str, Any]:
    """How far it moved, and in which rows it is known."""
    found: dict[str, Any] = {"change": round(shift.change, 3)}
    missing = shift.missing.joined
    if NEGLIGIBLE < missing <= 1 - 1e-9:
        found["known"] = f"among the {percent(1 - missing)} of rows that have it"
    return found


def _rounded(values: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(value) else round(value, 6) for value in values]


class Cards:
    """The cards of a model: their bars are those of the best answer without evidence, which is kept with the model."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.variables = {variable.name: variable for variable in loaded.domain.variables}
        self.base: dict[str, Shift] = {}
        """What answers are compared with; empty until that was answered."""
        self.logged: set[str] = set()
        """Numbers that are drawn on a log axis."""
        self._before: QueryResult | None = None

    def compare_with(self, other: QueryResult | None = None) -> None:
        """Outlines are of this answer, or of the best one without evidence."""
        found = self.loaded.best_prior if other is None else other
        if found is not None and found is not self._before:
            self._before = found
            self.base = {shift.name: shift for shift in shifts_between(found, found)}

    def number_card(self, name: str) -> NumberCard | None:
        """The bars of a number; None of any other variable, and before anything was answered."""
        prior, log = self.loaded.best_prior, name in self.logged
        if prior is None or not is_histogram(self.variables[name]):
            return None
        if (name, log) not in self.loaded.axes:
            number = prior.table(name).number
            if number is None:
                return None
            self.loaded.axes[name, log] = Axis.of(self.variables[name], number.law, log=log), number.law
        return NumberCard(*self.loaded.axes[name, log], holes=self._has_holes(name))

    def _has_holes(self, name: str) -> bool:
        return self.loaded.has_holes(self.loaded.domain.index(name))

    def show(
        self,
        name: str,
        shift: Shift | None,
        held: Held | None,
        *,
        given: bool,
        opened: bool = False,
        kept: Iterable[int] = (),
    ) -> dict[str, Any]:
        """A card for `static/bars.js` with its answer and evidence; `given`: the answer has evidence."""
        base = self.base[name]
        card: Card = self.number_card(name) or StateCard.of(
            self.variables[name], base.prior, opened=opened, kept=kept, holes=self._has_holes(name)
        )
        now = None
        if shift is not None:
            now = card.numbers(shift, held=held is not None and is_clamped(held)) | {"given": given}
        known: Mapping[str, Any] | None = None
        if held is not None:
            text = held if isinstance(held, str) else " | ".join(map(str, held))
            known = {
                "bars": card.bar_weights(held),
                "said": describe_held(name, held, self.variables[name]),
                "text": text,
            }
        return {"card": card.static(card.numbers(base)), "now": now, "held": known}

    def hold(self, known: Known, name: str, first: int, last: int) -> Known:
        """What is known when the bars from one to the other are chosen; one that is chosen again is taken back."""
        variable, drawn = self.variables[name], self.number_card(name)
        end = len(variable.present_states) if drawn is None else len(drawn.axis)
        if not (0 <= min(first, last) <= max(first, last) < end or first == last == end):
            return known  # anything may come from a browser
        if first == end:
            held: Held | None = MISSING
        else:
            held = between(variable, first, last) if drawn is None else drawn.axis.held(first, last)
        taken_back = first == last and known.get(name) == held
        return with_held(known, name, None if taken_back else held)

    def toggle(self, known: Known, name: str, code: int) -> Known:
        """Allow one more state, or one less; with none left, all are allowed. Of a number, its range grows."""
        variable, drawn = self.variables[name], self.number_card(name)
        held = known.get(name, ())
        if drawn is not None and code < len(drawn.axis) and held:
            chosen = [k for k, share in enumerate(drawn.axis.allowed(held, drawn.law)) if share > 0]
            return self.hold(known, name, min([code, *chosen]), max([code, *chosen]))
        if drawn is not None or (variable.missing is None and code == len(variable.present_states)):
            return self.hold(known, name, code, code)  # no state of the model, that could be one of several
        if not 0 <= code < variable.cardinality:
            return known
        gone = {variable.cardinality - 1} if held == MISSING and variable.missing is not None else set()
        codes = (gone if isinstance(held, str) else {variable.code(state) for state in held}) ^ {code}
        texts = tuple(str(variable.states[c]) for c in sorted(codes))
        return with_held(known, name, held_by(variable, texts))


NEGLIGIBLE = 0.01
"""The probability that a variable is missing, up to which it is not said."""


def in_order(names: Sequence[str], first: Sequence[str]) -> list[str]:
    """The cards, some of them first.

    >>> in_order(["class", "sex", "age"], ["age"])
    ['age', 'class', 'sex']
    """
    known = dict.fromkeys(names)
    return list(dict.fromkeys(name for name in first if name in known) | known)


def is_histogram(variable: Variable) -> bool:
    """Is it a number of several states, to be drawn as columns?"""
    return variable.scale == "number" and has_ranges(variable)


def has_ranges(variable: Variable) -> bool:
    """Can a range of several of its states be meant?"""
    return variable.has_order and len(variable.present_states) >= FEWEST_STATES


def between(variable: Variable, first: int, last: int) -> Held | None:
    """The states from one to the other as what is known; None: all are allowed."""
    first, last = sorted((first, last))
    states = variable.states[first : last + 1]
    return None if len(states) == variable.cardinality else states


def read_typed(variable: Variable, text: str) -> Held | None:
    """Read what a reader typed after a name, as in `--given`: "> 40", "20..40", "1st|2nd", "!=male"; None: nothing.

    >>> cls = Variable("class", ("1st", "2nd", "3rd"))
    >>> read_typed(cls, "1st | 2nd"), read_typed(cls, "= 3rd"), read_typed(cls, "!=3rd"), read_typed(cls, " ")
    (('1st', '2nd'), ('3rd',), '!=3rd', None)
    >>> read_typed(cls, "is missing")
    'is missing'
    """
    text = text.strip()
    if text in ("missing", "known"):
        text = text if text in map(str, variable.states) else f"is {text}"
    if text in map(str, variable.states):
        return held_by(variable, (text,))
    for sign in EQUALS:
        text = text.removeprefix(sign)
    parts = tuple(unquote(part) for part in split(text, "|"))
    return held_by(variable, parts) if any(parts) else None


def with_held(known: Known, name: str, held: Held | None) -> Known:
    return {key: value for key, value in {**known, name: held}.items() if value}
