"""Workers elsewhere that share out the nodes, while somebody has them ready: `depnet.cluster` has those of Dask.

Nodes are learned one by one (Eq. cost), so any of them may be learned anywhere that has the rows. What is called with a node
goes to each worker once, with its rows, and nodes follow by their numbers. To send rows takes longer than to learn small
nodes, so the loops over nodes send those that are worth it, and learn all others here.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class NodeWorkers(Protocol):
    """Processes elsewhere that can be asked for nodes."""

    @property
    def threads(self) -> int:
        """How many calls run at once."""

    def run(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """`work(item)` of every item, with the item's place, as soon as it is there; in any order."""


_ready: ContextVar[NodeWorkers | None] = ContextVar("node_workers", default=None)


@contextlib.contextmanager
def nodes_on(workers: NodeWorkers | None) -> Iterator[None]:
    """While this lasts, nodes that are worth it are learned on these workers; None: all are learned here."""
    token = _ready.set(workers)
    try:
        yield
    finally:
        _ready.reset(token)


def node_workers() -> NodeWorkers | None:
    """The workers that are ready, if any are."""
    return _ready.get()
