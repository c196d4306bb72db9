"""The marginals under two sets of evidence, A and B, as one element of the page; and B as the address has it."""

import math
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from depnet.arrays import IntArray
from depnet.data import Domain
from depnet.explorer.known import Held, Known, Opened, opened, pairs
from depnet.inference.answer.numbers import shown
from depnet.inference.answer.text import FEWEST_STATES
from depnet.inference.judge.shifts import Difference, Shift
from depnet.wording import counted

MEASURE = "total variation between A and B: the largest difference in the probability of any event"

STATES = 8
"""States of a variable that are shown; with more, the most probable ones and the rest together."""


def other_text(known: Known) -> str:
    """What is known in B as one parameter of the address: it has the names and states of any table in it.

    >>> other_text({"sex": ("male",), "a&b=c": ">3"})
    'sex=male&a%26b%3Dc=%3E3'
    """
    return urlencode(pairs(known))


def other_known(domain: Domain, text: str) -> Opened:
    """What that parameter says, and what of it was not understood."""
    return opened(domain, parse_qsl(text, keep_blank_values=True))


class Differences(Element, component="differences.js"):
    """Cards of A and B; `choose(side, name, code)` is called when a state is clicked, `side` being "a" or "b"."""

    def __init__(self, choose: Callable[[str, str, int], None]) -> None:
        super().__init__()
        self._props.update({"variables": [], "answer": 0, "measure": MEASURE})

        def clicked(event: GenericEventArguments) -> None:
            side, name, code = event.args
            if side in ("a", "b") and isinstance(name, str) and isinstance(code, int):
                choose(side, name, code)

        self.on("choose", clicked)

    def show(
        self, found: Sequence[Difference], first: Known, second: Known, href: Callable[[str], str]
    ) -> None:
        """Show these variables, in this order; what is known of them in A and in B is marked."""
        self._props["variables"] = [
            card_of(each, first.get(each.first.name, ()), second.get(each.first.name, ()))
            | {"href": href(each.first.name)}
            for each in found
        ]
        self._props["answer"] += 1
        self.update()


def card_of(difference: Difference, first: Held, second: Held) -> dict[str, Any]:
    """What a card shows, as plain values."""
    a, b = difference.first, difference.second
    likely = np.argsort(-np.maximum(a.posterior, b.posterior), kind="stable")
    kept = np.sort(likely) if len(likely) <= STATES else np.sort(likely[: STATES - 1])
    rest = likely[STATES - 1 :] if len(likely) > STATES else likely[:0]
    groups = [(code, str(a.states[code]), np.array([code])) for code in kept.tolist()]
    if len(rest):
        groups.append((-1, f"{len(rest)} others", rest))
    return {
        "name": a.name,
        "note": f"differ by {difference.change:.3f}",
        "number": _means(a, b),
        "states": [
            {"code": code, "label": label, "a": _side(a, codes, first), "b": _side(b, codes, second)}
            for code, label, codes in groups
        ],
    }


def _side(shift: Shift, codes: IntArray, held: Held) -> dict[str, Any]:
    """One bar: the states `codes` together. `observed` is None where the table says nothing, or what it says is hidden."""
    value = float(shift.posterior[codes].sum())
    error = float(shift.error[codes[0]]) if len(codes) == 1 else math.nan
    frequency = math.nan if shift.observed is None else float(shift.observed[codes].sum())
    parts = ""
    if shift.observed is not None:
        table = "hidden" if math.isnan(frequency) else f"{frequency:.3f}"
        parts = f"model {float(shift.model[codes].sum()):.3f}, table {table} of {counted(shift.rows, 'row')}"
    known = len(codes) == 1 and not isinstance(held, str) and shift.states[int(codes[0])] in held
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
    first, second = a.numbers, b.numbers
    if first is None or second is None or len(a.states) < FEWEST_STATES:
        return ""
    return f"mean {shown(first[1].mean)} in A, {shown(second[1].mean)} in B"
