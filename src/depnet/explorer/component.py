"""Elements that a script of their own draws: what they show goes there as properties, what a reader does comes back."""

from collections.abc import Callable
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments


class Component(Element):
    """One of these elements, with its first properties."""

    def __init__(self, **properties: Any) -> None:
        super().__init__()
        self._props.update(properties)

    def put(self, **properties: Any) -> None:
        """Other properties; what has the focus keeps it."""
        self._props.update(properties)
        self.update()

    def tell(self, event: str, *kinds: type | tuple[type, ...], to: Callable[..., object]) -> None:
        """Call `to` with what an event says, if that is of these kinds: anything may come from a browser."""

        def heard(told: GenericEventArguments) -> None:
            said = told.args if isinstance(told.args, list) else [told.args]
            if len(said) == len(kinds) and all(map(isinstance, said, kinds)):
                to(*said)

        self.on(event, heard)
