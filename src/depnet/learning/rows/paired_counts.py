"""Rows counted by two information sources of one node at once, and by the state of its target.

Two candidates for a node are compared row by row, but what a row contributes depends only on its leaf under either
source and on its state. So the counts of such cells are enough.
"""

from typing import NamedTuple

import numpy as np

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.model.counting import leaves_of
from depnet.model.sources.source import InformationSource


class PairedRequest(NamedTuple):
    """What is asked: the node's number, and two sources of it."""

    node: int
    first: InformationSource
    second: InformationSource


class PairedCounts(NamedTuple):
    """The cells that have rows, ascending, and how many rows: cell = (first leaf, second leaf, state), row-major."""

    cells: IntArray
    counts: IntArray


def paired_counts(request: PairedRequest, target: int, dataset: Dataset) -> PairedCounts:
    """The rows of a dataset by cell, `target` being the variable of the node."""
    first, second = (leaves_of(source, dataset).astype(np.int64) for source in request[1:])
    cells = (first * request.second.size + second) * dataset.domain.cardinalities[target]
    counts = np.ones(dataset.rows, dtype=np.int64) if dataset.weights is None else dataset.weights
    found, where = np.unique(cells + dataset.column(target), return_inverse=True)
    sums = np.bincount(where, counts, minlength=len(found))  # exact: all weights sum to less than 2^53
    return PairedCounts(found, sums.astype(np.int64))
