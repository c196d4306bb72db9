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
from depnet.inference.answer.numbers import mean_and_deviation, shown
from depnet.inference.judge.shifts import Shift

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

    @classmethod
    def of(cls, variable: Variable, prior: FloatArray, *, opened: bool, kept: Iterable[int] = ()) -> "Card":
        """Its likely states, and those to be `kept`; all of a number."""
        most = MOST_STATES if opened or has_order(variable) else STATES
        n = variable.cardinality
        if n <= most:
            return cls(variable, tuple(range(n)), (), opened)
        likely = np.argsort(-prior, kind="stable")[: most - 1].tolist()
        codes = sorted({*likely, *kept})
        return cls(variable, tuple(codes), tuple(sorted(set(range(n)) - set(codes))), opened)

    def static(self, base: dict[str, Any]) -> dict[str, Any]:
        """What stays on the page; `base` are the numbers without evidence."""
        variable, labels = self.variable, short_labels(self.variable)
        states = [{"c": c, "l": str(variable.states[c]), "s": labels[c]} for c in self.codes]
        if self.rest:
            others = f"{len(self.rest):,} others"
            states.append({"c": OTHERS, "l": others, "s": others})
        return {
            "name": variable.name,
            "columns": is_histogram(variable),
            "ordered": has_order(variable),
            "missing": -2 if variable.missing is None else variable.cardinality - 1,
            "opened": self.opened and variable.cardinality > STATES,
            "states": states,
            "base": base,
        }

    def numbers(self, shift: Shift) -> dict[str, Any]:
        """The answer about it: p posterior, e errors, m the model's part and o the table's (null: nothing, or hidden)."""
        found: dict[str, Any] = {"p": self._each(shift.posterior), "change": round(shift.change, 3)}
        if (shift.error > 0).any():
            found["e"] = self._each(shift.error, errors=True)
        if shift.observed is not None:
            found |= {"o": self._each(shift.observed), "m": self._each(shift.model), "rows": shift.rows}
        return found | self._summary(shift.posterior)

    def held(self, held: Held) -> list[float]:
        """How much of each bar is allowed, from 0 to 1."""
        allowed = weights(self.variable, held)
        return [float(allowed[c]) for c in self.codes] + ([0.0] if self.rest else [])

    def _each(self, values: FloatArray, errors: bool = False) -> list[float | None]:
        """A number a bar; that of a sum of states is not known of errors."""
        found = [float(values[c]) for c in self.codes]
        if self.rest:
            found.append(math.nan if errors else float(values[list(self.rest)].sum()))
        return [None if math.isnan(value) else round(value, 6) for value in found]

    def _summary(self, law: FloatArray) -> dict[str, str]:
        """Mean and standard deviation of a number."""
        if not is_histogram(self.variable):
            return {}
        found = mean_and_deviation(self.variable, law)
        return {} if found is None else {"mean": shown(found[0]), "sd": shown(found[1], 3)}


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
