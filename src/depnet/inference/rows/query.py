"""Many rows of evidence with holes, answered or scored together, by an ordered law or by clamped chains.

A complete row of a network without an order is scored by its pseudo-log-likelihood, the sum over nodes of log theta_i.
An ordered network has a density: a row's score is log Q(o), of its observed cells, the holes summed out.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.errors import DataError
from depnet.geometry.size import check_bytes
from depnet.inference.answer.question import Effort, check_method
from depnet.inference.answer.rows import DistinctRows, RowsResult, checked_rows
from depnet.inference.clamped.rows import ClampedRows
from depnet.inference.ordered.items import log_observed
from depnet.inference.ordered.rows import LawRows
from depnet.model.network import Network, checked_network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.model.score import score_samples
from depnet.sampling.words import generator

BYTES_A_STATE = 16
"""A probability and its standard error, of each distinct row while they are found, and of each row in the result."""


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
) -> tuple[RowsResult, IntArray]:
    """The answers of all rows, and draws [imputation, row, variable] of all holes of a row together."""
    distinct = DistinctRows.of(codes, holes)
    check_bytes(
        BYTES_A_STATE * sum(network.domain.cardinalities) * (len(distinct.codes) + len(codes)),
        what=f"the probabilities of all {sum(network.domain.cardinalities):,} states in {len(codes):,} rows",
        way_out="Take fewer rows at a time, or group rare states before learning.",
    )
    draws = distinct.copies * imputations
    rows: LawRows | ClampedRows
    if network.order is not None and scan is None:
        rows = LawRows(network, distinct, effort, draws)
    else:
        scan = checked_scan(RandomScan() if scan is None else scan)
        rows = ClampedRows(network, distinct, effort, scan, draws)
    rows.run(method)
    order = np.argsort(distinct.which, kind="stable")  # the rows of each kind together, as draws are
    drawn = np.empty((imputations, *codes.shape), dtype=np.int64)
    drawn[:, order] = rows.drawn.reshape(len(codes), imputations, codes.shape[1]).transpose(1, 0, 2)
    return rows.result(scan), drawn


def score_holed(
    network: Network,
    codes: NDArray[np.integer],
    hidden: NDArray[np.bool_],
    *,
    rng: np.random.Generator | None = None,
) -> FloatArray:
    """The score of every row in nats; see the module. Rows with holes need an ordered network."""
    rows, holes = checked_rows(network.domain, codes, hidden)
    if network.order is not None:
        distinct = DistinctRows.of(rows, holes)
        return log_observed(network, distinct.codes, distinct.holes, generator(rng))[0][distinct.which]
    if holes.any():
        raise DataError(
            "rows with holes are scored by an ordered law, which sums over what they do not know; this network has no "
            'order. Learn a law (learn(dataset, order="auto")), or fill the holes first (depnet.impute).'
        )
    return score_samples(network, Dataset.from_codes(rows, domain=network.domain))
