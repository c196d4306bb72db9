r"""Many rows of evidence with holes, answered or scored together, by an ordered law or by clamped chains.

A complete row is scored by its pseudo-log-likelihood, sum over nodes of log theta_i(x_i | x_-i). With holes h and
the observed cells o, a node's part is log p(x_i | o_-i): of each observed variable given the other observed ones.
The node of a hole has no part. No chain is needed for each i, since

.. math:: p(x_i \mid o_{-i})^{-1} = E_{h \sim p(h \mid o)}\left[\theta_i(x_i \mid o_{-i}, h)^{-1}\right]

(divide p(h, x_i | o_-i) = p(h | o) p(x_i | o_-i) by theta_i and sum over h; exact where the network is
consistent). So one set of completions of a row, drawn by its clamped chain, serves all of its cells.

An ordered network has a density: a row's score is log Q(o), of its observed cells, the holes summed out.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.checks import whole_number
from depnet.data.table.dataset import Dataset
from depnet.geometry.size import check_bytes
from depnet.inference.answer.rows import DistinctRows, RowsResult, checked_rows, pieces
from depnet.inference.clamped.chains import COMPLETION_CHAINS
from depnet.inference.clamped.chains import completions as completions_of
from depnet.inference.clamped.rows import ClampedRows, clamped_draws
from depnet.inference.effort import Effort, check_method
from depnet.inference.ordered.items import log_observed
from depnet.inference.ordered.rows import LawRows
from depnet.model.network import Network, checked_network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.model.score import score_samples
from depnet.sampling.chains import ChainProgram
from depnet.sampling.words import generator

BYTES_A_STATE = 16
"""A probability and its standard error, of each distinct row while they are found, and of each row in the result."""
COMPLETIONS = 64
"""Drawn for each row with holes that is scored."""
PIECE_CELLS = 4_000_000


def query_rows(
    network: Network,
    rows: ArrayLike | Dataset,
    hidden: ArrayLike | None = None,
    *,
    scan: Scan | None = None,
    method: Literal["auto", "sample"] = "auto",
    tolerance: float = 0.01,
    max_seconds: float | None = None,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> RowsResult:
    """The marginal of every hole of every row, given what its row knows.

    An ordered network answers by its law, Q(x_h | what the row knows); any other, or with a `scan`, by clamped chains.
    The result is a function of the seed, whatever the threads.

    Args:
        network: the network.
        rows: codes [row, variable], or a `Dataset`.
        hidden: marks the holes, [row, variable], whose codes do not matter; None: negative codes are holes.
        scan: of which chain; None: the law of an ordered network, the random scan of any other.
        method: "sample" samples even what could be looked up or solved; "auto" does not.
        tolerance: what is sampled is sampled until every standard error of a row is under this.
        max_seconds: stops what has not converged by then.
        rng: the generator of what is drawn; None: fresh entropy.
        n_jobs: threads.

    Returns:
        A `RowsResult`.

    >>> from depnet import Network
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> query_rows(network, [[0, -1], [1, -1]]).probabilities["X1"].round(3).tolist()
    [[0.8, 0.2], [0.4, 0.6]]
    """
    checked_network(network)
    check_method(method, ("auto", "sample"))
    effort = Effort.of(tolerance, max_seconds, rng, n_jobs)
    codes, holes = checked_rows(network.domain, rows, hidden)
    return answered(network, codes, holes, scan, effort, method)[0]


def answered(
    network: Network,
    codes: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    scan: Scan | None,
    effort: Effort,
    method: str = "auto",
    imputations: int = 0,
    burn_in: int = 0,
) -> tuple[RowsResult, IntArray]:
    """The answers of all rows, and draws [imputation, row, variable] of all holes of a row together.

    Draws of chains are `burn_in` sweeps later than those that have settled.
    """
    distinct = DistinctRows.of(codes, holes)
    check_bytes(
        BYTES_A_STATE * sum(network.domain.cardinalities) * (len(distinct.codes) + len(codes)),
        what=f"the probabilities of all {sum(network.domain.cardinalities):,} states in {len(codes):,} rows",
        way_out="Take fewer rows at a time, or group rare states before learning.",
    )
    if network.order is not None and scan is None:
        of_law = LawRows(network, distinct, effort, distinct.copies * imputations)
        of_law.run(method)
        order = np.argsort(distinct.which, kind="stable")  # the rows of each kind together, as draws are
        drawn = np.empty((imputations, *codes.shape), dtype=np.int64)
        drawn[:, order] = of_law.drawn.reshape(len(codes), imputations, codes.shape[1]).transpose(1, 0, 2)
        return of_law.result(None), drawn
    scan = checked_scan(RandomScan() if scan is None else scan)
    of_chains = ClampedRows(network, distinct, effort, scan)
    of_chains.run(method)
    cells = of_chains.result(scan)
    if not imputations:
        return cells, np.empty((0, *codes.shape), dtype=np.int64)
    drawn, settled = clamped_draws(network, codes, cells, scan, imputations, burn_in, effort)
    return replace(cells, converged=read_only(cells.converged & settled)), drawn


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
