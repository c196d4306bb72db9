"""Checks of whole numbers given by users."""

import operator
import os

from depnet.errors import SamplingError


def whole_number(name: str, value: object, *, at_least: int) -> int:
    """`value` as an int of at least so much; anything else is an error that names the argument."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # what has no index is the error below
    except TypeError:
        number = at_least - 1
    if isinstance(value, bool) or number < at_least:
        raise SamplingError(f"{name} is a whole number of at least {at_least}; got {value!r}.")
    return number


def jobs_of(n_jobs: int | None) -> int:
    """The number of threads: None is 1, -1 every core."""
    if n_jobs is None:
        return 1
    return cores() if n_jobs == -1 else whole_number("n_jobs", n_jobs, at_least=1)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
