"""Many rows of evidence with holes, answered by a network's clamped law.

Each row clamps what it knows, and every hole is a target. Rows with one hole are answered by table look-up; rows whose
holes have few joint states by their exact law, in the native core; the rest by clamped chains, some for each row, a piece
of the rows at a time, each row until its standard errors are small enough. Joint draws of a row's holes are states of its
chains, run until they have settled.
"""

import itertools
import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.inference.answer.rows import (
    EXACT,
    LOOK_UP,
    OBSERVED,
    SAMPLE,
    DistinctRows,
    RowAnswers,
    RowsResult,
    pieces,
)
from depnet.inference.clamped.chains import ClampedChains, Estimate, estimate
from depnet.inference.clamped.sampled import R_HAT, most_drift
from depnet.inference.effort import RESOLUTION, Effort, over_after
from depnet.law.sharpen import sharpen_rows
from depnet.model.network import Network
from depnet.model.scan import Scan
from depnet.sampling.chains import ChainProgram, Order
from depnet.threads import Span, in_threads

EXACT_STATES = 1 << 13
"""Rows whose holes have at most this many joint states are solved exactly."""

RESIDUAL = 1e-10
MAX_APPLICATIONS = 3000
STATES_PER_CALL = 1 << 15
"""Joint states of the rows that one native call solves: it ends soon, so that an interrupt is heard."""

ROW_CHAINS = 32
ROUNDS = 8
PIECE_CELLS = 4_000_000
MAX_DOUBLINGS = 13


class ClampedRows(RowAnswers):
    """The answers of a network's clamped law under a scan.

    With `keep_states`, the last states of the chains are kept: `kept` [chain, row, variable], in no order, and the
    `sweeps` that each row's chains made.
    """

    def __init__(
        self,
        network: Network,
        distinct: DistinctRows,
        effort: Effort,
        scan: Scan,
        *,
        keep_states: bool = False,
    ) -> None:
        super().__init__(network, distinct, effort)
        self.scan = scan
        self.sweeps = np.zeros(len(self.codes), dtype=np.int64)
        self.kept = np.repeat(self.codes[None], ROW_CHAINS, axis=0) if keep_states else None

    def run(self, method: str) -> None:
        """Answer all rows: "auto", or "sample" also what could be looked up or solved."""
        if method == "auto":
            self.look_up()
            self.solve()
        self.sample()

    @property
    def _open(self) -> NDArray[np.bool_]:
        """The rows that have holes and no answer yet."""
        return np.asarray(self.holes.any(axis=1) & (self.method == OBSERVED))

    def look_up(self) -> None:
        """Rows with one hole: what its node says."""
        single = self.holes.sum(axis=1) == 1
        for i, node in enumerate(self.network.nodes):
            chosen = np.flatnonzero(single & self.holes[:, i])
            if len(chosen):
                self.values[chosen, self.cells_of(i)] = node.probabilities(self.codes[chosen])
                self.method[chosen] = LOOK_UP

    def solve(self) -> None:
        """Rows with few joint states, exactly, where tables have no zeros."""
        if not all(node.positive for node in self.network.nodes):
            return
        sizes = np.where(self.holes, np.log2(self.cardinalities), 0.0).sum(axis=1)
        chosen = np.flatnonzero(self._open & (sizes <= math.log2(EXACT_STATES) + 1e-9))
        if not len(chosen):
            return
        program = ChainProgram.of_each(self.network)
        order = Order.of(self.scan, self.holes[chosen]).row_scan(program)
        codes = np.ascontiguousarray(self.codes[chosen])
        sums = np.zeros((len(chosen), program.native.cells))
        applied = np.zeros(len(chosen), dtype=np.int64)

        def work(first: int, last: int) -> None:
            if not self.effort.over():
                task = native.SolveTask(residual=RESIDUAL, most=MAX_APPLICATIONS, first=first, last=last)
                program.native.solve(order, task, codes=codes, sums=sums, applied=applied)

        in_threads(work, spans_of(np.exp2(sizes[chosen])), self.effort.threads)
        done = np.flatnonzero(applied > 0)  # the others mix too slowly, or time was up: they are sampled
        self.store(chosen[done], sums[done])
        self.method[chosen[done]] = EXACT

    def sample(self) -> None:
        """All rows that have no answer yet, a piece at a time."""
        todo = np.flatnonzero(self._open)
        if not len(todo):
            return
        self.method[todo] = SAMPLE
        program = ChainProgram.of_each(self.network)
        cells = ROW_CHAINS * (int(self.begin[-1]) + len(self.network))
        for rows in pieces(todo, cells, PIECE_CELLS):
            self._sample_piece(rows, program)

    def _sample_piece(self, rows: IntArray, program: ChainProgram) -> None:
        effort, tolerance = self.effort, self.effort.tolerance
        chains = ClampedChains.far_apart(
            program,
            self.scan,
            self.codes[rows],
            self.holes[rows],
            ROW_CHAINS,
            effort.rng,
            effort.threads,
        )
        settled = most_drift(int(self.begin[-1]))
        sweeps = max(4, min(1000, int(0.02 / tolerance**2 / ROW_CHAINS / ROUNDS) + 1))
        found: Estimate | None = None
        in_time = True

        def draw(_: int) -> tuple[FloatArray, NDArray[np.bool_]]:
            nonlocal found, in_time
            in_time = chains.extend(ROUNDS, sweeps, effort.over)
            if not chains.rounds:
                chains.run(1)  # no time was left: at least one sweep
            found = estimate(chains)
            errors = found.errors.max(axis=1)
            good = (errors <= tolerance) & (found.pooled_r_hat <= R_HAT) & (found.drift <= settled)
            return errors, good

        def take(at: IntArray, good: bool) -> None:
            assert found is not None
            self._check_possible(rows[at], chains.impossible.reshape(-1, ROW_CHAINS)[at])
            self.store(rows[at], found.values[at], np.maximum(found.errors[at], RESOLUTION * tolerance))
            self.r_hat[rows[at]] = found.pooled_r_hat[at]
            self.converged[rows[at]] = good
            if self.kept is not None:
                states = chains.codes.reshape(len(rows), ROW_CHAINS, len(self.network))[at]
                mixed = states[:, effort.rng.permutation(ROW_CHAINS)]
                self.kept[:, rows[at]] = mixed.transpose(1, 0, 2)
                self.sweeps[rows[at]] = chains.sweeps

        def keep(left: IntArray) -> None:
            nonlocal found, rows
            assert found is not None
            found, rows = found.chosen(left), rows[left]
            chains.keep(left)

        def is_over() -> bool:
            return not in_time or effort.over() or chains.round_sweeps >= sweeps << MAX_DOUBLINGS

        sharpen_rows(draw, take, keep, tolerance, first=sweeps * ROUNDS, most=math.inf, over=is_over)
        self.updates += chains.updates

    def _check_possible(self, rows: IntArray, impossible: IntArray) -> None:
        stuck = impossible.sum(axis=1)
        if stuck.any():
            row = rows[int(np.flatnonzero(stuck)[0])]
            raise EvidenceError(
                f"the evidence of a row contradicts itself: {self.codes[row].tolist()} with holes at "
                f"{np.flatnonzero(self.holes[row]).tolist()} leaves a node no possible state. Smooth the tables "
                "(learn with a smoothing of 0.5)."
            )


def spans_of(states: FloatArray) -> list[Span]:
    """Neighbouring rows solved in one call: few where they have many joint states."""
    call = ((np.cumsum(states) - states) // STATES_PER_CALL).astype(np.int64)
    begins = [*np.flatnonzero(np.diff(call, prepend=-1)).tolist(), len(states)]
    return list(itertools.pairwise(begins))


PIECE_CODES = 20_000_000
SETTLED = 0.05
"""The standard error at which chains are compared, where states are wanted and not their mean."""


def clamped_draws(
    network: Network,
    codes: NDArray[np.uint16],
    cells: RowsResult,
    scan: Scan,
    imputations: int,
    burn_in: int,
    effort: Effort,
) -> tuple[IntArray, NDArray[np.bool_]]:
    """[imputation, row, variable]: states of settled chains, `burn_in` sweeps later; and which rows' have settled.

    `cells` are the answers of the rows: a row with one hole needs no chain, and is drawn from its law.
    """
    program, holes = ChainProgram(network), cells.hidden
    effort = replace(effort, tolerance=SETTLED, over=over_after(None))
    out = np.repeat(codes[None].astype(np.int64), imputations, axis=0)
    settled = np.ones(len(codes), dtype=bool)
    for rows in pieces(np.flatnonzero(holes.any(axis=1)), imputations * codes.shape[1], PIECE_CODES):
        free = np.tile(holes[rows], (imputations, 1))
        starts, forgotten, settled[rows] = settled_states(
            network, codes[rows], holes[rows], scan, imputations, effort
        )
        states = starts.reshape(len(free), -1)
        alone = np.tile(holes[rows].sum(axis=1) == 1, imputations)  # whose node's law is that of the hole
        for i, name in enumerate(network.domain.names):
            ends = np.cumsum(cells.probabilities[name][rows], axis=1)[:, :-1]
            drawn = (effort.rng.random((imputations, len(rows), 1)) >= ends[None]).sum(axis=2).reshape(-1)
            states[:, i] = np.where(free[:, i] & alone, drawn, states[:, i])
        more = np.tile(forgotten, imputations)
        for sweeps in np.unique(more).tolist():
            some = np.flatnonzero(more == sweeps)
            chains = ClampedChains(
                program, Order.of(scan, free[some]), states[some], effort.rng, effort.threads
            )
            chains.run(burn_in + sweeps, record=False)
            states[some] = chains.advance(records=1)[0].T
        out[:, rows] = states.reshape(imputations, len(rows), -1)
    return out, settled


def settled_states(
    network: Network,
    codes: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    scan: Scan,
    draws: int,
    effort: Effort,
) -> tuple[NDArray[np.uint16], IntArray, NDArray[np.bool_]]:
    """[draw, row, variable]: states of each row's clamped chains, run until they have settled.

    And the sweeps by which chains that go on from there have forgotten each other, 0 where all are different chains;
    and which rows have settled. Equal rows share their chains; rows with one hole need none, and have a 0 there.
    """
    distinct = DistinctRows.of(codes, holes)
    work = ClampedRows(network, distinct, effort, scan, keep_states=True)
    work.look_up()
    work.sample()
    which, copies = distinct.which, distinct.copies
    order = np.argsort(which, kind="stable")
    rank = np.empty(len(codes), dtype=np.int64)
    rank[order] = np.arange(len(codes)) - np.repeat(np.cumsum(copies) - copies, copies)
    chain = (rank * draws + np.arange(draws)[:, None]) % ROW_CHAINS
    shared = copies[which] * draws > ROW_CHAINS
    assert work.kept is not None
    return work.kept[chain, which], np.where(shared, work.sweeps[which], 0), work.converged[which]
