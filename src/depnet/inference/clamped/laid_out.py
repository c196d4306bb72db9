"""A network laid out for the native chains, with what is to be estimated from them."""

import math
from collections.abc import Sequence

import numpy as np

from depnet._native import batch as native
from depnet.arrays import FloatArray
from depnet.errors import DomainTooLargeError
from depnet.geometry.dense import input_leaves
from depnet.inference.clamped.tilt import tilted_rows
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import LosslessSource

TABLE_STATES = 1 << 12
"""A decision graph over inputs with at most so many joint states is looked up; others are walked."""

MAX_FUNCTION_STATES = 1 << 24
MAX_CELLS = 2**31 - 1


def planned(network: Network, evidence: Evidence, estimators: Sequence[Sequence[int]]) -> native.Plan:
    """The native plan of `network`; the tables are tilted by the evidence, clamps are given row by row."""
    cards = network.domain.cardinalities
    plan = native.Plan(np.array(cards, dtype=np.int32))
    tilts = Evidence({}, evidence.tilts)
    cells = sum(node.table.probabilities.size for node in network.nodes)
    if cells > MAX_CELLS:
        raise DomainTooLargeError(
            f"the conditional tables have {cells:,} cells; at most {MAX_CELLS:,} can be sampled."
        )
    for number, node in enumerate(network.nodes):
        theta, _ = tilted_rows(node, cards, tilts)
        flat = np.ascontiguousarray(theta).reshape(-1)
        targets = np.array(node.variables, dtype=np.int32)
        states = math.prod(cards[j] for j in node.source.inputs)
        if isinstance(node.source, DecisionGraph) and states > TABLE_STATES:
            plan.add_graph_node(targets, *node.source.compiled, flat)
            continue
        if states > MAX_FUNCTION_STATES and not isinstance(node.source, LosslessSource):
            raise DomainTooLargeError(
                f"the information source of node {number} is a function of {len(node.source.inputs)} variables with "
                f"{states:,} joint states, too many to tabulate. Learn a DecisionGraph instead."
            )
        leaves = input_leaves(node.source, cards).astype(np.int32)
        plan.add_table_node(targets, np.array(node.source.inputs, dtype=np.int32), leaves, flat)
    for variables in estimators:
        plan.add_estimator(np.array(variables, dtype=np.int32))
    plan.link()
    return plan


def start_laws(network: Network, evidence: Evidence) -> list[FloatArray]:
    """A law for each variable to start chains from: its node's marginal of the data, tilted by the evidence.

    Where a table was not learned from counts, the average of its rows stands in.
    """
    cards = network.domain.cardinalities
    first: dict[int, Node] = {}
    for node in network.nodes:
        for i in node.variables:
            first.setdefault(i, node)
    laws: list[FloatArray] = []
    for i, k in enumerate(cards):
        law = _marginal(first[i], i, cards)
        tilted = law * evidence.tilts.get(i, np.ones(k))
        laws.append(
            tilted / tilted.sum() if tilted.sum() > 0 else evidence.tilts[i] / evidence.tilts[i].sum()
        )
    return laws


def _marginal(node: Node, i: int, cards: Sequence[int]) -> FloatArray:
    rows = node.table.probabilities if node.table.counts is None else node.table.counts + 0.5
    cells = rows.sum(axis=0).reshape([cards[j] for j in node.variables])
    others = tuple(axis for axis, j in enumerate(node.variables) if j != i)
    law = cells.sum(axis=others)
    return np.asarray(law / law.sum(), dtype=np.float64)
