r"""The trees of one column: its law given the values of the others, averaged over several completed tables.

Tree t is grown from rows drawn with replacement among those in which the column is observed, and reads table t modulo M of
the M completed tables. With L_t(x) the members of the leaf that a row comes to, the law of its hole is

.. math:: F(y \mid x) = \frac1T \sum_t \frac{|\{ r \in L_t(x_t) : y_r \le y \}|}{|L_t(x_t)|}

where x_t is the row as table t completes it: the mean over trees is one over the other holes of the row, too. What trees
say of rows that they have not drawn is as good as what they say of new ones, and is what laws are corrected by.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.learning.forest.tree import Tree, Values, grow_tree, row_major

LEAST = 5
"""Rows of a leaf, for numbers: enough to say how they spread."""

LEAST_OF_STATES = 3

MOST_DRAWN = 3000
"""Rows that a tree is grown from."""

MOST_UNSEEN = 3000
"""Rows that are asked about by trees that have not drawn them."""

A_TREE = 3
"""Values that stand for the law of a leaf, when quantiles of a forest are asked for."""


@dataclass(frozen=True, eq=False)
class Grower:
    """How the trees of one column are grown: what they read, and from which rows."""

    column: int
    observed: NDArray[np.int32]
    """The rows in which the column is observed."""
    categorical: Sequence[bool]
    """Of all columns."""
    states: int
    """0 for numbers."""
    readable: Sequence[int]

    def tree(self, values: Values, rng: np.random.Generator) -> tuple[Tree, NDArray[np.int32]]:
        """A tree of rows drawn with replacement, and these rows."""
        size = min(len(self.observed), MOST_DRAWN)
        members = self.observed[rng.integers(0, len(self.observed), size)]
        target = np.ascontiguousarray(values[:, self.column])
        tree = grow_tree(
            values,
            target,
            members,
            readable=self.readable,
            categorical=self.categorical,
            states=self.states,
            least=LEAST_OF_STATES if self.states else LEAST,
            seed=int(rng.integers(2**63)),
        )
        return tree, members


@dataclass(frozen=True, eq=False)
class Forest:
    """The trees of one column; tree t reads completed table t modulo M."""

    trees: Sequence[Tree]
    states: int

    def _leaves(
        self, tables: Sequence[Values], rows: NDArray[np.int32]
    ) -> Iterator[tuple[int, Tree, NDArray[np.int32]]]:
        """The number of every tree, the tree, and the leaves of some rows as its table completes them."""
        for m, table in enumerate(tables):
            own = row_major(table, rows)
            for t in range(m, len(self.trees), len(tables)):
                yield t, self.trees[t], self.trees[t].leaves(own)

    def mean(self, tables: Sequence[Values], rows: NDArray[np.int32]) -> FloatArray:
        """The mean of the law of each of some rows: [rows], or of a category [rows, states]."""
        total: FloatArray = np.zeros((len(rows), self.states) if self.states else len(rows))
        for _, tree, leaves in self._leaves(tables, rows):
            total += tree.shares(self.states)[leaves] if self.states else tree.means[leaves]
        return total / len(self.trees)

    def members(
        self, tables: Sequence[Values], rows: NDArray[np.int32], rng: np.random.Generator
    ) -> FloatArray:
        """[row, T * A_TREE], ascending: values that stand for the law, evenly spread in each leaf."""
        found = np.empty((len(rows), len(self.trees) * A_TREE))
        for t, tree, leaves in self._leaves(tables, rows):
            found[:, t * A_TREE : (t + 1) * A_TREE] = _spread(tree, leaves, rng)
        found.sort(axis=1)
        return found

    def draw(
        self, number: int, values: Values, rows: NDArray[np.int32], rng: np.random.Generator
    ) -> FloatArray:
        """A value of each of some rows, drawn from its leaf of one tree."""
        tree = self.trees[number % len(self.trees)]
        return tree.member(tree.leaves(row_major(values, rows)), rng.random(len(rows)))


def _spread(tree: Tree, leaves: NDArray[np.int32], rng: np.random.Generator) -> FloatArray:
    """[row, A_TREE]: members of each row's leaf, at even levels from a random one on."""
    start = rng.random(len(leaves))
    return np.stack([tree.member(leaves, (k + start) / A_TREE) for k in range(A_TREE)], axis=1)


@dataclass(frozen=True, eq=False)
class Unseen:
    """What the trees of a column say of observed rows that they have not drawn."""

    rows: NDArray[np.int32]
    """Those that some tree has not drawn."""
    mean: FloatArray
    """[rows], or [rows, states]."""
    judged: IntArray
    """The places of some of them."""
    members: FloatArray
    """[judged, values]: those that stand for the law, ascending; nan at the end, for trees that have drawn the row."""


def grow_forest(
    grower: Grower,
    tables: Sequence[Values],
    count: int,
    rng: np.random.Generator,
    *,
    judged: int = 0,
) -> tuple[Forest, Unseen]:
    """The forest of a column, and what it says of rows not drawn; the laws of `judged` of them."""
    observed, states = grower.observed, grower.states
    if len(observed) > MOST_UNSEEN:
        observed = rng.choice(observed, MOST_UNSEEN, replace=False)
    total: FloatArray = np.zeros((len(observed), states) if states else len(observed))
    seen_by = np.zeros(len(observed))
    some = rng.permutation(len(observed))[:judged]
    members = np.full((len(some), count * A_TREE), np.nan)
    was_drawn = np.zeros(len(tables[0]), dtype=bool)
    trees = {}
    for m, table in enumerate(tables):
        own = row_major(table, observed)
        for t in range(m, count, len(tables)):
            trees[t], drawn = grower.tree(table, rng)
            was_drawn[:] = False
            was_drawn[drawn] = True
            unseen = ~was_drawn[observed]
            leaves = trees[t].leaves(own)
            total[unseen] += (trees[t].shares(states) if states else trees[t].means)[leaves[unseen]]
            seen_by[unseen] += 1
            left = np.flatnonzero(unseen[some])
            members[left, t * A_TREE : (t + 1) * A_TREE] = _spread(trees[t], leaves[some[left]], rng)
    told = seen_by > 0
    members.sort(axis=1)
    kept = np.flatnonzero(told[some])
    rank = np.cumsum(told) - 1
    mean = total[told] / (seen_by[told][:, None] if states else seen_by[told])
    grown = Forest([trees[t] for t in range(count)], states)
    return grown, Unseen(observed[told], mean, rank[some[kept]], members[kept])
