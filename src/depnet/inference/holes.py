"""Many rows of evidence with holes, answered or scored together, by an ordered law or by clamped chains.

A complete row of a network without an order is scored by its pseudo-log-likelihood, the sum over nodes of log theta_i.
An ordered network has a density: a row's score is log Q(o), of its observed cells, the holes summed out, and that of which
cells these are.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import FloatArray, IntArray, generator
from depnet.data.table.dataset import Dataset
from depnet.errors import DataError, InferenceError
from depnet.geometry.size import check_bytes
from depnet.inference.answer.given_rows import (
    codes_of,
    has_labels,
    join_given,
    with_conditions,
    without_conditions,
)
from depnet.inference.answer.question import Effort, check_method
from depnet.inference.answer.rows import DistinctRows, RowsResult, checked_rows
from depnet.inference.clamped.answer import ClampedRows
from depnet.inference.ordered.items import log_observed
from depnet.inference.ordered.mixture import MixtureAnswers
from depnet.inference.ordered.rows import LawRows
from depnet.model.evidence import Given
from depnet.model.mixture import AnyNetwork, Mixture, checked_any, joined_logs
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.model.score import log_pattern, score_samples
from depnet.threads import Progress, show_progress

BYTES_A_STATE = 16
"""A probability and its standard error, of each distinct row while they are found, and of each row in the result."""


Bools = NDArray[np.bool_]


def query_rows(
    network: AnyNetwork,
    rows: Any,
    hidden: ArrayLike | None = None,
    *,
    evidence: Given | None = None,
    scan: Scan | None = None,
    method: Literal["auto", "sample"] = "auto",
    tolerance: float = 0.01,
    max_seconds: float | None = None,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
    targets: Sequence[str] | None = None,
    progress: Progress | bool = False,
) -> RowsResult:
    """The marginal of every hole of every row, given what its row knows.

    An ordered network answers by its law, Q(x_h | what the row knows); any other, or with a `scan`, by clamped chains.
    The result is a function of the seed, whatever the threads.

    Args:
        network: the network.
        rows: what each row knows: a frame or a list of mappings, by names and labels, whose cells may also be conditions
            (">40", "30..40", "1st|2nd"), and what is empty or not there is unknown; or codes [row, variable], or a
            `Dataset`.
        hidden: of codes, marks the holes, [row, variable]; None: negative codes are holes.
        evidence: what is known of every row beside that, as in `depnet.query`, of columns that no row knows itself.
        scan: of which chain; None: the law of an ordered network, the random scan of any other.
        method: "sample" samples even what could be looked up or solved; "auto" does not.
        tolerance: what is sampled is sampled until every standard error of a row is under this.
        max_seconds: stops what has not converged by then.
        rng: the generator of what is drawn; None: fresh entropy.
        n_jobs: threads.
        targets: names of variables: of others, nothing is found out (None: all are asked for).
        progress: True: a bar, by tqdm where it is installed; or a function, called as progress(rows done, all rows).

    Returns:
        A `RowsResult`.

    >>> from depnet import Network
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> query_rows(network, [[0, -1], [1, -1]]).probabilities["X1"].round(3).tolist()
    [[0.8, 0.2], [0.4, 0.6]]
    >>> import depnet
    >>> law = depnet.learn(depnet.titanic(), order="auto", smoothing=0.5)
    >>> people = [{"sex": "female", "class": "1st|2nd"}, {"sex": "male"}]
    >>> query_rows(law, people, evidence={"age": "adult"}).probabilities["survived"].round(2).tolist()
    [[0.07, 0.93], [0.79, 0.21]]
    """
    domain = checked_any(network).domain
    check_method(method, ("auto", "sample"))
    effort = Effort.of(tolerance, max_seconds, rng, n_jobs)
    if evidence or has_labels(rows):
        if has_labels(rows):
            known, cells = codes_of(domain, rows)
        else:
            filled, empty = checked_rows(domain, rows, hidden)
            known, cells = np.where(empty, -1, filled.astype(np.int64)), {}
        known, conditions, which = join_given(domain, known, cells, evidence)
        if conditions:
            found = query_rows(
                with_conditions(network, conditions),
                np.hstack([known, which]),
                scan=scan,
                method=method,
                tolerance=tolerance,
                max_seconds=max_seconds,
                rng=effort.rng,
                n_jobs=n_jobs,
                targets=domain.names if targets is None else targets,
                progress=progress,
            )
            return without_conditions(found, domain)
        rows, hidden = known, None
    codes, holes = checked_rows(domain, rows, hidden)
    asked = None if targets is None else [network.domain.index(name) for name in targets]
    with show_progress("answering", progress) as tell:
        effort = replace(effort, progress=tell)
        return answer_rows(network, codes, holes, scan, effort, method, targets=asked)[0]


def answer_rows(
    network: AnyNetwork,
    codes: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    scan: Scan | None,
    effort: Effort,
    method: str = "auto",
    imputations: int = 0,
    targets: Sequence[int] | None = None,
) -> tuple[RowsResult, IntArray]:
    """The answers of all rows, and draws [imputation, row, variable] of all holes of a row together."""
    distinct = DistinctRows.of(codes, holes)
    check_bytes(
        BYTES_A_STATE * sum(network.domain.cardinalities) * (len(distinct.codes) + len(codes)),
        what=f"the probabilities of all {sum(network.domain.cardinalities):,} states in {len(codes):,} rows",
        way_out="Take fewer rows at a time, or group rare states before learning.",
    )
    draws = distinct.copies * imputations
    rows: LawRows | MixtureAnswers | ClampedRows
    if isinstance(network, Mixture):
        if scan is not None:
            raise InferenceError("a mixture has no chain to run under a scan: ask one of its components.")
        rows = MixtureAnswers(network, distinct, effort, draws, targets)
    elif network.order is not None and scan is None:
        rows = LawRows(network, distinct, effort, draws, targets)
    else:
        scan = checked_scan(RandomScan() if scan is None else scan)
        rows = ClampedRows(network, distinct, effort, scan, draws, targets)
    rows.run(method)
    order = np.argsort(distinct.which, kind="stable")  # the rows of each kind together, as draws are
    drawn = np.empty((imputations, *codes.shape), dtype=np.int64)
    drawn[:, order] = rows.drawn.reshape(len(codes), imputations, codes.shape[1]).transpose(1, 0, 2)
    return rows.result(scan), drawn


def score_holed(
    network: AnyNetwork,
    codes: NDArray[np.integer],
    hidden: NDArray[np.bool_],
    *,
    rng: np.random.Generator | None = None,
) -> FloatArray:
    """The score of every row in nats, of an ordered network with which cells it knows; see the module."""
    rows, holes = checked_rows(network.domain, codes, hidden)
    if isinstance(network, Mixture):
        each = [score_holed(part, codes, hidden, rng=rng) for part in network.components]
        return joined_logs(network, np.stack(each))
    if network.order is not None:
        distinct = DistinctRows.of(rows, holes)
        known = log_observed(network, distinct.codes, distinct.holes, generator(rng))[0][distinct.which]
        return np.asarray(known + log_pattern(network, holes))
    if holes.any():
        raise DataError(
            "rows with holes are scored by an ordered law, which sums over what they do not know; this network has no "
            'order. Learn a law (learn(dataset, order="auto")), or fill the holes first (depnet.impute).'
        )
    return score_samples(network, Dataset.from_codes(rows, domain=network.domain))
