"""The marginals before and after the evidence, and the table's own, as one element of the page."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from depnet.arrays import IntArray
from depnet.explorer.known import Held, Known
from depnet.inference.answer.numbers import shown
from depnet.inference.answer.text import FEWEST_STATES
from depnet.inference.judge.shifts import Shift
from depnet.wording import counted

MEASURE = "total variation between prior and posterior: the largest change in the probability of any event"

STATES = 8
"""States of a variable that are shown; with more, the most probable ones and the rest together."""


class Marginals(Element, component="marginals.js"):
    """Cards of prior and posterior; `clamp(name, code)` is called when a state is clicked."""

    def __init__(self, clamp: Callable[[str, int], None]) -> None:
        super().__init__()
        self._props.update({"variables": [], "answer": 0, "method": "", "measure": MEASURE, "parts": False})

        def clicked(event: GenericEventArguments) -> None:
            name, code = event.args
            if isinstance(name, str) and isinstance(code, int):
                clamp(name, code)

        self.on("clamp", clicked)

    def show(self, shifts: Sequence[Shift], known: Known, method: str) -> None:
        """Show these variables, in this order."""
        self._props["variables"] = [card_of(shift, known.get(shift.name, ())) for shift in shifts]
        self._props["answer"] += 1
        self._props["method"] = method
        self.update()

    def apart(self, shown: bool) -> None:
        """Show what the model says and what the table has under each bar, or not."""
        self._props["parts"] = shown
        self.update()


def card_of(shift: Shift, held: Held) -> dict[str, Any]:
    """What a card shows, as plain values."""
    likely = np.argsort(-np.maximum(shift.prior, shift.posterior), kind="stable")
    kept = np.sort(likely) if len(likely) <= STATES else np.sort(likely[: STATES - 1])
    rest = likely[STATES - 1 :] if len(likely) > STATES else likely[:0]
    states = [
        _state(code, str(shift.states[code]), shift, np.array([code]), float(shift.error[code]))
        | {"held": not isinstance(held, str) and shift.states[code] in held}
        for code in kept.tolist()
    ]
    if len(rest):
        states.append(_state(-1, f"{len(rest)} others", shift, rest, math.nan) | {"held": False})
    return {
        "name": shift.name,
        "note": f"moved {shift.change:.3f}",
        "number": _number(shift),
        "states": states,
    }


def _number(shift: Shift) -> str:
    """Mean and median of a number, and what they were; nothing of one with a state or two, which say all."""
    if shift.numbers is None or len(shift.states) < FEWEST_STATES:
        return ""
    before, after = shift.numbers
    means, medians = (
        [shown(of) for of in pair] for pair in ((before.mean, after.mean), (before.median, after.median))
    )
    return ", ".join(
        f"{name} {now}{'' if was == now else f' (was {was})'}"
        for name, (was, now) in (("mean", means), ("median", medians))
    )


def _state(code: int, label: str, shift: Shift, codes: IntArray, error: float) -> dict[str, Any]:
    """One bar: the states `codes` together. `observed` is None where the table says nothing, or what it says is hidden."""
    known = 0.0 if math.isnan(error) else error
    prior, posterior, model = (float(law[codes].sum()) for law in (shift.prior, shift.posterior, shift.model))
    frequency = math.nan if shift.observed is None else float(shift.observed[codes].sum())
    parts = ""
    if shift.observed is not None:
        table = "hidden" if math.isnan(frequency) else f"{frequency:.3f}"
        parts = f"model {model:.3f}, table {table} of {counted(shift.rows, 'row')}"
    return {
        "code": code,
        "label": label,
        "prior": round(prior, 6),
        "posterior": round(posterior, 6),
        "error": round(known, 6),
        "observed": None if math.isnan(frequency) else round(frequency, 6),
        "was": f"{prior:.3f}",
        "shown": f"{posterior:.3f}" + (f" ± {known:.1g}" if known else ""),
        "parts": parts,
    }
