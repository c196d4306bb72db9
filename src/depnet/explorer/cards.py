"""What the cards of the Ask view show, as plain values: what stays on the page, and the numbers of each answer."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Variable
from depnet.explorer.bars import has_ranges, is_histogram, short_labels
from depnet.explorer.known import Held, weights
from depnet.inference.answer.numbers import shown
from depnet.inference.judge.shifts import Shift
from depnet.model.conditions import MISSING
from depnet.wording import percent

STATES = 8
"""States of a variable without an order that are shown; with more, the most probable ones and the rest together."""

MOST_STATES = 100
"""Of one that is opened, or has an order."""

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
        """The answer about it, a number a bar: p posterior, m the model's part and o the table's (null: none, or hidden).

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
        if is_holed(shift) and not gone:
            found["known"] = f"among the {known_share(shift)} of rows that have it"
        return found if gone else found | self._summary(shift, held)

    def held(self, held: Held) -> list[float]:
        """How much of each bar is allowed, from 0 to 1."""
        allowed = weights(self.variable, held)
        found = [float(allowed[c]) for c in self.codes] + ([0.0] if self.rest else [])
        if self.holes:
            n = len(self.variable.present_states)
            found.append(float(allowed[n]) if len(allowed) > n else float(held == MISSING))
        return found

    def _each(self, values: FloatArray, missing: float) -> list[float | None]:
        """A number a bar."""
        found = [float(values[c]) for c in self.codes]
        if self.rest:
            found.append(float(values[list(self.rest)].sum()))
        if self.holes:
            found.append(missing)
        return [None if math.isnan(value) else round(value, 6) for value in found]

    def _summary(self, shift: Shift, held: bool) -> dict[str, str]:
        """Mean and standard deviation of a number, and the mean's interval."""
        number = shift.now.number if is_histogram(self.variable) else None
        if number is None:
            return {}
        found = {"mean": shown(number.mean), "sd": shown(number.standard_deviation, 3)}
        return found if held else found | {"between": number.said_interval}


NEGLIGIBLE = 0.01
"""The probability that a variable is missing, up to which it is not said."""


def is_holed(shift: Shift) -> bool:
    """Is it worth to be said how often the variable is known?"""
    return shift.missing.joined > NEGLIGIBLE


def known_share(shift: Shift) -> str:
    """In which share of the rows the variable is known: "34 %"."""
    return percent(1 - shift.missing.joined)


def in_order(names: Sequence[str], pinned: Sequence[str]) -> list[str]:
    """The cards, pinned ones first.

    >>> in_order(["class", "sex", "age"], ["age"])
    ['age', 'class', 'sex']
    """
    known = dict.fromkeys(names)
    return list(dict.fromkeys(name for name in pinned if name in known) | known)


def pins(text: str) -> list[str]:
    """The names of pinned cards, as an address has them.

    >>> pins(pins_text(["age", 'a "b", c']))
    ['age', 'a "b", c']
    """
    return next(csv.reader(io.StringIO(text, newline="")), [])


def pins_text(names: list[str]) -> str:
    """The same as text."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="").writerow(names)
    return out.getvalue()
