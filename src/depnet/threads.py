"""Work in threads: the kernels let go of Python's lock."""

import itertools
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

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
    """What `work` gives for every item, `told` of after each.

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
