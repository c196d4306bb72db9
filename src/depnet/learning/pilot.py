r"""Pilot chains: the marginals of a network that is being chosen, against those of rows held out.

Learning runs no chains as a rule; whether blocks bring a network's law nearer to the data shows in nothing else. So a
few chains of the random scan (Algorithm 1) start at rows of the data and run on, and what they have become is compared with
rows that nothing was learned from:

.. math:: \frac1n \sum_i d(X_i) + \binom n2^{-1} \sum_{i<j} d(X_i, X_j), \qquad
          d(X) = \frac12 \sum_x |\hat\pi(X = x) - p(X = x)|.

Chains and rows are few, so that the distance of even a perfect network is far from 0: it is compared with that of the rows
that the chains start at, the floor.
"""

from collections.abc import Sequence

import numpy as np

from depnet._native import batch as native
from depnet.data.dataset import Dataset
from depnet.learning.coupling import bands
from depnet.model.decision_graph import DecisionGraph
from depnet.model.marginals import PairTables
from depnet.model.node import Node

CHAINS = 512
BURN_IN = 16
RECORDS, GAP = 3, 8
"""A chain runs `BURN_IN` sweeps, then records its state `RECORDS` times, `GAP` sweeps apart."""
TOGETHER = 8
"""So many chains share the random choice of nodes, and so walk the same graph at a time, which is faster."""


def some_rows(rows: Dataset) -> Dataset:
    """As many rows as there are chains, drawn with replacement; always the same of the same rows in the same order."""
    ends = np.arange(1, rows.rows + 1) if rows.weights is None else np.cumsum(rows.weights)
    places = np.random.default_rng(0).integers(int(ends[-1]), size=CHAINS)
    chosen = np.searchsorted(ends, places, side="right")
    return Dataset.from_codes(rows.codes[chosen], domain=rows.domain)


def pilot(nodes: Sequence[Node], start: Dataset) -> Dataset:
    """States of chains, one from each row of `start`; the same whenever it is called."""
    plan = native.Plan(np.array(start.domain.cardinalities, dtype=np.int32))
    for node in nodes:
        assert isinstance(node.source, DecisionGraph)
        theta = np.ascontiguousarray(node.table.probabilities).reshape(-1)
        plan.add_graph_node(np.array(node.variables, dtype=np.int32), *node.source.compiled, theta)
    plan.link()
    chains = start.rows
    codes = np.array(start.codes, dtype=np.uint16, order="C")
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**64, size=chains, dtype=np.uint64)
    counters, impossible = np.zeros(chains, dtype=np.uint64), np.zeros(chains, dtype=np.int64)
    groups = -(-chains // TOGETHER)
    nothing, clamped = np.zeros((0, 0)), np.zeros((groups, codes.shape[1]), dtype=np.uint8)
    records = []
    for sweeps in (BURN_IN, *[GAP] * (RECORDS - 1)):
        steps = sweeps * len(nodes)
        order = rng.integers(len(nodes), size=groups * steps, dtype=np.int32)
        ends = np.arange(groups + 1, dtype=np.int32) * steps
        places = np.tile(np.arange(steps, dtype=np.int32), groups)
        native.run(
            plan, ends, order, np.zeros(0), places, np.full(groups, steps, dtype=np.int32), clamped, TOGETHER,
            True, False, 1, 0, chains, keys, counters, codes, nothing, nothing, impossible,
        )  # fmt: skip
        records.append(codes.astype(start.codes.dtype))
    return Dataset(start.domain, np.concatenate(records))


def apart(first: Dataset, second: Dataset) -> float:
    """The mean distance of 1-way marginals plus that of 2-way ones."""
    cards = first.domain.cardinalities
    two_way, singles = 0.0, np.zeros(len(cards))
    for begin, end in bands(cards):
        a, b = (PairTables.of(rows, begin, end) for rows in (first, second))
        gaps = a.cells / first.total - b.cells / second.total
        two_way += float(np.abs(gaps).sum()) / 2
        if begin == 0:
            tables = PairTables(cards, gaps, begin, end)  # type: ignore[arg-type]  # differences of shares
            singles[0] = np.abs(tables[0, 1].sum(axis=1)).sum() / 2
            singles[1:] = [np.abs(tables[0, j].sum(axis=0)).sum() / 2 for j in range(1, len(cards))]
    return float(singles.mean()) + two_way / (len(cards) * (len(cards) - 1) / 2)
