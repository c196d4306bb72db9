"""A network for the native core, compiled once: passes, moves, chains and rows are functions of it."""

import weakref
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np

from depnet._native import network as native
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


def compile_network(network: Network) -> native.Network:
    """The network for the native core; a `DomainTooLargeError` where a source is a function of too many joint states."""
    cards = network.domain.cardinalities
    compiled = native.Network(np.array(cards, dtype=np.int32))
    for i in places_of(network):
        network.nodes[i].compile(compiled, cards)
    return compiled


compiled_of: Kept[native.Network] = Kept(compile_network)


def places_of(network: Network) -> Sequence[int]:
    """The variable of the node at each place of the compiled network: its order, or the numbers one after the other."""
    return range(len(network)) if network.order is None else network.order
