"""One tree with random tests, whose leaves keep the rows that came to them.

A node looks at one random test for each column that it may read, x <= v or x < v of a number and x = v of a category with v
that of a random row, and takes the one that leaves the least squared error of the target: the mean over many such trees is
smooth, and a tree costs no sorting. A target of K states is a vector of K indicators. `_native/forest.cpp` grows it, and
tests/reference/forest.py says the same in loops.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from depnet._native import forest as native
from depnet.arrays import FloatArray, IntArray

Values = NDArray[np.float64]
"""[row, column], column-major: numbers as they are, categories as their codes."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A grown tree: its nodes, as the native core writes them, and the target of the members of its leaves."""

    nodes: NDArray[np.int64]
    begin: NDArray[np.int32]
    """Of each leaf the place of its first member, and of all together the end: [leaves + 1]."""
    target: FloatArray
    """Of the members, leaf after leaf, ascending within each."""

    def leaves(self, rows: FloatArray) -> NDArray[np.int32]:
        """The leaf that each row comes to; `rows` [row, column] are row-major."""
        out = np.empty(len(rows), dtype=np.int32)
        native.leaves(rows, self.nodes, out)
        return out

    @cached_property
    def sizes(self) -> IntArray:
        """How many members each leaf has."""
        return np.diff(self.begin).astype(np.int64)

    @cached_property
    def means(self) -> FloatArray:
        """The mean target of each leaf."""
        return np.asarray(np.add.reduceat(self.target, self.begin[:-1]) / self.sizes)

    def shares(self, states: int) -> FloatArray:
        """[leaf, state]: how often each state is a member's."""
        leaf = np.repeat(np.arange(len(self.sizes)), self.sizes)
        counts = np.bincount(leaf * states + self.target.astype(np.int64), minlength=len(self.sizes) * states)
        return np.asarray(counts.reshape(-1, states) / self.sizes[:, None])

    def member(self, leaves: NDArray[np.int32], level: FloatArray) -> FloatArray:
        """The target of the member at a level in [0, 1) of each leaf: a random level draws one."""
        place = self.begin[leaves] + (level * self.sizes[leaves]).astype(np.int64)
        return np.asarray(self.target[place])


def row_major(values: Values, rows: NDArray[np.int32]) -> FloatArray:
    """Some rows, each in one place: how trees read them."""
    return np.ascontiguousarray(values[rows])


def grow_tree(
    values: Values,
    target: FloatArray,
    members: NDArray[np.int32],
    *,
    readable: Sequence[int],
    categorical: Sequence[bool],
    states: int,
    least: int,
    seed: int,
) -> Tree:
    """The tree of the `members`, rows of `values`; `states`: 0 for a target of numbers, K for codes."""
    barred = [int(each) for each in categorical]
    nodes, spans, place = native.grow(
        values, list(readable), barred, target, members, states=states, least=least, seed=seed
    )
    first, last = spans.reshape(-1, 2).T
    sizes = last - first
    begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    within = np.arange(len(place)) - np.repeat(begin[:-1] - first, sizes)
    own = target[members[place[within]]]
    leaf = np.repeat(np.arange(len(sizes)), sizes)
    ascending = np.argsort(own)  # and then, as they are, by leaf: quicker than both at once
    return Tree(nodes, begin, own[ascending[np.argsort(leaf[ascending], kind="stable")]])
