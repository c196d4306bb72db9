"""Rows like a row, one pair of rows after the other: by the laws of nodes first, then by cells."""

import math

import numpy as np

from depnet import Network
from depnet.data import Holed


def law_distance(p: list[float], q: list[float]) -> float:
    """Hellinger's."""
    return math.sqrt(sum((math.sqrt(a) - math.sqrt(b)) ** 2 for a, b in zip(p, q, strict=True)) / 2)


def cell_distance(network: Network, j: int, x: int, y: int) -> float:
    variable = network.domain.variables[j]
    last = len(variable.present_states) - 1
    if variable.has_order and max(x, y) <= last:
        return abs(x - y) / max(last, 1)
    return float(x != y)


def theta(network: Network, i: int, row: list[int]) -> list[float]:
    return list(network.nodes[i].probabilities(np.array([row], dtype=np.uint16))[0].tolist())


def key(
    network: Network, table: Holed, r: int, row: list[int], known: list[bool], target: int | None
) -> tuple[float, float, float]:
    """How far row r of the table is from a complete row, of which some was known: the less, the more alike."""
    codes, hidden = table.codes[r].tolist(), table.hidden[r].tolist()
    asked = list(range(len(row))) if target is None else [target]
    apart, read = 0.0, set()
    for i in asked:
        inputs = network.nodes[i].inputs
        holes = any(hidden[j] for j in inputs)
        apart += 1.0 if holes else law_distance(theta(network, i, row), theta(network, i, codes))
        read |= {j for j in inputs if known[j]}

    def cells(columns: list[int]) -> float:
        each = [1.0 if hidden[j] else cell_distance(network, j, codes[j], row[j]) for j in columns]
        return sum(each) / max(len(each), 1)

    rest = [j for j in range(len(row)) if j != target]
    return round(apart / len(asked), 6), round(cells(sorted(read)), 6), round(cells(rest), 6)
