r"""Clamped chains, run in rounds until their Rao-Blackwell estimates are good enough.

An estimate is the average, over the updates of its targets, of what the update would draw (pi = sum of c_B pi K_B, and
only the nodes B that update some of T move X_T):

.. math:: \pi(x_T) = \sum_{B \cap T \ne \emptyset} \frac{c_B}{c_T}
    E_\pi\left[\theta_B(x_{B \cap T} \mid Y_B)\, 1(X_{T \setminus B} = x_{T \setminus B})\right]

Under the random scan node B is chosen independently of the state, so theta_B at the very moment when B is
updated is such an average, and costs nothing more. Under the sequential scan it has as its weight the steps
until the next update of a target, over the steps of a sweep.

Each row of evidence has several chains with random streams of their own. Their averages are independent, so
the standard error is that of a mean over chains, whatever the correlation within a chain. A round is a number
of sweeps; the first quarter of the rounds is burn-in; when there are many rounds, neighbours are joined.
"""

import functools
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet._native import batch as native
from depnet.arrays import FloatArray, IntArray
from depnet.checks import cores, jobs_of
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan

UPDATES_PER_CALL = 4_000_000
"""A native call ends within about a tenth of a second, so that an interrupt is heard."""

ROUNDING = 1e-24
"""Variances below this are rounding: the averages are all equal."""

Over = Callable[[], bool]
"""Asked between native calls: is it time to end?"""

SMALL = 100_000
"""Fewer updates than this are not worth a second thread."""


def over_at(moment: float | None, stop: Over | None = None) -> Over | None:
    """Over at a moment of `time.monotonic`, or when `stop` says so; None where neither is given."""
    if moment is None:
        return stop
    return lambda: time.monotonic() > moment or (stop is not None and stop())


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Which nodes each row updates, flat: row r has `node[begin[r] : begin[r + 1]]`, in the order of the scan.

    `weight` are their c_i, each row's summing to one, and `choice` cumulates them (empty: all alike);
    `position` and `length` are the places in, and the steps of, a full sweep.
    """

    begin: NDArray[np.int32]
    node: NDArray[np.int32]
    weight: FloatArray
    choice: FloatArray
    position: NDArray[np.int32]
    length: NDArray[np.int32]
    sequential: bool

    @classmethod
    def of(cls, network: Network, scan: Scan, clamped: NDArray[np.bool_]) -> "Order":
        """The free nodes of every row of `clamped` [rows, variables]."""
        held = np.stack([clamped[:, list(node.variables)].all(axis=1) for node in network.nodes], axis=1)
        sequential = not isinstance(scan, RandomScan)
        everything: Sequence[int] = range(len(network))
        if not isinstance(scan, RandomScan):
            everything = scan.order_of(len(network))
        order = np.array(everything, dtype=np.int32)
        free = ~held[:, order]
        length = free.sum(axis=1).astype(np.int32)
        begin = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
        node = np.broadcast_to(order, free.shape)[free]
        place = (np.cumsum(free, axis=1) - 1).astype(np.int32)[free]
        weight, choice = np.repeat(1.0 / np.maximum(length, 1), length), np.zeros(0)
        if isinstance(scan, RandomScan) and scan.weights is not None:
            scan.weights_of(len(network), np.flatnonzero(free.any(axis=0)).tolist())  # their errors
            weights = np.where(free, np.array(scan.weights)[order], 0.0)
            weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
            weight, choice = weights[free], np.cumsum(weights, axis=1)[free]
        return cls(begin, node, weight, choice, place, length, sequential)

    def rows(self, chosen: IntArray) -> "Order":
        """The same of some of the rows."""
        length = np.diff(self.begin)
        take = np.concatenate(
            [np.arange(self.begin[r], self.begin[r + 1]) for r in chosen] or [np.zeros(0, int)]
        )
        begin = np.concatenate([[0], np.cumsum(length[chosen])]).astype(np.int32)
        choice = self.choice[take] if len(self.choice) else self.choice
        return Order(
            begin,
            self.node[take],
            self.weight[take],
            choice,
            self.position[take],
            self.length[chosen],
            self.sequential,
        )


class Rounds:
    """What chains have summed so far, round by round, and how far they came. Mutable; owned by one call."""

    def __init__(self, per_row: int) -> None:
        self.per_row = per_row
        self.rounds: list[
            tuple[FloatArray, FloatArray]
        ] = []  # sums [row, chain, cell], weights [row, chain, estimator]
        self.round_sweeps = 0
        self.sweeps = 0
        self.updates = 0

    def join_rounds(self) -> None:
        """Join neighbouring rounds, two by two."""
        pairs = zip(self.rounds[::2], self.rounds[1::2], strict=True)
        self.rounds = [(a + c, b + d) for (a, b), (c, d) in pairs]
        self.round_sweeps *= 2


class Chains(Rounds):
    """`per_row` chains for each row of evidence: their states, streams and rounds."""

    def __init__(
        self,
        plan: native.Plan,
        estimators: int,
        order: Order,
        codes: NDArray[np.uint16],
        clamped: NDArray[np.bool_],
        per_row: int,
        rng: np.random.Generator,
        threads: int | None = None,
    ) -> None:
        super().__init__(per_row)
        rows, chains = len(clamped), len(codes)
        self.plan, self.order = plan, order
        self.codes = np.ascontiguousarray(codes)
        self.clamped = np.ascontiguousarray(clamped, dtype=np.uint8)
        self.keys = rng.integers(0, 2**64, size=chains, dtype=np.uint64)
        self.counters = np.zeros(chains, dtype=np.uint64)
        self.impossible = np.zeros(chains, dtype=np.int64)
        self.estimators = estimators
        self.threads = cores() if threads is None else jobs_of(threads)
        assert rows * per_row == chains

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.clamped)

    def run(self, sweeps: int, *, record: bool = True, over: Over | None = None) -> bool:
        """Run all chains for so many sweeps; False where it was `over` first.

        What was drawn by then stays in the states, and the sums of the round begun are dropped.
        """
        chains = len(self.codes)
        sums = np.zeros((chains if record else 0, self.plan.cells))
        weights = np.zeros((chains if record else 0, self.estimators))
        a_sweep = max(int(self.order.begin[-1]) * self.per_row, 1)
        piece = max(1, UPDATES_PER_CALL * self.threads // a_sweep)
        width = max(1, min(-(-chains // self.threads), UPDATES_PER_CALL * chains // a_sweep))
        spans = [(first, min(first + width, chains)) for first in range(0, chains, width)]
        stopped = threading.Event()

        def work(span: tuple[int, int], count: int) -> None:
            if not stopped.is_set():
                o = self.order
                native.run(
                    self.plan, o.begin, o.node, o.choice, o.position, o.length, self.clamped, self.per_row,
                    o.sequential, record, count, *span, self.keys, self.counters, self.codes, sums, weights, self.impossible,
                )  # fmt: skip

        small = a_sweep * sweeps < SMALL or self.threads == 1
        done = 0
        while done < sweeps:
            if over is not None and over():
                return False
            count = min(piece, sweeps - done)
            if small:
                for span in spans:
                    work(span, count)
            else:
                in_threads(functools.partial(work, count=count), spans, self.threads, stopped)
            done += count
            self.sweeps += count
            self.updates += count * a_sweep
        if record:
            shape = (self.size, self.per_row, -1)
            self.rounds.append((sums.reshape(shape), weights.reshape(shape)))
            self.round_sweeps = sweeps
        return True

    def keep(self, rows: IntArray) -> None:
        """Go on with some of the rows only."""
        chains = (rows[:, None] * self.per_row + np.arange(self.per_row)).reshape(-1)
        self.order = self.order.rows(rows)
        self.codes = np.ascontiguousarray(self.codes[chains])
        self.clamped = np.ascontiguousarray(self.clamped[rows])
        self.keys, self.counters = self.keys[chains], self.counters[chains]
        self.impossible = self.impossible[chains]
        self.rounds = [(sums[rows], weights[rows]) for sums, weights in self.rounds]


def in_threads(
    work: Callable[[tuple[int, int]], None],
    spans: list[tuple[int, int]],
    threads: int,
    stopped: threading.Event,
) -> None:
    """`work` on every span; an interrupt is heard at once, and spans not yet begun are let go."""
    with ThreadPoolExecutor(threads) as pool:
        try:
            for future in [pool.submit(work, span) for span in spans]:
                future.result()
        except BaseException:
            stopped.set()
            raise


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """For each row: the estimates and standard errors [row, cell], and R-hat [row, estimator].

    `drift` [row] is the largest difference, over cells, between the second and the first half of all chains together, in
    its own standard errors. R-hat compares chains one by one; what moves all of them alike, only their mean shows.
    """

    values: FloatArray
    errors: FloatArray
    r_hat: FloatArray
    pooled_r_hat: FloatArray
    drift: FloatArray
    burn_in: int


def estimate(chains: Rounds, sizes: Sequence[int], *, one_more: bool = False) -> Estimate:
    r"""The estimates of all rounds but the first quarter; `sizes` are the estimators' numbers of cells.

    With C chains of weights w_c and sums s_c, the estimate is p = sum s_c / W, W = sum w_c, the residuals are
    r_c = s_c - p w_c, and the standard error is that of a ratio of means,

    .. math:: \sqrt{\tfrac{C}{C-1} \textstyle\sum_c r_c^2 \;[\; + \max_c r_c^2 \;]} \Big/ W

    The last term with `one_more`. Where chains seldom come to a part of the states and then stay there for long, a few
    of them decide the sum: it is like a Poisson count, and a run that met little gives too small a probability and too
    small an error at once. So what the farthest chain met is counted once more. Of many chains alike it adds little.
    """
    skipped = len(chains.rounds) // 4
    kept = chains.rounds[skipped:]
    sums = np.stack([s for s, _ in kept])  # [round, row, chain, cell]
    of_cell = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.stack([w for _, w in kept])[..., of_cell]
    chain_sums, chain_weights = sums.sum(axis=0), weights.sum(axis=0)
    totals = chain_weights.sum(axis=1)
    seen = totals > 0
    values = np.divide(chain_sums.sum(axis=1), totals, out=np.zeros_like(totals), where=seen)
    c = chains.per_row
    residuals = chain_sums - values[:, None, :] * chain_weights
    squares = residuals**2
    spread = np.sqrt(squares.sum(axis=1) * c / (c - 1) + (squares.max(axis=1) if one_more else 0.0))
    errors = np.divide(spread, totals, out=np.zeros_like(totals), where=seen)
    # Split R-hat on the rounds' averages: the first and the second half of a chain are chains of their own.
    r_hat, pooled = _split_r_hat(sums, weights, values, of_cell)
    drift = _drift(sums - values[:, None, :] * weights)
    return Estimate(values, errors, r_hat, pooled, drift, skipped * chains.round_sweeps)


def _drift(residuals: FloatArray) -> FloatArray:
    """The largest standardised difference of the halves of `residuals` [round, row, chain, cell]."""
    half = len(residuals) // 2
    apart = residuals[len(residuals) - half :].sum(axis=0) - residuals[:half].sum(axis=0)
    spread = np.sqrt(apart.var(axis=1, ddof=1) / apart.shape[1])
    moved = np.abs(apart.mean(axis=1))
    largest = np.divide(moved, spread, out=np.zeros_like(moved), where=spread > math.sqrt(ROUNDING))
    return np.asarray(largest.max(axis=1, initial=0.0))


def _split_r_hat(
    sums: FloatArray, weights: FloatArray, values: FloatArray, of_cell: IntArray
) -> tuple[FloatArray, FloatArray]:
    half = len(sums) // 2
    if half < 2:
        nothing = np.full((sums.shape[1], int(of_cell[-1]) + 1), np.nan)
        return nothing, nothing[:, 0]
    # What a round adds to the error of the estimate: not its own share, which means nothing where its weight is small.
    typical = weights.mean(axis=(0, 2))[:, None, :]
    means = (sums - values[:, None, :] * weights) / np.where(typical > 0, typical, 1.0)
    halves = np.concatenate([means[:half], means[-half:]], axis=2)  # [round, row, 2 chains, cell]
    within = halves.var(axis=0, ddof=1).mean(axis=1)
    between = halves.mean(axis=0).var(axis=1, ddof=1)
    first = np.flatnonzero(np.diff(of_cell, prepend=-1))
    w, b = np.add.reduceat(within, first, axis=1), np.add.reduceat(between, first, axis=1)

    def ratio(w: FloatArray, b: FloatArray) -> FloatArray:
        settled = np.where(b > ROUNDING, np.inf, 1.0)  # nothing moves within a chain: do the chains agree?
        squared = np.divide((half - 1) / half * w + b, w, out=settled, where=w > ROUNDING)
        return np.asarray(np.sqrt(squared))

    return ratio(w, b), ratio(w.sum(axis=1), b.sum(axis=1))
