"""Nodes shared out over threads, several at a time.

To ask for a node costs Python some ten microseconds, more than to grow it in a small table, while one of a large table takes
seconds. So nodes are grown in batches of about as many as a twentieth of a second takes, judged by those that are grown
already: few calls on small tables, one node a call on large ones, and neither progress nor Ctrl-C waits for long.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice

from depnet.learning.grow.native import Batch, Grower

SECONDS = 0.05
"""The wall time that a batch should take."""

MOST = 256
"""Nodes in a batch, at most."""


def grown_batches(grower: Grower, numbers: Sequence[int], threads: int) -> Iterator[Batch]:
    """The nodes in batches, as soon as they are grown, in any order. All threads end with this iterator."""
    # Nodes of one penalty with the same to read can be in one batch. Of an ordered network those that read most come first.
    rank = {penalty: k for k, penalty in enumerate(dict.fromkeys(grower.penalties))}

    def key(i: int) -> tuple[int, bool, int, int]:
        spec = grower.specs[i]
        return rank[grower.penalties[i]], bool(spec.readable), -(spec.first or 0), i

    numbers = sorted(numbers, key=key)
    if threads == 1:
        while numbers:
            for batch in grower(numbers[:MOST], SECONDS):
                numbers = numbers[len(batch.numbers) :]
                yield batch
        return
    pool = ThreadPoolExecutor(threads)
    shares = Shares(numbers, threads)
    waiting = iter(shares)
    try:
        running = {pool.submit(grower, share) for share in islice(waiting, 2 * threads)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                for batch in future.result():
                    shares.took(batch)
                    yield batch
                running.update(pool.submit(grower, share) for share in islice(waiting, 1))
    finally:
        grower.stop()
        pool.shutdown(cancel_futures=True)


class Shares:
    """The nodes in shares of about `SECONDS`, by the time that earlier ones took; smaller towards the end."""

    def __init__(self, numbers: Sequence[int], threads: int) -> None:
        self._numbers, self._threads = numbers, threads
        self._nodes, self._seconds = 0, 0.0

    def took(self, batch: Batch) -> None:
        """These are done."""
        self._nodes += len(batch.numbers)
        self._seconds += batch.seconds

    def __iter__(self) -> Iterator[Sequence[int]]:
        begin = 0
        while begin < len(self._numbers):
            fast = int(SECONDS * self._nodes / self._seconds) if self._seconds else 1
            fair = (len(self._numbers) - begin) // (4 * self._threads)
            size = max(1, min(fast, fair, MOST))
            yield self._numbers[begin : begin + size]
            begin += size
