"""Batches: many rows of evidence with holes, answered together, by an ordered law or by clamped chains."""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import IntArray, read_only
from depnet.data.table.dataset import Dataset
from depnet.geometry.size import check_bytes
from depnet.inference.answer.rows import DistinctRows, RowsResult, checked_rows
from depnet.inference.clamped.rows import ClampedRows, clamped_draws
from depnet.inference.effort import Effort, check_method
from depnet.inference.ordered.rows import LawRows
from depnet.model.network import Network, checked_network
from depnet.model.scan import RandomScan, Scan, checked_scan

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
        order = np.argsort(
            distinct.which, kind="stable"
        )  # the rows of each kind together, as their draws are
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
