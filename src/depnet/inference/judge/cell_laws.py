r"""Which cells make a row surprising: each node's part of the row's score, beside what the node would have expected.

A row's score is its pseudo-log-likelihood, the sum over nodes of log theta_i(x_i | Y_i(x)) (`depnet.score_samples`);
a node's surprise is minus its part of that sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.model.boosted import PIECE_CELLS
from depnet.model.counting import check_same_domain
from depnet.model.network import Network


@dataclass(frozen=True, slots=True, eq=False)
class CellLaws:
    """[row, variable]: theta_i(x_i | Y_i(x)) of each cell given the rest of its row, and the state that theta_i prefers."""

    theta: FloatArray
    best: IntArray
    best_theta: FloatArray


def cell_laws(network: Network, rows: Dataset, variables: Sequence[int] | None = None) -> CellLaws:
    """What each cell's own node says of it; of the columns of `variables` alone where they are given.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> laws = cell_laws(depnet.learn(people, smoothing=0.5), people)
    >>> most = int(laws.theta[0].argmin())
    >>> name, row = people.domain.variables[most], people.codes[0]
    >>> name.name, name.states[row[most]], name.states[laws.best[0, most]]
    ('age', 'child', 'adult')
    """
    check_same_domain("cell_laws", network.domain, rows)
    chosen = range(len(network)) if variables is None else variables
    theta = np.empty((rows.rows, len(chosen)))
    best = np.empty((rows.rows, len(chosen)), dtype=np.int64)
    best_theta = np.empty_like(theta)
    for place, i in enumerate(chosen):
        node = network.nodes[i]
        size = max(1, PIECE_CELLS // node.states)
        for at in (slice(first, first + size) for first in range(0, rows.rows, size)):
            table = node.probabilities(rows.codes[at])
            theta[at, place] = table[np.arange(len(table)), rows.column(i)[at]]
            best[at, place], best_theta[at, place] = table.argmax(axis=1), table.max(axis=1)
    return CellLaws(theta, best, best_theta)
