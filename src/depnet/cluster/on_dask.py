"""Rows on the workers of a Dask cluster.

A part is the result of a task that loads and encodes it, and stays where it was made. What is asked of it are tasks that go
to their part; their answers are added up in a tree of tasks. Dask makes a part that was lost with its worker again, by
the same task; it then knows nothing of the leaves, says so, and is told all operations anew.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

from depnet.cluster.columns import part_columns
from depnet.cluster.forecast import room_of
from depnet.cluster.gather import CodedPart, coded_rows
from depnet.cluster.nodes import DaskNodes
from depnet.cluster.source import Coding, ParquetPart, TablePart, coded_part
from depnet.cluster.waiting import Client, Future, waited
from depnet.data.table.domain import Domain
from depnet.learning.rows.workers import Answer

FAN_IN = 8
"""The number of answers that one task adds."""

INLINE_BYTES = 1 << 20
"""What is heavier is put on a worker once, and fetched by the others from there."""

LIVE = 64
"""Nodes that grow at once, each with 4 bytes for every row: as many as keep a round's counts worth their way."""


class DaskWorkers:
    """The workers behind a `distributed.Client`: results are futures."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def call(self, function: Any, *columns: Sequence[Any]) -> list[Future]:
        """A task for each part: columns have a value for each, a future or what it is told."""
        return [self._client.submit(function, *each, pure=False) for each in zip(*columns, strict=True)]

    def gather(self, results: Sequence[Future]) -> list[Any]:
        """The results, brought here; an error where all workers are lost, and no others come."""
        waited(self._client, results, "ALL_COMPLETED")
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
        self._frames: dict[ParquetPart, Future] = {}

    @property
    def threads(self) -> int:
        """How many parts are read at once."""
        return max(int(sum(self._client.nthreads().values())), 1)

    def room(self) -> int:
        """The bytes that a table may take in one place, here and on every worker."""
        return room_of(self._client)

    def nodes(self) -> DaskNodes:
        """The workers, for nodes of a table that is in one place."""
        return DaskNodes(self._client)

    @contextlib.contextmanager
    def columns(self, parts: Sequence[TablePart], *, once: bool) -> Iterator[list[Future]]:
        """The first pass: numbers are sorted on the workers, and let go of afterwards.

        With `once` files are read once: what was read stays with its worker until it is coded.
        """
        if once:
            files = (part for part in parts if isinstance(part, ParquetPart))
            self._frames = {part: self._client.submit(ParquetPart.load, part, pure=False) for part in files}
        yield [self._run(part, part_columns) for part in parts]

    def load(self, parts: Sequence[TablePart], coding: Coding, total: int) -> list[Future]:
        """The second pass: each part is coded where it is loaded, and stays there."""
        return [self._run(part, coded_part, number, coding) for number, part in enumerate(parts)]

    def coded(self, parts: Sequence[TablePart], domain: Domain) -> Iterator[CodedPart]:
        """The second pass, for rows that are brought here: each part is coded where it is loaded."""
        waiting = [self._run(part, coded_rows, domain) for part in parts]
        for number in range(len(waiting)):
            (found,) = self.workers.gather([waiting[number]])
            waiting[number] = None  # its worker may let go of it, and of what was read
            if isinstance(part := parts[number], ParquetPart):
                self._frames.pop(part, None)
            yield found

    def live(self, total: int) -> int:
        """How many nodes may grow at once."""
        return LIVE

    def _run(self, part: TablePart, function: Any, *arguments: Any) -> Future:
        if isinstance(part, ParquetPart) and part in self._frames:
            return self._client.submit(function, self._frames[part], *arguments, pure=False)
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
