"""Layouts and communities: the same every time, near what is tied, nothing on top of anything else."""

import networkx as nx
import numpy as np
import pytest

from depnet.pictures import (
    Arrow,
    DependencyGraph,
    communities,
    dependency_graph,
    layout,
    spread,
    strongest_members,
)
from tests.pictures.cases import chain, mixed


def random_graph(n: int, arrows: int, seed: int = 0, groups: int = 15) -> DependencyGraph:
    """Four of five arrows stay within groups of `groups` variables."""
    rng = np.random.default_rng(seed)
    ways = set[tuple[int, int]]()
    while len(ways) < arrows:
        a, b = (int(x) for x in rng.integers(0, n, 2))
        b = min(a // groups * groups + b % groups, n - 1) if rng.random() < 0.8 else b
        if a != b:
            ways.add((a, b))
    return DependencyGraph(
        tuple(f"v{i}" for i in range(n)),
        tuple(Arrow(a, b, float(rng.exponential())) for a, b in sorted(ways)),
    )


@pytest.mark.parametrize(("n", "arrows"), [(1, 0), (2, 0), (2, 1), (3, 3), (40, 0), (200, 2000), (600, 4000)])
def test_layout_is_the_same_every_time_and_apart(n: int, arrows: int) -> None:
    graph = random_graph(n, arrows)
    at = layout(graph)
    assert at.shape == (n, 2)
    assert np.isfinite(at).all()
    if n <= 200:
        assert np.array_equal(at, layout(graph))
    if n > 1:
        gaps = np.abs(at[:, None] - at[None]).max(axis=2) + np.eye(n) * 9
        assert gaps.min() > 0.2


def test_tied_variables_are_nearer_than_others() -> None:
    graph = random_graph(90, 400, seed=2)
    at = layout(graph)
    apart = np.linalg.norm(at[:, None] - at[None], axis=2)
    tied = np.zeros((90, 90), dtype=bool)
    for tie in graph.ties:
        tied[tie.first, tie.second] = True
    others = np.triu(~tied, 1)
    assert np.median(apart[tied]) < 0.6 * np.median(apart[others])


def test_parts_do_not_overlap() -> None:
    whole = random_graph(90, 400, seed=4)
    inside = tuple(a for a in whole.arrows if a.source // 15 == a.target // 15)
    graph = DependencyGraph(whole.names, inside)
    at = layout(graph)
    boxes = []
    linked = nx.Graph([(t.first, t.second) for t in graph.ties])
    for part in nx.connected_components(linked):
        place = at[sorted(part)]
        boxes.append((place.min(axis=0), place.max(axis=0)))
    assert len(boxes) >= 3
    for k, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:k]:
            assert (high < other_low).any() or (other_high < low).any()


def test_spread_undoes_every_overlap() -> None:
    rng = np.random.default_rng(0)
    size = rng.uniform(0.5, 3.0, size=(60, 2))
    at = spread(rng.normal(size=(60, 2)), size)
    gap = np.abs(at[:, None] - at[None]) - (size[:, None] + size[None]) / 2
    covered = (gap < -1e-6).all(axis=2) & ~np.eye(60, dtype=bool)
    assert not covered.any()
    assert (spread(at, size) == at).all(), "nothing moves where nothing overlaps"


@pytest.mark.parametrize(
    ("n", "arrows", "seed"), [(30, 60, 0), (200, 2000, 1), (60, 200, 2), (1500, 10_000, 3)]
)
def test_communities_are_as_modular_as_those_of_networkx(n: int, arrows: int, seed: int) -> None:
    graph = random_graph(n, arrows, seed)
    found = communities(graph)
    assert found == communities(graph)
    theirs = nx.Graph()
    theirs.add_nodes_from(range(n))
    for tie in graph.ties:
        theirs.add_edge(tie.first, tie.second, weight=(tie.forward or 0) + (tie.backward or 0))
    ours = [{v for v in range(n) if found[v] == k} for k in range(max(found) + 1)]
    best = nx.community.modularity(theirs, nx.community.louvain_communities(theirs, seed=0))
    assert nx.community.modularity(theirs, ours) > best - 0.02
    assert [len(group) for group in ours] == sorted((len(group) for group in ours), reverse=True)


@pytest.mark.parametrize(("n", "arrows", "seed"), [(1, 0, 0), (3, 1, 0), (12, 30, 1), (60, 200, 2)])
def test_the_strongest_member_has_most_bits_of_its_community(n: int, arrows: int, seed: int) -> None:
    graph = random_graph(n, arrows, seed)
    found = communities(graph)
    strongest = strongest_members(graph, found)
    assert [found[v] for v in strongest] == list(range(max(found) + 1))
    for v, group in enumerate(found):
        bits, most = (
            sum(max(a.strength, 0.0) for a in graph.arrows if u in (a.source, a.target))
            for u in (v, strongest[group])
        )
        assert bits <= most * (1 + 1e-12)


def test_communities_of_groups_that_know_nothing_of_each_other() -> None:
    network, data = chain(40, rows=2000)
    found = communities(dependency_graph(network, data))
    assert len({found[i] for i in range(40)}) >= 4
    for group in range(4):
        inside = set(found[10 * group : 10 * group + 10])
        outside = {found[i] for i in range(40) if i // 10 != group}
        assert not inside & outside
    lone = DependencyGraph(("a", "b"), ())
    assert communities(lone) == (0, 1)
    assert communities(DependencyGraph(("a", "b"), (Arrow(0, 1, 0.0),))) in ((0, 1), (0, 0))
    assert len(communities(dependency_graph(mixed()[0]))) == 6
