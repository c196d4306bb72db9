"""Rows counted by two information sources of one node at once, and by the state of its target.

Two candidates for a node are compared row by row, but what a row contributes depends only on its leaf under either
source and on its state. So the counts of such cells are enough; they are whole numbers, and can be added up over parts
of the rows.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from depnet.arrays import CodeArray, IntArray
from depnet.model.sources.source import InformationSource


class Crossing(NamedTuple):
    """What is asked: the node's number, and two sources of it."""

    node: int
    first: InformationSource
    second: InformationSource


class Crossed(NamedTuple):
    """The cells that have rows, ascending, and how many rows: cell = (first leaf, second leaf, state), row-major."""

    cells: IntArray
    counts: IntArray


def crossed(
    asked: Crossing, codes: CodeArray, state: IntArray, states: int, weights: IntArray | None
) -> Crossed:
    """The rows `codes`, whose targets have the states `state`, by cell."""
    leaves = asked.first(codes).astype(np.int64) * asked.second.size + asked.second(codes)
    counts = np.ones(len(codes), dtype=np.int64) if weights is None else weights
    return _summed(leaves * states + state, counts)


def added(answers: Sequence[Crossed]) -> Crossed:
    """The counts of several parts together."""
    cells, counts = (np.concatenate(each) for each in zip(*answers, strict=True))
    return _summed(cells, counts)


def _summed(cells: IntArray, counts: IntArray) -> Crossed:
    found, where = np.unique(cells, return_inverse=True)
    sums = np.bincount(where, counts, minlength=len(found))  # exact: all weights sum to less than 2^53
    return Crossed(found, sums.astype(np.int64))
