r"""Communities: variables that predict each other better than the rest.

Modularity of a partition, on ties weighted by the bits that go both ways, w_uv, with w_u = sum over v of w_uv and
2m = the sum of all w_u:

.. math:: Q = \frac{1}{2m} \sum_{u,v\ \text{together}} \Bigl(w_{uv} - \frac{w_u w_v}{2m}\Bigr)

It is raised greedily as Blondel et al. (2008) do: each variable in turn joins the neighbouring community that gains
most, then communities become the variables of a smaller graph, until nothing moves. Turns go in the order of the
domain and equal gains to the lowest community, so that the same graph always gives the same answer.
"""

import numpy as np
from scipy.sparse import coo_array, csr_array

from depnet.arrays import FloatArray, IntArray
from depnet.pictures.graph.dependency import DependencyGraph

LEAST_GAIN = 1e-12


def communities(graph: DependencyGraph) -> tuple[int, ...]:
    """The community of every variable: 0 is the largest, a variable without ties is alone.

    Args:
        graph: the graph.

    Returns:
        A number for each variable.

    >>> from depnet.pictures.graph.dependency import Arrow
    >>> communities(DependencyGraph(("a", "b", "c", "d", "e"), (Arrow(3, 4, 1.0), Arrow(4, 2, 1.0), Arrow(1, 0, 1.0))))
    (1, 1, 0, 0, 0)
    """
    n = len(graph)
    ends, bits = _arrows(graph)
    weights = _sums(np.tile(bits, 2), ends.ravel(), ends[::-1].ravel(), n)
    member = np.arange(n)
    while True:
        groups = _move(weights)
        if len(groups) == 0 or groups[-1] == len(groups) - 1:  # each is alone
            return _number(member)
        member = groups[member]
        ties = weights.tocoo()
        weights = _sums(ties.data, groups[ties.row], groups[ties.col], int(groups.max()) + 1)


def strongest_members(graph: DependencyGraph, partition: tuple[int, ...]) -> tuple[int, ...]:
    """Of every community the member with most bits to and from others, by which it is named; of equal ones the first.

    >>> from depnet.pictures.graph.dependency import Arrow
    >>> graph = DependencyGraph(("a", "b", "c", "d", "e"), (Arrow(3, 4, 1.0), Arrow(4, 2, 1.0), Arrow(1, 0, 1.0)))
    >>> strongest_members(graph, communities(graph))
    (4, 0)
    """
    ends, bits = _arrows(graph)
    both = np.bincount(ends.ravel(), np.tile(bits, 2), len(graph))
    groups = np.array(partition, dtype=np.int64)
    order = np.lexsort((-both, groups))  # of equal ones the first stays first
    return tuple(order[np.unique(groups[order], return_index=True)[1]].tolist())


def _arrows(graph: DependencyGraph) -> tuple[IntArray, FloatArray]:
    """Both ends of the arrows, [2, arrow], and their bits, at least 0."""
    ends = np.array([[a.source for a in graph.arrows], [a.target for a in graph.arrows]], dtype=np.int64)
    return ends, np.maximum(np.array([a.strength for a in graph.arrows], dtype=np.float64), 0.0)


def _sums(values: FloatArray, first: IntArray, second: IntArray, n: int) -> csr_array:
    return coo_array((values, (first.astype(np.int32), second.astype(np.int32))), shape=(n, n)).tocsr()


def _move(weights: csr_array) -> IntArray:
    """The communities after every vertex has moved where it gains most, numbered from 0 by first member."""
    n = weights.shape[0]
    group = np.arange(n)
    own = weights.sum(axis=1)  # a tie of a joined vertex to itself counts both its ends
    total = float(own.sum())
    size = own.copy()
    begin, near = weights.indptr.tolist(), weights.indices
    bits = np.where(near == np.repeat(group, np.diff(begin)), 0.0, weights.data)
    moving = total > 0
    while moving:
        moving = False
        for v in range(n):
            ties = slice(begin[v], begin[v + 1])
            if begin[v] == begin[v + 1]:
                continue
            here, around = group[v], group[near[ties]]
            size[here] -= own[v]
            gains = np.bincount(around, bits[ties], n) - size * (own[v] / total)
            there = np.unique(around)
            most = float(gains[there].max())
            if most > gains[here] + LEAST_GAIN * total:
                group[v] = there[gains[there] >= most - LEAST_GAIN * total][0]
                moving = True
            size[group[v]] += own[v]
    _, first, number = np.unique(group, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


def _number(member: IntArray) -> tuple[int, ...]:
    """Larger communities first, equal ones by their first variable."""
    _, first, number, size = np.unique(member, return_index=True, return_inverse=True, return_counts=True)
    place = np.argsort(np.lexsort((first, -size)))
    return tuple(place[number].tolist())
