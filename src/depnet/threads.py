"""Work in threads, within a time: the kernels let go of Python's lock."""

import itertools
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from depnet.errors import LearningError, checked_seconds, is_whole, whole_number

Span = tuple[int, int]
"""(first, last): the rows first, ..., last - 1."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def threads_of(n_jobs: int | None) -> int:
    """`n_jobs` as a number of threads, by joblib's rules."""
    # To import joblib takes longer than to learn from a small table; without it there is no joblib.parallel_config.
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def one_thread(api: Literal["blas", "openmp"]) -> AbstractContextManager[Any]:
    """While it lasts, a library's own threads do nothing: on small matrices or steps they wait for each other, at work."""
    from threadpoolctl import threadpool_limits  # scikit-learn's

    limits: AbstractContextManager[Any] = threadpool_limits(1, user_api=api)
    return limits


def jobs_of(n_jobs: int | None) -> int:
    """The number of threads: None is 1, -1 every core."""
    if n_jobs is None:
        return 1
    return cores() if n_jobs == -1 else whole_number("n_jobs", n_jobs, at_least=1)


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


Progress: TypeAlias = Callable[[int, int], object]
"""Called as progress(nodes done, all nodes)."""

TAKEN_AWAY = "\x1b[A\x1b[K"
"""Back to the line of a bar, which is then empty."""


class Tell(Protocol):
    """Takes how much is done, out of how much, and the current stage where that changes."""

    def __call__(self, done: int, total: int, now: str | None = None, /) -> None:
        """Draw it."""


@contextmanager
def show_progress(what: str, wanted: Progress | bool | None, *, tqdm: bool = True) -> Iterator[Any]:
    """A callback for work that tells how far it is: with True one that draws a bar on standard error, or one's own.

    The bar is tqdm's where that is installed, and else, as in the command, a line that is taken away at the end; where
    standard error is no terminal, the line is written once.
    """
    if wanted is not True:
        yield wanted or None
        return
    if tqdm and find_spec("tqdm") is not None:
        with import_module("tqdm.auto").tqdm(desc=what, total=1) as bar:

            def advance(done: int, total: int, now: str | None = None, /) -> None:
                bar.total = total
                bar.update(done - bar.n)

            yield advance
        return
    import click

    try:
        with click.progressbar(length=1, label=what, show_pos=True, width=0, file=sys.stderr) as drawn:

            def tell(done: int, total: int, now: str | None = None, /) -> None:
                drawn.length, drawn.label = total, drawn.label if now is None else now
                drawn.update(done - drawn.pos)

            yield tell
    finally:
        if sys.stderr.isatty():
            sys.stderr.write(TAKEN_AWAY)


@dataclass(frozen=True, slots=True)
class Work:
    """Threads, a time to end by, and a callback: passed beside the options, from the door to the native core.

    >>> Work.of(max_seconds=10.0).share(0.5).seconds <= 5.0, Work().seconds
    (True, None)
    """

    threads: int = 1
    ends: float = math.inf
    """A time of `time.monotonic`."""
    progress: Progress | None = None
    """Called as progress(nodes done, all nodes)."""

    @classmethod
    def of(
        cls, n_jobs: int | None = 1, max_seconds: float | None = None, progress: Progress | None = None
    ) -> "Work":
        """From the arguments of `depnet.learn`; negative `n_jobs` are counted from all cores, as by joblib."""
        if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
            raise LearningError(
                f"n_jobs is a number of threads (1, 2, ...), -1 for all cores, or None; got {n_jobs!r}."
            )
        seconds = checked_seconds(max_seconds, zero=True, error=LearningError)
        ends = math.inf if seconds is None else time.monotonic() + seconds
        return cls(threads_of(n_jobs), ends, progress)

    @property
    def seconds(self) -> float | None:
        """What is left of the time; None: there is no limit."""
        return None if math.isinf(self.ends) else max(self.ends - time.monotonic(), 0.0)

    @property
    def over(self) -> bool:
        return self.seconds == 0.0

    def share(self, share: float) -> "Work":
        """The same within a share of the time that is left."""
        left = self.seconds
        return self if left is None else replace(self, ends=time.monotonic() + share * left)

    def tell(self, done: int, total: int) -> None:
        """Report how many are done, and of how many."""
        if self.progress is not None:
            self.progress(done, total)

    def silent(self) -> "Work":
        return replace(self, progress=None)

    def stage(self, nodes: int, before: int, stages: int) -> "Work":
        """One of many stages that together count to the number of nodes, `before` of which are done."""
        progress = self.progress
        if progress is None:
            return self

        def tell(done: int, total: int) -> None:
            progress(nodes * (before * total + done) // (stages * total), nodes)

        return replace(self, progress=tell)


def even_spans(rows: int, parts: int) -> list[Span]:
    """The rows in contiguous parts of about the same size.

    >>> even_spans(7, 2)
    [(0, 3), (3, 7)]
    """
    return list(itertools.pairwise(rows * k // parts for k in range(parts + 1)))


def in_threads(work: Callable[[int, int], None], spans: Sequence[Span], threads: int) -> None:
    """`work` on every span; an interrupt is heard at once, and spans not yet begun are let go."""
    results_in_threads(lambda span: work(*span), spans, threads)


def results_in_threads(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    threads: int,
    *,
    told: Callable[[], object] | None = None,
    stop: Callable[[], object] | None = None,
) -> list[Result]:
    """What `work` gives for every item; `told` is called after each.

    Should one fail, or an interrupt come, `stop` is called, items not yet begun are let go, and none goes on.
    """
    found: list[Result] = []

    def take(result: Result) -> None:
        found.append(result)
        if told is not None:
            told()

    if threads <= 1 or len(items) <= 1:
        for item in items:
            take(work(item))
        return found
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            for future in futures:
                take(future.result())
        except BaseException:
            if stop is not None:
                stop()
            for future in futures:
                future.cancel()
            raise
    return found
