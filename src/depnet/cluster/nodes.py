"""Nodes over the workers of a Dask cluster: each holds all rows of a table, and learns some of its nodes.

What is called with a node goes to every worker once, with the rows in it; then a task a node, or a share of nodes. A worker
that is lost takes its running tasks with it, and Dask gives them to others. Where all that have the rows are lost, these are
sent again, and the nodes that are missing asked for anew.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from depnet.cluster.waiting import Client, Future, waited
from depnet.errors import LearningError

ATTEMPTS = 5
"""How often rows are sent again without a node coming back."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class DaskNodes:
    """The workers behind a `distributed.Client`, as `depnet.learning.node_workers` asks for them."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def threads(self) -> int:
        """How many calls run at once."""
        return int(sum(self._client.nthreads().values()))

    def run(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """`work(item)` of every item, with its place, as soon as it is there."""
        left = dict(enumerate(items))
        lost = 0
        while left:
            before = len(left)
            for place, result in self._once(work, left):
                del left[place]
                yield place, result
            lost = lost + 1 if len(left) == before else 0
            if lost == ATTEMPTS:
                raise LearningError(
                    f"the rows of a table were sent to the workers of the Dask cluster {ATTEMPTS} times, and lost with them "
                    "each time. Look at the workers' logs; with `resume=...` the nodes that are done are kept."
                )

    def _once(self, work: Callable[[Item], Result], items: dict[int, Item]) -> Iterator[tuple[int, Result]]:
        """The same, without those whose rows were lost."""
        from distributed import CancelledError, KilledWorker

        waited(self._client, [self._client.submit(int, pure=False)], "ALL_COMPLETED")  # there is a worker
        try:
            sent = self._client.scatter(work, broadcast=True, hash=False)
        except OSError:  # a worker was lost on the way
            return
        places: dict[Future, int] = {
            self._client.submit(_called, sent, item, pure=False): place for place, item in items.items()
        }
        try:
            while places:
                for future in waited(self._client, list(places), "FIRST_COMPLETED"):
                    place = places.pop(future)
                    try:
                        yield place, future.result()
                    except CancelledError:  # the rows that it needs are nowhere any more
                        continue
                    except KilledWorker as error:
                        raise LearningError(
                            f"workers of the Dask cluster died again and again while they learned a node ({error}): most "
                            "often of too little memory. Give them more, or learn from fewer rows or columns."
                        ) from None
        finally:
            self._client.cancel(list(places))


def _called(work: Any, item: Any) -> Any:
    return work(item)
