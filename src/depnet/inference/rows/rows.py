"""Batches: many rows of evidence with holes, answered together.

Each row clamps what it knows, and every hole is a target. Equal rows are answered once; rows with one hole
by table look-up; rows whose holes have few joint states by their exact law, in the native core; the rest by
clamped chains, some for each row, a chunk of rows at a time, each row until its standard errors are small
enough. An ordered network answers by its law instead (`depnet.inference.ordered.rows`).
"""

import itertools
import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet._native import batch as native
from depnet.arrays import FloatArray, IntArray, read_only
from depnet.checks import cores, jobs_of, seconds_given
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.errors import DataError, EvidenceError
from depnet.inference.clamped.chains import Chains, Order, estimate, in_threads, over_at
from depnet.inference.clamped.laid_out import planned
from depnet.inference.clamped.sampled import R_HAT, RESOLUTION, most_drift
from depnet.inference.clamped.starts import start_states
from depnet.inference.ordered.rows import LawRows
from depnet.model.evidence import Evidence
from depnet.model.network import Network, checked_network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.sampling.plan.words import generator
from depnet.wording import counted

EXACT_STATES = 1 << 13
"""Rows whose holes have at most so many joint states are solved exactly."""

RESIDUAL = 1e-10
MAX_APPLICATIONS = 3000
STATES_PER_CALL = 1 << 15
"""Joint states of the rows that one native call solves: it ends soon, so that an interrupt is heard."""


CHAINS = 32
ROUNDS = 8
CHUNK_CELLS = 4_000_000
MAX_DOUBLINGS = 14
SETTLED = 0.05
"""The standard error at which chains are compared, where states are wanted and not their mean."""

METHODS = ("observed", "look-up", "exact", "sample")
"""How a row was answered."""

NOTHING = Evidence({}, {})


@dataclass(frozen=True, slots=True, eq=False)
class RowsResult:
    """The answers of `depnet.query_rows`, one row each.

    `probabilities[name]` is [rows, states]: the marginal of a hole given what its row knows, and certainty
    for what was observed; `standard_errors` is alike. `method[r]` is an index into
    ("observed", "look-up", "exact", "sample"); `r_hat[r]` is nan unless sampled; `converged[r]` says whether the
    row's standard errors are under `tolerance`. `distinct` rows were answered. `scan` is None where the answers are
    those of an ordered network's law.
    """

    domain: Domain
    probabilities: Mapping[str, FloatArray]
    standard_errors: Mapping[str, FloatArray]
    hidden: NDArray[np.bool_]
    method: NDArray[np.int8]
    r_hat: FloatArray
    converged: NDArray[np.bool_]
    scan: Scan | None
    tolerance: float
    distinct: int
    updates: int
    seconds: float

    def mode(self) -> IntArray:
        """The codes [rows, variables] with every hole at its most probable state (the first of equals)."""
        return np.stack([self.probabilities[name].argmax(axis=1) for name in self.domain.names], axis=1)

    def __str__(self) -> str:
        counts = ", ".join(f"{(self.method == m).sum():,} {name}" for m, name in enumerate(METHODS))
        worst = max((float(e.max(initial=0.0)) for e in self.standard_errors.values()), default=0.0)
        return (
            f"{counted(len(self.method), 'row')} ({self.distinct:,} distinct), {counted(int(self.hidden.sum()), 'hole')}: "
            f"{counts}; standard errors up to {worst:.2g} (asked: {self.tolerance:.2g}), "
            f"{counted(int((~self.converged).sum()), 'row')} not converged, "
            f"{self.seconds:.3g} s"
        )


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

    `rows` are codes [N, n]; `hidden` marks the holes, whose codes do not matter (None: negative codes are
    holes). An ordered network answers by its law, Q(x_h | what the row knows); any other, or with a `scan` (None: the
    random scan), by clamped chains. What is sampled is sampled until every standard error of a row is under
    `tolerance`, or until `max_seconds`; `method="sample"` samples even what could be looked up or solved. The result
    is a function of the seed, whatever the threads.

    >>> from depnet import Network
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> query_rows(network, [[0, -1], [1, -1]]).probabilities["X1"].round(3).tolist()
    [[0.8, 0.2], [0.4, 0.6]]
    """
    started = time.monotonic()
    checked_network(network)
    chosen = checked_scan(RandomScan() if scan is None else scan)
    checked_tolerance(tolerance)
    if method not in ("auto", "sample"):
        raise ValueError(f"method is 'auto' or 'sample'; got {method!r}.")
    seconds_given(max_seconds)
    codes, holes = checked_rows(network.domain, rows, hidden)
    rng = generator(rng)
    if network.order is not None and scan is None:
        return law_rows(network, codes, holes, method, tolerance, max_seconds, rng, n_jobs)[0]
    threads = cores() if n_jobs is None else jobs_of(n_jobs)
    first, which = distinct_rows(codes, holes)
    work = _Work(network, codes[first], holes[first], chosen)
    before = None if max_seconds is None else started + max_seconds
    if method == "auto":
        work.look_up()
        work.solve(before, threads)
    work.sample(tolerance, before, rng, threads)
    return _result(work, which, holes, chosen, tolerance, started)


def law_rows(
    network: Network,
    codes: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    method: str,
    tolerance: float,
    max_seconds: float | None,
    rng: np.random.Generator,
    n_jobs: int | None,
    imputations: int = 0,
) -> tuple[RowsResult, IntArray]:
    """The answers of an ordered network's law, and so many draws [imputation, row, variable] of all holes together."""
    started = time.monotonic()
    first, which = distinct_rows(codes, holes)
    copies = np.bincount(which, minlength=len(first)) * imputations
    work = LawRows(network, codes[first], holes[first], rng, copies)
    before = None if max_seconds is None else started + max_seconds
    work.run(method, tolerance, before, cores() if n_jobs is None else jobs_of(n_jobs))
    result = _result(work, which, holes, None, tolerance, started)
    order = np.argsort(which, kind="stable")  # the rows of each kind together, as their draws are
    drawn = np.empty((imputations, *codes.shape), dtype=np.int64)
    drawn[:, order] = work.drawn.reshape(len(codes), imputations, codes.shape[1]).transpose(1, 0, 2)
    return result, drawn


def _result(
    work: "_Work | LawRows",
    which: IntArray,
    holes: NDArray[np.bool_],
    scan: Scan | None,
    tolerance: float,
    started: float,
) -> RowsResult:
    network, at = work.network, work.begin
    values = {
        name: read_only(work.values[which, at[i] : at[i + 1]]) for i, name in enumerate(network.domain.names)
    }
    errors = {
        name: read_only(work.errors[which, at[i] : at[i + 1]]) for i, name in enumerate(network.domain.names)
    }
    return RowsResult(
        domain=network.domain,
        probabilities=values,
        standard_errors=errors,
        hidden=read_only(holes),
        method=read_only(work.method[which]),
        r_hat=read_only(work.r_hat[which]),
        converged=read_only(work.converged[which]),
        scan=scan,
        tolerance=tolerance,
        distinct=len(work.codes),
        updates=work.updates,
        seconds=time.monotonic() - started,
    )


def checked_tolerance(tolerance: float) -> float:
    """A standard error."""
    if not (isinstance(tolerance, (int, float)) and 0 < tolerance < 1):
        raise ValueError(f"tolerance is a standard error between 0 and 1; got {tolerance!r}.")
    return tolerance


def checked_rows(
    domain: Domain, rows: ArrayLike | Dataset, hidden: ArrayLike | None
) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
    """Codes and holes; a hole's code is 0."""
    if isinstance(rows, Dataset):
        if rows.domain != domain:
            raise DataError("the rows have another domain than the network.")
        raw: NDArray[Any] = np.asarray(rows.codes)
    else:
        raw = np.asarray(rows)
    if raw.ndim == 1 and raw.size == 0:
        raw = raw.reshape(0, len(domain)).astype(np.int64)
    if raw.ndim != 2 or raw.shape[1] != len(domain) or (raw.size and raw.dtype.kind not in "bui"):
        raise DataError(
            f"rows are integer codes [rows, {len(domain)}], one column for each variable; got shape {raw.shape} of "
            f"{raw.dtype}. A hole is a negative code, or marked in `hidden`."
        )
    if hidden is None:
        holes = np.asarray(raw < 0)
    else:
        holes = np.asarray(hidden)
        if holes.dtype != np.bool_ or holes.shape != raw.shape:
            raise DataError(
                f"hidden marks each cell with True or False, in the shape of the rows {raw.shape}; got shape "
                f"{holes.shape} of {holes.dtype}."
            )
    filled = np.where(holes, 0, raw)
    wrong = (filled < 0) | (filled >= np.array(domain.cardinalities))
    if wrong.any():
        r, i = np.argwhere(wrong)[0]
        variable = domain.variables[i]
        raise DataError(
            f"row {r}, {variable.name!r}: code {raw[r, i]} is outside 0..{variable.cardinality - 1}. Mark holes in "
            "`hidden`, or by negative codes."
        )
    return filled.astype(np.uint16), np.array(holes, dtype=bool)


def _spans(states: FloatArray) -> list[tuple[int, int]]:
    """Neighbouring rows solved in one call: few where they have many joint states."""
    call = ((np.cumsum(states) - states) // STATES_PER_CALL).astype(np.int64)
    begins = [*np.flatnonzero(np.diff(call, prepend=-1)).tolist(), len(states)]
    return list(itertools.pairwise(begins))


def distinct_rows(codes: NDArray[np.uint16], holes: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """The first of each kind of row, and which kind every row is."""
    if not len(codes):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    marked = np.where(holes, np.uint16(0xFFFF), codes)  # no code is so large
    joined = np.ascontiguousarray(marked).view(np.dtype((np.void, marked.shape[1] * 2))).reshape(-1)
    _, first, which = np.unique(joined, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")  # in the order in which rows came
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[which.reshape(-1)]


class _Work:
    """The distinct rows and their answers, filled in step by step."""

    def __init__(
        self, network: Network, codes: NDArray[np.uint16], holes: NDArray[np.bool_], scan: Scan
    ) -> None:
        self.network, self.codes, self.holes, self.scan = network, codes, holes, scan
        cards = network.domain.cardinalities
        self.begin = np.concatenate([[0], np.cumsum(cards)])
        rows = len(codes)
        self.values = np.zeros((rows, int(self.begin[-1])))
        self.errors = np.zeros_like(self.values)
        at = self.begin[:-1] + codes
        self.values[np.arange(rows)[:, None], at] = 1.0
        self.method = np.zeros(rows, dtype=np.int8)
        self.r_hat = np.full(rows, np.nan)
        self.converged = np.ones(rows, dtype=bool)
        self.updates = 0
        self.sweeps = np.zeros(rows, dtype=np.int64)
        self.kept: NDArray[np.uint16] | None = None
        """[chain, row, variable]: the last states of the rows that were sampled, in no order, where they are wanted."""

    def look_up(self) -> None:
        """Rows with one hole: what its node says."""
        single = self.holes.sum(axis=1) == 1
        for i in range(len(self.network.domain)):
            chosen = np.flatnonzero(single & self.holes[:, i])
            if len(chosen):
                known = self.network.nodes[i].probabilities(self.codes[chosen])
                self.values[chosen, self.begin[i] : self.begin[i + 1]] = known
                self.method[chosen] = METHODS.index("look-up")

    def solve(self, before: float | None, threads: int) -> None:
        """Rows with few joint states, exactly, where tables have no zeros."""
        network = self.network
        if not all((node.table.probabilities > 0).all() for node in network.nodes):
            return
        sizes = np.where(self.holes, np.log2(network.domain.cardinalities), 0.0).sum(axis=1)
        small = self.holes.any(axis=1) & (self.method == 0) & (sizes <= math.log2(EXACT_STATES) + 1e-9)
        chosen = np.flatnonzero(small)
        if not len(chosen):
            return
        plan = planned(network, NOTHING, [(i,) for i in range(len(network))])
        order = Order.of(network, self.scan, ~self.holes[chosen])
        codes = np.ascontiguousarray(self.codes[chosen])
        sums = np.zeros((len(chosen), plan.cells))
        applied = np.zeros(len(chosen), dtype=np.int64)
        stopped = threading.Event()

        def work(span: tuple[int, int]) -> None:
            if stopped.is_set() or (before is not None and time.monotonic() > before):
                return
            native.solve(
                plan, order.begin, order.node, order.weight, order.sequential, RESIDUAL, MAX_APPLICATIONS, *span,
                codes, sums, applied,
            )  # fmt: skip

        in_threads(work, _spans(np.exp2(sizes[chosen])), threads, stopped)
        done = np.flatnonzero(applied > 0)  # the others mix too slowly, or time was up: they are sampled
        rows = chosen[done]
        holes = np.repeat(self.holes[rows], network.domain.cardinalities, axis=1)
        self.values[rows] = np.where(holes, sums[done], self.values[rows])
        self.method[rows] = METHODS.index("exact")

    def sample(
        self, tolerance: float, before: float | None, rng: np.random.Generator, threads: int | None
    ) -> None:
        """All rows with holes that were not looked up, a chunk at a time."""
        todo = np.flatnonzero(self.holes.any(axis=1) & (self.method == 0))
        if not len(todo):
            return
        self.method[todo] = METHODS.index("sample")
        n = len(self.network.domain)
        plan = planned(self.network, NOTHING, [(i,) for i in range(n)])
        size = max(1, CHUNK_CELLS // (CHAINS * (int(self.begin[-1]) + n)))
        for start in range(0, len(todo), size):
            self._sample_chunk(todo[start : start + size], plan, tolerance, before, rng, threads)

    def _sample_chunk(
        self,
        rows: IntArray,
        plan: native.Plan,
        tolerance: float,
        before: float | None,
        rng: np.random.Generator,
        threads: int | None,
    ) -> None:
        cards = self.network.domain.cardinalities
        chains = start_chains(
            self.network, self.codes[rows], self.holes[rows], plan, self.scan, CHAINS, rng, threads
        )
        settled = most_drift(int(self.begin[-1]))
        sweeps = max(4, min(1000, int(0.02 / tolerance**2 / CHAINS / ROUNDS) + 1))
        for doubling in range(MAX_DOUBLINGS):
            done = True
            while len(chains.rounds) < ROUNDS and done:
                done = chains.run(sweeps, record=True, over=over_at(before))
            if not chains.rounds:
                chains.run(1, record=True)  # no time was left: at least one sweep
            found = estimate(chains, cards, one_more=True)
            good = (found.errors.max(axis=1) <= tolerance) & (found.pooled_r_hat <= R_HAT)
            good &= found.drift <= settled
            last = not done or doubling == MAX_DOUBLINGS - 1
            ended = np.flatnonzero(good | last)
            errors = np.maximum(found.errors, RESOLUTION * tolerance)
            self._store(rows[ended], ended, found.values, errors, found.pooled_r_hat, chains)
            self.converged[rows[ended]] = good[ended]
            if self.kept is not None:
                states = chains.codes.reshape(len(rows), CHAINS, -1)[ended]
                self.kept[:, rows[ended]] = states[:, rng.permutation(CHAINS)].transpose(1, 0, 2)
                self.sweeps[rows[ended]] = chains.sweeps
            left = np.flatnonzero(~(good | last))
            if not len(left):
                break
            rows = rows[left]
            chains.keep(left)
            chains.join_rounds()
            sweeps *= 2
        self.updates += chains.updates

    def _store(
        self,
        rows: IntArray,
        ended: IntArray,
        values: FloatArray,
        errors: FloatArray,
        r_hat: FloatArray,
        chains: Chains,
    ) -> None:
        stuck = chains.impossible.reshape(-1, chains.per_row)[ended].sum(axis=1)
        if stuck.any():
            row = rows[int(np.flatnonzero(stuck)[0])]
            raise EvidenceError(
                f"the evidence of a row contradicts itself: {self.codes[row].tolist()} with holes at "
                f"{np.flatnonzero(self.holes[row]).tolist()} leaves a node no possible state. Smooth the tables."
            )
        holes = np.repeat(self.holes[rows], self.network.domain.cardinalities, axis=1)
        self.values[rows] = np.where(holes, values[ended], self.values[rows])
        self.errors[rows] = np.where(holes, errors[ended], 0.0)
        self.r_hat[rows] = r_hat[ended]


def settled_states(
    network: Network,
    codes: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    scan: Scan,
    draws: int,
    rng: np.random.Generator,
    threads: int | None,
) -> tuple[NDArray[np.uint16], IntArray, NDArray[np.bool_]]:
    """[draw, row, variable]: states of each row's clamped chains, run until they have settled.

    And the sweeps by which chains that go on from there have forgotten each other, 0 where all are different chains;
    and which rows have settled. Equal rows share their chains; rows with one hole need none, and have a 0 there.
    """
    first, which = distinct_rows(codes, holes)
    work = _Work(network, codes[first], holes[first], scan)
    work.kept = np.repeat(codes[first][None], CHAINS, axis=0)
    work.look_up()
    work.sample(SETTLED, None, rng, threads)
    order = np.argsort(which, kind="stable")
    copies = np.bincount(which, minlength=len(first))
    rank = np.empty(len(codes), dtype=np.int64)
    rank[order] = np.arange(len(codes)) - np.repeat(np.cumsum(copies) - copies, copies)
    chain = (rank * draws + np.arange(draws)[:, None]) % CHAINS
    shared = copies[which] * draws > CHAINS
    return work.kept[chain, which], np.where(shared, work.sweeps[which], 0), work.converged[which]


def start_chains(
    network: Network,
    codes: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    plan: native.Plan,
    scan: Scan,
    per_row: int,
    rng: np.random.Generator,
    threads: int | None,
) -> Chains:
    """Chains that know what each row knows, and start elsewhere far apart: at random, all first, or all last states."""
    states = np.repeat(codes, per_row, axis=0)
    free = np.repeat(holes, per_row, axis=0)
    states[free] = start_states(network, NOTHING, len(states), rng, of_each=per_row)[free]
    order = Order.of(network, scan, ~holes)
    return Chains(plan, len(network.domain), order, states, ~holes, per_row, rng, threads)
