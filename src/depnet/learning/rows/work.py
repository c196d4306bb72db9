"""What learning may take: threads, time, leaves; and who hears of its progress."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from depnet.checks import is_whole, seconds_given, whole_number
from depnet.errors import LearningError
from depnet.threads import threads_of

Progress: TypeAlias = Callable[[int, int], object]
"""Called as progress(nodes done, all nodes)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a node's information source may be grown.

    A split is admissible if it leaves at most `max_leaves` leaves (the empty ones count) and if each of
    its new leaves has either no rows at all or at least `min_leaf_rows`. Merges are always admissible.
    """

    max_leaves: int | None = None
    min_leaf_rows: int = 0

    def __post_init__(self) -> None:
        if self.max_leaves is not None:
            whole_number("max_leaves", self.max_leaves, at_least=1, error=LearningError)
        whole_number("min_leaf_rows", self.min_leaf_rows, at_least=0, error=LearningError)


@dataclass(frozen=True, slots=True)
class Work:
    """Threads, a time to end by, and a callback: passed beside the options, from the door to the native core.

    >>> Work.of(max_seconds=10.0).share(0.5).seconds <= 5.0, Work().seconds
    (True, None)
    """

    threads: int = 1
    ends: float = math.inf
    """Of `time.monotonic`."""
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
        seconds = seconds_given(max_seconds, zero=True, error=LearningError)
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

    def silent(self) -> "Work":
        return replace(self, progress=None)

    def stage(self, nodes: int, before: int, stages: int) -> "Work":
        """One of many stages that together count to the number of nodes, `before` of which are done."""
        progress = self.progress
        if progress is None:
            return self
        return replace(self, progress=lambda done, total: progress((before * nodes + done) // stages, nodes))
