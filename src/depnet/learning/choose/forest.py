"""What an order needs of all pairs of variables: who may come when, and the trees of most information.

Prim's rule never takes an edge that is lighter than all edges of a path between its ends, so that of some pairs, and of all
that came before, the trees of most information are enough: n edges in place of n^2.
"""

import heapq
from collections.abc import Iterable

import numpy as np

from depnet.arrays import IntArray

WAITING_EDGES = 32
"""A forest takes up new edges when there are this many for each variable."""


class Rules:
    """Who may come when: `stage[i]` is 0 for inputs, 1, or 2 for targets; `later[i]` wait for i."""

    def __init__(
        self, n: int, inputs: frozenset[int], targets: frozenset[int], before: Iterable[tuple[int, int]]
    ) -> None:
        self.n = n
        self.stage: IntArray = np.ones(n, dtype=np.int64)
        self.stage[list(targets)] = 2
        self.stage[list(inputs)] = 0
        # Between stages a pair holds already or cannot; what stands both ways says nothing of an order.
        asked = {(i, j) for i, j in before if i != j and self.stage[i] == self.stage[j]}
        asked = {(i, j) for i, j in asked if (j, i) not in asked}
        self.later: dict[int, list[int]] = {}
        self.waits: IntArray = np.zeros(n, dtype=np.int64)
        if asked:
            from scipy.sparse import coo_array  # takes longer to import than most orders to choose
            from scipy.sparse.csgraph import connected_components

            i, j = np.array(sorted(asked)).T
            _, circle = connected_components(
                coo_array((np.ones(len(i)), (i, j)), shape=(n, n)), connection="strong"
            )
            for a, b in zip(i.tolist(), j.tolist(), strict=True):
                if circle[a] != circle[b]:
                    self.later.setdefault(a, []).append(b)
                    self.waits[b] += 1
        self.held = np.flatnonzero(self.waits)
        """The variables that wait for others of their stage."""


class Forest:
    """The trees of most information: all that Prim's rule needs, and n numbers more for each variable that waits.

    A stage begins with all that was placed before it, so that to its tree these variables are one vertex, n + stage. A
    variable that waits for others may be passed over though it is tied most; it is in no tree, and all its pairs are kept.
    """

    def __init__(self, rules: Rules) -> None:
        self._n, self._stage, self._free = rules.n, rules.stage, rules.waits == 0
        self._ruled = bool(rules.waits.any() or (rules.stage != 1).any())
        self._held, self._rows = rules.held, np.zeros((len(rules.held), rules.n), dtype=np.int64)
        self._information: IntArray = np.zeros(0, dtype=np.int64)
        self._pairs: IntArray = np.zeros(0, dtype=np.int64)
        self._more: list[tuple[IntArray, IntArray]] = []
        self._reduce()

    def add(self, i: int, information: IntArray) -> None:
        """The information of X_i with X_j for all j > i; i = 0, 1, ..., n - 2."""
        n, at = self._n, np.searchsorted(self._held, i)
        late = at + (at < len(self._held) and self._held[at] == i)
        self._rows[at:late, i + 1 :] = information
        self._rows[late:, i] = information[self._held[late:] - i - 1]
        j, path = np.arange(i + 1, n), self.lightest(i)[i + 1 : n]
        use = information >= path
        if self._ruled:
            same, after = self._stage[j] == self._stage[i], self._stage[j] > self._stage[i]
            path = np.where(same, path, np.where(after, self._to_root[j], self._to_root[i]))
            free = np.where(after, self._free[j], self._free[i]) & (~same | self._free[j])
            use = free & (information >= path)
        self._more.append((information[use], i * n + j[use]))
        self._many += len(self._more[-1][1])
        if i == n - 2 or self._many > WAITING_EDGES * n:
            self._reduce()

    def of(self, i: int) -> tuple[IntArray, IntArray]:
        """Variables and their information with X_i: those that the walk may take next because of it, at least."""
        at = int(np.searchsorted(self._held, i))
        if not self._free[i]:
            return np.arange(self._n), self._rows[at]
        edges = self._edges[self._begin[i] : self._begin[i + 1]]
        others = self._pairs[edges] // self._n + self._pairs[edges] % self._n - i
        return (
            np.concatenate([others, self._held]),
            np.concatenate([self._information[edges], self._rows[:, i]]),
        )

    def _reduce(self) -> None:
        """Keep the trees alone of the edges there are (Boruvka's algorithm)."""
        n = self._n
        information = np.concatenate([self._information, *(one for one, _ in self._more)])
        pairs = np.concatenate([self._pairs, *(one for _, one in self._more)])
        self._more, self._many = [], 0
        heaviest = np.lexsort((pairs, -information))
        information, pairs = information[heaviest], pairs[heaviest]
        ends = self._ends(pairs)
        tree = np.zeros(len(pairs), dtype=np.bool_)
        group: IntArray = np.arange(n + 3)
        left = np.arange(len(pairs))
        while True:
            a, b = (group[end[left]] for end in ends)
            between = a != b
            left, a, b = left[between], a[between], b[between]
            if not len(left):
                break
            # The heaviest edge out of each group: of what is written to one place, the last stays.
            first = np.full(n + 3, len(pairs))
            for end in (a, b):
                first[end[::-1]] = np.minimum(first[end[::-1]], left[::-1])
            tree[first[first < len(pairs)]] = True
            a, b = (end[tree] for end in ends)
            group = _groups(n + 3, a.tolist(), b.tolist())
        self._information, self._pairs = information[tree], pairs[tree]
        i = np.concatenate([self._pairs // n, self._pairs % n])
        self._edges = np.argsort(i, kind="stable") % max(len(self._pairs), 1)
        self._begin = np.searchsorted(np.sort(i), np.arange(n + 1))
        self._span(*(end[tree] for end in ends))

    def _ends(self, pairs: IntArray) -> tuple[IntArray, IntArray]:
        """The vertices of pairs: of two stages the variable of the earlier one is in the root of the later."""
        i, j = pairs // self._n, pairs % self._n
        first, second = self._stage[i], self._stage[j]
        return np.where(first < second, self._n + second, i), np.where(second < first, self._n + first, j)

    def _span(self, a: IntArray, b: IntArray) -> None:
        """Put the vertices in the order of Prim's rule, each with the weight of the edge that brought it.

        Then the lightest edge on the path between two is the lightest that brought one behind the first, up to the second.
        """
        vertices = self._n + 3
        near: list[list[tuple[int, int]]] = [[] for _ in range(vertices)]
        for one, other, weight in zip(a.tolist(), b.tolist(), self._information.tolist(), strict=True):
            near[one].append((-weight, other))
            near[other].append((-weight, one))
        order: list[int] = []
        brought: list[int] = []
        seen = [False] * vertices
        for start in range(vertices):
            ahead = [(1, start)]  # no path leads here from before: lighter than any
            while ahead:
                weight, one = heapq.heappop(ahead)
                if not seen[one]:
                    seen[one] = True
                    order.append(one)
                    brought.append(-weight)
                    for edge in near[one]:
                        heapq.heappush(ahead, edge)
        self._order: IntArray = np.array(order)
        self._brought: IntArray = np.array(brought)
        self._place = np.argsort(self._order)
        self._to_root: IntArray = np.empty(self._n, dtype=np.int64)
        for stage in range(3):
            own = self._stage == stage
            self._to_root[own] = self.lightest(self._n + stage)[: self._n][own]

    def lightest(self, vertex: int) -> IntArray:
        """The lightest edge on the path from `vertex` to each vertex; -1 where there is none."""
        at = self._place[vertex]
        found = np.empty(len(self._order), dtype=np.int64)
        found[at] = 0
        found[at + 1 :] = np.minimum.accumulate(self._brought[at + 1 :])
        found[:at] = np.minimum.accumulate(self._brought[at:0:-1])[::-1]
        return found[self._place]


def _groups(vertices: int, a: Iterable[int], b: Iterable[int]) -> IntArray:
    """One vertex of each connected group, for every vertex of it, where edges lead from `a` to `b`."""
    above = list(range(vertices))

    def top(one: int) -> int:
        while above[one] != one:
            above[one] = above[above[one]]  # half of the way is enough next time
            one = above[one]
        return one

    for one, other in zip(a, b, strict=True):
        above[top(one)] = top(other)
    return np.array([top(one) for one in range(vertices)], dtype=np.int64)
