"""Replicas of rows: states that start at weighted passes and are moved under Q, and what they say of each hole.

A hole's law is the mean of the conditionals that its updates drew from, and its standard error is between replicas, which
are independent.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.inference.ordered.items import Holes
from depnet.law.program import Law

CANDIDATES = 4
"""Passes that each replica's start is chosen from."""


class Replicas:
    """Replicas of some rows, `each` of every row: their states, and how far they came. Mutable; owned by one call."""

    def __init__(
        self,
        law: Law,
        holes: Holes,
        moved: NDArray[np.bool_],
        each: int,
        begin: IntArray,
        seed: int,
        rng: np.random.Generator,
        threads: int,
    ) -> None:
        self._law, self._begin, self._threads = law, begin, threads
        self.each, self.moved, self.seed = each, moved, seed
        self.states = _starts(law, holes, moved, each, seed, rng, threads)
        self.sweeps = self.updates = 0

    def move(self, sweeps: int, sums: FloatArray | None = None) -> IntArray:
        """Move all of them; returned is how often each found no possible state."""
        flags = np.repeat(self.moved, self.each, axis=0)
        stuck = self._law.moves(
            self.states,
            flags,
            sweeps=sweeps,
            seed=self.seed,
            first_sweep=self.sweeps,
            cells=self._begin[:-1],
            sums=sums,
            n_jobs=self._threads,
        )
        self.sweeps += sweeps
        self.updates += sweeps * int(flags.sum())
        return stuck

    def round(self, sweeps: int) -> tuple["Between", NDArray[np.bool_]]:
        """What a round of moves says of all cells, and the rows whose replicas always found a possible state."""
        rows, cells = len(self.moved), int(self._begin[-1])
        halves = np.zeros((2, len(self.states), cells))
        stuck = sum(self.move(sweeps // 2, half) for half in halves)
        found = between_replicas(halves.reshape(2, rows, self.each, cells) / (sweeps // 2), sweeps)
        always = (np.asarray(stuck).reshape(rows, self.each) == 0).all(axis=1)
        return found, np.asarray(always)

    def keep(self, rows: IntArray) -> None:
        """Go on with some of the rows only."""
        at = (rows[:, None] * self.each + np.arange(self.each)).reshape(-1)
        self.moved = self.moved[rows]
        self.states = np.ascontiguousarray(self.states[at])
        self.seed = (
            self.seed + 1
        ) % 2**64  # rows have other places now: none meets words that another has had


def _starts(
    law: Law,
    holes: Holes,
    moved: NDArray[np.bool_],
    replicas: int,
    seed: int,
    rng: np.random.Generator,
    threads: int,
) -> NDArray[np.uint16]:
    """[rows x replicas, n]: of each replica's passes one, in proportion to their weights."""
    states = np.repeat(holes.codes, replicas * CANDIDATES, axis=0).astype(np.uint16, copy=False)
    logs = law.row_passes(states, holes.roles(moved), seed=seed, n_jobs=threads).reshape(-1, CANDIDATES)
    top = logs.max(axis=1, keepdims=True)
    shares = np.exp(logs - np.where(top == -np.inf, 0.0, top))
    ends = np.cumsum(np.where(top == -np.inf, 1.0, shares), axis=1)
    until = rng.random(len(ends)) * ends[:, -1]
    chosen = np.minimum((until[:, None] >= ends).sum(axis=1), CANDIDATES - 1)
    return np.ascontiguousarray(states[np.arange(len(logs)) * CANDIDATES + chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """What replicas say: means [rows, cells], standard errors between replicas, and variances between and within."""

    values: FloatArray
    errors: FloatArray
    between: FloatArray
    within: FloatArray

    def chosen(self, rows: IntArray) -> "Between":
        """Of some of the rows."""
        return Between(self.values[rows], self.errors[rows], self.between[rows], self.within[rows])

    def r_hat(self, asked: NDArray[np.bool_]) -> FloatArray:
        """Of each row, over all of its cells together: 1 where halves of a replica differ as replicas do."""
        between = np.where(asked, self.between, 0.0).sum(axis=1)
        within = np.where(asked, self.within, 0.0).sum(axis=1)
        ratio = np.divide(between, within, out=np.full_like(between, np.inf), where=within > 0)
        still = between <= 1e-24  # nothing moves and nothing differs
        return np.asarray(np.where(still, 1.0, np.sqrt(0.5 + ratio)))


def between_replicas(halves: FloatArray, sweeps: int) -> Between:
    """`halves` [2, rows, replicas, cells] are the means of each half of each replica's round, of `sweeps` sweeps.

    A state that all replicas keep away from shows in no spread. They came to it about 1 + sweeps p times each, and
    what came so seldom may as well have come once more.
    """
    replicas = halves.shape[2]
    means = halves.mean(axis=0)
    between = means.var(axis=1, ddof=1)
    within = ((halves[0] - halves[1]) ** 2 / 2).mean(axis=1)
    values = means.mean(axis=1)
    seldom = np.minimum(values, 1 - values)
    unseen = 1 / (replicas * (1 + sweeps * np.maximum(seldom, 0.0)) + 2)
    errors = np.sqrt(between / replicas)
    return Between(values, np.where(seldom < unseen, np.maximum(errors, unseen), errors), between, within)
