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
from depnet.inference.answer.rows import DistinctRows, checked_rows, pieces
from depnet.inference.clamped.chains import COMPLETION_CHAINS
from depnet.inference.clamped.chains import completions as completions_of
from depnet.inference.ordered.log_observed import log_observed
from depnet.model.network import Network
from depnet.model.score import score_samples
from depnet.sampling.chains import ChainProgram
from depnet.sampling.words import generator

COMPLETIONS = 64
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
    program, chains = ChainProgram(network), min(COMPLETION_CHAINS, completions)
    records = -(-completions // chains)
    for at in pieces(np.flatnonzero(with_holes), chains * rows.shape[1], PIECE_CELLS):
        inverse = np.zeros((len(at), len(network)))
        drawn = completions_of(program, rows[at], holes[at], records, rng, chains=chains, threads=n_jobs)
        for states in drawn:
            for i, node in enumerate(network.nodes):
                if not holes[at, i].all():
                    with np.errstate(divide="ignore"):
                        each = (1.0 / node.own_probabilities(states)).reshape(-1, chains).sum(axis=1)
                    inverse[:, i] += np.where(holes[at, i], 0.0, each)
        scored = inverse > 0
        logs = np.log(np.where(scored, inverse, 1.0) / (records * chains))
        out[at] = -np.where(scored, logs, 0.0).sum(axis=1)
    return out
