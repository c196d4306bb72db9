"""What the tests of a decision graph gain, vertex after vertex."""

import math
from collections.abc import Sequence

import numpy as np

from depnet import DecisionGraph
from depnet.arrays import FloatArray, IntArray
from depnet.learning.links import known_nats
from depnet.model.node import Node


def strengths(node: Node, source: DecisionGraph, marginals: Sequence[FloatArray]) -> dict[int, float]:
    """{j: bits per row} of a node whose table has counts, for `depnet.learning.links.strengths`."""
    counts = node.table.counts
    assert counts is not None
    ways = _ways(source)
    compiled = source.compiled
    reach = np.zeros(len(compiled.variable))
    reach[0] = 1.0
    for v, j, children in ways:
        for child, p in zip(children, marginals[j], strict=True):
            reach[child] += reach[v] * p
    rows = np.zeros((len(reach), node.table.states))
    for leaf in np.flatnonzero(compiled.variable < 0):
        rows[leaf] = counts[compiled.begin[leaf]]
    total = float(rows.sum())
    gained = dict.fromkeys(source.inputs, 0.0)
    for v, j, children in reversed(ways):
        parts = [
            rows[child] * (reach[v] * p / reach[child] if reach[child] > 0 else 0.0)
            for child, p in zip(children, marginals[j], strict=True)
        ]
        rows[v] = np.sum(parts, axis=0)
        gained[j] += known_nats(np.array(parts)) / (total * math.log(2))
    return gained


def _ways(source: DecisionGraph) -> list[tuple[int, int, IntArray]]:
    """(vertex, variable, children) of every test, each after all tests that lead to it."""
    variable, begin, children = source.compiled
    below = {
        v: children[begin[v] : begin[v] + source.cardinalities[variable[v]]].astype(np.int64)
        for v in np.flatnonzero(variable >= 0).tolist()
    }
    order: list[tuple[int, int, IntArray]] = []
    while len(order) < len(below):
        done = {v for v, _, _ in order}
        waiting = {child for v, reached in below.items() if v not in done for child in reached.tolist()}
        ready = [v for v in below if v not in done and v not in waiting]
        order.extend((v, int(variable[v]), below[v]) for v in ready)
    return order
