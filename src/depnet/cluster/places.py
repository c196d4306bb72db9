"""Where the chunks of a table are worked on: by the workers of a Dask cluster, or in this process.

A place calls a function with every chunk, and brings the results here in the order of the chunks. All that Dask runs is made
from files and arguments alone: what is lost with a worker, Dask makes again.
"""

import importlib
import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from depnet.cluster.source import Chunk
from depnet.errors import LearningError

Client: TypeAlias = Any
"""A `distributed.Client`; so that nothing here needs Dask to be imported, or typed."""
Future: TypeAlias = Any

CHUNKS_AT_ONCE = 4
"""Chunks that are asked for at once, for each thread of the workers: results that wait take their memory."""

LOOK_SECONDS = 5.0
"""While an answer does not come, the cluster is looked at this often."""

WORKERLESS_SECONDS = 300.0
"""A cluster that has had no worker for this long is given up."""


class LocalPlace:
    """Reads a chunk after the other in this process."""

    threads = 1
    """How many chunks are read at once."""

    def each(
        self, chunks: Sequence[Chunk], function: Any, *arguments: Any, keep: bool = False
    ) -> Iterator[Any]:
        """`function(frame, number of the chunk, *arguments)` of every chunk, in their order.

        With `keep` workers hold the frames until they are asked for them once more.
        """
        return (function(chunk.load(), number, *arguments) for number, chunk in enumerate(chunks))


class DaskPlace(LocalPlace):
    """The workers behind a `distributed.Client`."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._frames: dict[Chunk, Future] = {}
        self.threads = max(int(sum(client.nthreads().values())), 1)

    def each(
        self, chunks: Sequence[Chunk], function: Any, *arguments: Any, keep: bool = False
    ) -> Iterator[Any]:
        if keep:
            self._frames = {chunk: self._client.compute(chunk.delay()) for chunk in chunks}
        # The arguments are sent to a worker once, not with every chunk.
        shared = self._client.submit(_same, arguments, pure=False)
        waiting: deque[Future] = deque()
        for number, chunk in enumerate(chunks):
            waiting.append(self._submit(chunk, _call, function, number, shared))
            if not keep:
                self._frames.pop(chunk, None)  # what was read goes when it is coded
            if len(waiting) >= CHUNKS_AT_ONCE * self.threads:
                yield self._result(waiting.popleft())
        while waiting:
            yield self._result(waiting.popleft())

    def _submit(self, chunk: Chunk, function: Any, *arguments: Any) -> Future:
        from dask.delayed import delayed

        frame = self._frames.get(chunk)
        if frame is not None:
            return self._client.submit(function, frame, *arguments, pure=False)
        return self._client.compute(delayed(function, pure=False)(chunk.delay(), *arguments))

    def _result(self, waiting: Future) -> Any:
        """An answer when it is there; an error where no workers are left, and no others come."""
        from distributed import KilledWorker, wait
        from distributed import TimeoutError as NotYetError

        lost_at = None
        while True:
            try:
                wait([waiting], timeout=LOOK_SECONDS)  # type: ignore[no-untyped-call]
                return waiting.result()
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
            except KilledWorker as error:
                raise LearningError(
                    f"workers of the Dask cluster died again and again with a chunk of the rows ({error}): most often of "
                    "too little memory. Give them more, or write files of smaller row groups."
                ) from None


def _same(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return arguments


def _call(frame: Any, function: Any, number: int, arguments: tuple[Any, ...]) -> Any:
    return function(frame, number, *arguments)


def free_memory() -> int:
    try:
        psutil: Any = importlib.import_module("psutil")  # comes with Dask
    except ImportError:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return int(psutil.virtual_memory().available)
