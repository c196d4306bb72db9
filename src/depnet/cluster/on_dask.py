"""Rows on the workers of a Dask cluster.

A part is the result of a task that loads and encodes it, and stays where it was made. What is asked of it are tasks that go
to their part; their answers are added up in a tree of tasks. Dask makes a part that was lost with its worker again, by
the same task; it then knows nothing of the leaves, says so, and is told all operations anew.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any, TypeAlias

from depnet.cluster.columns import part_columns
from depnet.cluster.source import ParquetPart, TablePart, coded_part
from depnet.data.table.domain import Domain
from depnet.errors import LearningError
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.rows.workers import Answer

Client: TypeAlias = Any
"""A `distributed.Client`; so that nothing here needs Dask to be imported, or typed."""
Future: TypeAlias = Any

FAN_IN = 8
"""The number of answers that one task adds."""

INLINE_BYTES = 1 << 20
"""What is heavier is put on a worker once, and fetched by the others from there."""

LIVE = 64
"""Nodes that grow at once, each with 4 bytes for every row: as many as keep a round's counts worth their way."""

LOOK_SECONDS = 5.0
"""While an answer does not come, the cluster is looked at this often."""

WORKERLESS_SECONDS = 300.0
"""A cluster that has had no worker for this long is given up."""


class DaskWorkers:
    """The workers behind a `distributed.Client`: results are futures."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def call(self, function: Any, *columns: Sequence[Any]) -> list[Future]:
        """A task for each part: columns have a value for each, a future or what it is told."""
        return [self._client.submit(function, *each, pure=False) for each in zip(*columns, strict=True)]

    def gather(self, results: Sequence[Future]) -> list[Any]:
        """The results, brought here; an error where all workers are lost, and no others come."""
        from distributed import TimeoutError as NotYetError
        from distributed import wait

        lost_at = None
        while True:
            try:
                wait(results, timeout=LOOK_SECONDS)  # type: ignore[no-untyped-call]
            except NotYetError:
                if self._client.scheduler_info()["workers"]:
                    lost_at = None
                    continue
                lost_at = lost_at or time.monotonic()
                if time.monotonic() - lost_at < WORKERLESS_SECONDS:
                    continue
                raise LearningError(
                    f"the Dask cluster has had no workers for {WORKERLESS_SECONDS:.0f} seconds, and rows wait for them. "
                    "Start workers, and learn again; with `resume=...` the nodes that are done are kept."
                ) from None
            found: list[Any] = self._client.gather(results)
            return found

    def add(self, function: Callable[..., Answer], *columns: Sequence[Any]) -> Answer:
        """The sum of the answers of all parts."""
        answers = self.call(function, *columns)
        while len(answers) > 1:
            some = [answers[at : at + FAN_IN] for at in range(0, len(answers), FAN_IN)]
            answers = self.call(_added, some)
        (total,) = self.gather(answers)
        found: Answer = total
        return found

    def share(self, value: Any, size: int) -> Any:
        """The value, on a worker if it is heavy."""
        return self._client.scatter([value], hash=False)[0] if size > INLINE_BYTES else value


class DaskPlace:
    """The workers behind a `distributed.Client`, who load their parts themselves."""

    def __init__(self, client: Client) -> None:
        self._client, self.workers = client, DaskWorkers(client)

    @contextlib.contextmanager
    def columns(self, parts: Sequence[TablePart]) -> Iterator[list[Future]]:
        """The first pass: numbers are sorted on the workers, and let go of afterwards."""
        yield [self._run(part, part_columns) for part in parts]

    def load(
        self, parts: Sequence[TablePart], domain: Domain, specs: Sequence[NodeSpec], total: int
    ) -> list[Future]:
        """The second pass: each part is coded where it is loaded, and stays there."""
        return [self._run(part, coded_part, number, domain, specs) for number, part in enumerate(parts)]

    def live(self, total: int) -> int:
        """How many nodes may grow at once."""
        return LIVE

    def _run(self, part: TablePart, function: Any, *arguments: Any) -> Future:
        if isinstance(part, ParquetPart):
            return self._client.submit(_loaded, part, function, *arguments, pure=False)
        from dask.delayed import delayed

        return self._client.compute(
            delayed(_chosen, pure=False)(part.partition, part.columns, function, *arguments)
        )


def _added(answers: Sequence[Answer]) -> Answer:
    return reduce(Answer.plus, answers)


def _loaded(part: ParquetPart, function: Any, *arguments: Any) -> Any:
    return function(part.load(), *arguments)


def _chosen(frame: Any, columns: tuple[str, ...] | None, function: Any, *arguments: Any) -> Any:
    return function(frame if columns is None else frame[list(columns)], *arguments)
