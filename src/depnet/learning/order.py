r"""The order of an ordered network that is chosen by the table: `order="auto"`.

In an ordered network Y_i reads variables before X_i only, so the order decides what a node can know. The
first variable is the one that tells most of all others, the largest sum over j of J(X_i, X_j); then always the one comes
next that is most tied to one that is placed already,

.. math:: \arg\max_{j\ not\ placed}\ \max_{i\ placed} J(X_i, X_j), \qquad
          J(X_i, X_j) = \max\Big(0,\ N\, I(X_i; X_j) - \tfrac12 (k_i - 1)(k_j - 1)\Big), \\
          N\, I(X_i; X_j) = T(N) - \sum_x T(N_x) - \sum_{x'} T(N_{x'}) + \sum_{x, x'} T(N_{xx'}), \qquad T(x) = x \log x.

What is taken off the mutual information is what chance gives it on average, where the variables have nothing to do with
each other and k_i and k_j states that occur: columns of many states seem to tell of all others on few rows. This is Prim's
rule, which walks along the tree of most information. Of equal first variables the lowest number is taken, of equal pairs
(i, j) the lowest pair, the lower number of the two compared first.

J is computed in integers: T of a count, which is the native one, is rounded to a multiple of 2^-s, and s is as large as 62
bits have room for (J / N is then right to some 2^-40 nats). So it is the same in whatever order it is summed, however the
rows are parted, and whatever the states are called. Pairs are counted once, a band of variables at a time.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping

import numpy as np

from depnet._native.learner import xlogx
from depnet.arrays import FloatArray, IntArray
from depnet.data import Dataset
from depnet.data.table.weights import FRACTION
from depnet.learning import limits
from depnet.model.marginals import PairTables


def choose_order(
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
    >>> [titanic().domain.names[i] for i in choose_order(titanic())]
    ['sex', 'survived', 'class', 'age']
    """
    n = len(dataset.domain)
    stage: IntArray = np.ones(n, dtype=np.int64)
    stage[list(targets)] = 2
    stage[list(inputs)] = 0
    return walk(informations(fold_states(dataset)), stage, _later(stage, before))


def fold_states(dataset: Dataset) -> Dataset:
    """The dataset in which state x of a variable of K > 64 states is 64 x // K."""
    cards = dataset.domain.cardinalities
    if max(cards) <= limits.ORDER_STATES:
        return dataset
    codes = np.empty(dataset.codes.shape, dtype=np.uint8, order="F")
    for i, k in enumerate(cards):
        column = dataset.column(i)
        codes[:, i] = (
            column if k <= limits.ORDER_STATES else column.astype(np.int64) * limits.ORDER_STATES // k
        )
    table = Dataset.from_codes(codes, [min(k, limits.ORDER_STATES) for k in cards])
    return Dataset.of_checked(table.domain, table.codes, dataset.weights)


def _later(stage: IntArray, before: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """The variables that wait for each variable of their own stage: between stages a pair holds already, or cannot."""
    asked = {(i, j) for i, j in before if i != j and stage[i] == stage[j]}
    asked = {
        (i, j) for i, j in asked if (j, i) not in asked
    }  # what stands both ways says nothing of an order
    if not asked:
        return {}
    from scipy.sparse import coo_array  # takes longer to import than most orders to choose
    from scipy.sparse.csgraph import connected_components

    i, j = np.array(sorted(asked)).T
    links = coo_array((np.ones(len(i)), (i, j)), shape=(len(stage), len(stage)))
    _, circle = connected_components(links, connection="strong")
    later: dict[int, list[int]] = {}
    for a, b in sorted(asked):
        if circle[a] != circle[b]:
            later.setdefault(a, []).append(b)
    return later


def walk(information: IntArray, stage: IntArray, later: Mapping[int, list[int]]) -> tuple[int, ...]:
    """Prim's rule on the information [i, j] of all pairs, stage by stage, those of `later[i]` after i."""
    n = len(stage)
    best: IntArray = np.zeros(n, dtype=np.int64)  # of a variable with those placed
    pair: IntArray = np.full(n, n * n, dtype=np.int64)  # the lowest pair that has it
    waits = np.zeros(n, dtype=np.int64)
    for others in later.values():
        waits[others] += 1
    left, sums, everyone = np.ones(n, dtype=np.bool_), information.sum(axis=1), np.arange(n)
    order: list[int] = []
    while len(order) < n:
        may = np.flatnonzero((stage == stage[left].min()) & left & (waits == 0))
        if order:
            may = may[best[may] == best[may].max()]
            i = int(may[np.argmin(pair[may])])
        else:
            i = int(may[np.argmax(sums[may])])
        order.append(i)
        left[i] = False
        waits[later.get(i, [])] -= 1
        own = np.minimum(i, everyone) * n + np.maximum(i, everyone)
        better = (information[i] > best) | ((information[i] == best) & (own < pair))
        best[better], pair[better] = information[i][better], own[better]
    return tuple(order)


def informations(dataset: Dataset) -> IntArray:
    """[i, j]: 2^s J(X_i, X_j) in integers, and 0 where i is j; of survey weights in their units."""
    cards, units = dataset.domain.cardinalities, FRACTION if dataset.surveyed else 1
    n = len(cards)
    found: IntArray = np.zeros((n, n), dtype=np.int64)
    for first, last in _bands(cards):
        tables = PairTables.of(dataset, first, last)
        if first == 0:
            one = tables[0, 1].sum(axis=1)
            terms = _Terms(int(one.sum() * units), n, units)
            singles = [one, *(tables[0, j].sum(axis=0) for j in range(1, n))]
            alone = np.array([int(terms(counts).sum()) for counts in singles])
            whole = int(terms(np.array([terms.rows / units]))[0])
            states = np.array([np.count_nonzero(counts) for counts in singles])
        begin, at = np.append(tables.begin, len(tables.cells)), 0
        for i in range(first, last):
            later = alone[i + 1 :]
            own = begin[at : at + len(later) + 1]
            joint = np.add.reduceat(terms(tables.cells[own[0] : own[-1]]), own[:-1] - own[0])
            chance = terms.scale(units * (states[i] - 1) * (states[i + 1 :] - 1) / 2)
            found[i, i + 1 :] = np.maximum(joint + (whole - alone[i]) - later - chance, 0)
            at += len(later)
    return found + found.T


def _bands(cards: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Ranges of first variables of pairs whose 2-way tables are held at once: all pairs, band by band."""
    first, cells, later = 0, 0, sum(cards)
    for i, k in enumerate(cards[:-1]):
        later -= k
        if i > first and cells + k * later > limits.BAND_CELLS:
            yield first, i
            first, cells = i, 0
        cells += k * later
    if len(cards) > 1:
        yield first, len(cards) - 1


class _Terms:
    """2^s T(x), rounded, of counts x up to N in units; n sums of such terms up to 2^s T(N) stay below 2^62."""

    def __init__(self, rows: int, n: int, units: int) -> None:
        self.rows, self._units = rows, units
        self._scale = 62 - math.frexp(xlogx(rows))[1] - n.bit_length()

    def __call__(self, counts: IntArray) -> IntArray:
        different, where = np.unique(counts * self._units, return_inverse=True)
        return np.take(self.scale(np.array([xlogx(int(count)) for count in different.tolist()])), where)

    def scale(self, numbers: FloatArray) -> IntArray:
        """2^s x, rounded; no more than 2^62, which is more than there is information."""
        rounded: IntArray = np.rint(np.minimum(np.ldexp(numbers, self._scale), 2.0**62)).astype(np.int64)
        return rounded
