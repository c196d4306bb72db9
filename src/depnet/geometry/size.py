"""The guard in front of everything dense: a tensor over the joint domain grows exponentially in n."""

import math
from collections.abc import Sequence

import numpy as np

from depnet.errors import DomainTooLargeError, how_many

LIMIT_BYTES = 4 << 30
"""What one dense computation may take, unless the caller says otherwise: 4 GiB."""

MAX_AXES = 64 if int(np.__version__.split(".")[0]) >= 2 else 32
"""numpy has no more axes than this."""

WAY_OUT = (
    'Sample instead (depnet.sample, the method "sample"), ask for a few targets only (depnet.query keeps the nodes they '
    "need), or clamp variables with evidence."
)


def check_dense(
    cardinalities: Sequence[int],
    *,
    bytes_per_state: int,
    what: str,
    limit_bytes: int = LIMIT_BYTES,
    way_out: str = WAY_OUT,
) -> None:
    """Raise a `DomainTooLargeError` where `what` would take more than `limit_bytes`.

    The error says the number of joint states, the memory and the way out. Exact for any number of
    variables: nothing is allocated to find out.

    >>> check_dense([2] * 20, bytes_per_state=8, what="the empirical distribution")
    >>> check_dense([2] * 40, bytes_per_state=8, what="the empirical distribution")
    Traceback (most recent call last):
        ...
    depnet.errors.DomainTooLargeError: the empirical distribution over 40 variables has 1,099,511,627,776 joint states and \
needs 8 TiB, more than the limit of 4 GiB. Sample instead (depnet.sample, the method "sample"), ask for a few targets only \
(depnet.query keeps the nodes they need), or clamp variables with evidence.
    """
    states = math.prod(int(k) for k in cardinalities)
    needed = states * bytes_per_state
    if needed > limit_bytes:
        raise DomainTooLargeError(
            f"{what} over {len(cardinalities)} variables has {how_many(states)} joint states and needs "
            f"{_memory(needed)}, more than the limit of {_memory(limit_bytes)}. {way_out}"
        )
    axes = len(cardinalities)
    if axes > MAX_AXES:  # only where nearly all variables have one state
        raise DomainTooLargeError(
            f"{what} over {axes} variables is a tensor of {axes} axes; numpy has {MAX_AXES} at most. {way_out}"
        )


def check_bytes(needed: int, *, what: str, way_out: str, limit_bytes: int = LIMIT_BYTES) -> None:
    """Raise a `DomainTooLargeError` where `what` would take more than `limit_bytes`: asked before it is made.

    >>> check_bytes(10**12, what="the probabilities of all states in 1,000,000 rows", way_out="Take fewer rows.")
    Traceback (most recent call last):
        ...
    depnet.errors.DomainTooLargeError: the probabilities of all states in 1,000,000 rows would take 931 GiB of memory, more \
than the limit of 4 GiB. Take fewer rows.
    """
    if needed > limit_bytes:
        raise DomainTooLargeError(
            f"{what} would take {_memory(needed)} of memory, more than the limit of {_memory(limit_bytes)}. {way_out}"
        )


def _memory(count: int) -> str:
    for unit, size in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            amount = count // size
            return f"{count / size:.3g} {unit}" if amount < 10**6 else f"{how_many(amount)} {unit}"
    return f"{count} bytes"
