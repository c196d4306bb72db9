r"""Order "auto": in which order an ordered network reads its variables.

In an ordered network Y_i reads variables before X_i only, so the order decides what a node can know. The first variable
is the one that tells most of all others, the largest sum over j of J(X_i, X_j); then always the one comes next that is most
tied to one that is placed already,

.. math:: \arg\max_{j\ not\ placed}\ \max_{i\ placed} J(X_i, X_j), \qquad
          J(X_i, X_j) = \max\Big(0,\ N\, I(X_i; X_j) - \tfrac12 (k_i - 1)(k_j - 1)\Big), \\
          N\, I(X_i; X_j) = T(N) - \sum_x T(N_x) - \sum_{x'} T(N_{x'}) + \sum_{x, x'} T(N_{xx'}), \qquad T(x) = x \log x.

What is taken off the mutual information is what chance gives it on average, where the variables have nothing to do with
each other and k_i and k_j states that occur: columns of many states seem to tell of all others on few rows. This is Prim's
rule, which walks along the tree of most information. Of equal first variables the lowest number is taken, of equal pairs
(i, j) the lowest pair, the lower number of the two compared first.

J is computed in integers: T of a count, which is the native one, is rounded to a multiple of 2^-s, and s is as large as 62
bits have room for (J / N is then right to some 2^-40 nats). So it is the same in whatever order it is summed, however the
rows are parted, and whatever the states are called.

Pairs are counted once, a band of variables at a time, and what is kept of them is a forest: Prim's rule never takes an edge
that is lighter than all edges of a path between its ends, so that of a band, and of all that came before, the trees of
most information are enough.
"""

import heapq
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from depnet._native.learner import xlogx
from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.model.marginals import PairTables

MAX_STATES = 64
"""A variable of more states is counted with neighbours put together: an order needs no tables of a billion cells."""

BAND_CELLS = 1 << 22
"""So many cells of 2-way tables are held at once, or those of one variable."""

WAITING_EDGES = 32
"""A forest takes up new edges when there are so many for each variable."""

LOOKED_UP = 1 << 22
"""Where there are no more rows, T is kept in a table."""


class PairCounts(Protocol):
    """Where the 2-way counts come from: one table, or the parts of one."""

    def band(self, first: int, last: int) -> PairTables:
        """The 2-way tables of `first` .. `last` - 1 with each later variable, states folded as `TablePairs` does.

        Of rows in parts, the sum over parts of `TablePairs(part).band(first, last).cells`.
        """


class TablePairs:
    """The 2-way counts of a dataset. State x of a variable of K > 64 states is counted as 64 x // K.

    >>> from depnet.data import titanic
    >>> people = titanic()
    >>> TablePairs(people).band(1, 2)[1, 3].tolist()      # sex x survived
    [[126, 344], [1364, 367]]
    >>> [people.domain.names[i] for i in chosen_order(TablePairs(people), people.domain.cardinalities)]
    ['sex', 'survived', 'class', 'age']
    """

    def __init__(self, dataset: Dataset) -> None:
        cards = dataset.domain.cardinalities
        self._dataset = dataset
        if max(cards) > MAX_STATES:
            codes = np.empty(dataset.codes.shape, dtype=np.uint8, order="F")
            for i, k in enumerate(cards):
                column = dataset.column(i)
                codes[:, i] = column if k <= MAX_STATES else column.astype(np.int64) * MAX_STATES // k
            self._dataset = Dataset.from_codes(codes, _folded(cards), dataset.weights)

    def band(self, first: int, last: int) -> PairTables:
        """The 2-way tables of `first` .. `last` - 1 with each later variable."""
        return PairTables.of(self._dataset, first, last)


def chosen_order(
    pairs: PairCounts,
    cardinalities: Sequence[int],
    *,
    inputs: Collection[int] = frozenset(),
    targets: Collection[int] = frozenset(),
    before: Iterable[tuple[int, int]] = (),
) -> tuple[int, ...]:
    """The numbers of the variables in the order of the rule above, as far as it is free.

    All `inputs` come before all others, all `targets` after all others, and i before j for (i, j) in `before`: of the
    variables that may come next the one most tied to a placed one does. A pair of `before` that roles contradict is
    ignored, and so are pairs that cannot hold together: first (i, j) where (j, i) is there too, then those on a circle.
    """
    cards = _folded(cardinalities)
    rules = _Rules(len(cards), frozenset(inputs), frozenset(targets), before)
    if len(cards) == 1:
        return (0,)
    ties = _Forest(rules)
    sums: IntArray = np.zeros(len(cards), dtype=np.int64)
    for i, information in _informations(pairs, cards):
        sums[i] += information.sum()
        sums[i + 1 :] += information
        ties.add(i, information)
    return _walk(rules, sums, ties)


def _folded(cardinalities: Sequence[int]) -> tuple[int, ...]:
    return tuple(min(k, MAX_STATES) for k in cardinalities)


class _Rules:
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


def _walk(rules: _Rules, sums: IntArray, ties: "_Forest") -> tuple[int, ...]:
    """Prim's rule within the rules."""
    n = rules.n
    best: IntArray = np.full(n, -1, dtype=np.int64)  # of a variable with those placed
    pair: IntArray = np.full(n, n * n, dtype=np.int64)  # the lowest pair that has it
    waits, placed = rules.waits.copy(), np.zeros(n, dtype=np.bool_)
    left = np.bincount(rules.stage, minlength=3)
    order: list[int] = []
    while len(order) < n:
        stage = int(np.flatnonzero(left)[0])
        may = np.flatnonzero((rules.stage == stage) & ~placed & (waits == 0))
        if order:
            tied = best[may]
            may = may[tied == tied.max()]
            i = int(may[np.argmin(pair[may])])
        else:
            i = int(may[np.argmax(sums[may])])
        order.append(i)
        placed[i] = True
        left[stage] -= 1
        waits[rules.later.get(i, [])] -= 1
        j, information = ties.of(i)
        own = np.minimum(i, j) * n + np.maximum(i, j)
        better = (information > best[j]) | ((information == best[j]) & (own < pair[j]))
        best[j[better]], pair[j[better]] = information[better], own[better]
    return tuple(order)


class _Forest:
    """The trees of most information: all that Prim's rule needs, and n numbers more for each variable that waits.

    A stage begins with all that was placed before it, so that to its tree these variables are one vertex, n + stage. A
    variable that waits for others may be passed over though it is tied most; it is in no tree, and all its pairs are kept.
    """

    def __init__(self, rules: _Rules) -> None:
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
        j, path = np.arange(i + 1, n), self._lightest(i)[i + 1 : n]
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
        group: NDArray[np.integer[Any]] = np.arange(n + 3)
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
            group = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n + 3, n + 3)))[1]
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
            self._to_root[own] = self._lightest(self._n + stage)[: self._n][own]

    def _lightest(self, vertex: int) -> IntArray:
        """The lightest edge on the path from `vertex` to each vertex; -1 where there is none."""
        at = self._place[vertex]
        found = np.empty(len(self._order), dtype=np.int64)
        found[at] = 0
        found[at + 1 :] = np.minimum.accumulate(self._brought[at + 1 :])
        found[:at] = np.minimum.accumulate(self._brought[at:0:-1])[::-1]
        return found[self._place]


def _informations(pairs: PairCounts, cards: tuple[int, ...]) -> Iterator[tuple[int, IntArray]]:
    """For i = 0, 1, ...: i and 2^s J(X_i, X_j) of all j > i, in integers."""
    for first, last in _bands(cards):
        tables = pairs.band(first, last)
        if first == 0:
            one = tables[0, 1].sum(axis=1)
            terms = _Terms(int(one.sum()), len(cards))
            singles = [one, *(tables[0, j].sum(axis=0) for j in range(1, len(cards)))]
            alone = np.array([int(terms(counts).sum()) for counts in singles])
            whole = int(terms(np.array([terms.rows]))[0])
            states = np.array([np.count_nonzero(counts) for counts in singles])
        begin, at = np.append(tables.begin, len(tables.cells)), 0
        for i in range(first, last):
            later = alone[i + 1 :]
            own = begin[at : at + len(later) + 1]
            joint = np.add.reduceat(terms(tables.cells[own[0] : own[-1]]), own[:-1] - own[0])
            chance = terms.scaled((states[i] - 1) * (states[i + 1 :] - 1) / 2)
            yield i, np.maximum(joint + (whole - alone[i]) - later - chance, 0)
            at += len(later)


def _bands(cards: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Ranges of first variables of pairs whose 2-way tables are held at once: all pairs, band by band."""
    first, cells, later = 0, 0, sum(cards)
    for i, k in enumerate(cards[:-1]):
        later -= k
        if i > first and cells + k * later > BAND_CELLS:
            yield first, i
            first, cells = i, 0
        cells += k * later
    yield first, len(cards) - 1


class _Terms:
    """2^s T(x), rounded, of counts x up to N; n sums of such terms up to 2^s T(N) stay below 2^62."""

    def __init__(self, rows: int, n: int) -> None:
        self.rows = rows
        self._scale = 62 - math.frexp(xlogx(rows))[1] - n.bit_length()
        self._known: IntArray = np.full(rows + 1 if rows <= LOOKED_UP else 0, -1, dtype=np.int64)

    def __call__(self, counts: IntArray) -> IntArray:
        if len(self._known):
            found = self._known[counts]
            if found.size and found.min() < 0:
                missing = np.zeros(len(self._known), dtype=np.bool_)
                missing[counts[found < 0]] = True
                new = np.flatnonzero(missing)
                self._known[new] = self._computed(new)
                found = self._known[counts]
            return found
        new, where = np.unique(counts, return_inverse=True)
        return np.take(self._computed(new), where)

    def _computed(self, counts: IntArray) -> IntArray:
        return self.scaled(np.array([xlogx(count) for count in counts.tolist()]))

    def scaled(self, numbers: FloatArray) -> IntArray:
        """2^s x, rounded; no more than 2^62, which is more than there is information."""
        rounded: IntArray = np.rint(np.minimum(np.ldexp(numbers, self._scale), 2.0**62)).astype(np.int64)
        return rounded
