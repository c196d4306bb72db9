"""The marginals under two sets of evidence, A and B, as one element of the page; and B as the address has it."""

import math
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data import Domain, Label
from depnet.data.table.mixture import Mixture
from depnet.explorer.cards import is_holed, known_share
from depnet.explorer.component import Component
from depnet.explorer.known import Held, Known, Opened, opened, pairs
from depnet.inference.answer.numbers import shown
from depnet.inference.answer.result import FEWEST_STATES
from depnet.inference.judge.shifts import Difference, Shift
from depnet.wording import counted

MEASURE = "total variation between A and B: the largest difference in the probability of any event"

STATES = 8
"""Bars of a variable."""


def other_text(known: Known) -> str:
    """What is known in B as one parameter of the address: it has the names and states of any table in it.

    >>> other_text({"sex": ("male",), "a&b=c": ">3"})
    'sex=male&a%26b%3Dc=%3E3'
    """
    return urlencode(pairs(known))


def other_known(domain: Domain, text: str) -> Opened:
    """What that parameter says, and what of it was not understood."""
    return opened(domain, parse_qsl(text, keep_blank_values=True))


class Differences(Component, component="differences.js"):
    """Cards of A and B; `choose(side, name, first, last)` is called when a bar of "a" or "b" is clicked."""

    def __init__(self, choose: Callable[[str, str, int, int], None]) -> None:
        super().__init__(variables=[], answer=0, measure=MEASURE)
        self.tell("choose", str, str, int, int, to=choose)

    def show(
        self, found: Sequence[Difference], first: Known, second: Known, href: Callable[[str], str]
    ) -> None:
        """Show these variables, in this order; what is known of them in A and in B is marked."""
        cards = [
            card_of(each, first.get(each.first.name, ()), second.get(each.first.name, ()))
            | {"href": href(each.first.name)}
            for each in found
        ]
        self.put(variables=cards, answer=self._props["answer"] + 1)


def card_of(difference: Difference, first: Held, second: Held) -> dict[str, Any]:
    """What a card shows, as plain values."""
    a, b = difference.first, difference.second
    groups = groups_of(a, np.maximum(a.posterior, b.posterior))
    return {
        "name": a.name,
        "note": f"differ by {difference.change:.3f}",
        "number": "; ".join(filter(None, (_means(a, b), _known(a, b)))),
        "states": [
            {
                "first": first_code,
                "last": int(codes[-1]),
                "label": label,
                "a": _side(a, codes, first),
                "b": _side(b, codes, second),
            }
            for first_code, label, codes in groups
        ],
    }


def groups_of(shift: Shift, largest: FloatArray) -> list[tuple[int, str, IntArray]]:
    """The bars of a variable: the first code (-1: none can be chosen), what it is called, and its states.

    Of many states, those of a number are taken together with their neighbours; of any other variable the most probable ones
    are shown, and the rest together.
    """
    codes, states = np.arange(len(shift.posterior)), shift.variable.states
    if len(codes) <= STATES:
        return [(code, str(states[code]), np.array([code])) for code in codes.tolist()]
    if Mixture.of(shift.variable) is not None:
        return [(int(part[0]), _between(states, part), part) for part in np.array_split(codes, STATES)]
    likely = np.argsort(-largest, kind="stable")
    kept = np.sort(likely[: STATES - 1])
    rest = likely[STATES - 1 :]
    found = [(code, str(states[code]), np.array([code])) for code in kept.tolist()]
    return [*found, (-1, f"{len(rest)} others", rest)]


def _between(states: Sequence[Label], codes: IntArray) -> str:
    """A range of states of a number: the beginning of the first and the end of the last.

    >>> _between(("[0, 5)", "[5, 9)", 9), np.array([0, 1])), _between((1, 2, 3), np.array([1, 2]))
    ('[0, 9)', '2 to 3')
    """
    first, last = str(states[int(codes[0])]), str(states[int(codes[-1])])
    if len(codes) == 1:
        return first
    if first[0] in "[(" and last[-1] in ")]" and ", " in first and ", " in last:
        return f"{first.split(', ')[0]}, {last.split(', ')[1]}"
    return f"{first} to {last}"


def _side(shift: Shift, codes: IntArray, held: Held) -> dict[str, Any]:
    """One bar: the states `codes` together. `observed` is None where the table says nothing, or what it says is hidden."""
    now = shift.now
    value = float(now.answer[codes].sum())
    error = float(now.error[codes[0]]) if len(codes) == 1 else math.nan  # errors of a sum hang together
    frequency = math.nan if now.observed is None else float(now.observed[codes].sum())
    parts = ""
    if now.observed is not None:
        table = "hidden" if math.isnan(frequency) else f"{frequency:.3f}"
        parts = f"model {float(now.law[codes].sum()):.3f}, table {table} of {counted(now.rows, 'row')}"
    known = (
        not isinstance(held, str) and tuple(shift.variable.states[code] for code in codes.tolist()) == held
    )
    return {
        "value": round(value, 6),
        "error": 0.0 if math.isnan(error) else round(error, 6),
        "shown": f"{value:.3f}" + (f" ± {error:.1g}" if error > 0 else ""),
        "observed": None if math.isnan(frequency) else round(frequency, 6),
        "parts": parts,
        "held": known,
    }


def _means(a: Shift, b: Shift) -> str:
    """The means of a number in A and B; nothing of one with a state or two, which say all."""
    first, second = a.now.number, b.now.number
    if first is None or second is None or len(a.posterior) < FEWEST_STATES:
        return ""
    return f"mean {shown(first.mean)} in A, {shown(second.mean)} in B"


def _known(a: Shift, b: Shift) -> str:
    """In which shares of the rows of A and B the variable is known, where that is not nearly all."""
    shares = [known_share(shift) for shift in (a, b)]
    return f"known in {shares[0]} of A, {shares[1]} of B" if any(map(is_holed, (a, b))) else ""
