"""Native calls on contiguous parts of the rows, in threads: the kernels let go of Python's lock."""

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

Span = tuple[int, int]
"""(first, last): the rows first, ..., last - 1."""


def even_spans(rows: int, parts: int) -> list[Span]:
    """The rows in contiguous parts of about the same size.

    >>> even_spans(7, 2)
    [(0, 3), (3, 7)]
    """
    return list(itertools.pairwise(rows * k // parts for k in range(parts + 1)))


def in_threads(work: Callable[[int, int], None], spans: Sequence[Span], threads: int) -> None:
    """`work` on every span; an interrupt is heard at once, and spans not yet begun are let go."""
    if threads <= 1 or len(spans) <= 1:
        for span in spans:
            work(*span)
        return
    stopped = threading.Event()

    def unless_stopped(span: Span) -> None:
        if not stopped.is_set():
            work(*span)

    with ThreadPoolExecutor(threads) as pool:
        try:
            for future in [pool.submit(unless_stopped, span) for span in spans]:
                future.result()
        except BaseException:
            stopped.set()
            raise
