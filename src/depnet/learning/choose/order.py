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

Pairs are counted once, a band of variables at a time, and what is kept of them is a forest (`forest`).
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from depnet._native.learner import xlogx
from depnet.arrays import FloatArray, IntArray
from depnet.learning.choose.forest import Forest, Rules
from depnet.learning.rows.pair_counts import CountPairs, folded

BAND_CELLS = 1 << 22
"""Cells of 2-way tables that are held at once, or those of one variable."""

LOOKED_UP = 1 << 22
"""Where there are no more rows, T is kept in a table."""


def chosen_order(
    pairs: CountPairs,
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

    >>> from depnet.data import titanic
    >>> from depnet.learning.rows.pair_counts import TablePairs
    >>> people = titanic()
    >>> [people.domain.names[i] for i in chosen_order(TablePairs(people), people.domain.cardinalities)]
    ['sex', 'survived', 'class', 'age']
    """
    cards = folded(cardinalities)
    rules = Rules(len(cards), frozenset(inputs), frozenset(targets), before)
    if len(cards) == 1:
        return (0,)
    ties = Forest(rules)
    sums: IntArray = np.zeros(len(cards), dtype=np.int64)
    for i, information in _informations(pairs, cards):
        sums[i] += information.sum()
        sums[i + 1 :] += information
        ties.add(i, information)
    return walk(rules, sums, ties)


def walk(rules: Rules, sums: IntArray, ties: Forest) -> tuple[int, ...]:
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


def _informations(pairs: CountPairs, cards: tuple[int, ...]) -> Iterator[tuple[int, IntArray]]:
    """For i = 0, 1, ...: i and 2^s J(X_i, X_j) of all j > i, in integers."""
    for first, last in _bands(cards):
        tables = pairs(first, last)
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
