r"""Where variables are drawn: near those they are tied to, the same way every time.

Only the backbone is laid out, so that a network of thousands of links is no hairball: a maximum spanning forest of
the ties and each variable's strongest ones. In every connected part, the distances d_uv along the backbone are drawn
as truly as the plane allows, by minimising the stress

.. math:: \sum_{u<v} d_{uv}^{-2} (\|x_u - x_v\| - d_{uv})^2

by majorization (de Leeuw 1977; Gansner, Koren and North 2004) from the start of Brandes and Pich's pivots (2007). Parts
are then laid beside each other, the largest first, variables without ties last. Nothing is random.
"""

import math

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, dijkstra, minimum_spanning_tree
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from depnet.arrays import FloatArray, IntArray
from depnet.pictures.graph.dependency import DependencyGraph
from depnet.threads import one_thread

STRONGEST = 2
"""The ties of each variable that are in the backbone beside the forest."""

PIVOTS = 60
ROUNDS = 80
SETTLED = 1e-4
MOST_DENSE = 2500
"""The most variables of one part whose distances are all kept in memory; of more, the pivots' map is kept."""

BLOCK = 64  # rows of distances at once

ASPECT = 1.5
GAP = 1.1


def layout(graph: DependencyGraph) -> FloatArray:
    """A place [x, y] for every variable, a tie of the backbone being about 1 long; y points down.

    Args:
        graph: the graph.

    Returns:
        [variable, 2].

    >>> from depnet.pictures.graph.dependency import Arrow
    >>> at = layout(DependencyGraph(("a", "b", "c"), (Arrow(0, 1, 1.0), Arrow(1, 2, 1.0))))
    >>> np.linalg.norm(at[0] - at[2]).round(1)
    np.float64(2.0)
    """
    n = len(graph)
    if n == 0:
        return np.empty((0, 2))
    first, second, length = _backbone(graph)
    near = _sparse(length, first, second, n)
    _, part = connected_components(near, directed=False)
    parts = [np.flatnonzero(part == k) for k in range(int(part.max()) + 1)]
    parts.sort(key=lambda members: (-len(members), int(members[0])))
    with one_thread("blas"):
        drawn = [_part(near[members][:, members]) for members in parts]
    at = np.empty((n, 2))
    for members, place in zip(parts, _beside(drawn), strict=True):
        at[members] = place
    return at


def _backbone(graph: DependencyGraph) -> tuple[IntArray, IntArray, FloatArray]:
    """Ends and lengths of the ties that are laid out; the weaker a tie, the longer, up to twice."""
    n, ties = len(graph), graph.ties
    first = np.array([t.first for t in ties], dtype=np.int64)
    second = np.array([t.second for t in ties], dtype=np.int64)
    if not len(ties):
        return first, second, np.empty(0)
    rank = np.arange(1, len(ties) + 1, dtype=np.float64)  # ties come strongest first, and ranks are distinct
    forest = minimum_spanning_tree(_sparse(rank, first, second, n))
    chosen = np.zeros(len(ties), dtype=bool)
    chosen[forest.data.astype(np.int64) - 1] = True
    seen = np.zeros(n, dtype=np.int64)
    for k, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        if seen[a] < STRONGEST or seen[b] < STRONGEST:
            chosen[k] = True
        seen[a] += 1
        seen[b] += 1
    strength = np.array([max(t.strength, 0.0) for t in ties])
    length = 2.0 - np.sqrt(strength / max(strength[0], 1e-300))
    return first[chosen], second[chosen], length[chosen]


def _sparse(values: FloatArray, first: IntArray, second: IntArray, n: int) -> csr_array:
    ends = (first.astype(np.int32), second.astype(np.int32))  # SciPy 1.12 knows graphs by 32-bit numbers only
    return coo_array((values, ends), shape=(n, n)).tocsr()


def _part(near: csr_array) -> FloatArray:
    n = near.shape[0]
    if n == 1:
        return np.zeros((1, 2))
    at = _scale_to_pivots(near)
    if n <= MOST_DENSE:
        at = _least_stress(at, dijkstra(near, directed=False))
    at = spread(at, np.full((n, 2), 0.35))
    at -= at.mean(axis=0)
    _, _, axes = np.linalg.svd(at, full_matrices=False)
    at = at @ axes.T
    largest = np.argmax(np.abs(at), axis=0)  # the sign of an axis is the solver's: make it ours
    return np.asarray(at * np.sign(at[largest, [0, 1]] + (at[largest, [0, 1]] == 0)))


def _scale_to_pivots(near: csr_array) -> FloatArray:
    """Classical scaling to pivots that lie far from each other."""
    n = near.shape[0]
    chosen, nearest, rows = [0], np.full(n, np.inf), []
    for _ in range(min(n, PIVOTS)):
        row = dijkstra(near, directed=False, indices=np.array(chosen[-1:]))[0]
        rows.append(row)
        nearest = np.minimum(nearest, row)
        chosen.append(int(np.argmax(nearest)))
    squares = np.array(rows).T ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean()
    values, vectors = np.linalg.eigh(centred.T @ centred)
    at = -centred @ vectors[:, ::-1][:, :2] if len(values) > 1 else np.zeros((n, 2))
    scale = np.abs(at).max()
    wanted = max(float(nearest.max()), math.sqrt(n), 1.0)
    at = at * (wanted / scale) if scale > 0 else at
    turn = (
        np.arange(n) * math.pi * (3 - math.sqrt(5))
    )  # the golden angle tells apart what scaling puts in one place
    spiral = np.sqrt(np.arange(n) + 0.5)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return np.asarray(at + 0.05 * spiral)


def _least_stress(at: FloatArray, wanted: FloatArray) -> FloatArray:
    n = len(at)
    np.fill_diagonal(wanted, np.inf)
    pull, weights = 1.0 / wanted, wanted**-2.0
    laplacian = np.diag(weights.sum(axis=1)) - weights
    factor = cho_factor(laplacian + 1.0 / n)  # forces sum to 0: its inverse is the Laplacian's own
    force = np.empty_like(at)
    for _ in range(ROUNDS if n <= 500 else ROUNDS // 2):
        for begin in range(0, n, BLOCK):  # at 1,500 variables, memory is what takes the time
            some = slice(begin, begin + BLOCK)
            ratio = pull[some] / np.maximum(cdist(at[some], at), 1e-9)
            force[some] = ratio.sum(axis=1)[:, None] * at[some] - ratio @ at
        moved = cho_solve(factor, force)
        change = float(np.abs(moved - at).max())
        at = moved
        if change < SETTLED * n**0.5:
            break
    return at


def spread(at: FloatArray, size: FloatArray, rounds: int = 400) -> FloatArray:
    """Boxes of `size` [width, height] moved apart until none covers another, or `rounds` are over.

    Each overlap is undone along the axis on which it is smaller, half by either box; where boxes keep pushing each
    other about, all of them move outwards.
    """
    at = np.array(at, dtype=np.float64)
    if len(at) < 2:
        return at
    span = np.maximum(size.max(axis=0), 1e-9)
    for turn in range(1, rounds + 1):
        pairs = cKDTree(at / span).query_pairs(1.0, p=np.inf, output_type="ndarray")
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        a, b = pairs[:, 0], pairs[:, 1]
        gap = at[b] - at[a]
        over = (size[a] + size[b]) / 2 - np.abs(gap)
        hit = (over > 1e-9).all(axis=1)
        if not hit.any():
            break
        a, b, gap, over = a[hit], b[hit], gap[hit], over[hit]
        axis = np.argmin(over / span, axis=1)
        every = np.arange(len(a))
        way = np.where(gap[every, axis] >= 0, 1.0, -1.0)
        step = np.zeros_like(gap)
        step[every, axis] = way * (over[every, axis] / 2 + 1e-3 * span[axis])
        moves, times = np.zeros_like(at), np.zeros(len(at))
        np.add.at(moves, a, -step)
        np.add.at(moves, b, step)
        np.add.at(times, a, 1.0)
        np.add.at(times, b, 1.0)
        at += moves / np.maximum(np.sqrt(times), 1.0)[:, None]
        if turn % 20 == 0:
            at = at.mean(axis=0) + 1.08 * (at - at.mean(axis=0))
    return at


def _beside(parts: list[FloatArray]) -> list[FloatArray]:
    """Parts on shelves, left to right, top to bottom."""
    boxes = [place.max(axis=0) - place.min(axis=0) + GAP for place in parts]
    area = sum(float(box[0] * box[1]) for box in boxes)
    width = max(math.sqrt(area * ASPECT), max(float(box[0]) for box in boxes))
    placed, x, y, height = [], 0.0, 0.0, 0.0
    for place, box in zip(parts, boxes, strict=True):
        if x > 0 and x + box[0] > width + 1e-9:
            x, y, height = 0.0, y + height, 0.0
        placed.append(place - place.min(axis=0) + np.array([x, y]) + GAP / 2)
        x, height = x + float(box[0]), max(height, float(box[1]))
    return placed
