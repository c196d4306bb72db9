"""Trees of the place of a number within its bin, in loops: how they are grown, and how one draws."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Test = tuple[int, int]
"""A variable and a threshold."""


@dataclass
class SlowTree:
    """A leaf's knots, or a test and the trees of rows that pass it and of the others."""

    knots: list[int]
    test: Test | None = None
    inside: "SlowTree | None" = None
    outside: "SlowTree | None" = None


def passes(test: Test, row: Sequence[int], equal: Sequence[bool]) -> bool:
    variable, threshold = test
    return row[variable] == threshold if equal[variable] else row[variable] <= threshold


def told(places: Sequence[int]) -> float:
    """S^2 / n: the squared places less their squared error."""
    return float(sum(places)) ** 2 / len(places)


def slow_tree(
    rows: Sequence[Sequence[int]],
    places: Sequence[int],
    readable: Sequence[int],
    equal: Sequence[bool],
    least: int,
    pays: float,
) -> SlowTree:
    error = float(sum(p * p for p in places)) - told(places)
    best, most = None, pays * error / len(places)
    for j in readable:
        for threshold in sorted({row[j] for row in rows}):
            parts: tuple[list[int], list[int]] = ([], [])
            for row, place in zip(rows, places, strict=True):
                parts[not passes((j, threshold), row, equal)].append(place)
            if min(map(len, parts)) < max(least, 1):
                continue
            gain = told(parts[0]) + told(parts[1]) - told(places)
            if gain > most:
                best, most = (j, threshold), gain
    if best is None or len(places) < 2 * least:
        return SlowTree(slow_knots(places))
    halves = []
    for side in (True, False):
        own = [k for k, row in enumerate(rows) if passes(best, row, equal) is side]
        halves.append(
            slow_tree([rows[k] for k in own], [places[k] for k in own], readable, equal, least, pays)
        )
    return SlowTree([], best, *halves)


def slow_knots(places: Sequence[int]) -> list[int]:
    """The quantiles at 0, 1/8, ..., 1 in eighths of a place, each row being spread evenly over its own; halves go up."""
    ordered, n = sorted(places), len(places)
    knots = [8 * ordered[0]]
    for j in range(1, 9):
        rank = Fraction(j * n, 8)
        p = next(place for place in ordered if sum(each <= place for each in ordered) >= rank)
        below, own = sum(each < p for each in ordered), ordered.count(p)
        knots.append(int(8 * (p + (rank - below) / own) + Fraction(1, 2)))
    return knots


def slow_leaf(tree: SlowTree, row: Sequence[int], equal: Sequence[bool]) -> list[int]:
    while tree.test is not None:
        chosen = tree.inside if passes(tree.test, row, equal) else tree.outside
        assert chosen is not None
        tree = chosen
    return tree.knots


def place_law(knots: Sequence[int], low: int, high: int) -> list[float]:
    """[place]: its probability given that it is one of low, ..., high - 1, by the law that is even between knots."""
    masses = []
    for p in range(low, high):
        mass = Fraction(0)
        for begin, end in itertools.pairwise(knots):
            if begin == end:
                mass += Fraction(begin // 8 == p, 8)
            else:
                mass += Fraction(max(0, min(end, 8 * (p + 1)) - max(begin, 8 * p)), 8 * (end - begin))
        masses.append(mass)
    total = sum(masses)
    return [float(mass / total) if total else 1 / (high - low) for mass in masses]
