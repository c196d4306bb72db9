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
from depnet.explorer.bars import has_order, is_histogram, short_labels
from depnet.explorer.known import Held, weights
from depnet.inference.answer.numbers import shown
from depnet.inference.judge.shifts import Missing, Shift
from depnet.model.conditions import MISSING

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
        most = MOST_STATES if opened or has_order(variable) else STATES
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
            "ordered": has_order(variable),
            "missing": missing if self.holes else -2,
            "opened": self.opened and missing > STATES,
            "states": states,
            "base": base,
        }

    def numbers(self, shift: Shift) -> dict[str, Any]:
        """The answer about it: p posterior, e errors, m the model's part and o the table's (null: nothing, or hidden)."""
        holes = Missing(0.0, math.nan, 0.0) if shift.missing is None else shift.missing
        gone = holes.joined > 1 - 1e-9  # it is known to be missing: none of its states is so
        posterior = np.zeros_like(shift.posterior) if gone else shift.posterior
        found: dict[str, Any] = {
            "p": self._each(posterior, holes.joined),
            "change": round(shift.change, 3),
        }
        if (shift.error > 0).any():
            found["e"] = self._each(shift.error, math.nan, errors=True)
        if shift.observed is not None:
            found |= {
                "o": self._each(shift.observed, holes.observed),
                "m": self._each(shift.model, holes.model),
                "rows": shift.rows,
            }
        if is_holed(shift) and not gone:
            found["known"] = f"among the {known_share(shift)} of rows that have it"
        return found if gone else found | self._summary(shift)

    def held(self, held: Held) -> list[float]:
        """How much of each bar is allowed, from 0 to 1."""
        allowed = weights(self.variable, held)
        found = [float(allowed[c]) for c in self.codes] + ([0.0] if self.rest else [])
        if self.holes:
            n = len(self.variable.present_states)
            found.append(float(allowed[n]) if len(allowed) > n else float(held == MISSING))
        return found

    def _each(self, values: FloatArray, missing: float, errors: bool = False) -> list[float | None]:
        """A number a bar; that of a sum of states is not known of errors."""
        found = [float(values[c]) for c in self.codes]
        if self.rest:
            found.append(math.nan if errors else float(values[list(self.rest)].sum()))
        if self.holes:
            found.append(missing)
        return [None if math.isnan(value) else round(value, 6) for value in found]

    def _summary(self, shift: Shift) -> dict[str, str]:
        """Mean and standard deviation of a number."""
        if not is_histogram(self.variable) or shift.number is None:
            return {}
        return {"mean": shown(shift.number[0]), "sd": shown(shift.number[1], 3)}


NEGLIGIBLE = 0.01
"""The probability that a variable is missing, up to which it is not said."""


def is_holed(shift: Shift) -> bool:
    """Is it worth to be said how often the variable is known?"""
    return shift.missing is not None and shift.missing.joined > NEGLIGIBLE


def known_share(shift: Shift) -> str:
    """In which share of the rows the variable is known: "34 %"."""
    return percent(1 - (0.0 if shift.missing is None else shift.missing.joined))


def percent(share: float) -> str:
    """A share for people.

    >>> percent(0.342), percent(0.0042), percent(0.0)
    ('34 %', '0.42 %', '0 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.1 or share == 0 else f"{100 * share:.2g} %"


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
