"""A mean boosted by brute force: row after row, test after test, every sum from scratch.

Numbers are whole. With G the sum of what is left of the numbers of n rows of a leaf, a split gains

    G1^2 / (n1 + lambda) + G0^2 / (n0 + lambda) - G^2 / (n + lambda)

for the rows that pass a test (1) and those that do not (0), unless either are too few. The leaf with the largest gain is
split next, ties by the lowest leaf, then by the first test. A leaf gets rate * G / (n + lambda), rounded, which is taken
from what is left of its rows.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from depnet.model.stages import Test
from tests.reference.boosting import Row, Split, leaf_of, mixed, passes

ENOUGH = 1e-6


class Input(NamedTuple):
    """How many states there are, in their order, and whether one more is that of missing values."""

    present: int
    missing: bool


class Settings(NamedTuple):
    """What a mean is boosted with."""

    stages: int
    leaves: int
    patience: int
    rate: float
    shrinkage: float
    share: float
    least_rows: int
    seed: int


@dataclass
class Grown:
    """The stages, as the native booster returns them."""

    begin: list[int] = field(default_factory=lambda: [0])
    splits: list[tuple[int, Test]] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    held_losses: list[float] = field(default_factory=list)


def boost_mean(
    codes: Sequence[Row],
    numbers: Sequence[int],
    inputs: Sequence[Input],
    settings: Settings,
    held: tuple[Sequence[Row], Sequence[int]] | None = None,
) -> Grown:
    """See `depnet._native.boost.boost_mean`."""
    left = list(numbers)
    held_left = [] if held is None else list(held[1])
    grown = Grown(held_losses=[] if held is None else [loss(held_left)])
    best = 0
    for stage in range(settings.stages):
        drawn = drawn_inputs(inputs, settings.share, mixed(mixed(settings.seed, stage), 1))
        splits = grow(codes, left, [test for j in drawn for test in tests_of(j, inputs[j])], settings)
        if not splits:
            break
        numbered = [Split(leaf, d) for d, (leaf, _) in enumerate(splits)]
        tests = [test for _, test in splits]
        own = [leaf_of(row, numbered, tests) for row in codes]
        values = []
        for y in range(len(splits) + 1):
            rows = [r for r, its in enumerate(own) if its == y]
            values.append(
                round(settings.rate * sum(left[r] for r in rows) / (len(rows) + settings.shrinkage))
            )
        left = [rest - values[y] for rest, y in zip(left, own, strict=True)]
        grown.splits += splits
        grown.begin.append(len(grown.splits))
        grown.values += values
        if held is not None:
            held_left = [
                rest - values[leaf_of(row, numbered, tests)]
                for rest, row in zip(held_left, held[0], strict=True)
            ]
            grown.held_losses.append(loss(held_left))
            now = len(grown.held_losses) - 1
            if grown.held_losses[now] < grown.held_losses[best] - ENOUGH * grown.held_losses[0]:
                best = now
            elif now - best >= settings.patience:
                break
    return grown


def loss(left: Sequence[int]) -> float:
    """The sum of squares (of fewer than 1,024 rows, which the native one adds without rounding)."""
    return float(sum(rest * rest for rest in left))


def drawn_inputs(inputs: Sequence[Input], share: float, key: int) -> list[int]:
    """A random share of those with two states at least."""
    usable = [j for j, each in enumerate(inputs) if each.present + each.missing > 1]
    wanted = math.ceil(share * len(usable))
    for k in range(wanted):
        other = k + mixed(key, k) % (len(usable) - k)
        usable[k], usable[other] = usable[other], usable[k]
    return sorted(usable[:wanted])


def tests_of(j: int, each: Input) -> Iterator[Test]:
    """The test of missing values first, then from the last state down."""
    k = each.present
    if each.missing:
        yield Test(j, k, k)
    for x in reversed(range(1, k)):
        yield Test(j, x, k - 1)
        if each.missing:
            yield Test(j, x, k)


def grow(
    codes: Sequence[Row], left: Sequence[int], tests: Sequence[Test], settings: Settings
) -> list[tuple[int, Test]]:
    """The splits of one stage."""

    def part(rows: Sequence[int]) -> float:
        g = float(sum(left[r] for r in rows))
        return g * g / (len(rows) + settings.shrinkage)

    def best_split(leaf: Sequence[int]) -> tuple[float, Test] | None:
        best = None
        for test in tests:
            inside = [r for r in leaf if passes(codes[r], test)]
            outside = [r for r in leaf if not passes(codes[r], test)]
            if min(len(inside), len(outside)) < settings.least_rows:
                continue
            gain = part(inside) + part(outside) - part(leaf)
            if gain > (0.0 if best is None else best[0]):
                best = gain, test
        return best

    leaves = [list(range(len(codes)))]
    bests = [best_split(leaves[0])]
    splits = []
    while len(leaves) < settings.leaves:
        found = [(each[0], -y, each[1]) for y, each in enumerate(bests) if each is not None]
        if not found:
            break
        _, y, test = max(found, key=lambda each: each[:2])
        at = -y
        splits.append((at, test))
        inside = [r for r in leaves[at] if passes(codes[r], test)]
        leaves[at] = [r for r in leaves[at] if not passes(codes[r], test)]
        leaves.append(inside)
        bests[at] = best_split(leaves[at])
        bests.append(best_split(inside))
    return splits
