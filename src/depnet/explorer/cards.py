"""The cards of variables, as plain values: labels and bars that stay on the page, the numbers of each answer, and what a
reader says by choosing bars or by writing a condition.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Variable
from depnet.data.binning.bins import Bins
from depnet.explorer.known import Held, Known, describe_held, held_by, is_clamped, weights
from depnet.explorer.loaded import Loaded
from depnet.inference.answer.numbers import shown
from depnet.inference.answer.result import FEWEST_STATES, QueryResult
from depnet.inference.judge.shifts import Shift, shifts_between
from depnet.model.condition_text import EQUALS, split, unquote
from depnet.model.conditions import MISSING, interpret
from depnet.wording import percent

STATES = 8
"""States of a variable without an order that are shown; with more, the most probable ones and the rest together."""

MOST_STATES = 100
"""Bars of a card that is opened, or whose states have an order."""

OTHERS = -1
"""The code of the states that are shown together."""


@dataclass(frozen=True, slots=True)
class Card:
    """One variable: the codes that have a bar of their own, in their order; `rest` have one together.

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
    ) -> "Card":
        """Its likely states, and those to be `kept`; all of a number."""
        most = MOST_STATES if opened or has_ranges(variable) else STATES
        n = len(variable.present_states)
        if n <= most:
            return cls(variable, tuple(range(n)), (), opened, holes)
        likely = np.argsort(-prior, kind="stable")[: most - 1].tolist()
        codes = sorted({*likely, *(code for code in kept if code < n)})
        return cls(variable, tuple(codes), tuple(sorted(set(range(n)) - set(codes))), opened, holes)

    def static(self, base: dict[str, Any]) -> dict[str, Any]:
        """What stays on the page; `base` are the numbers without evidence."""
        variable, labels = self.variable, short_labels(self.variable)
        states = [{"c": c, "l": str(variable.states[c]), "s": labels[c]} for c in self.codes]
        if self.rest:
            others = f"{len(self.rest):,} others"
            states.append({"c": OTHERS, "l": others, "s": others})
        missing = len(variable.present_states)
        if self.holes:
            states.append({"c": missing, "l": "missing", "s": "missing"})
        return {
            "name": variable.name,
            "columns": is_histogram(variable),
            "ordered": has_ranges(variable),
            "missing": missing if self.holes else -2,
            "opened": self.opened and missing > STATES,
            "states": states,
            "base": base,
        }

    def numbers(self, shift: Shift, *, held: bool = False) -> dict[str, Any]:
        """The answer about it, a number a bar: p posterior, m the model's part and o the table's (null: none).

        `sure` has the ends of each one's interval, unless its state is known.
        """
        holes, now = shift.missing, shift.now
        gone = holes.joined > 1 - 1e-9  # it is known to be missing: none of its states is so
        posterior = np.zeros_like(shift.posterior) if gone else shift.posterior
        found: dict[str, Any] = {
            "p": self._each(posterior, holes.joined),
            "change": round(shift.change, 3),
        }
        if not held and not gone:
            found["sure"] = now.interval(self.codes).round(4).tolist()
        if now.observed is not None:
            found |= {
                "o": self._each(now.observed, holes.observed),
                "m": self._each(now.law, holes.model),
                "rows": now.rows,
            }
        if holes.joined > NEGLIGIBLE and not gone:
            found["known"] = f"among the {percent(1 - holes.joined)} of rows that have it"
        return found if gone else found | self._summary(shift, held)

    def bar_weights(self, held: Held) -> list[float]:
        """The share of each bar that the evidence allows, from 0 to 1."""
        allowed = weights(self.variable, held)
        found = [float(allowed[c]) for c in self.codes] + ([0.0] if self.rest else [])
        if self.holes:
            n = len(self.variable.present_states)
            found.append(float(allowed[n]) if len(allowed) > n else float(held == MISSING))
        return found

    def describe_held(self, held: Held) -> dict[str, Any]:
        """Describe what is known of the variable for the page: on its bars, in words, and as typed."""
        text = held if isinstance(held, str) else " | ".join(map(str, held))
        return {"bars": self.bar_weights(held), "said": describe_held(self.variable.name, held), "text": text}

    def _each(self, values: FloatArray, missing: float) -> list[float | None]:
        found = [float(values[c]) for c in self.codes]
        if self.rest:
            found.append(float(values[list(self.rest)].sum()))
        if self.holes:
            found.append(missing)
        return [None if math.isnan(value) else round(value, 6) for value in found]

    def _summary(self, shift: Shift, held: bool) -> dict[str, str]:
        number = shift.now.number if is_histogram(self.variable) else None
        if number is None:
            return {}
        found = {"mean": shown(number.mean), "sd": shown(number.standard_deviation, 3)}
        return found if held else found | {"between": number.said_interval}


class Cards:
    """The cards of a model: their bars are those of the best answer without evidence, which is kept with the model."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.variables = {variable.name: variable for variable in loaded.domain.variables}
        self.base: dict[str, Shift] = {}
        """What answers are compared with; empty until that was answered."""
        self._before: QueryResult | None = None

    def compare_with(self, other: QueryResult | None = None) -> None:
        """Outlines are of this answer, or of the best one without evidence."""
        found = self.loaded.best_prior if other is None else other
        if found is not None and found is not self._before:
            self._before = found
            self.base = {shift.name: shift for shift in shifts_between(found, found)}

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
        holes, base = self.loaded.has_holes(self.loaded.domain.index(name)), self.base[name]
        card = Card.of(self.variables[name], base.prior, opened=opened, kept=kept, holes=holes)
        now = None
        if shift is not None:
            now = card.numbers(shift, held=held is not None and is_clamped(held)) | {"given": given}
        known = None if held is None else card.describe_held(held)
        return {"card": card.static(card.numbers(base)), "now": now, "held": known}


NEGLIGIBLE = 0.01
"""The probability that a variable is missing, up to which it is not said."""


def in_order(names: Sequence[str], first: Sequence[str]) -> list[str]:
    """The cards, some of them first.

    >>> in_order(["class", "sex", "age"], ["age"])
    ['age', 'class', 'sex']
    """
    known = dict.fromkeys(names)
    return list(dict.fromkeys(name for name in first if name in known) | known)


LONG = 24
"""A condition with more signs is taken only where no shorter one will do: an edge may be the float next to a number."""


def is_histogram(variable: Variable) -> bool:
    """Is it a number of several states, to be drawn as columns?"""
    return variable.scale == "number" and has_ranges(variable)


def has_ranges(variable: Variable) -> bool:
    """Can a range of several of its states be meant?"""
    return variable.has_order and len(variable.present_states) >= FEWEST_STATES


def short_labels(variable: Variable) -> list[str]:
    """A label a state: outermost bins by their one end, whole numbers from the first to the last.

    >>> ages = Bins((0, 18, 65, 99), ((3, 9, 17), (30, 40), (70, 75)), "integer")
    >>> short_labels(Variable("age", ages.labels, ages))
    ['≤ 17', '18–64', '≥ 65']
    """
    labels = list(map(str, variable.states))
    if variable.bins is not None:
        for k in range(len(variable.bins)):
            labels[k] = _short(variable.bins, k) if labels[k].startswith("[") else labels[k]
    return labels


def _short(bins: Bins, k: int) -> str:
    low, high = bins.edges[k], bins.edges[k + 1]
    whole = bins.kind in ("integer", "date")
    if k == 0:
        return f"≤ {bins.text(high - 1)}" if whole else f"< {bins.text(high)}"
    if k == len(bins) - 1:
        return f"≥ {bins.text(low)}"
    return f"{bins.text(low)}–{bins.text(high - 1 if whole else high)}"


def between(variable: Variable, first: int, last: int) -> Held | None:
    """The states with the codes from one end to the other as what is known; None: all are allowed.

    Of a number it is a condition that means just these states, by its edges where these say it, else the states themselves.

    >>> ages = Bins((0, 18, 65, 99), ((3, 9, 17), (30, 40), (70, 75)), "integer")
    >>> age = Variable("age", ages.labels, ages)
    >>> between(age, 0, 1), between(age, 2, 1), between(age, 1, 1), between(age, 0, 2)
    ('<65', '>=18', ('[18, 65)',), None)
    """
    first, last = sorted((first, last))
    wanted = np.zeros(variable.cardinality)
    wanted[first : last + 1] = 1.0
    states = variable.states[first : last + 1]
    if wanted.all():
        return None
    if first == last or not is_histogram(variable):
        return states
    labels = set(map(str, variable.states))
    for text in sorted(_conditions(variable, first, last), key=lambda text: len(text) > LONG):
        if text not in labels and np.array_equal(interpret(variable, text).weights(), wanted):
            return text
    return states


def _conditions(variable: Variable, first: int, last: int) -> Iterator[str]:
    """Conditions that may mean these states: up to an edge, or to the value next to it."""
    end = len(variable.present_states) - 1
    bins = variable.bins
    if bins is None:
        lows, highs = ([str(variable.states[code])] for code in (first, last))
        below = highs
    else:
        lows = [bins.text(bins.edges[first]), bins.text(bins.quantiles[first][0])]
        highs = [bins.text(bins.edges[last + 1]), bins.text(bins.quantiles[last][-1])]
        if first == 0:
            yield f"<{highs[0]}"
        if bins.kind in ("integer", "date"):
            highs.insert(0, bins.text(bins.edges[last + 1] - 1))
        below = highs
    if first == 0:
        yield from (f"<={high}" for high in below)
    if last == end:
        yield from (f">={low}" for low in lows)
    yield from (f"{low}..{high}" for low, high in itertools.product(lows, highs))


def read_typed(variable: Variable, text: str) -> Held | None:
    """Read what a reader typed after a name, as in `--given`: "> 40", "20..40", "1st|2nd", "!=male"; None: nothing.

    >>> cls = Variable("class", ("1st", "2nd", "3rd"))
    >>> read_typed(cls, "1st | 2nd"), read_typed(cls, "= 3rd"), read_typed(cls, "!=3rd"), read_typed(cls, " ")
    (('1st', '2nd'), ('3rd',), '!=3rd', None)
    >>> age = Variable("age", ("[0, 18)", "[18, 99)"), Bins((0, 18, 99), ((3,), (30,))))
    >>> read_typed(cls, "is missing"), read_typed(age, "=30.0")
    ('is missing', ('30',))
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


def with_bars(known: Known, variable: Variable, first: int, last: int) -> Known:
    """What is known when the bars from one to the other are chosen; one that is chosen again is taken back.

    The bar after the states is that of missing values.
    """
    end = len(variable.present_states)
    if not (0 <= min(first, last) <= max(first, last) < end or first == last == end):
        return known  # anything may come from a browser
    held = MISSING if first == end else between(variable, first, last)
    taken_back = first == last and known.get(variable.name) == held
    return with_held(known, variable.name, None if taken_back else held)


def toggle_bar(known: Known, variable: Variable, code: int) -> Known:
    """Allow one more state, or one less; with none left, all are allowed."""
    if variable.missing is None and code == len(variable.present_states):
        return with_bars(known, variable, code, code)  # no state of the model, that could be one of several
    if not 0 <= code < variable.cardinality:
        return known
    held = known.get(variable.name, ())
    gone = {variable.cardinality - 1} if held == MISSING and variable.missing is not None else set()
    codes = (gone if isinstance(held, str) else {variable.code(state) for state in held}) ^ {code}
    texts = tuple(str(variable.states[c]) for c in sorted(codes))
    return with_held(known, variable.name, held_by(variable, texts))


def with_held(known: Known, name: str, held: Held | None) -> Known:
    return {key: value for key, value in {**known, name: held}.items() if value}
