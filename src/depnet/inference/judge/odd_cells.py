r"""Which cells make a row surprising: each node's part of the row's score, beside what the node would have expected.

A row's score is its pseudo-log-likelihood, the sum over nodes of log theta_i(x_i | Y_i(x)) (`depnet.score_samples`);
a node's surprise is minus its part of that sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Label
from depnet.model.boosted import PIECE_CELLS
from depnet.model.counting import check_same_domain
from depnet.model.network import Network


@dataclass(frozen=True, slots=True)
class OddCell:
    """The state of a node's variable in a row, each as a tuple of one.

    `surprise` is -log `probability`, in nats; `expected` is the state that the node holds most probable there.
    """

    variables: tuple[str, ...]
    states: tuple[Label, ...]
    probability: float
    surprise: float
    expected: tuple[Label, ...]
    expected_probability: float


@dataclass(frozen=True, slots=True, eq=False)
class CellLaws:
    """[row, variable]: theta_i(x_i | Y_i(x)) of each cell given the rest of its row, and the state that theta_i prefers."""

    theta: FloatArray
    best: IntArray
    best_theta: FloatArray

    @property
    def surprise(self) -> FloatArray:
        """-log theta, in nats."""
        with np.errstate(divide="ignore"):
            return np.maximum(-np.log(self.theta), 0.0)  # no -0.0


def cell_laws(network: Network, rows: Dataset, variables: Sequence[int] | None = None) -> CellLaws:
    """What each cell's own node says of it; of the columns of `variables` alone where they are given."""
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


def odd_cells(network: Network, rows: Dataset, most: int = 3) -> list[tuple[OddCell, ...]]:
    """For every row the `most` surprising of its cells, the most surprising first.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> network = depnet.learn(people, smoothing=0.5)
    >>> cell = odd_cells(network, people, most=1)[0][0]
    >>> cell.variables, cell.states, cell.expected
    (('age',), ('child',), ('adult',))
    """
    laws = cell_laws(network, rows)
    surprise = laws.surprise
    order = np.argsort(-surprise, axis=1, kind="stable")[:, :most]
    found = []
    for r in range(rows.rows):
        cells = []
        for i in order[r].tolist():
            variable = network.domain.variables[i]
            cells.append(
                OddCell(
                    (variable.name,),
                    (variable.states[rows.codes[r, i]],),
                    float(laws.theta[r, i]),
                    float(surprise[r, i]),
                    (variable.states[laws.best[r, i]],),
                    float(laws.best_theta[r, i]),
                )
            )
        found.append(tuple(cells))
    return found
