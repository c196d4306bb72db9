"""The one loop over nodes that are boosted: on this process's threads, or on workers elsewhere.

Boosting a node goes through all rows for each of its stages. So nodes of any but small tables are worth their way to workers
(`depnet.learning.node_workers`), whose results are the same: nothing is drawn but from seeds that belong to the node.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from depnet._native import boost as native
from depnet.learning.boost.kept import Arrays, CollectedStages, KeptStages
from depnet.learning.node_workers import NodeWorkers, node_workers
from depnet.threads import results_in_threads

SENT_CELLS = 20_000
"""Rows times columns from which on nodes are sent to workers, if these have more threads than there are here."""

Result = TypeVar("Result")
Given = TypeVar("Given", covariant=True)


class NodeWork(Protocol[Given]):
    """What is done with a node: a value that can be sent to another process."""

    @property
    def cells(self) -> int:
        """Rows times columns that it goes through."""

    def __call__(self, i: int, stop: native.Stop, kept: KeptStages | CollectedStages | None) -> Given:
        """Its result for node i; `kept` has what an earlier run has left behind, and is told of what is done."""


def in_turn(
    work: NodeWork[Result],
    nodes: Sequence[int],
    jobs: int,
    kept: KeptStages | None,
    told: Callable[[], object],
) -> list[Result]:
    """`work` on every node, `told` of after each; on some threads, and however this ends, none goes on."""
    workers = node_workers()
    if workers is not None and workers.threads > jobs and len(nodes) > 1 and work.cells >= SENT_CELLS:
        return _elsewhere(work, nodes, workers, kept, told)
    stop = native.Stop()
    return results_in_threads(lambda i: work(i, stop, kept), nodes, jobs, told=told, stop=stop.set)


@dataclass(frozen=True, slots=True, eq=False)
class _Sent(Generic[Result]):
    """Work as it goes to another process, with the stages that an earlier run has left behind."""

    work: NodeWork[Result]
    found: dict[str, Arrays] | None

    def __call__(self, i: int) -> tuple[Result, list[tuple[str, Arrays]]]:
        """The result for node i, and the stages that are to be kept."""
        kept = None if self.found is None else CollectedStages(self.found)
        result = self.work(i, native.Stop(), kept)
        return result, [] if kept is None else kept.collected


def _elsewhere(
    work: NodeWork[Result],
    nodes: Sequence[int],
    workers: NodeWorkers,
    kept: KeptStages | None,
    told: Callable[[], object],
) -> list[Result]:
    """`work` on every node, by workers; what is to be kept is kept here."""
    results: dict[int, Result] = {}
    sent = _Sent(work, None if kept is None else kept.found)
    for place, (result, stages) in workers.run(sent, nodes):
        for name, arrays in stages:
            if kept is not None:
                kept.put(name, arrays)
        results[place] = result
        told()
    return [results[place] for place in range(len(nodes))]
