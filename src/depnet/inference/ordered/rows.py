r"""Rows with holes under an ordered law: Q(x_h | o) of every hole, joint draws of the holes, and log Q(o).

Items of few joint states (`depnet.inference.ordered.items`) are summed over, exactly, those of all rows together. A row that
has a larger item is solved by elimination where its tables are small. What is left is moved: *replicas* of the row,
each started at one of some passes in the order, taken in proportion to their weights, and then moved under Q. A hole's
law is the mean of the conditionals that its updates drew from, and its standard error is between replicas, which are
independent; a round that is not good enough is the lead of the next, which is longer. Moves may be too slow for what is
asked: then the row says that it has not converged.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.inference.clamped.sampled import RESOLUTION
from depnet.inference.ordered.items import ITEM_STATES, Holes, Items, log_own, theta_of
from depnet.law.conditional import Conditional
from depnet.law.elimination import LARGEST, Elimination, EliminationPlan, certain, elimination_plan, scope_of
from depnet.law.program import law_of
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.sources.source import product_within
from depnet.sampling.plan.words import new_seeds

OBSERVED, EXACT, SAMPLE = 0, 2, 3
"""How a row was answered: indices into `depnet.inference.rows.rows.METHODS`."""

CHUNK_HOLES = 1 << 22
"""Rows are taken so many at a time that their holes times the variables are about this."""
ELIMINATION_CELLS = 1 << 16
"""An elimination of one row has at most so many cells."""
FEWEST_REPLICAS, MOST_REPLICAS = 32, 1024
"""Of a row: one over the tolerance. A state that no start came to and no move comes to may have that much."""
CANDIDATES = 4
"""Passes that each replica's start is chosen from."""
LEAD = 8
FIRST_SWEEPS = 8
MOST_SWEEPS = 1 << 12
"""A round is never longer."""
R_HAT = 1.2
"""Above it, replicas differ by more than the halves of each do: they have not met."""
MOVED_CELLS = 1 << 22
"""Cells of the sums of replicas that are held at once."""
FIRST_PASSES = 1 << 8
MOST_PASSES = 1 << 14
PASS_CELLS = 1 << 22
LOG_ERROR = 0.05
"""Passes of log Q(o) go on until its standard error is no larger, or they are too many."""


class LawRows:
    """The answers of rows, filled in step by step; with `copies`, also draws: so many of each row.

    `drawn` are the rows with their holes filled, the `copies[r]` of row r after those of the rows before it.
    """

    def __init__(
        self,
        network: Network,
        codes: NDArray[np.uint16],
        holes: NDArray[np.bool_],
        rng: np.random.Generator,
        copies: IntArray | None = None,
    ) -> None:
        self.network, self.codes, self.holes = network, codes, holes
        self._rng = rng
        cards = network.domain.cardinalities
        self.begin = np.concatenate([[0], np.cumsum(cards)])
        rows = len(codes)
        self.values = np.zeros((rows, int(self.begin[-1])))
        self.errors = np.zeros_like(self.values)
        self.values[np.arange(rows)[:, None], self.begin[:-1] + codes] = 1.0
        self.method = np.where(holes.any(axis=1), EXACT, OBSERVED).astype(np.int8)
        self.r_hat = np.full(rows, np.nan)
        self.converged = np.ones(rows, dtype=bool)
        self.updates = 0
        self._copies = np.zeros(rows, dtype=np.int64) if copies is None else copies
        self._first = np.cumsum(self._copies) - self._copies
        self.drawn: NDArray[np.uint16] = np.repeat(codes, self._copies, axis=0)
        self._plans = _Plans(network)
        self._replicas = FEWEST_REPLICAS

    def run(self, method: str, tolerance: float, before: float | None, threads: int) -> None:
        """Answer all rows: "auto", or "sample" also what could be solved. `before` is when time is over."""
        for rows in _chunks(self.holes):
            holes = Holes.of(self.network, self.codes[rows], self.holes[rows])
            wanted = holes.upstream | holes.barren
            together = wanted
            if method == "auto":
                wanted, together = self._summed(holes, rows, before)
            hard = np.flatnonzero(wanted.any(axis=1))
            if method == "auto":
                hard = self._eliminated(rows, hard, before)
            if len(hard):
                moved = holes.moved(together)[hard]
                self._moved(_some(holes, hard), rows[hard], wanted[hard], moved, tolerance, before, threads)
            if len(self.drawn):
                self._drawn_barren(holes, rows)

    def _summed(
        self, holes: Holes, rows: IntArray, before: float | None
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """All items that are small. Returned are the holes that have no answer then, and all holes of their items."""
        left, together = np.zeros_like(holes.upstream), np.zeros_like(holes.upstream)

        def leave(items: Items) -> None:
            np.logical_or.at(left, items.rows, items.targets)
            np.logical_or.at(together, items.rows, items.holes)

        for items, is_part in ((holes.parts(), True), (holes.barren_items(), False)):
            small = items.log2_states <= math.log2(ITEM_STATES) + 1e-9
            for sums in items.chosen(small).sums():
                if before is not None and time.monotonic() > before:
                    leave(sums.items)
                    continue
                if sums.impossible.any():
                    self._contradiction(rows[sums.items.rows[np.flatnonzero(sums.impossible)[0]]])
                for i, where, law in sums.marginals():
                    self.values[rows[where], self.begin[i] : self.begin[i + 1]] = law
                if is_part and len(self.drawn):
                    own = rows[sums.items.rows]
                    item = np.repeat(np.arange(len(own)), self._copies[own])
                    place = self._places(own)
                    for i, having, digits in sums.draw(item, self._rng.random(len(item))):
                        self.drawn[place[having], i] = digits
            leave(items.chosen(~small))
        return left, together

    def _eliminated(self, rows: IntArray, hard: IntArray, before: float | None) -> IntArray:
        """Of the hard rows, those whose elimination is small, exactly; the others are returned."""
        left = []
        for r in hard.tolist():
            row = int(rows[r])
            found = None
            if before is None or time.monotonic() <= before:
                found = self._plans.solved(self.codes[row], self.holes[row])
            if found is None:
                left.append(r)
                continue
            hidden = np.flatnonzero(self.holes[row])
            wanted = [int(i) for i in hidden if self.network.domain.cardinalities[i] > 1]
            for i, law in found.marginals(wanted).items():
                self.values[row, self.begin[i] : self.begin[i + 1]] = law
            if len(self.drawn):
                copies = self.drawn[self._first[row] : self._first[row] + self._copies[row]]
                clusters = max(len(found.plan.clusters), 1)
                words = self._rng.integers(0, 2**32, size=(clusters, len(copies)), dtype=np.uint32)
                found.draw(words, copies)
        return np.array(left, dtype=np.int64)

    def _moved(
        self,
        holes: Holes,
        rows: IntArray,
        wanted: NDArray[np.bool_],
        moved: NDArray[np.bool_],
        tolerance: float,
        before: float | None,
        threads: int,
    ) -> None:
        """Replicas of the rows, moved until the laws of the wanted holes are known well enough."""
        self.method[rows] = SAMPLE
        self._replicas = min(max(math.ceil(1 / tolerance), FEWEST_REPLICAS), MOST_REPLICAS)
        size = max(1, MOVED_CELLS // (2 * self._replicas * int(self.begin[-1])))
        for start in range(0, len(rows), size):
            at = np.arange(start, min(start + size, len(rows)))
            self._moved_chunk(_some(holes, at), rows[at], wanted[at], moved[at], tolerance, before, threads)

    def _moved_chunk(
        self,
        holes: Holes,
        rows: IntArray,
        wanted: NDArray[np.bool_],
        moved: NDArray[np.bool_],
        tolerance: float,
        before: float | None,
        threads: int,
    ) -> None:
        cards, law = self.network.domain.cardinalities, law_of(self.network)
        (seed,) = new_seeds(self._rng, 1)
        replicas = self._replicas
        states = _starts(holes, moved, replicas, self._rng)
        flags = np.repeat(moved, replicas, axis=0)
        cells = int(self.begin[-1])
        done = 0

        def move(sweeps: int, sums: FloatArray | None) -> IntArray:
            nonlocal done
            stuck = law.moves(
                states, flags, sweeps=sweeps, seed=seed, first_sweep=done, cells=self.begin[:-1], sums=sums,
                n_jobs=threads,
            )  # fmt: skip
            done += sweeps
            self.updates += sweeps * int(flags.sum())
            return stuck

        def over() -> bool:
            return before is not None and time.monotonic() > before

        if not over():
            move(LEAD, None)
        sweeps = FIRST_SWEEPS
        while True:
            halves = np.zeros((2, len(rows) * replicas, cells))
            stuck = sum(move(sweeps // 2, half) for half in halves)
            found = _between(halves.reshape(2, len(rows), replicas, cells) / (sweeps // 2), sweeps)
            asked = np.repeat(wanted, cards, axis=1)
            error = np.where(asked, found.errors, 0.0).max(axis=1)
            r_hat = found.r_hat(asked)
            possible = ~np.asarray(stuck).reshape(len(rows), replicas).any(axis=1)
            good = (error <= tolerance) & (r_hat <= R_HAT) & possible
            last = sweeps >= MOST_SWEEPS or over()
            ended = np.flatnonzero(good | last)
            laws = self._whole(found.values[ended])
            self.values[rows[ended]] = np.where(asked[ended], laws, self.values[rows[ended]])
            errors = np.maximum(found.errors[ended], RESOLUTION * tolerance)
            self.errors[rows[ended]] = np.where(asked[ended], errors, 0.0)
            self.r_hat[rows[ended]] = r_hat[ended]
            self.converged[rows[ended]] = good[ended]
            if len(self.drawn):
                self._take(rows, ended, wanted, moved, states, done, threads)
            left = np.flatnonzero(~(good | last))
            if not len(left):
                return
            more = float((error[left].max() / tolerance) ** 2) * 1.2
            sweeps = int(min(sweeps * min(max(more, 2.0), 8.0), MOST_SWEEPS)) // 2 * 2
            keep = (left[:, None] * replicas + np.arange(replicas)).reshape(-1)
            rows, wanted, moved = rows[left], wanted[left], moved[left]
            states, flags = np.ascontiguousarray(states[keep]), np.ascontiguousarray(flags[keep])
            seed = (seed + 1) % 2**64  # rows have other places now: none meets words that another has had

    def _whole(self, laws: FloatArray) -> FloatArray:
        """Every variable's law divided by its sum: moves that found no possible state added nothing to it."""
        cards = self.network.domain.cardinalities
        totals = np.repeat(np.add.reduceat(laws, self.begin[:-1], axis=1), cards, axis=1)
        even = np.repeat(1 / np.array(cards), cards)
        return np.asarray(np.where(totals > 0, laws / np.where(totals > 0, totals, 1.0), even))

    def _take(
        self,
        rows: IntArray,
        ended: IntArray,
        wanted: NDArray[np.bool_],
        moved: NDArray[np.bool_],
        states: NDArray[np.uint16],
        done: int,
        threads: int,
    ) -> None:
        """The states of replicas as draws of the rows that ended: each replica's once, then moved on for more."""
        law, replicas = law_of(self.network), self._replicas
        for e in ended.tolist():
            row = int(rows[e])
            copies = int(self._copies[row])
            own = np.ascontiguousarray(states[e * replicas : (e + 1) * replicas])
            (again,) = new_seeds(self._rng, 1)
            for begin in range(0, copies, replicas):
                if begin:
                    law.moves(
                        own, moved[e : e + 1], sweeps=max(done // 2, LEAD), seed=again,
                        first_sweep=begin * MOST_SWEEPS, n_jobs=threads,
                    )  # fmt: skip
                count = min(replicas, copies - begin)
                chosen = own[self._rng.permutation(replicas)[:count]]
                place = slice(int(self._first[row]) + begin, int(self._first[row]) + begin + count)
                self.drawn[place] = np.where(wanted[e], chosen, self.drawn[place])

    def _drawn_barren(self, holes: Holes, rows: IntArray) -> None:
        """Barren holes of the draws, one after the other in the order: given all before them, X_i follows theta_i."""
        assert self.network.order is not None
        for i in self.network.order:
            own = rows[holes.barren[:, i]]
            place = self._places(own)
            if len(place):
                inputs = [self.drawn[place, c] for c in self.network.nodes[i].inputs]
                theta = theta_of(self.network, i, inputs, len(place))
                self.drawn[place, i] = _drawn(theta, self._rng)

    def _places(self, rows: IntArray) -> IntArray:
        """Where in `drawn` the copies of these rows are, one row's after the other's."""
        copies = self._copies[rows]
        within = np.arange(int(copies.sum())) - np.repeat(np.cumsum(copies) - copies, copies)
        return np.asarray(np.repeat(self._first[rows], copies) + within)

    def _contradiction(self, row: int) -> None:
        raise EvidenceError(
            f"what a row knows has probability 0 under the law: {self.codes[row].tolist()} with holes at "
            f"{np.flatnonzero(self.holes[row]).tolist()}. Smooth the tables (`smoothing=0.5`)."
        )


def log_observed(
    network: Network, codes: NDArray[np.uint16], holes: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Log Q(o) of the observed cells of every row, the holes summed out, and its standard errors (0: exact)."""
    values, errors = np.zeros(len(codes)), np.zeros(len(codes))
    plans = _Plans(network)
    for rows in _chunks(holes):
        here = Holes.of(network, codes[rows], holes[rows])
        total = here.untouched()
        parts = here.parts()
        small = parts.log2_states <= math.log2(ITEM_STATES) + 1e-9
        for sums in parts.chosen(small).sums():
            np.add.at(total, sums.items.rows, sums.log_sums)
        large = parts.chosen(~small)
        for r in np.unique(large.rows).tolist():
            own = large.chosen(large.rows == r)
            row = int(rows[r])
            try:
                found = plans.solved(codes[row], holes[row], targets=False)
                if found is not None:  # which is of the whole row
                    total[r] = found.joint(())[1]
                    continue
            except EvidenceError:
                total[r] = -math.inf
                continue
            value, errors[row] = _log_passes(
                _some(here, np.array([r])), np.asarray(own.holes.any(axis=0)), rng
            )
            total[r] += value
        values[rows] = total
    return values, errors


def _log_passes(holes: Holes, moved: NDArray[np.bool_], rng: np.random.Generator) -> tuple[float, float]:
    """The log of the sum over the `moved` holes of one row of the tables of all active nodes that they touch."""
    logs = np.zeros(0)
    size = max(FIRST_PASSES, min(MOST_PASSES, PASS_CELLS // len(moved)))
    count = FIRST_PASSES
    while True:
        logs = np.concatenate([logs, _passes(holes, moved[None], min(count, size), rng)[1]])
        top = float(logs.max())
        if top > -math.inf:
            weights = np.exp(logs - top)
            mean = float(weights.mean())
            error = float(weights.std()) / mean / math.sqrt(len(weights))
            if error <= LOG_ERROR or len(logs) >= MOST_PASSES:
                return math.log(mean) + top, error
        elif len(logs) >= MOST_PASSES:
            return -math.inf, math.inf
        count = len(logs)


def _starts(
    holes: Holes, moved: NDArray[np.bool_], replicas: int, rng: np.random.Generator
) -> NDArray[np.uint16]:
    """[rows x replicas, n]: of each replica's passes one, in proportion to their weights."""
    states, logs = _passes(holes, moved, replicas * CANDIDATES, rng)
    logs = logs.reshape(-1, CANDIDATES)
    top = logs.max(axis=1, keepdims=True)
    shares = np.exp(logs - np.where(top == -np.inf, 0.0, top))
    shares = np.where(top == -np.inf, 1.0, shares)
    chosen = _drawn(shares, rng)
    return np.ascontiguousarray(states[np.arange(len(logs)) * CANDIDATES + chosen])


def _passes(
    holes: Holes, moved: NDArray[np.bool_], each: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint16], FloatArray]:
    """[rows x each, n]: the moved holes drawn in the order, and the logs of the weights: of each active node that
    reads one of them and is none, its theta.
    """
    network = holes.network
    assert network.order is not None
    states = np.repeat(holes.codes, each, axis=0).astype(np.uint16, copy=False)
    logs = np.zeros(len(states))
    upstream = moved & holes.upstream
    for j in network.order:
        inputs = network.nodes[j].inputs
        own = np.flatnonzero(np.repeat(moved[:, j], each))
        if len(own):
            theta = theta_of(network, j, [states[own, c] for c in inputs], len(own))
            states[own, j] = _drawn(theta, rng)
        reads = upstream[:, list(inputs)].any(axis=1) & holes.active[:, j] & ~moved[:, j]
        weighed = np.flatnonzero(np.repeat(reads, each))
        if len(weighed):
            logs[weighed] += log_own(network, j, [states[weighed, c] for c in (*inputs, j)])
    return states, logs


@dataclass(frozen=True, slots=True, eq=False)
class _Between:
    """What replicas say: means [rows, cells], standard errors between replicas, and variances between and within."""

    values: FloatArray
    errors: FloatArray
    between: FloatArray
    within: FloatArray

    def r_hat(self, asked: NDArray[np.bool_]) -> FloatArray:
        """Of each row, over all of its cells together: 1 where halves of a replica differ as replicas do."""
        between = np.where(asked, self.between, 0.0).sum(axis=1)
        within = np.where(asked, self.within, 0.0).sum(axis=1)
        ratio = np.divide(between, within, out=np.full_like(between, np.inf), where=within > 0)
        still = between <= 1e-24  # nothing moves and nothing differs
        return np.asarray(np.where(still, 1.0, np.sqrt(0.5 + ratio)))


def _between(halves: FloatArray, sweeps: int) -> _Between:
    """`halves` [2, rows, replicas, cells] are the means of each half of each replica's round, of so many sweeps.

    A state that all replicas keep away from shows in no spread. They came to it about 1 + sweeps p times each, and
    what came so seldom may as well have come once more.
    """
    replicas = halves.shape[2]
    means = halves.mean(axis=0)
    between = means.var(axis=1, ddof=1)
    within = ((halves[0] - halves[1]) ** 2 / 2).mean(axis=1)
    values = means.mean(axis=1)
    seldom = np.minimum(values, 1 - values)
    unseen = 1 / (replicas * (1 + sweeps * np.maximum(seldom, 0.0)) + 2)
    errors = np.sqrt(between / replicas)
    return _Between(values, np.where(seldom < unseen, np.maximum(errors, unseen), errors), between, within)


class _Plans:
    """How rows are eliminated: one plan for all that have the same holes."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._known: dict[tuple[bytes, bool], tuple[tuple[int, ...], EliminationPlan] | None] = {}

    def solved(
        self, codes: NDArray[np.uint16], holes: NDArray[np.bool_], *, targets: bool = True
    ) -> Elimination | None:
        """The row's elimination, of all holes or (`targets=False`) of what is observed; None where it is too large."""
        evidence = Evidence({int(i): int(codes[i]) for i in np.flatnonzero(~holes)}, {})
        key = (holes.tobytes(), targets)
        if key not in self._known:
            self._known[key] = self._planned(evidence, np.flatnonzero(holes).tolist() if targets else [])
        found = self._known[key]
        return None if found is None else Elimination.of(self._network, found[0], evidence, found[1])

    def _planned(
        self, evidence: Evidence, targets: list[int]
    ) -> tuple[tuple[int, ...], EliminationPlan] | None:
        network = self._network
        cards, fixed = network.domain.cardinalities, certain(network, evidence)
        if targets:
            asked = Conditional(network, evidence, tuple((i,) for i in targets))
        else:
            asked = Conditional.of_evidence(network, evidence)
        scopes = [scope_of(network, i, fixed) for i in asked.variables]
        if not all(product_within([cards[j] for j in scope], LARGEST) for scope in scopes):
            return None
        plan = elimination_plan(scopes, cards, most_cells=ELIMINATION_CELLS)
        return None if plan is None else (asked.variables, plan)


def _chunks(holes: NDArray[np.bool_]) -> Iterator[IntArray]:
    """The numbers of rows, so many at a time that their holes fit into memory."""
    if not len(holes):
        return
    ends = np.cumsum(np.maximum(holes.sum(axis=1), 1) * holes.shape[1])
    call = (ends - 1) // CHUNK_HOLES
    yield from np.split(np.arange(len(holes)), np.flatnonzero(np.diff(call)) + 1)


def _some(holes: Holes, at: IntArray) -> Holes:
    """Some of the rows."""
    return Holes(
        holes.network, holes.codes[at], holes.upstream[at], holes.barren[at], holes.active[at], holes.part[at]
    )


def _drawn(shares: FloatArray, rng: np.random.Generator) -> IntArray:
    """A state of each row, in proportion to its shares."""
    ends = np.cumsum(shares, axis=1)
    until = rng.random(len(shares)) * ends[:, -1]
    return np.asarray(np.minimum((until[:, None] >= ends).sum(axis=1), shares.shape[1] - 1))
