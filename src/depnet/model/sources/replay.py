"""The operations of a decision graph, replayed on rows.

A split looks only at the rows of its own leaf, and a merge joins two lists of rows, so that all stages together cost little
more than the last one.
"""

from collections.abc import Iterator

import numpy as np

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.operations import Operation, Split


def replayed(
    source: DecisionGraph, variable: int, dataset: Dataset
) -> Iterator[tuple[Operation | None, list[IntArray]]]:
    """Every operation, None before the first, with the counts of the variable's states at each leaf that it makes.

    The leaves that a split makes come last, in the order of the states; what a merge makes is its first leaf.

    >>> from depnet.data.table.dataset import Dataset
    >>> table = Dataset.from_codes([[0, 0], [1, 1], [1, 1]], [2, 2])
    >>> [[counts.tolist() for counts in new] for _, new in replayed(DecisionGraph((Split(0, 1),), (2, 2)), 0, table)]
    [[[1, 2]], [[1, 0], [0, 2]]]
    """
    state, states = dataset.column(variable), dataset.domain.cardinalities[variable]

    def counts(rows: IntArray) -> IntArray:
        weights = None if dataset.weights is None else dataset.weights[rows]
        return np.bincount(state[rows], weights=weights, minlength=states).astype(np.int64)

    leaves: list[IntArray] = [np.arange(dataset.rows)]
    yield None, [counts(leaves[0])]
    for operation in source.operations:
        if isinstance(operation, Split):
            rows = leaves.pop(operation.leaf)
            codes = dataset.column(operation.variable)[rows]
            new = [rows[codes == code] for code in range(source.cardinalities[operation.variable])]
            leaves += new
        else:
            second = leaves.pop(operation.second)
            new = [np.concatenate([leaves[operation.first], second])]
            leaves[operation.first] = new[0]
        yield operation, [counts(rows) for rows in new]
