"""The cards of all marginals, as one element of the page: labels and priors are sent once, then only what changes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from depnet.explorer.component import Component

MEASURE = "total variation between prior and posterior: the largest change in the probability of any event"

EVENTS: Mapping[str, tuple[type, ...]] = {
    "clamp": (str, int),
    "toggle": (str, int),
    "range": (str, int, int),
    "condition": (str, str),
    "expand": (str,),
    "pin": (str,),
    "target": (str,),
}
"""What a reader does on a card: the variable's name, and what else is said."""


class Marginals(Component, component="marginals.js"):
    """Cards in an order; what a reader does is told to the function of its name (`EVENTS`)."""

    def __init__(self, **told: Callable[..., None]) -> None:
        super().__init__(
            cards=[], pinned=[], target=None, chosen=None, several=False, parts=False, measure=MEASURE
        )
        for name, kinds in EVENTS.items():
            self.tell(name, *kinds, to=told[name])

    def show(self, **props: Any) -> bool:
        """Other cards, or another way to show them; whether anything is other than before: else nothing is sent."""
        changed = {name: value for name, value in props.items() if self._props[name] != value}
        if changed:
            self.put(**changed)
        return bool(changed)

    def known(
        self, held: Mapping[str, dict[str, Any]], links: Mapping[str, str], *, evidence: bool, asking: bool
    ) -> None:
        """What is known, on the cards that are shown, at once; answers come after it. `links` lead to other views."""
        said = {"held": list(held.items()), "links": links, "evidence": evidence, "asking": asking}
        self.run_method("know", said)

    def answer(
        self, numbers: Mapping[str, dict[str, Any]], method: str, *, serial: int, evidence: bool
    ) -> None:
        """The numbers of the cards that are shown; what has none of them is not known. `serial` counts answers."""
        said = {"numbers": list(numbers.items()), "method": method, "serial": serial, "evidence": evidence}
        self.run_method("answered", said)

    def problem(self, name: str, text: str) -> None:
        """What was wrong with a condition that was written on a card; an empty text: nothing."""
        self.run_method("wrong", [name, text])

    @property
    def names(self) -> Sequence[str]:
        """Of the cards that are shown."""
        return [card["name"] for card in self._props["cards"]]
