"""A boosted node by brute force: row after row, test after test, every sum from scratch.

The numbers are fixed, so that the fast booster can be *equal* and not only near. Scores are whole multiples of 2^-20
nats, probabilities p and curvatures p (1 - p) are whole multiples of 2^-24; they come from float32s, in the order
written here. A stage looks at a set of states. Let G be the number of a leaf's rows with a state in the set, less the
sum of the set's p, and H the sum of p (1 - p). A split gains

    G1^2 / (H1 + lambda) + G0^2 / (H0 + lambda) - G^2 / (H + lambda)

for the rows that pass a test (1) and those that do not (0). For gains, and for them alone, p is rounded at random to
one of 0, ..., 15 and the curvature to one of 0, ..., 7, on scales on which the largest of all rows is 15 or 7. The leaf
with the largest gain is split next, ties by the lowest leaf, then the lowest test. The scores of a leaf come from sums
that are not rounded: with K states and c = K / (K - 1), that of state x is

    rate * G_x / (c H_x + lambda),

kept within 4 nats; then the mean over states is taken away, and the rest is rounded to the grid.

Random numbers are hashes: `mixed` of 64 bits for stages and variables, `random_word` of 32 bits for rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from depnet._native.network import log, quick_exp
from depnet.model.stages import Test

Row = Sequence[int]
F = np.float32

ONE = 2**24
"""Probabilities and curvatures are multiples of one of so many parts."""
NAT = 2**20
"""Scores are multiples of one of so many parts."""
TOP_PROBABILITY, TOP_CURVATURE = 15, 7
"""The largest rounded values: of four bits, and of three."""
MOST_STEP = 4.0
ENOUGH = 1e-5
"""Nats a row held out that count as better."""
LANES = 64


class Settings(NamedTuple):
    """What a node is boosted with."""

    stages: int
    leaves: int
    patience: int
    rate: float
    shrinkage: float
    least_curvature: float
    share: float
    seed: int


class NodeRows(NamedTuple):
    """Rows: their states of the variables, those of the node's variable, and their scores to start from."""

    codes: Sequence[Row]
    own: Sequence[int]
    start: Sequence[Sequence[int]]


class Split(NamedTuple):
    """Rows of `leaf` that pass `test` go to a new leaf."""

    leaf: int
    test: int


@dataclass
class Grown:
    """The stages, as the native booster returns them."""

    gains: list[float]
    begin: list[int] = field(default_factory=lambda: [0])
    splits: list[Split] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    held_scores: list[float] = field(default_factory=list)


def boost(
    tests: Sequence[Test],
    settings: Settings,
    rows: NodeRows,
    *,
    variables: int,
    readable: Sequence[int],
    held: NodeRows | None = None,
) -> Grown:
    """The stages of one node; see `depnet._native.boost.boost`."""
    states = len(rows.start[0])
    scores = [list(row) for row in rows.start]
    held_scores = [] if held is None else [list(row) for row in held.start]
    grown = Grown(gains=[0.0] * variables)
    if held is not None:
        grown.held_scores.append(log_score(held_scores, held.own))
    part = settings.rate - settings.rate * settings.rate / 2  # of a Newton step's gain
    best = idle = 0
    for stage in range(settings.stages):
        key = mixed(settings.seed, stage)
        usable = drawn_tests(tests, readable, settings.share, mixed(key, 1))
        looked_at = state_set(stage, states)
        p = [shares(row) for row in scores]
        rounding = Rounding(p, looked_at, mixed(key, 2))
        splits, gains = grow(rows, tests, usable, looked_at, rounding, settings)
        if not splits:
            idle += 1
            if idle == states:
                break
            continue
        idle = 0
        for split, gain in zip(splits, gains, strict=True):
            grown.gains[tests[split.test].variable] += gain * part
        grown.splits += splits
        grown.begin.append(len(grown.splits))
        leaf = [leaf_of(row, splits, tests) for row in rows.codes]
        leaf_scores = [
            newton_scores([r for r, its in enumerate(leaf) if its == y], rows, p, settings)
            for y in range(len(splits) + 1)
        ]
        for row_scores in leaf_scores:
            grown.scores += row_scores
        add(scores, rows.codes, splits, tests, leaf_scores)
        if held is not None:
            add(held_scores, held.codes, splits, tests, leaf_scores)
            grown.held_scores.append(log_score(held_scores, held.own))
            now = len(grown.held_scores) - 1
            if grown.held_scores[now] > grown.held_scores[best] + ENOUGH * len(held.own):
                best = now
            elif now - best >= settings.patience:
                break
    return grown


# Rows and their leaves.


def passes(row: Row, test: Test) -> bool:
    """Is low <= x_variable <= high?"""
    return test.low <= row[test.variable] <= test.high


def leaf_of(row: Row, splits: Sequence[Split], tests: Sequence[Test]) -> int:
    """Y starts at 0; split t sends rows of its leaf that pass its test to leaf t + 1."""
    y = 0
    for t, split in enumerate(splits):
        if y == split.leaf and passes(row, tests[split.test]):
            y = t + 1
    return y


def add(
    scores: list[list[int]],
    codes: Sequence[Row],
    splits: Sequence[Split],
    tests: Sequence[Test],
    leaf_scores: Sequence[Sequence[int]],
) -> None:
    """Add to each row's scores those of its leaf."""
    for row, row_scores in zip(codes, scores, strict=True):
        y = leaf_of(row, splits, tests)
        for x, score in enumerate(leaf_scores[y]):
            row_scores[x] += score


# Probabilities of scores.


def shares(scores: Sequence[int]) -> list[int]:
    """The probabilities of all states: of two, 1 / (1 + e^-d) of the difference d; of more, e^s over the sum."""
    if len(scores) == 2:
        d = F(scores[1] - scores[0])
        second = on_grid(F(1) / (F(1) + quick(-d / F(NAT))))
        return [ONE - second, second]
    e = [quick(F(score - max(scores)) / F(NAT)) for score in scores]
    total = F(0)
    for each in e:
        total = total + each
    over = F(1) / total
    return [on_grid(each * over) for each in e]


def quick(x: F) -> F:
    """exp(x) to some 22 bits."""
    return F(quick_exp(float(x)))


def on_grid(p: F) -> int:
    """To the nearest multiple of 2^-24, never 0 and never 1."""
    return min(max(int(p * F(ONE) + F(0.5)), 1), ONE - 1)


def curvature(p: int) -> int:
    """p (1 - p), rounded to a float32 and then down to the grid."""
    return int(F(p) * (F(ONE - p) / F(ONE)))


def log_score(scores: Sequence[Sequence[int]], own: Sequence[int]) -> float:
    """The sum of log p of the rows' own states: row r is added to sum r mod 64, then the sums are."""
    lanes = [0.0] * LANES
    for r, (row_scores, x) in enumerate(zip(scores, own, strict=True)):
        lanes[r % LANES] += log(shares(row_scores)[x] / ONE)
    total = 0.0
    for lane in lanes:
        total += lane
    return total


# What a stage looks at.


def mixed(a: int, b: int) -> int:
    """A hash of 64 bits: splitmix64 of a, b + 1 steps on."""
    z = (a + (b + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def drawn_tests(tests: Sequence[Test], readable: Sequence[int], share: float, key: int) -> list[int]:
    """The tests that a stage may use: those of a random `share` of the variables that may be read, by variable."""
    variables = list(readable)
    wanted = math.ceil(share * len(variables))
    for k in range(wanted):
        other = k + mixed(key, k) % (len(variables) - k)
        variables[k], variables[other] = variables[other], variables[k]
    return [d for j in sorted(variables[:wanted]) for d, test in enumerate(tests) if test.variable == j]


def state_set(stage: int, states: int) -> set[int]:
    """The second of two states; of more one after the other."""
    return {1} if states == 2 else {stage % states}


# Random rounding.


def random_word(key: int, r: int) -> int:
    """A hash of 32 bits of row r."""
    z = (r * 0x9E3779B1 + key) % 2**32
    z = (z ^ (z >> 16)) * 0x85EBCA6B % 2**32
    z = (z ^ (z >> 13) ^ (key >> 32)) * 0xC2B2AE35 % 2**32
    return z ^ (z >> 16)


def rounded(value: int, largest: int, top: int, u: F) -> int:
    """`value` on the scale on which `largest` is `top`: rounded up if what is past the point and u make 1."""
    scale = F(top) / F(largest)
    return int(F(value) * scale + u)


class Rounding:
    """The rounded probability and curvature of a set of states in every row, and the units that they count."""

    def __init__(self, p: Sequence[Sequence[int]], looked_at: set[int], key: int) -> None:
        exact = [min(sum(row[x] for x in looked_at), ONE - 1) for row in p]
        bent = [curvature(each) for each in exact]
        most, most_bent = max(exact, default=1), max([1, *bent])
        self.probability, self.curvature = [], []
        for r, (each, its_bent) in enumerate(zip(exact, bent, strict=True)):
            word = random_word(key, r)
            high, low = F(word >> 16) / F(2**16), F(word % 2**16) / F(2**16)
            self.probability.append(rounded(each, most, TOP_PROBABILITY, high))
            self.curvature.append(rounded(its_bent, most_bent, TOP_CURVATURE, low))
        self.probability_unit = most / TOP_PROBABILITY / ONE
        self.curvature_unit = most_bent / TOP_CURVATURE / ONE


# Growing a stage.


class Best(NamedTuple):
    """A leaf's best split."""

    gain: float
    test: int


def grow(
    rows: NodeRows,
    tests: Sequence[Test],
    usable: Sequence[int],
    looked_at: set[int],
    rounding: Rounding,
    settings: Settings,
) -> tuple[list[Split], list[float]]:
    """Splits, and the gain of each: the best of all leaves is split until there are enough, or none gains anything."""

    def gradient_and_curvature(leaf: Sequence[int]) -> tuple[float, float]:
        hits = sum(rows.own[r] in looked_at for r in leaf)
        g = hits - sum(rounding.probability[r] for r in leaf) * rounding.probability_unit
        return g, sum(rounding.curvature[r] for r in leaf) * rounding.curvature_unit

    def best_split(leaf: Sequence[int]) -> Best | None:
        g, h = gradient_and_curvature(leaf)
        before = g * g / (h + settings.shrinkage)
        best = None
        for d in usable:
            g1, h1 = gradient_and_curvature([r for r in leaf if passes(rows.codes[r], tests[d])])
            g0, h0 = g - g1, h - h1
            if min(h1, h0) < settings.least_curvature:
                continue
            gain = g1 * g1 / (h1 + settings.shrinkage) + g0 * g0 / (h0 + settings.shrinkage) - before
            if gain > (0.0 if best is None else best.gain):
                best = Best(gain, d)
        return best

    leaves = [list(range(len(rows.codes)))]
    bests = [best_split(leaves[0])]
    splits, gains = [], []
    while len(leaves) < settings.leaves:
        at, best = None, None
        for y, candidate in enumerate(bests):
            if candidate is not None and (best is None or candidate.gain > best.gain):
                at, best = y, candidate
        if at is None or best is None:
            break
        splits.append(Split(at, best.test))
        gains.append(best.gain)
        inside = [r for r in leaves[at] if passes(rows.codes[r], tests[best.test])]
        leaves[at] = [r for r in leaves[at] if not passes(rows.codes[r], tests[best.test])]
        leaves.append(inside)
        bests[at] = best_split(leaves[at])
        bests.append(best_split(inside))
    return splits, gains


def newton_scores(
    leaf: Sequence[int], rows: NodeRows, p: Sequence[Sequence[int]], settings: Settings
) -> list[int]:
    """The scores of a leaf's states."""
    states = len(rows.start[0])
    steps = []
    for x in range(states):
        g = sum(rows.own[r] == x for r in leaf) - sum(p[r][x] for r in leaf) / ONE
        h = sum(curvature(p[r][x]) for r in leaf) / ONE
        step = settings.rate * g / (states / (states - 1) * h + settings.shrinkage)
        steps.append(min(max(step, -MOST_STEP), MOST_STEP))
    mean = 0.0
    for step in steps:
        mean += step
    mean /= states
    return [round((step - mean) * NAT) for step in steps]
