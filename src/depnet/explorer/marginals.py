"""The marginals before and after the evidence, as one element of the page."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from depnet.data import Label
from depnet.explorer.ask import MEASURE, Shift

STATES = 8
"""States of a variable that are shown; with more, the most probable ones and the rest together."""


class Marginals(Element, component="marginals.js"):
    """Cards of prior and posterior; `clamp(name, code)` is called when a state is clicked."""

    def __init__(self, clamp: Callable[[str, int], None]) -> None:
        super().__init__()
        self._props.update({"variables": [], "answer": 0, "method": "", "measure": MEASURE})

        def clicked(event: GenericEventArguments) -> None:
            name, code = event.args
            if isinstance(name, str) and isinstance(code, int):
                clamp(name, code)

        self.on("clamp", clicked)

    def show(self, shifts: Sequence[Shift], chosen: Mapping[str, tuple[Label, ...]], method: str) -> None:
        """Show these variables, in this order."""
        self._props["variables"] = [card_of(shift, chosen.get(shift.name, ())) for shift in shifts]
        self._props["answer"] += 1
        self._props["method"] = method
        self.update()


def card_of(shift: Shift, held: Sequence[Label]) -> dict[str, Any]:
    """What a card shows, as plain values."""
    likely = np.argsort(-np.maximum(shift.prior, shift.posterior), kind="stable")
    kept = np.sort(likely) if len(likely) <= STATES else np.sort(likely[: STATES - 1])
    rest = likely[STATES - 1 :] if len(likely) > STATES else likely[:0]
    states = [
        _state(code, str(shift.states[code]), shift.prior[code], shift.posterior[code], shift.error[code])
        | {"held": shift.states[code] in held}
        for code in kept.tolist()
    ]
    if len(rest):
        prior, posterior = float(shift.prior[rest].sum()), float(shift.posterior[rest].sum())
        states.append(_state(-1, f"{len(rest)} others", prior, posterior, math.nan) | {"held": False})
    return {
        "name": shift.name,
        "note": f"moved {shift.change:.3f}",
        "states": states,
    }


def _state(code: int, label: str, prior: float, posterior: float, error: float) -> dict[str, Any]:
    known = 0.0 if math.isnan(error) else float(error)
    shown = f"{posterior:.3f}" + (f" ± {known:.1g}" if known else "")
    return {
        "code": code,
        "label": label,
        "prior": round(float(prior), 6),
        "posterior": round(float(posterior), 6),
        "error": round(known, 6),
        "was": f"{prior:.3f}",
        "shown": shown,
    }
