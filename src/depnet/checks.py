"""Checks of arguments, each written once: whole numbers, seconds, threads; and the seed where none is given.

A check returns the value in its plain type, or raises an error that names the argument, of the class that its caller gives.
"""

import math
import operator
import os
from typing import TypeGuard

import numpy as np

from depnet.errors import DepnetError, SamplingError, brief

STEADY_SEED = 0
"""Of what nobody asked to be drawn (holes of a fit, estimated answers): a model is a function of its table, an answer of
its model and question."""


def is_whole(value: object) -> TypeGuard[int]:
    """Is it an integer of Python or numpy? A boolean is not, nor is a float with nothing after the point.

    >>> is_whole(3), is_whole(np.int8(3)), is_whole(3.0), is_whole(True)
    (True, True, False, False)
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole_number(name: str, value: object, *, at_least: int, error: type[DepnetError] = SamplingError) -> int:
    """`value` as an int that is not less than `at_least`; anything else is an error that names the argument.

    >>> whole_number("chains", np.int8(3), at_least=1)
    3
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # what has no index is the error below
    except TypeError:
        number = at_least - 1
    if isinstance(value, bool) or number < at_least:
        raise error(f"{name} is a whole number of at least {at_least}; got {brief(value)}.")
    return number


def seconds_given(
    max_seconds: object, *, zero: bool = False, error: type[DepnetError] = SamplingError
) -> float | None:
    """A positive number of seconds, or with `zero` 0 too; None, or infinity, where there is no limit."""
    if max_seconds is None:
        return None
    if isinstance(max_seconds, (int, float)) and not isinstance(max_seconds, bool):
        seconds = float(max_seconds)
        if seconds > 0 or (zero and seconds == 0):
            return None if math.isinf(seconds) else seconds
    expected = "a number of seconds of at least 0" if zero else "a positive number of seconds"
    raise error(f"max_seconds is {expected}, or None; got {brief(max_seconds)}.")


def jobs_of(n_jobs: int | None) -> int:
    """The number of threads: None is 1, -1 every core."""
    if n_jobs is None:
        return 1
    return cores() if n_jobs == -1 else whole_number("n_jobs", n_jobs, at_least=1)


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
