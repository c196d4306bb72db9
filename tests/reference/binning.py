"""Where quantile bins begin, by counting every value: the slow twin of `depnet.data.binning.cut.quantile_bounds`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def quantile_bounds(values: NDArray[Any], number: int) -> list[int]:
    """The ranks at which bins begin, with N at the end."""
    ordered = np.sort(values)
    first = np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))
    counts = np.diff(np.append(first, len(ordered)))
    if len(counts) <= number:
        return [*first.tolist(), len(ordered)]
    heavy = _heavy(counts, number)
    starts = _starts(counts, heavy, number)
    return [0, *first[starts].tolist(), len(ordered)]


def _heavy(counts: NDArray[np.int64], number: int) -> NDArray[np.bool_]:
    """The values with a bin of their own: the heaviest first, as long as the parts between them get one each."""
    heavy = np.zeros(len(counts), dtype=bool)
    enough = np.flatnonzero(counts * number >= counts.sum())
    for value in enough[np.argsort(-counts[enough], kind="stable")]:
        heavy[value] = True
        if heavy.sum() + _parts(heavy) > number:
            heavy[value] = False
    return heavy


def _parts(heavy: NDArray[np.bool_]) -> int:
    """The number of runs of values that are not heavy."""
    return int((~heavy & np.concatenate(([True], heavy[:-1]))).sum())


def _starts(counts: NDArray[np.int64], heavy: NDArray[np.bool_], number: int) -> NDArray[np.int64]:
    """The distinct values at which a bin begins, all but the first."""
    begins = np.flatnonzero(~heavy & np.concatenate(([True], heavy[:-1])))
    ends = np.flatnonzero(~heavy & np.concatenate((heavy[1:], [True]))) + 1
    masses = np.array([counts[b:e].sum() for b, e in zip(begins, ends, strict=True)], dtype=np.int64)
    shares = _shares(masses, ends - begins, number - int(heavy.sum()))
    starts = {*np.flatnonzero(heavy).tolist(), *(np.flatnonzero(heavy) + 1).tolist()}
    for begin, end, share in zip(begins.tolist(), ends.tolist(), shares, strict=True):
        below = np.cumsum(counts[begin:end]) - counts[begin:end]  # rows before each value of the part
        total = int(counts[begin:end].sum())
        targets = np.arange(1, share) * total / share
        later = np.searchsorted(below, targets)
        later = np.clip(later, 1, end - begin - 1)
        earlier = np.clip(later - 1, 1, end - begin - 1)
        nearer = targets - below[earlier] < below[later] - targets
        starts.update((begin + np.where(nearer, earlier, later)).tolist())
    starts -= {0, len(counts)}
    return np.array(sorted(starts), dtype=np.int64)


def _shares(masses: NDArray[np.int64], most: NDArray[np.int64], number: int) -> list[int]:
    """How many bins each part gets: one, and then the next to the part with most rows a bin."""
    shares = np.ones(len(masses), dtype=np.int64)
    for _ in range(number - len(masses)):
        room = shares < most
        if not room.any():
            break
        shares[np.argmax(np.where(room, masses / shares, -1))] += 1
    return shares.tolist()
