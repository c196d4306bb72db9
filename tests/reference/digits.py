"""A number's word of digits, literally: from the first digit on, halving what is left."""

from collections.abc import Sequence

Span = tuple[int, int, int]


def divide(counts: Sequence[int], low: int, high: int) -> int:
    """The state from which on a digit is 1: rows are divided most evenly, the lower of two equally even ways."""
    best, found = None, low + 1
    for middle in range(low + 1, high):
        uneven = abs(sum(counts[low:middle]) - sum(counts[middle:high]))
        if best is None or uneven < best:
            best, found = uneven, middle
    return found


def grow(counts: Sequence[int], low: int, high: int) -> list[Span]:
    """The vertices of the states low, ..., high - 1: itself, those of its lower part, those of its upper part."""
    if high - low < 2:
        return []
    middle = divide(counts, low, high)
    return [(low, middle, high), *grow(counts, low, middle), *grow(counts, middle, high)]


def tree(counts: Sequence[int], *, missing: bool = False) -> list[Span]:
    """All vertices; where the last state is what is missing, that is the first digit."""
    last = len(counts)
    if not missing:
        return grow(counts, 0, last)
    return [(0, last - 1, last), *grow(counts, 0, last - 1)]


def probability(vertices: Sequence[Span], ones: Sequence[float], state: int) -> float:
    """The product of the probabilities of the digits on the way to a state; `ones` are those of digits that are 1."""
    found = 1.0
    for (low, middle, high), one in zip(vertices, ones, strict=True):
        if low <= state < high:
            found *= one if state >= middle else 1.0 - one
    return found
