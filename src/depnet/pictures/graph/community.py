r"""Communities: variables that predict each other better than the rest.

Modularity of a partition, on ties weighted by the bits that go both ways, w_uv, with w_u = sum over v of w_uv and
2m = the sum of all w_u:

.. math:: Q = \frac{1}{2m} \sum_{u,v\ \text{together}} \Bigl(w_{uv} - \frac{w_u w_v}{2m}\Bigr)

It is raised greedily as Blondel et al. (2008) do: each variable in turn joins the neighbouring community that gains
most, then communities become the variables of a smaller graph, until nothing moves. Turns go in the order of the
domain and equal gains to the lowest community, so that the same graph always gives the same answer.
"""

from collections import Counter, defaultdict

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
    weights: list[dict[int, float]] = [defaultdict(float) for _ in graph.names]
    for arrow in graph.arrows:
        bits = max(arrow.strength, 0.0)
        weights[arrow.source][arrow.target] += bits
        weights[arrow.target][arrow.source] += bits
    member = list(range(len(graph)))
    while True:
        groups = _move(weights)
        if groups == list(range(len(weights))):
            return _number(member)
        member = [groups[k] for k in member]
        weights = _merge(weights, groups)


def strongest_members(graph: DependencyGraph, partition: tuple[int, ...]) -> tuple[int, ...]:
    """Of every community the member with most bits to and from others, by which it is named; of equal ones the first.

    >>> from depnet.pictures.graph.dependency import Arrow
    >>> graph = DependencyGraph(("a", "b", "c", "d", "e"), (Arrow(3, 4, 1.0), Arrow(4, 2, 1.0), Arrow(1, 0, 1.0)))
    >>> strongest_members(graph, communities(graph))
    (4, 0)
    """
    bits = [0.0] * len(graph)
    for arrow in graph.arrows:
        for end in (arrow.source, arrow.target):
            bits[end] += max(arrow.strength, 0.0)
    strongest: dict[int, int] = {}
    for v, group in enumerate(partition):
        if group not in strongest or bits[v] > bits[strongest[group]]:
            strongest[group] = v
    return tuple(strongest[group] for group in sorted(strongest))


def _move(weights: list[dict[int, float]]) -> list[int]:
    """The communities after every vertex has moved where it gains most, numbered from 0 by first member."""
    group = list(range(len(weights)))
    own = [sum(ties.values()) for ties in weights]  # a tie of a joined vertex to itself counts both its ends
    total = sum(own)
    size = list(own)
    moving = total > 0
    while moving:
        moving = False
        for v, ties in enumerate(weights):
            if not ties:
                continue
            here = group[v]
            size[here] -= own[v]
            into: dict[int, float] = defaultdict(float, {here: 0.0})
            for u, bits in ties.items():
                if u != v:
                    into[group[u]] += bits
            best, gain = here, into[here] - size[here] * own[v] / total
            for g in sorted(into):
                better = into[g] - size[g] * own[v] / total
                if better > gain + LEAST_GAIN * total:
                    best, gain = g, better
            size[best] += own[v]
            if best != here:
                group[v] = best
                moving = True
    first: dict[int, int] = {}
    return [first.setdefault(g, len(first)) for g in group]


def _merge(weights: list[dict[int, float]], groups: list[int]) -> list[dict[int, float]]:
    joined: list[dict[int, float]] = [defaultdict(float) for _ in range(max(groups) + 1)]
    for v, ties in enumerate(weights):
        for u, bits in ties.items():
            joined[groups[v]][groups[u]] += bits
    return joined


def _number(member: list[int]) -> tuple[int, ...]:
    """Larger communities first, equal ones by their first variable."""
    size = Counter(member)  # in the order of first members
    order = sorted(size, key=lambda g: -size[g])
    place = {g: k for k, g in enumerate(order)}
    return tuple(place[g] for g in member)
