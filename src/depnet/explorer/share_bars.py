"""Distributions as bars from end to end, one below the other, as one element of the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from depnet.explorer.component import Component
from depnet.pictures import colours
from depnet.pictures.labels import short
from depnet.pictures.node.decision import legend, named_states

WRITTEN = 0.12
"""A share that is so large has its number in the bar."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A distribution, and what it is of: a name, a text after it, a note at the end of the line."""

    id: int
    name: str
    probabilities: Sequence[float]
    text: str = ""
    note: str = ""
    look: str = ""
    """`path` is lit, `out` is pale."""


class ShareBars(Component, component="share_bars.js"):
    """`chose(id)` is called when a bar is clicked; None: they are only shown."""

    def __init__(
        self,
        bars: Sequence[Bar],
        states: Sequence[str],
        colour: dict[int, str],
        chose: Callable[[int], None] | None = None,
        *,
        chosen: int = -1,
    ) -> None:
        super().__init__(choosable=chose is not None)
        self.show(bars, states, colour, chosen)
        if chose is not None:
            self.tell("choose", int, to=chose)

    def show(
        self, bars: Sequence[Bar], states: Sequence[str], colour: dict[int, str], chosen: int = -1
    ) -> None:
        """These bars, one of them marked; -1: none."""
        key = [{"text": short(state, 30), "colour": shade} for state, shade in legend(states, colour)]
        self.put(legend=key, rows=[_row(bar, states, colour) for bar in bars], chosen=chosen)


def _row(bar: Bar, states: Sequence[str], colour: dict[int, str]) -> dict[str, Any]:
    parts = [(states[s], shade, bar.probabilities[s]) for s, shade in colour.items()]
    rest = 1 - sum(share for _, _, share in parts)
    if len(colour) < len(states):
        parts.append(("other states", colours.REST, rest))
    named, _ = named_states(tuple(bar.probabilities), 6)
    return {
        "id": bar.id,
        "name": bar.name,
        "text": bar.text,
        "note": bar.note,
        "look": bar.look,
        "said": ", ".join(f"{short(states[s], 40)} {bar.probabilities[s]:.3f}" for s in named),
        "bars": [
            {
                "width": f"{100 * share:.2f}%",
                "colour": shade,
                "ink": colours.readable_on(shade),
                "title": f"{short(state, 60)}: {share:.4f}",
                "text": f"{share:.2f}" if share >= WRITTEN else "",
            }
            for state, shade, share in parts
            if share > 1e-6
        ],
    }
