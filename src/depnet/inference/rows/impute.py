"""Imputation: the holes of a table filled in, by mode or by draws; what was observed stays untouched.

The mode is that of each hole's own marginal given what its row knows. Draws are joint: a row's holes are
filled with one state of its clamped chain, so that they fit together; several imputations are independent
chains. Under a sequential scan each chain ends at a uniformly random place of the sweep (Eq. ordered). An ordered
network draws from its law instead (`depnet.inference.ordered.rows`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import IntArray, read_only
from depnet.checks import seconds_given, whole_number
from depnet.data.table.dataset import Dataset
from depnet.errors import DataError
from depnet.inference.clamped.chains import Chains, Order
from depnet.inference.clamped.laid_out import planned
from depnet.inference.rows.rows import (
    NOTHING,
    RowsResult,
    checked_rows,
    checked_tolerance,
    law_rows,
    query_rows,
    settled_states,
)
from depnet.model.network import Network, checked_network
from depnet.model.scan import RandomScan, Scan, SequentialScan
from depnet.sampling.plan.words import generator
from depnet.wording import counted

CHUNK_CODES = 20_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Imputation:
    """Completed rows. `codes` is [N, n]; `imputations` has all of them, the first being `codes`.

    `cells` holds every hole's probabilities, standard errors and R-hat. For draws, `agreement[name]` is how
    far the drawn states of that variable are, taken together, from its probabilities: the largest
    standardised difference (about normal where the chains have converged; nan where nothing was drawn).
    """

    codes: IntArray
    imputations: tuple[IntArray, ...]
    cells: RowsResult
    method: str
    burn_in: int
    agreement: Mapping[str, float]

    @property
    def converged(self) -> bool:
        """Every hole's standard errors are small enough, and the draws agree with the probabilities."""
        together = all(not abs(z) > 5.0 for z in self.agreement.values())
        return bool(self.cells.converged.all()) and together

    def __str__(self) -> str:
        holes, rows = counted(int(self.cells.hidden.sum()), "hole"), counted(len(self.codes), "row")
        how = (
            "by their modes"
            if self.method == "mode"
            else f"by draws, {counted(len(self.imputations), 'imputation')}"
        )
        ended = "converged" if self.converged else "not converged: see .cells and .agreement"
        return f"{holes} of {rows} filled {how}; {ended}"


def impute(
    network: Network,
    rows: ArrayLike | Dataset,
    hidden: ArrayLike | None = None,
    *,
    method: Literal["mode", "draw"] = "mode",
    n_imputations: int = 1,
    scan: Scan | None = None,
    tolerance: float = 0.01,
    burn_in: int = 100,
    max_seconds: float | None = None,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> Imputation:
    """Fill the holes of `rows`, codes [N, n]: negative codes, or the cells that `hidden` marks.

    `method="draw"` draws each row's holes together; `n_imputations` of them are independent. An ordered network draws
    from its law, exactly where that can be solved; any other, or with a `scan` (None: the random scan), by clamped
    chains that have settled, `burn_in` sweeps later.

    >>> from depnet import Network
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> impute(network, [[0, -1], [1, -1]]).codes.tolist()
    [[0, 0], [1, 1]]
    """
    if method not in ("mode", "draw"):
        raise ValueError(f"method is 'mode' or 'draw'; got {method!r}.")
    n_imputations = whole_number("n_imputations", n_imputations, at_least=1)
    if method == "mode" and n_imputations > 1:
        raise ValueError("the mode is one imputation; several need method='draw'.")
    burn_in = whole_number("burn_in", burn_in, at_least=0)
    rng = generator(rng)
    codes, holes = checked_rows(checked_network(network).domain, rows, hidden)
    if not len(codes):
        raise DataError("there are no rows to complete.")
    if network.order is not None and scan is None:
        cells, drawn = law_rows(
            network, codes, holes, "auto", checked_tolerance(tolerance), seconds_given(max_seconds), rng, n_jobs,
            n_imputations if method == "draw" else 0,
        )  # fmt: skip
        burn_in = 0
    else:
        cells, drawn = _clamped(
            network, codes, holes, method, scan, tolerance, max_seconds, n_imputations, burn_in, rng, n_jobs
        )
    if method == "mode":
        completed = read_only(np.where(holes, cells.mode(), codes).astype(np.int64))
        return Imputation(completed, (completed,), cells, method, 0, {})
    imputations = tuple(read_only(drawn[m]) for m in range(n_imputations))
    return Imputation(imputations[0], imputations, cells, method, burn_in, _agreement(drawn, holes, cells))


def _clamped(
    network: Network,
    codes: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    method: str,
    scan: Scan | None,
    tolerance: float,
    max_seconds: float | None,
    imputations: int,
    burn_in: int,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> tuple[RowsResult, IntArray]:
    """What clamped chains say of every hole, and draws of theirs."""
    scan = RandomScan() if scan is None else scan
    cells = query_rows(
        network, codes, holes, scan=scan, tolerance=tolerance, max_seconds=max_seconds, rng=rng, n_jobs=n_jobs
    )
    if method == "mode":
        return cells, np.zeros((0, *codes.shape), dtype=np.int64)
    drawn, settled = _drawn(network, codes, holes, cells, scan, imputations, burn_in, rng, n_jobs)
    return replace(cells, converged=read_only(cells.converged & settled)), drawn


def _drawn(
    network: Network,
    codes: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    cells: RowsResult,
    scan: Scan,
    imputations: int,
    burn_in: int,
    rng: np.random.Generator,
    threads: int | None,
) -> tuple[IntArray, NDArray[np.bool_]]:
    """[imputation, row, variable]: states of settled chains, `burn_in` sweeps later; and which rows' have settled."""
    plan = planned(network, NOTHING, [])
    out = np.repeat(codes[None].astype(np.int64), imputations, axis=0)
    settled = np.ones(len(codes), dtype=bool)
    open_rows = np.flatnonzero(holes.any(axis=1))
    size = max(1, CHUNK_CODES // (imputations * codes.shape[1]))
    for start in range(0, len(open_rows), size):
        rows = open_rows[start : start + size]
        free = np.tile(holes[rows], (imputations, 1))
        starts, forgotten, settled[rows] = settled_states(
            network, codes[rows], holes[rows], scan, imputations, rng, threads
        )
        states = starts.reshape(len(free), -1)
        alone = np.tile(holes[rows].sum(axis=1) == 1, imputations)  # whose node's law is that of the hole
        for i, name in enumerate(network.domain.names):
            cumulated = np.cumsum(cells.probabilities[name][rows], axis=1)[:, :-1]
            drawn = (rng.random((imputations, len(rows), 1)) >= cumulated[None]).sum(axis=2).reshape(-1)
            states[:, i] = np.where(free[:, i] & alone, drawn, states[:, i])
        more = np.tile(forgotten, imputations)
        for sweeps in np.unique(more).tolist():
            some = np.flatnonzero(more == sweeps)
            order = Order.of(network, scan, ~free[some])
            if isinstance(scan, SequentialScan):
                order = _rotated(order, rng)
            chains = Chains(plan, 0, order, states[some], ~free[some], 1, rng, threads)
            chains.run(burn_in + sweeps, record=False)
            states[some] = chains.codes
        out[:, rows] = states.reshape(imputations, len(rows), -1)
    return out, settled


def _rotated(order: Order, rng: np.random.Generator) -> Order:
    """Every row's sweep begun at a random place: whole sweeps then end just before that place."""
    length = np.diff(order.begin)
    shift = np.repeat(rng.integers(0, np.maximum(length, 1)), length)
    within = np.arange(len(order.node)) - np.repeat(order.begin[:-1], length)
    take = np.repeat(order.begin[:-1], length) + (within + shift) % np.repeat(length, length)
    return replace(order, node=order.node[take])


def _agreement(drawn: IntArray, holes: NDArray[np.bool_], cells: RowsResult) -> dict[str, float]:
    found = {}
    for i, name in enumerate(cells.domain.names):
        p = cells.probabilities[name][holes[:, i]]
        states = drawn[:, holes[:, i], i]
        largest = math.nan if p.size == 0 else 0.0
        for x in range(p.shape[1]):
            variance = len(drawn) * float((p[:, x] * (1 - p[:, x])).sum())
            # What the probabilities themselves are uncertain by is shared by all draws of a row.
            error = cells.standard_errors[name][holes[:, i], x]
            variance += len(drawn) ** 2 * float((error**2).sum())
            if variance > 0:
                difference = float((states == x).sum()) - len(drawn) * float(p[:, x].sum())
                largest = max(largest, abs(difference) / math.sqrt(variance))
        found[name] = largest
    return found
