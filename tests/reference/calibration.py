"""One step of calibration with dictionaries and loops, for one node: the second equation of its module."""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from depnet import Dataset, Node
from depnet.inference import calibration as constants


def law(
    rows: Sequence[tuple[int, ...]], weights: Sequence[float], variables: Sequence[int]
) -> dict[tuple[int, ...], float]:
    """How often these variables have these codes."""
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for row, weight in zip(rows, weights, strict=True):
        found[tuple(row[i] for i in variables)] += weight / sum(weights)
    return found


def step(node: Node, dataset: Dataset, drawn: Dataset, delta: float) -> list[list[float]]:
    """By how much log t_B(x_B, y) moves in the first round, [leaf][state]."""
    rows = [tuple(map(int, row)) for row in dataset.codes]
    weights = [1.0] * len(rows) if dataset.weights is None else [float(weight) for weight in dataset.weights]
    chains = [tuple(map(int, row)) for row in drawn.codes]
    alike = [1.0] * len(chains)
    cards, inputs = dataset.domain.cardinalities, node.source.inputs
    own = list(np.ndindex(*(cards[i] for i in node.variables)))
    leaf_of = [int(leaf) for leaf in node.source(dataset.codes)]
    p, pi = law(rows, weights, node.variables), law(chains, alike, node.variables)
    moves = []
    for y in range(node.source.size):
        inside = [weight for weight, leaf in zip(weights, leaf_of, strict=True) if leaf == y]
        moves.append([constants.STEP * math.log((p[x] + delta) / (pi[x] + delta)) for x in own])
        for j in inputs:
            alone = law(rows, weights, (j,))
            p_pair, pi_pair = (
                law(rows, weights, (*node.variables, j)),
                law(chains, alike, (*node.variables, j)),
            )
            for code in range(cards[j]):
                met = sum(
                    weight
                    for row, weight, leaf in zip(rows, weights, leaf_of, strict=True)
                    if leaf == y and row[j] == code
                )
                added = constants.LEAF_ROWS
                says = (met + added * alone[(code,)]) / (sum(inside) + added) - alone[(code,)]
                for s, x in enumerate(own):
                    gap = (p_pair[(*x, code)] + constants.PAIR_ADDED) / (
                        pi_pair[(*x, code)] + constants.PAIR_ADDED
                    )
                    moves[y][s] += constants.PAIR_STEP / math.sqrt(len(inputs)) * says * math.log(gap)
    return moves
