r"""Which variables are tightly coupled: the Chow-Liu forest, the tree of most mutual information

.. math:: I(X_i; X_j) = H(X_i) + H(X_j) - H(X_i, X_j),

an edge only where it is worth its parameters, N I > (|X_i| - 1)(|X_j| - 1) log(N) / 2.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from depnet.arrays import FloatArray
from depnet.data.dataset import Dataset
from depnet.errors import LearningError
from depnet.model.marginals import PairTables, pair_cells

MAX_STATES = 64
"""A block has at most so many joint states."""

BAND_CELLS = 1 << 22
"""So many cells of 2-way tables are held at once."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair of variables that may become a block."""

    variables: tuple[int, int]
    information: float
    """I(X_i; X_j), nats."""
    coupling: float
    """I(X_i; X_j) over the smaller entropy: 1 where one variable is a function of the other."""


def candidates(dataset: Dataset, max_states: int = MAX_STATES) -> tuple[Candidate, ...]:
    """The Chow-Liu forest's edges that pay for themselves and are small enough, the strongest first."""
    if isinstance(max_states, bool) or not isinstance(max_states, int) or max_states < 4:
        raise LearningError(
            f"max_states is a whole number of at least 4, two variables of two states; got {max_states!r}."
        )
    rows, cards = dataset.total, np.array(dataset.domain.cardinalities)
    if rows == 0 or len(cards) < 2:
        return ()
    entropies, information = mutual_information(dataset)
    first, second = np.triu_indices(len(cards), 1)
    parameters = (cards[first] - 1) * (cards[second] - 1)
    worth = np.flatnonzero((parameters > 0) & (rows * information > parameters * math.log(rows) / 2))
    # Equal information is broken by the variables' numbers, so that the forest is one.
    order = worth[np.argsort(-information[worth], kind="stable")]
    edges = _forest(
        zip(first[order].tolist(), second[order].tolist(), order.tolist(), strict=True), len(cards)
    )
    found = []
    for i, j, number in edges:
        if cards[i] * cards[j] <= max_states:
            coupling = float(information[number] / min(entropies[i], entropies[j]))
            found.append(Candidate((i, j), float(information[number]), min(coupling, 1.0)))
    return tuple(found)


def mutual_information(dataset: Dataset) -> tuple[FloatArray, FloatArray]:
    """H(X_i) of each variable and I(X_i; X_j) of each pair (0, 1), (0, 2), ..., (1, 2), ..., in nats."""
    cards, rows = dataset.domain.cardinalities, dataset.total
    entropies, joint = np.zeros(len(cards)), []
    for first, last in bands(cards):
        tables = PairTables.of(dataset, first, last)
        joint.append(math.log(rows) - tables.sums(xlogy(tables.cells, tables.cells)) / rows)
        if first == 0:
            entropies[0] = entropy(tables[0, 1].sum(axis=1))
            entropies[1:] = [entropy(tables[0, j].sum(axis=0)) for j in range(1, len(cards))]
    i, j = np.triu_indices(len(cards), 1)
    return entropies, np.maximum(entropies[i] + entropies[j] - np.concatenate(joint), 0.0)


def bands(cards: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Ranges of first variables of pairs whose 2-way tables are held at once: all pairs, band by band."""
    first = 0
    while first < len(cards) - 1:
        last = first + 1
        while last < len(cards) - 1 and pair_cells(cards, first, last + 1) <= BAND_CELLS:
            last += 1
        yield first, last
        first = last


def entropy(counts: np.ndarray) -> float:
    """The entropy of counts, in nats."""
    rows = counts.sum()
    return float(math.log(rows) - xlogy(counts, counts).sum() / rows) if rows else 0.0


def _forest(found: Iterable[tuple[int, int, int]], variables: int) -> list[tuple[int, int, int]]:
    """Kruskal's algorithm: the edges (i, j, number), given heaviest first, that close no circle."""
    group = list(range(variables))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    edges = []
    for edge in found:
        i, j = root(edge[0]), root(edge[1])
        if i != j:
            group[i] = j
            edges.append(edge)
            if len(edges) == variables - 1:
                break
    return edges
