"""Clamped chains of the native core, for one row of evidence or for many, run in rounds.

Under the random scan node i is chosen independently of the state, so theta_i at the very moment when X_i is updated is
one of the averages of `depnet.inference.clamped.estimates`, and costs nothing more. Under the sequential scan it has as
its weight the steps until the next update of a target, over the steps of a sweep.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import FloatArray, IntArray
from depnet.checks import cores, jobs_of
from depnet.inference.clamped.starts import start_states
from depnet.inference.effort import Over
from depnet.model.compiled import compiled_of, known_of, places_of
from depnet.model.evidence import NOTHING, Evidence
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan
from depnet.threads import in_threads

UPDATES_PER_CALL = 4_000_000
"""A native call ends within about a tenth of a second, so that an interrupt is heard."""

SMALL = 100_000
"""Fewer updates than this are not worth a second thread."""


class ChainProgram:
    """A network tilted by the weights of the evidence (clamps are given row by row), and estimators.

    Each estimator is a tuple of variables, whose joint law is wanted; `sizes` are their numbers of cells.
    """

    def __init__(
        self, network: Network, estimators: Sequence[Sequence[int]] = (), evidence: Evidence = NOTHING
    ) -> None:
        self.network = network
        cards = network.domain.cardinalities
        self.sizes = [math.prod(cards[i] for i in variables) for variables in estimators]
        self.place = np.argsort(places_of(network)).astype(np.int32)
        """Of each variable, in the compiled network."""
        known = known_of(Evidence({}, evidence.tilts), cards)
        self.native = native.RowProgram(compiled_of(network), known, [list(each) for each in estimators])

    @classmethod
    def of_each(cls, network: Network) -> "ChainProgram":
        """An estimator for every variable."""
        return cls(network, [(i,) for i in range(len(network))])


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
    def of(cls, scan: Scan, free: NDArray[np.bool_]) -> "Order":
        """The nodes of every row of `free` [rows, variables]."""
        n = free.shape[1]
        random = isinstance(scan, RandomScan)
        order = np.array(range(n) if isinstance(scan, RandomScan) else scan.order_of(n), dtype=np.int32)
        free = free[:, order]
        length = free.sum(axis=1).astype(np.int32)
        begin = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
        node = order[np.nonzero(free)[1]]
        place = (np.arange(len(node)) - np.repeat(begin[:-1], length)).astype(np.int32)
        weight, choice = np.repeat(1.0 / np.maximum(length, 1), length), np.zeros(0)
        if isinstance(scan, RandomScan) and scan.weights is not None:
            scan.weights_of(n, np.flatnonzero(free.any(axis=0)).tolist())  # their errors
            weights = np.where(free, np.array(scan.weights)[order], 0.0)
            weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
            weight, choice = weights[free], np.cumsum(weights, axis=1)[free]
        return cls(begin, node, weight, choice, place, length, not random)

    def row_scan(self, program: ChainProgram) -> native.RowScan:
        """The same for the native core, nodes by their places in the program."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)}
        return native.RowScan(**{**arrays, "node": program.place[self.node]})

    def rows(self, chosen: IntArray) -> "Order":
        """The same of some of the rows."""
        length = np.diff(self.begin)[chosen]
        within = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        take = np.repeat(self.begin[:-1][chosen], length) + within
        return Order(
            np.concatenate([[0], np.cumsum(length)]).astype(np.int32),
            self.node[take],
            self.weight[take],
            self.choice[take] if len(self.choice) else self.choice,
            self.position[take],
            self.length[chosen],
            self.sequential,
        )

    def rotated(self, rng: np.random.Generator) -> "Order":
        """Every row's sweep begun at a random place: whole sweeps then end just before that place."""
        length = np.diff(self.begin)
        shift = np.repeat(rng.integers(0, np.maximum(length, 1)), length)
        first = np.repeat(self.begin[:-1], length)
        within = np.arange(len(self.node)) - first
        return replace(self, node=self.node[first + (within + shift) % np.repeat(length, length)])


class Chains:
    """Equally many chains for each row of the order: their states `codes` [chain, variable], streams and rounds.

    Mutable; owned by one call.
    """

    def __init__(
        self,
        program: ChainProgram,
        order: Order,
        codes: NDArray[np.uint16],
        rng: np.random.Generator,
        threads: int | None = None,
    ) -> None:
        rows, chains = len(order.length), len(codes)
        self.per_row = chains // max(rows, 1)
        assert rows * self.per_row == chains
        self.rounds: list[tuple[FloatArray, FloatArray]] = []
        """Of each round the sums [row, chain, cell] and the weights [row, chain, estimator]."""
        self.round_sweeps = self.sweeps = self.updates = 0
        self.program, self.order = program, order
        self.codes = np.ascontiguousarray(codes)
        self.keys = rng.integers(0, 2**64, size=chains, dtype=np.uint64)
        self.counters = np.zeros(chains, dtype=np.uint64)
        self.impossible = np.zeros(chains, dtype=np.int64)
        self.threads = cores() if threads is None else jobs_of(threads)

    @classmethod
    def far_apart(
        cls,
        program: ChainProgram,
        scan: Scan,
        codes: NDArray[np.uint16],
        holes: NDArray[np.bool_],
        per_row: int,
        rng: np.random.Generator,
        threads: int | None,
    ) -> "Chains":
        """Chains that know what each row knows, and start far apart: at random, all first, or all last states."""
        states = np.repeat(codes, per_row, axis=0)
        free = np.repeat(holes, per_row, axis=0)
        states[free] = start_states(program.network, NOTHING, len(states), rng, of_each=per_row)[free]
        return cls(program, Order.of(scan, holes), states, rng, threads)

    def run(self, sweeps: int, *, record: bool = True, over: Over | None = None) -> bool:
        """Run all chains for a number of sweeps; False where it was `over` first.

        What was drawn by then stays in the states, and the sums of the round begun are dropped.
        """
        chains = len(self.codes)
        sums = np.zeros((chains, self.program.native.cells)) if record else None
        weights = np.zeros((chains, len(self.program.sizes))) if record else None
        scan = self.order.row_scan(self.program)
        states = native.ChainStates(
            per_row=self.per_row,
            keys=self.keys,
            counters=self.counters,
            codes=self.codes,
            impossible=self.impossible,
        )
        a_sweep = max(int(self.order.begin[-1]) * self.per_row, 1)
        piece = max(1, UPDATES_PER_CALL * self.threads // a_sweep)
        width = max(1, min(-(-chains // self.threads), UPDATES_PER_CALL * chains // a_sweep))
        spans = [(first, min(first + width, chains)) for first in range(0, chains, width)]
        threads = 1 if a_sweep * sweeps < SMALL else self.threads

        def work(first: int, last: int, count: int) -> None:
            self.program.native.run(
                scan, states, sweeps=count, first=first, last=last, sums=sums, weights=weights
            )

        done = 0
        while done < sweeps:
            if over is not None and over():
                return False
            count = min(piece, sweeps - done)
            in_threads(functools.partial(work, count=count), spans, threads)
            done += count
            self.sweeps += count
            self.updates += count * a_sweep
        if sums is not None and weights is not None:
            shape = (chains // self.per_row, self.per_row, -1)
            self.rounds.append((sums.reshape(shape), weights.reshape(shape)))
            self.round_sweeps = sweeps
        return True

    def join_rounds(self) -> None:
        """Join neighbouring rounds, two by two."""
        pairs = zip(self.rounds[::2], self.rounds[1::2], strict=True)
        self.rounds = [(a + c, b + d) for (a, b), (c, d) in pairs]
        self.round_sweeps *= 2

    def keep(self, rows: IntArray) -> None:
        """Go on with some of the rows only."""
        chains = (rows[:, None] * self.per_row + np.arange(self.per_row)).reshape(-1)
        self.order = self.order.rows(rows)
        self.codes = np.ascontiguousarray(self.codes[chains])
        self.keys, self.counters = self.keys[chains], self.counters[chains]
        self.impossible = self.impossible[chains]
        self.rounds = [(sums[rows], weights[rows]) for sums, weights in self.rounds]
