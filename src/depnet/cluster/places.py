"""Who goes through the chunks of a table: the workers of a Dask cluster, or this process.

A place does two things. In the first pass it summarises every chunk, keeps the summaries where they were made, and asks
them (`summaries`, `ask`). Later it calls a function with every chunk, and brings the results here in the order of the
chunks (`each`). All that Dask runs is made from files and arguments alone: what is lost with a worker, Dask makes again.
"""

import contextlib
import importlib
import os
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from depnet.cluster.columns import summarise
from depnet.cluster.source import Chunk
from depnet.data.binning.ranked import RankedArray
from depnet.data.table.variables import Summary
from depnet.errors import LearningError
from depnet.files import scratch_folder

Client: TypeAlias = Any
"""A `distributed.Client`; so that nothing here needs Dask to be imported, or typed."""
Future: TypeAlias = Any

CHUNKS_AT_ONCE = 4
"""Chunks that are asked for at once, for each thread of the workers: results that wait take their memory."""

LOOK_SECONDS = 5.0
"""While an answer does not come, the cluster is looked at this often."""

WORKERLESS_SECONDS = 300.0
"""A cluster that has had no worker for this long is given up."""


class Place(Protocol):
    threads: int
    """How many chunks are read at once."""

    def summaries(self, chunks: Sequence[Chunk], *, once: bool) -> contextlib.AbstractContextManager[Any]:
        """The columns of every chunk, to be asked; with `once` the frames are kept until `each` has coded them."""

    def ask(self, held: Sequence[Any], function: Any, *arguments: Any) -> list[Any]:
        """`function(summaries, *arguments)` of every chunk."""

    def each(self, chunks: Sequence[Chunk], function: Any, *arguments: Any) -> Iterator[Any]:
        """`function(frame, number of the chunk, *arguments)` of every chunk, in their order."""


class DaskPlace:
    """The workers behind a `distributed.Client`."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._frames: dict[Chunk, Future] = {}
        self.threads = max(int(sum(client.nthreads().values())), 1)

    @contextlib.contextmanager
    def summaries(self, chunks: Sequence[Chunk], *, once: bool) -> Iterator[list[Future]]:
        if once:
            self._frames = {chunk: self._client.compute(chunk.delayed()) for chunk in chunks}
        yield [self._submit(chunk, summarise) for chunk in chunks]

    def ask(self, held: Sequence[Future], function: Any, *arguments: Any) -> list[Any]:
        return self._gather([self._client.submit(function, each, *arguments, pure=False) for each in held])

    def each(self, chunks: Sequence[Chunk], function: Any, *arguments: Any) -> Iterator[Any]:
        # The arguments are sent to a worker once, not with every chunk.
        shared = self._client.submit(_same, arguments, pure=False)
        waiting: deque[Future] = deque()
        for number, chunk in enumerate(chunks):
            waiting.append(self._submit(chunk, _called, function, number, shared))
            self._frames.pop(chunk, None)  # what was read goes when it is coded
            if len(waiting) >= CHUNKS_AT_ONCE * self.threads:
                yield self._gather([waiting.popleft()])[0]
        while waiting:
            yield self._gather([waiting.popleft()])[0]

    def _submit(self, chunk: Chunk, function: Any, *arguments: Any) -> Future:
        from dask.delayed import delayed

        frame = self._frames.get(chunk)
        if frame is not None:
            return self._client.submit(function, frame, *arguments, pure=False)
        return self._client.compute(delayed(function, pure=False)(chunk.delayed(), *arguments))

    def _gather(self, results: Sequence[Future]) -> list[Any]:
        from distributed import KilledWorker

        self._wait(results)
        try:
            found: list[Any] = self._client.gather(results)
        except KilledWorker as error:
            raise LearningError(
                f"workers of the Dask cluster died again and again with a chunk of the rows ({error}): most often of too "
                "little memory. Give them more, or write files of smaller row groups."
            ) from None
        return found

    def _wait(self, results: Sequence[Future]) -> None:
        """Wait until all are done; an error where no workers are left, and no others come."""
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
                    "Start workers, and learn again."
                ) from None
            return


def _same(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return arguments


def _called(frame: Any, function: Any, number: int, arguments: tuple[Any, ...]) -> Any:
    return function(frame, number, *arguments)


class LocalPlace:
    """Reads a chunk after the other in this process; sorted columns lie in files under `scratch` meanwhile."""

    threads = 1

    def __init__(self, scratch: str | os.PathLike[str] | None = None) -> None:
        self._scratch = scratch

    @contextlib.contextmanager
    def summaries(self, chunks: Sequence[Chunk], *, once: bool) -> Iterator[list[tuple[Summary, ...]]]:
        with scratch_folder(self._scratch) as directory:
            yield [
                tuple(_on_disk(column, directory) for column in summarise(chunk.load())) for chunk in chunks
            ]

    def ask(self, held: Sequence[Any], function: Any, *arguments: Any) -> list[Any]:
        return [function(each, *arguments) for each in held]

    def each(self, chunks: Sequence[Chunk], function: Any, *arguments: Any) -> Iterator[Any]:
        return (function(chunk.load(), number, *arguments) for number, chunk in enumerate(chunks))


def _on_disk(column: Summary, directory: Path) -> Summary:
    """The column with its sorted numbers in a file that is read as it is needed."""
    if not isinstance(column.numbers, RankedArray) or not len(column.numbers.ordered):
        return column
    with tempfile.NamedTemporaryFile(suffix=".npy", dir=directory, delete=False) as file:
        np.save(file, column.numbers.ordered)
    return replace(column, numbers=RankedArray(np.load(file.name, mmap_mode="r")))


def free_memory() -> int:
    """The bytes that are free on this machine."""
    try:
        psutil: Any = importlib.import_module("psutil")  # comes with Dask
    except ImportError:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return int(psutil.virtual_memory().available)
