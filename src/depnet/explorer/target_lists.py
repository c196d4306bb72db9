"""What would move a target, a bar for each variable, and which facts would tell most of it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from nicegui import ui

from depnet.arrays import FloatArray
from depnet.explorer.histogram import group_digits, state_label
from depnet.explorer.known import Held
from depnet.explorer.parts import Component, LongList, card, note, show_table, stack
from depnet.explorer.session import Session
from depnet.inference.judge.influence import Effect, Influence
from depnet.inference.judge.measure import Measure, SeenEffect
from depnet.wording import plural

LISTED = 12
"""Variables at first, and with each "more"."""

LEAST_APART = 25
"""Percent of the axis that an end is away from where the target is, or its number is left out."""

STATES = 20
"""States of a variable that are listed, the most probable ones."""


@dataclass(frozen=True, slots=True)
class TornadoBar:
    """One variable: its effect, the table's own where there are rows, what is known of it, and where its node is shown."""

    effect: Effect
    seen: SeenEffect | None
    held: Held
    href: str


class Tornado(Component, component="tornado.js"):
    """Bars; `choose(name, code)` is called when a state is clicked, `aside(name)` when a column is to be left out."""

    def __init__(self, choose: Callable[[str, int], None], aside: Callable[[str], None]) -> None:
        super().__init__(bars=[], scale={}, answer=0)
        self.tell("choose", str, int, to=choose)
        self.tell("aside", str, to=aside)

    def show(self, found: Influence, bars: Sequence[TornadoBar], now: float) -> None:
        drawn: dict[str, Any] = {"bars": [], "scale": {}}
        if bars:
            low, high = ends(found, bars, now)
            measure, shown = found.measure, found.measure.shown
            ticks = {"low": shown(low), "high": shown(high), "now": shown(now)}
            ticks = {end: group_digits(text) for end, text in ticks.items()}
            at = place(now, low, high)
            ticks |= {end: "" for end, far in (("low", at), ("high", 100 - at)) if far < LEAST_APART}
            drawn = {
                "scale": {**ticks, "at": at, "said": measure.said},
                "bars": [bar_of(measure, bar, low, high) for bar in bars],
            }
        self.put(**drawn, answer=self._props["answer"] + 1)


def ends(found: Influence, bars: Sequence[TornadoBar], now: float) -> tuple[float, float]:
    """What the axis shows: all ends of bars, and a little beyond; a probability stays within 0 and 1."""
    values = [now, *(float(b.effect.values[x]) for b in bars for x in (b.effect.low, b.effect.high))]
    values = [value for value in values if not math.isnan(value)]
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or max(0.05 * abs(high), 0.01)
    low, high = max(low - room, min(low, 0.0)), high + room  # none below 0 where no value is
    return (low, min(high, 1.0)) if found.measure.kind is None else (low, high)


def bar_of(measure: Measure, bar: TornadoBar, low: float, high: float) -> dict[str, Any]:
    """What a bar shows, as plain values: places are in percent of the axis."""
    effect = bar.effect
    possible = [
        x for x in np.argsort(-effect.probabilities, kind="stable").tolist() if effect.probabilities[x] > 0
    ]
    listed = sorted({*possible[:STATES], effect.low, effect.high}, key=lambda x: _order(effect, x))
    values = effect.values[possible]
    there = values[~np.isnan(values)]
    return {
        "name": effect.variable.name,
        "href": bar.href,
        "low": state_of(measure, bar, effect.low, low, high),
        "high": state_of(measure, bar, effect.high, low, high),
        "least": place(float(there.min()), low, high) if len(there) else 0.0,
        "most": place(float(there.max()), low, high) if len(there) else 0.0,
        "width": group_digits(measure.shown_error(effect.width))
        if measure.kind is not None
        else f"{effect.width:.3f}",
        "flat": effect.low == effect.high,
        "states": [state_of(measure, bar, x, low, high) for x in listed],
        "ordered": effect.variable.has_order,
        "curve": curve_of(bar, sorted(listed) if effect.variable.has_order else listed, low, high),
        "left": len(possible) - len(listed) if len(possible) > len(listed) else 0,
    }


def curve_of(bar: TornadoBar, codes: Sequence[int], low: float, high: float) -> dict[str, Any]:
    """A small picture of how the target follows the variable: a line by the model, dots by the table; places in percent."""
    across = [100 * (k + 0.5) / len(codes) for k in range(len(codes))]

    def points(values: FloatArray) -> list[tuple[float, float]]:
        each = zip(across, (float(values[code]) for code in codes), strict=True)
        return [(round(x, 1), 100 - place(value, low, high)) for x, value in each if not math.isnan(value)]

    return {
        "line": " ".join(f"{x},{y}" for x, y in points(bar.effect.values)),
        "dots": [] if bar.seen is None else points(bar.seen.values),
    }


def state_of(measure: Measure, bar: TornadoBar, code: int, low: float, high: float) -> dict[str, Any]:
    """One state: how probable it is, where it would lead the target, and what the table has."""
    effect, seen = bar.effect, bar.seen
    value, error = float(effect.values[code]), float(effect.errors[code])
    told = ""
    mark = math.nan
    if seen is not None:
        rows, mark = float(seen.rows[code]), float(seen.values[code])
        mean = "" if math.isnan(mark) else f"{group_digits(measure.shown(mark))} in "
        told = f"table: {mean}{plural(round(rows), 'row')}"
    states = effect.variable.present_states
    return {
        "code": code,
        "label": state_label(effect.variable, code),
        "probability": f"{effect.probabilities[code]:.3f}",
        "value": "not drawn" if math.isnan(value) else group_digits(measure.shown(value)),
        "error": "" if math.isnan(value) else visible_error(measure, value, error),
        "at": place(value, low, high),
        "mark": None if math.isnan(mark) or not low <= mark <= high else place(mark, low, high),
        "table": told,
        "held": code < len(states) and not isinstance(bar.held, str) and states[code] in bar.held,
    }


def _order(effect: Effect, code: int) -> float:
    """States of a number stay in their order; of any other variable the least value comes first."""
    value = float(effect.values[code])
    if effect.variable.has_order:
        return code
    return math.inf if math.isnan(value) else value


def visible_error(measure: Measure, value: float, error: float) -> str:
    """An error where it can change a digit that is shown of the value."""
    if math.isnan(error) or measure.shown(value - error) == measure.shown(value + error):
        return ""
    return f"± {measure.shown_error(error)}"


def place(value: float, low: float, high: float) -> float:
    if math.isnan(value):
        return 0.0
    return round(100 * min(max((value - low) / ((high - low) or 1.0), 0.0), 1.0), 3)


class Telling:
    """The bits that each variable is expected to gain, the most first."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.effects: Sequence[Effect] = ()
        self.listed = LongList(self._show, LISTED)
        with card("What would tell most about it"):
            note(
                "How many bits you can expect to learn from each column: how far it moves the target, and how often."
            )
            self.place = stack("depnet-tight")
            self.listed.more_button()

    def show(self, effects: Sequence[Effect]) -> None:
        self.effects = effects
        self._show()

    def _show(self) -> None:
        state, top = self.session.state, max((effect.bits for effect in self.effects), default=0.0)
        self.place.clear()
        with self.place, show_table(("Column", "Tells", "Bits"), numbers=(2,)) as table:
            for effect in self.listed.part(self.effects):
                name = effect.variable.name
                with table.row():
                    with table.cell():
                        ui.link(name, self.session.url("/rules", replace(state, variable=name, own={})))
                    table.bar(effect.bits / top if top else 0.0)
                    table.cell(describe_bits(effect))


def describe_bits(effect: Effect) -> str:
    """The bits of an effect, with their error if any; within two errors they could be zero."""
    if effect.bits_error and effect.bits < 2 * effect.bits_error:
        return f"< {max(effect.bits + 2 * effect.bits_error, 1e-4):.2g}"
    if effect.bits < 0.0005:
        return "0" if effect.bits < 1e-9 else "< 0.001"
    return f"{effect.bits:.3f}" + (f" ± {effect.bits_error:.3f}" if effect.bits_error >= 0.0005 else "")
