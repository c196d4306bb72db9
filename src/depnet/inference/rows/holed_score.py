r"""Scores of rows with holes: what the observed cells say about each other, the holes integrated out.

A complete row is scored by its pseudo-log-likelihood, sum over nodes of log theta_i(x_i | x_-i). With holes h and
the observed cells o, a node's part is log p(x_i | o_-i): of each observed variable given the other observed ones.
The node of a hole has no part. No chain is needed for each i, since

.. math:: p(x_i \mid o_{-i})^{-1} = E_{h \sim p(h \mid o)}\left[\theta_i(x_i \mid o_{-i}, h)^{-1}\right]

(divide p(h, x_i | o_-i) = p(h | o) p(x_i | o_-i) by theta_i and sum over h; exact where the network is
consistent). So one set of completions of a row, drawn by its clamped chain, serves all of its cells.

An ordered network has a density: a row's score is log Q(o), of its observed cells, the holes summed out.
"""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.checks import whole_number
from depnet.data.table.dataset import Dataset
from depnet.inference.clamped.chains import ChainProgram, Chains
from depnet.inference.ordered.log_observed import log_observed
from depnet.inference.rows.answers import DistinctRows, checked_rows, pieces
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.scan import RandomScan
from depnet.model.score import score_samples
from depnet.sampling.words import generator

COMPLETIONS = 64
BURN_IN = 20
THIN = 2
CHAINS_A_ROW = 8
PIECE_CELLS = 4_000_000


def score_holed(
    network: Network,
    codes: NDArray[np.integer],
    hidden: NDArray[np.bool_],
    *,
    completions: int = COMPLETIONS,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> FloatArray:
    """The score of every row in nats; see the module. Rows without holes have their `score_samples`.

    `completions` are drawn for each row with holes, from 8 chains; an ordered network needs none.

    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> hidden = np.array([[False, True]])
    >>> scores = score_holed(network, np.array([[0, 0]]), hidden, completions=40_000, rng=np.random.default_rng(0))
    >>> float(np.exp(scores[0]).round(2))                                                   # p(X0 = 0)
    0.5
    """
    whole_number("completions", completions, at_least=1)
    rng = generator(rng)
    rows, holes = checked_rows(network.domain, codes, hidden)
    if network.order is not None:
        distinct = DistinctRows.of(rows, holes)
        return log_observed(network, distinct.codes, distinct.holes, rng)[0][distinct.which]
    out = np.zeros(len(rows))
    with_holes = holes.any(axis=1)
    whole = np.flatnonzero(~with_holes)
    if len(whole):
        out[whole] = score_samples(network, Dataset.from_codes(rows[whole], domain=network.domain))
    program = ChainProgram(network)
    for at in pieces(np.flatnonzero(with_holes), CHAINS_A_ROW * rows.shape[1], PIECE_CELLS):
        out[at] = _scored(program, rows[at], holes[at], completions, rng, n_jobs)
    return out


def _scored(
    program: ChainProgram,
    rows: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    completions: int,
    rng: np.random.Generator,
    threads: int | None,
) -> FloatArray:
    per_row = min(CHAINS_A_ROW, completions)
    chains = Chains.far_apart(program, RandomScan(), rows, holes, per_row, rng, threads)
    nodes = program.network.nodes
    inverse = np.zeros((len(rows), len(nodes)))
    records = -(-completions // per_row)
    for record in range(records):
        chains.run(THIN if record else BURN_IN, record=False)
        for i, node in enumerate(nodes):
            if not holes[:, i].all():
                inverse[:, i] += _inverse(node, chains.codes, holes, per_row)
    counted = inverse > 0
    logs = np.log(np.where(counted, inverse, 1.0) / (records * per_row))
    return np.asarray(-np.where(counted, logs, 0.0).sum(axis=1))


def _inverse(node: Node, states: NDArray[np.uint16], holes: NDArray[np.bool_], per_row: int) -> FloatArray:
    """For each row the sum over its chains of 1 / theta of the node's own variable; 0 where that is a hole."""
    own = node.own_probabilities(states)
    with np.errstate(divide="ignore"):
        each = (1.0 / own).reshape(-1, per_row).sum(axis=1)
    return np.where(holes[:, node.variable], 0.0, each)
