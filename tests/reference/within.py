"""Trees of the place of a number within its bin, in loops: how they are grown, how one draws, and the law that they make."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from depnet.data.frames.within import PlaceTrees, Within

Test = tuple[int, int]
"""A variable and a threshold."""


@dataclass
class SlowTree:
    """A leaf's shares, or a test and the trees of rows that pass it and of the others."""

    shares: list[int]
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
    size: int,
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
        return SlowTree(slow_shares(places, size))
    halves = []
    for side in (True, False):
        own = [k for k, row in enumerate(rows) if passes(best, row, equal) is side]
        halves.append(
            slow_tree([rows[k] for k in own], [places[k] for k in own], readable, equal, size, least, pays)
        )
    return SlowTree([], best, *halves)


def slow_shares(places: Sequence[int], size: int) -> list[int]:
    """The share of each place in 256ths: of those up to each, rounded to the nearest, halves up."""
    until = [
        int(Fraction(256 * sum(each <= p for each in places), len(places)) + Fraction(1, 2))
        for p in range(size)
    ]
    return [later - sooner for sooner, later in itertools.pairwise([0, *until])]


def slow_leaf(tree: SlowTree, row: Sequence[int], equal: Sequence[bool]) -> list[int]:
    while tree.test is not None:
        chosen = tree.inside if passes(tree.test, row, equal) else tree.outside
        assert chosen is not None
        tree = chosen
    return tree.shares


def leaf_law(shares: Sequence[int], size: int) -> list[Fraction]:
    """[place]: its probability by a leaf, of which a part in 1,024 is the bin's own."""
    return [Fraction(share, 256) * Fraction(1023, 1024) + Fraction(1, 1024 * size) for share in shares[:size]]


def slow_place_law(
    trees: PlaceTrees, k: int, size: int, row: Sequence[int], equal: Sequence[bool]
) -> list[Fraction]:
    """[place] of bin k, for a row of levels: by walking the flat arrays, a node at a time."""
    node = int(trees.roots[k])
    if node < 0:
        return [Fraction(1, size)] * size
    while trees.variable[node] >= 0:
        j, threshold = int(trees.variable[node]), int(trees.threshold[node])
        node = int(trees.child[node]) + (not passes((j, threshold), row, equal))
    leaf, width = int(trees.child[node]), len(trees.shares) // int((trees.variable < 0).sum())
    return leaf_law(trees.shares[leaf * width : (leaf + 1) * width].tolist(), size)


def slow_level_law(
    within: Within, code_law: Mapping[tuple[int, ...], float], allowed: Mapping[int, Sequence[bool]]
) -> dict[tuple[tuple[int, ...], tuple[int, ...]], float]:
    """P(codes, levels | levels are allowed), every one of them enumerated; a variable without bins has its code twice.

    `code_law` are the probabilities of codes with the shares of cut bins in them: each is divided by that of its bin.
    """
    domain, equal = within.domain, [not variable.has_order for variable in within.domain.variables]
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = {}

    def firsts(i: int) -> list[int]:
        bins = domain.variables[i].bins
        assert bins is not None
        sizes = [len(kept) for kept in bins.quantiles]
        return [sum(sizes[:k]) for k in range(len(sizes) + 1)]

    def values(i: int) -> list[Any]:
        bins = domain.variables[i].bins
        assert bins is not None
        return [value for kept in bins.quantiles for value in kept]

    def walk(codes: tuple[int, ...], at: int, row: list[int], drawn: list[int], mass: float) -> None:
        if at == len(within.order):
            key = (codes, tuple(drawn))
            found[key] = found.get(key, 0.0) + mass
            return
        i = within.order[at]
        bins = domain.variables[i].bins
        if bins is None or codes[i] >= len(bins):
            walk(codes, at + 1, row, drawn, mass)
            return
        k, size = codes[i], len(bins.quantiles[codes[i]])
        trees = next((each for each in within.trees if each.column == i), None)
        law = [Fraction(1, size)] * size if trees is None else slow_place_law(trees, k, size, row, equal)
        first = firsts(i)[k]
        mask = allowed.get(i, [True] * len(values(i)))[first : first + size]
        own = Fraction(sum(mask), size)
        for place, share in enumerate(law):
            if not mask[place]:
                continue
            level = first + place
            same = first + bins.quantiles[k].index(bins.quantiles[k][place])
            walk(
                codes,
                at + 1,
                [*row[:i], same, *row[i + 1 :]],
                [*drawn[:i], level, *drawn[i + 1 :]],
                mass * float(share / own),
            )

    for codes, mass in code_law.items():
        row = [codes[i] if v.bins is None else firsts(i)[codes[i]] for i, v in enumerate(domain.variables)]
        walk(codes, 0, row, list(codes), mass)
    total = sum(found.values())
    return {key: mass / total for key, mass in found.items()}
