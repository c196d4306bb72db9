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

Pairs are counted once, a band of variables at a time. Prim's rule never takes an edge that is lighter than all edges of a
path between its ends, so that of some pairs, and of all that came before, the trees of most information are enough: n edges
in place of n^2, and none of no information.
"""

import math
from collections.abc import Collection, Iterable, Iterator

import numpy as np

from depnet._native.learner import xlogx
from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.model.marginals import PairTables

MAX_STATES = 64
"""A variable of more states is counted with neighbours put together: an order needs no tables of a billion cells."""

BAND_CELLS = 1 << 22
"""Cells of 2-way tables that are held at once, or those of one variable."""

WAITING_EDGES = 128
"""A forest takes up new edges when there are this many for each variable."""

LOOKED_UP = 1 << 22
"""Where there are no more rows, T is kept in a table."""


def chosen_order(
    dataset: Dataset,
    *,
    inputs: Collection[int] = frozenset(),
    targets: Collection[int] = frozenset(),
    before: Iterable[tuple[int, int]] = (),
) -> tuple[int, ...]:
    """The numbers of the variables in the order of the rule above, as far as it is free.

    All `inputs` come before all others, all `targets` after all others, and i before j for (i, j) in `before`: of the
    variables that may come next the one most tied to a placed one does. A pair of `before` that roles contradict is
    ignored, and so are pairs that cannot hold together: first (i, j) where (j, i) is there too, then those on a circle.

    >>> from depnet.data import titanic
    >>> [titanic().domain.names[i] for i in chosen_order(titanic())]
    ['sex', 'survived', 'class', 'age']
    """
    n = len(dataset.domain)
    rules = Rules(n, frozenset(inputs), frozenset(targets), before)
    if n == 1:
        return (0,)
    ties = Forest(rules)
    sums: IntArray = np.zeros(n, dtype=np.int64)
    for i, information in _informations(folded(dataset)):
        sums[i] += information.sum()
        sums[i + 1 :] += information
        ties.add(i, information)
    return walk(rules, sums, ties)


def folded(dataset: Dataset) -> Dataset:
    """The dataset in which state x of a variable of K > 64 states is 64 x // K."""
    cards = dataset.domain.cardinalities
    if max(cards) <= MAX_STATES:
        return dataset
    codes = np.empty(dataset.codes.shape, dtype=np.uint8, order="F")
    for i, k in enumerate(cards):
        column = dataset.column(i)
        codes[:, i] = column if k <= MAX_STATES else column.astype(np.int64) * MAX_STATES // k
    return Dataset.from_codes(codes, [min(k, MAX_STATES) for k in cards], dataset.weights)


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
        self._held, self._rows = rules.held, np.zeros((len(rules.held), rules.n), dtype=np.int64)
        self._edges: list[tuple[IntArray, IntArray]] = []  # information and pairs (i, j) as i n + j

    def add(self, i: int, information: IntArray) -> None:
        """The information of X_i with X_j for all j > i; i = 0, 1, ..., n - 2."""
        n, stage = self._n, self._stage
        at, late = np.searchsorted(self._held, [i, i + 1])
        self._rows[at:late, i + 1 :] = information
        self._rows[late:, i] = information[self._held[late:] - i - 1]
        j = np.arange(i + 1, n)
        # What is read last is in a tree of its own stage.
        free = (self._free[i] | (stage[j] > stage[i])) & (self._free[j] | (stage[j] < stage[i]))
        use = free & (information > 0)
        self._edges.append((information[use], i * n + j[use]))
        if i == n - 2 or sum(len(pairs) for _, pairs in self._edges) > (WAITING_EDGES + 1) * n:
            self._reduce()

    def of(self, i: int) -> tuple[IntArray, IntArray]:
        """Variables and their information with X_i: those that the walk may take next because of it, at least."""
        if not self._free[i]:
            return np.arange(self._n), self._rows[np.searchsorted(self._held, i)]
        ((information, pairs),) = self._edges
        edges = self._of[self._begin[i] : self._begin[i + 1]]
        others = pairs[edges] // self._n + pairs[edges] % self._n - i
        return np.concatenate([others, self._held]), np.concatenate([information[edges], self._rows[:, i]])

    def _reduce(self) -> None:
        """Keep the trees alone of the edges there are (Boruvka's algorithm)."""
        n = self._n
        information, pairs = (np.concatenate(each) for each in zip(*self._edges, strict=True))
        heaviest = np.lexsort((pairs, -information))
        information, pairs = information[heaviest], pairs[heaviest]
        i, j = pairs // n, pairs % n
        first, second = self._stage[i], self._stage[j]
        # Of two stages, the variable of the earlier one is in the root of the later.
        ends = np.where(first < second, n + second, i), np.where(second < first, n + first, j)
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
            best = np.full(n + 3, len(pairs))
            for end in (a, b):
                best[end[::-1]] = np.minimum(best[end[::-1]], left[::-1])
            tree[best[best < len(pairs)]] = True
            group = _groups(n + 3, *(end[tree].tolist() for end in ends))
        self._edges = [(information[tree], pairs[tree])]
        i = np.concatenate([pairs[tree] // n, pairs[tree] % n])
        self._of = np.argsort(i, kind="stable") % max(len(i) // 2, 1)
        self._begin = np.searchsorted(np.sort(i), np.arange(n + 1))


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


def walk(rules: Rules, sums: IntArray, ties: Forest) -> tuple[int, ...]:
    """Prim's rule within the rules."""
    n = rules.n
    best: IntArray = np.zeros(n, dtype=np.int64)  # of a variable with those placed
    pair: IntArray = np.full(n, n * n, dtype=np.int64)  # the lowest pair that has it
    waits, placed = rules.waits.copy(), np.zeros(n, dtype=np.bool_)
    left = np.bincount(rules.stage, minlength=3)
    order: list[int] = []
    while len(order) < n:
        stage = int(np.flatnonzero(left)[0])
        may = np.flatnonzero((rules.stage == stage) & ~placed & (waits == 0))
        if order:
            most = best[may].max()
            may = may[best[may] == most]
            lowest = min(order)  # which is in the lowest pair of those that tell nothing
            pairs = pair[may] if most else np.minimum(may, lowest) * n + np.maximum(may, lowest)
            i = int(may[np.argmin(pairs)])
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


def _informations(dataset: Dataset) -> Iterator[tuple[int, IntArray]]:
    """For i = 0, 1, ...: i and 2^s J(X_i, X_j) of all j > i, in integers."""
    cards = dataset.domain.cardinalities
    for first, last in _bands(cards):
        tables = PairTables.of(dataset, first, last)
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
        self._table: IntArray = np.full(rows + 1 if rows <= LOOKED_UP else 0, -1, dtype=np.int64)

    def __call__(self, counts: IntArray) -> IntArray:
        if len(self._table):
            found = self._table[counts]
            if found.size and found.min() < 0:
                missing = np.zeros(len(self._table), dtype=np.bool_)
                missing[counts[found < 0]] = True
                new = np.flatnonzero(missing)
                self._table[new] = self._computed(new)
                found = self._table[counts]
            return found
        new, where = np.unique(counts, return_inverse=True)
        return np.take(self._computed(new), where)

    def _computed(self, counts: IntArray) -> IntArray:
        return self.scaled(np.array([xlogx(count) for count in counts.tolist()]))

    def scaled(self, numbers: FloatArray) -> IntArray:
        """2^s x, rounded; no more than 2^62, which is more than there is information."""
        rounded: IntArray = np.rint(np.minimum(np.ldexp(numbers, self._scale), 2.0**62)).astype(np.int64)
        return rounded
