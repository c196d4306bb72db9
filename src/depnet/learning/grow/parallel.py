"""Nodes shared out over threads, or over whatever joblib is configured for, several at a time.

To ask for a node costs Python and joblib some ten microseconds, more than to grow it in a small table, while one of
a large table takes seconds. So nodes are grown in batches of about as many as a twentieth of a second takes,
judged by those that are grown already: few calls on small tables, one node a call on large ones, and neither
progress nor Ctrl-C waits for long.

Where there are workers elsewhere (`depnet.learning.node_workers`), with more threads than here, the first half second is
spent here, and what is left then goes to them if that saves as much again; of very many rows with cuts all goes to them.
"""

import sys
import time
import warnings
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any

from depnet.learning.grow.native import Batch, Grower
from depnet.learning.node_workers import NodeWorkers, node_workers

SECONDS = 0.05
"""The wall time that a batch should take."""

MOST = 256
"""Nodes in a batch, at most."""

HERE_SECONDS = 0.5
"""CPU seconds for which nodes are grown here before any are sent elsewhere; they are not sent for less."""

SENT_BYTES = 40_000_000
"""About how many bytes of rows a second are sent to the workers and made ready there."""

MANY_CUTS = 100_000_000
"""Rows times columns, those of cuts among them, from which on nothing is grown here: to make the cuts takes longer."""

SHARES = 8
"""Shares of the nodes for each thread of the workers: the last ones to come are waited for, so they are small."""


def grown_batches(
    grower: Grower, numbers: Sequence[int], n_jobs: int | None, most: int = MOST
) -> Iterator[Batch]:
    """The nodes in batches of at most `most`, as soon as they are grown, in any order.

    However this ends, no thread goes on growing.
    """
    # Nodes of one penalty with the same to read can be in one batch. Of an ordered network those that read most come first.
    rank = {penalty: k for k, penalty in enumerate(dict.fromkeys(grower.penalties))}

    def key(i: int) -> tuple[int, bool, int, int]:
        spec = grower.specs[i]
        return rank[grower.penalties[i]], bool(spec.readable), -(spec.first or 0), i

    numbers = sorted(numbers, key=key)
    found: Iterable[list[Batch]] = ()
    workers = node_workers()
    try:
        if workers is not None and workers.threads > (here := _threads(n_jobs)):
            grown: set[int] = set()
            for batch in _grown_elsewhere(grower, numbers, workers, most, here):
                grown.update(batch.numbers)
                yield batch
            numbers = [number for number in numbers if number not in grown]
        # Without joblib there is no joblib.parallel_config that None could refer to.
        if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
            while numbers:
                for batch in grower(numbers[:most], SECONDS):
                    numbers = numbers[len(batch.numbers) :]
                    yield batch
            return
        from joblib import Parallel, delayed, effective_n_jobs

        try:
            parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator_unordered")
        except ValueError:  # a backend that gives all results at the end only
            parallel = Parallel(n_jobs=n_jobs, prefer="threads")
        shares = Shares(numbers, effective_n_jobs(n_jobs), most)
        sent = _sent(grower)
        found = parallel(delayed(_grown)(sent, share) for share in shares)
        for batches in found:
            for batch in batches:
                shares.took(batch)
                yield batch
    finally:
        grower.stop()
        _end(found)
        grower.close()


def _grown_elsewhere(
    grower: Grower, numbers: Sequence[int], workers: NodeWorkers, most: int, here: int
) -> Iterator[Batch]:
    """Nodes that are grown here for a while; and then all others by the workers, if that is worth it.

    Else they are left to the threads that there are `here`.
    """
    left = numbers
    if grower.cuts is None or grower.cells < MANY_CUTS:
        grower.ready()
        began = time.thread_time()  # the driver may share its cores
        while left and time.thread_time() - began < HERE_SECONDS:
            for batch in grower(left[:most], SECONDS):
                left = left[len(batch.numbers) :]
                yield batch
        took = time.thread_time() - began
        saved = took / max(len(numbers) - len(left), 1) * len(left) * (1 / here - 1 / workers.threads)
        if saved < HERE_SECONDS + grower.dataset.codes.nbytes / SENT_BYTES:
            return
    if not left:
        return
    size = max(1, min(most, len(left) // (SHARES * max(workers.threads, 1))))
    for _, batches in workers.run(grower, [left[at : at + size] for at in range(0, len(left), size)]):
        yield from batches


def _threads(n_jobs: int | None) -> int:
    """`n_jobs` as a number of threads, by joblib's rules."""
    if n_jobs == 1:
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def _end(found: Iterable[list[Batch]]) -> None:
    """End joblib's generator here, and not whenever it is collected; that it ends early is known to whoever ended it."""
    if isinstance(found, Generator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.close()


def _sent(grower: Grower) -> Any:
    """The grower as calls take it: with Ray a reference, which joblib's calls do not make of a large argument."""
    from joblib.parallel import get_active_backend

    if not type(get_active_backend()[0]).__module__.startswith("ray."):
        return grower
    import ray

    return ray.put(grower)


def _grown(sent: Any, share: Sequence[int]) -> list[Batch]:
    # The grower as an argument: Dask keeps a large argument at the worker, but sends a function with every call.
    if isinstance(sent, Grower):
        return sent(share)
    import ray

    grown: list[Batch] = ray.get(sent)(share)
    return grown


class Shares:
    """The nodes in shares of about `SECONDS`, by the time that earlier ones took; smaller towards the end."""

    def __init__(self, numbers: Sequence[int], workers: int, most: int) -> None:
        self._numbers, self._workers, self._most = numbers, max(1, workers), most
        self._nodes, self._seconds = 0, 0.0

    def took(self, batch: Batch) -> None:
        """These are done."""
        self._nodes += len(batch.numbers)
        self._seconds += batch.seconds

    def __iter__(self) -> Iterator[Sequence[int]]:
        begin = 0
        while begin < len(self._numbers):
            fast = int(SECONDS * self._nodes / self._seconds) if self._seconds else 1
            fair = (len(self._numbers) - begin) // (4 * self._workers)
            size = max(1, min(fast, fair, self._most))
            yield self._numbers[begin : begin + size]
            begin += size
