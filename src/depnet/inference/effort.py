"""How exactly a question is answered, and until when: checked once, and asked while an answer is being found."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from depnet.checks import cores, jobs_of, seconds_given
from depnet.errors import InferenceError, brief
from depnet.sampling.words import generator

SECONDS = 10.0
"""How long an estimator's query and the command sample one question where nothing else is said."""

RESOLUTION = 0.25
"""No error is reported below this share of the tolerance. A run is as long as the tolerance makes it, and what no draw has
met by then, or one for a moment, shows in no spread of the draws."""

Over = Callable[[], bool]
"""Asked several times a second: is it time to end?"""


def checked_tolerance(tolerance: float) -> float:
    """A standard error between 0 and 1."""
    if not (isinstance(tolerance, (int, float)) and 0 < tolerance < 1):
        raise InferenceError(f"tolerance is a standard error between 0 and 1; got {brief(tolerance)}.")
    return tolerance


def check_method(method: object, methods: tuple[str, ...]) -> None:
    """One of the methods by name."""
    if method not in methods:
        raise InferenceError(f"method is one of {', '.join(map(repr, methods))}; got {brief(method)}.")


def over_after(max_seconds: float | None, stop: Over | None = None) -> Over:
    """Over after some seconds from now, or when `stop` says so; never where neither is given."""
    ends = None if max_seconds is None else time.monotonic() + max_seconds

    def over() -> bool:
        return (ends is not None and time.monotonic() >= ends) or (stop is not None and stop())

    return over


@dataclass(frozen=True, slots=True, eq=False)
class Effort:
    """What many rows are answered with: a tolerance, a time to end at, randomness and threads."""

    tolerance: float
    over: Over
    rng: np.random.Generator
    threads: int
    started: float

    @classmethod
    def of(
        cls,
        tolerance: float,
        max_seconds: float | None,
        rng: np.random.Generator | None,
        n_jobs: int | None,
    ) -> "Effort":
        """As users give it: no seconds mean no end, no generator fresh entropy, no number of jobs every core."""
        started = time.monotonic()
        over = over_after(seconds_given(max_seconds))
        threads = cores() if n_jobs is None else jobs_of(n_jobs)
        return cls(checked_tolerance(tolerance), over, generator(rng), threads, started)
