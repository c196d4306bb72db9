r"""Draw until an answer is good enough: the one loop of all answers that are drawn.

Errors of draws fall with the root of their number, so the last error says how many more are needed. Answers are drawn in
`BATCHES` batches where errors, or how errors of several numbers hang together, are found between them.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray

FIRST_DRAWS = 1 << 11
MOST_DRAWS = 1 << 21
"""Where no time is given. Passes of this many rows take a few seconds."""
BATCHES = 32
UNEVEN = 50.0
"""Where this many weighted draws are worth one without weights, they are resampled and moved instead."""
FEWEST_EFFECTIVE = 50.0
"""Draws that are resampled and moved are worth at least as many without weights."""


def sharpen(
    draw: Callable[[int], None],
    error: Callable[[], float],
    tolerance: float,
    *,
    first: int = FIRST_DRAWS,
    most: float = MOST_DRAWS,
    over: Callable[[], bool] = bool,
) -> bool:
    """Call `draw(count)` until `error()` is within the tolerance: then True.

    False where as many as `most` were drawn, or where it is `over`. Not much more is drawn than the last error says is
    needed; at least half as many again, and at most three times as many.

    >>> drawn = []
    >>> sharpen(drawn.append, lambda: 1 / math.sqrt(sum(drawn)), 0.01, first=4000)
    True
    >>> drawn
    [4000, 6999]
    """
    done, count = 0, first
    while True:
        draw(count)
        done += count
        found = error()
        if found <= tolerance:
            return True
        if done >= most or over():
            return False
        needed = 1.1 * done * (found / tolerance) ** 2 if math.isfinite(found) else 2 * done
        count = int(min(max(needed - done, done // 2, 1), 3 * done, MOST_DRAWS))


def sharpen_rows(
    draw: Callable[[int], tuple[FloatArray, NDArray[np.bool_]]],
    take: Callable[[IntArray, bool], None],
    keep: Callable[[IntArray], None],
    tolerance: float,
    *,
    first: int,
    most: float,
    over: Callable[[], bool],
) -> None:
    """The same for rows that are drawn together, each until it is good.

    `draw(count)` returns the error of each row and whether it is good; `take(rows, good)` stores what was found of some of
    them, and `keep(rows)` goes on with the others.
    """
    errors = np.zeros(0)

    def draw_once(count: int) -> None:
        nonlocal errors
        errors, good = draw(count)
        left = np.flatnonzero(~good)
        take(np.flatnonzero(good), True)
        keep(left)
        errors = errors[left]

    def error() -> float:
        # Of what is left, errors are too large, or what is drawn still moves: then as much again is needed.
        return float(errors.max(initial=math.sqrt(2) * tolerance)) if len(errors) else 0.0

    sharpen(draw_once, error, tolerance, first=first, most=most, over=over)
    take(np.arange(len(errors)), False)
