r"""Which holes of rows are filled where missing is a state of a column, and by what law.

Such a hole is a fact, and mostly one with a reason: a cause of death of the living is not unknown, there is none. To fill it
is to ask what would be there, theta(X_j | known, rest). That is done where X_j is known often enough beside what the row
knows; where P(X_j is known | what the row knows) is under `LEAST_KNOWN`, the hole stays, and is a fact for the row's
other holes.

The law that fills has the same sources, and in the node of X_j

.. math:: \theta'(x \mid y) = \theta(x \mid y, \text{known}) (1 - \epsilon\,\theta(\text{missing} \mid y)), \qquad
          \theta'(\text{missing} \mid y) = \epsilon\,\theta(\text{missing} \mid y):

a hole that is asked for is never filled with "missing", and one that stays weighs as it did, but for a factor that is the
same for all fillings of its row. That X_j *would be known* says nothing of the row's other cells: in fact it is not.
"""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.dataset import Holed
from depnet.data.table.domain import Domain
from depnet.inference.rows.query import query_rows
from depnet.model.boosted import BoostedNode
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.stages import UNIT
from depnet.model.table import ConditionalTable
from depnet.wording import counted

LEAST_KNOWN = 0.02
TINY = 1e-9
"""The epsilon above."""

Bools = NDArray[np.bool_]


def open_holes(table: Holed) -> Bools:
    """[row, variable]: the holes, whether they are hidden or states of their columns."""
    holes = np.array(table.hidden)
    for i, variable in enumerate(table.domain.variables):
        if variable.missing is not None:
            holes[:, i] |= table.codes[:, i] == variable.cardinality - 1
    return holes


def split_holes(
    network: Network, codes: CodeArray, holes: Bools, *, everything: bool = False, **effort: Any
) -> tuple[CodeArray, Bools]:
    """The codes, and which holes are filled: those that stay have the code of their state.

    `everything`: none stays. `effort` is that of `query_rows`.
    """
    states = _missing_states(network.domain)
    fill = np.array(holes)
    plain = codes.copy(order="F")
    plain[holes] = 0
    rows = np.flatnonzero(holes[:, list(states)].any(axis=1))
    if everything or not len(rows):
        return plain, fill
    found = query_rows(network, plain[rows], holes[rows], **effort)
    for i, state in states.items():
        gone = found.probabilities[network.domain.names[i]][:, state]
        stays = rows[holes[rows, i] & (1 - gone < LEAST_KNOWN)]
        plain[stays, i] = state
        fill[stays, i] = False
    return plain, fill


def warn_left(holes: int, way: str) -> None:
    """Say how many holes stay, and the way to fill them."""
    if holes:
        warnings.warn(
            f"{counted(holes, 'hole')} left: beside what the row knows, the column is known with a probability under "
            f"{LEAST_KNOWN}: it does not apply, or was not asked. {way} fills them, too.",
            UserWarning,
            stacklevel=3,
        )


def present_law(network: Network) -> Network:
    """The network that fills holes: see the module. One without such states is itself.

    >>> network = Network.from_joint(np.full((2, 2), 0.25))
    >>> present_law(network) is network
    True
    """
    states = _missing_states(network.domain)
    if not states:
        return network
    nodes = tuple(_present(node) if node.variable in states else node for node in network.nodes)
    return replace(network, nodes=nodes)


def _missing_states(domain: Domain) -> dict[int, int]:
    """The code of the missing state of each variable that has one, and others."""
    return {
        i: variable.cardinality - 1
        for i, variable in enumerate(domain.variables)
        if variable.missing is not None and variable.cardinality > 1
    }


def _present(node: Node) -> Node:
    if isinstance(node, BoostedNode):  # odds in the place of probabilities, which scores cannot say
        scores = np.array(node.start_scores)
        scores[:, -1 if node.digits is None else 0] += round(
            np.log(TINY) / UNIT
        )  # missing is the first digit
        return BoostedNode(node.variable, node.start, scores, node.stages, node.gains, node.digits)
    theta = node.table.probabilities
    gone = TINY * theta[:, -1:]
    return TableNode(
        node.variable,
        node.source,
        ConditionalTable.from_probabilities(np.hstack([_given_known(node.table) * (1 - gone), gone])),
    )


def _given_known(table: ConditionalTable) -> FloatArray:
    """[leaf, state]: theta(x | y, known); a leaf that knows nothing of X_j says what all leaves say together."""
    if table.counts is None or table.smoothing is None:
        present = table.probabilities[:, :-1] + np.finfo(float).tiny
        return np.asarray(present / present.sum(axis=1, keepdims=True))
    counts: IntArray = table.counts[:, :-1]
    alike = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * counts.shape[1])
    present = counts + max(table.smoothing, TINY) * counts.shape[1] * alike
    return np.asarray(present / present.sum(axis=1, keepdims=True))
