"""What was computed of a network, kept as long as the network is, and not a moment longer."""

import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

from depnet.model.network import Network

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """A function of networks that computes its value once for each.

    Networks are values that hold arrays and have no quick hash, so the object itself is the key; the value must not
    hold on to the network.
    """

    def __init__(self, make: Callable[[Network], Value]) -> None:
        self._make = make
        self._values: dict[int, tuple[weakref.ref[Network], Value]] = {}

    def __call__(self, network: Network) -> Value:
        """The value, computed now or before."""
        key = id(network)
        found = self._values.get(key)
        if found is not None and found[0]() is network:
            return found[1]
        value = self._make(network)
        self._values[key] = (weakref.ref(network, lambda _: self._values.pop(key, None)), value)
        return value
