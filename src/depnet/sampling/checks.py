"""Checks of what users give: networks, whole numbers, threads, seconds."""

import operator
import os

from depnet.errors import ModelError, SamplingError, brief
from depnet.model.network import Network


def checked_network(network: object) -> Network:
    """`network` itself, if it is one."""
    if not isinstance(network, Network):
        raise ModelError(
            f"expected a depnet.Network; got {brief(network)}. depnet.learn makes one from a table."
        )
    return network


def whole_number(name: str, value: object, *, at_least: int) -> int:
    """`value` as an int of at least so much; anything else is an error that names the argument."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # what has no index is the error below
    except TypeError:
        number = at_least - 1
    if isinstance(value, bool) or number < at_least:
        raise SamplingError(f"{name} is a whole number of at least {at_least}; got {value!r}.")
    return number


def seconds_given(max_seconds: object) -> float | None:
    """A positive number of seconds, or None."""
    if max_seconds is None:
        return None
    if isinstance(max_seconds, bool) or not isinstance(max_seconds, (int, float)) or not max_seconds > 0:
        raise SamplingError(
            f"max_seconds is a positive number of seconds, or None; got {brief(max_seconds)}."
        )
    return float(max_seconds)


def jobs_of(n_jobs: int | None) -> int:
    """The number of threads: None is 1, -1 every core."""
    if n_jobs is None:
        return 1
    return cores() if n_jobs == -1 else whole_number("n_jobs", n_jobs, at_least=1)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
