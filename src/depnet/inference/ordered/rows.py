"""Rows with holes under an ordered law: Q(x_h | o) of every hole, and joint draws of the holes.

Items of few joint states (`depnet.inference.ordered.items`) are summed over, exactly, those of all rows together. A row that
has a larger item is solved by elimination where its tables are small, else by weighted passes, as a question is, where
some tenths of a second suffice for these. What is left, or drawn jointly, is moved: *replicas* of the row,
each started at one of some passes in the order, taken in proportion to their weights, and then moved under Q. A hole's
law is the mean of the conditionals that its updates drew from, and its standard error is between replicas, which are
independent; a round that is not good enough is the lead of the next, which is longer. Moves may be too slow for what is
asked: then the row says that it has not converged.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray, new_seeds
from depnet.errors import EvidenceError
from depnet.inference.answer.question import RESOLUTION, Effort
from depnet.inference.answer.rows import EXACT, OBSERVED, SAMPLE, DistinctRows, RowAnswers, pieces
from depnet.inference.ordered.items import Holes, Items, observed_cells
from depnet.inference.ordered.weighted import Estimate, weighted_passes
from depnet.law import limits
from depnet.law.elimination import Elimination, EliminationPlan, network_plan
from depnet.law.program import DRAW, Conditional, law_of
from depnet.model.network import Network

Bools = NDArray[np.bool_]


class Replicas:
    """Replicas of some rows, `each` of every row: their states, and how far they came. Mutable; owned by one call."""

    def __init__(self, holes: Holes, moved: Bools, each: int, effort: Effort) -> None:
        self._law, self._threads = law_of(holes.network), effort.threads
        self.each, self.moved = each, moved
        self.sweeps = self.updates = 0
        (self.seed,) = new_seeds(effort.rng, 1)
        # Each starts at one of some passes, in proportion to their weights.
        states: CodeArray = np.repeat(holes.codes, each * limits.CANDIDATES, axis=0)  # type: ignore[assignment]  # of either
        roles = np.repeat(holes.roles(moved), each * limits.CANDIDATES, axis=0)
        found = self._law.passes(len(states), roles=roles, seed=self.seed, start=states, n_jobs=self._threads)
        logs = found.log_weights.reshape(-1, limits.CANDIDATES)
        top = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - np.where(top == -np.inf, 0.0, top))
        ends = np.cumsum(np.where(top == -np.inf, 1.0, shares), axis=1)
        until = effort.rng.random(len(ends)) * ends[:, -1]
        chosen = np.minimum((until[:, None] >= ends).sum(axis=1), limits.CANDIDATES - 1)
        at = np.arange(len(logs)) * limits.CANDIDATES + chosen
        self.states = np.ascontiguousarray(found.codes[at], dtype=np.uint16)

    def move(self, sweeps: int, sums: FloatArray | None = None) -> IntArray:
        """Move all of them; returned is how often each found no possible state."""
        flags, cards = np.repeat(self.moved, self.each, axis=0), np.array(self._law.cardinalities)
        stuck = self._law.moves(
            self.states,
            flags,
            sweeps=sweeps,
            seed=self.seed,
            first_sweep=self.sweeps,
            cells=np.cumsum(cards) - cards,
            sums=sums,
            n_jobs=self._threads,
        )
        self.sweeps += sweeps
        self.updates += sweeps * int(flags.sum())
        return stuck

    def round(self, sweeps: int, asked: Bools) -> tuple[FloatArray, FloatArray, FloatArray, Bools]:
        """What a round of moves says of all cells, [row, cell], its standard errors between replicas, the R-hat of each row
        over the cells that are asked for, and whether its replicas always found a possible state.
        """
        rows, cells = asked.shape
        halves = np.zeros((2, len(self.states), cells))
        stuck = sum(self.move(sweeps // 2, half) for half in halves)
        always = (np.asarray(stuck).reshape(rows, self.each) == 0).all(axis=1)
        halves = halves.reshape(2, rows, self.each, cells) / (sweeps // 2)
        means = halves.mean(axis=0)
        between = means.var(axis=1, ddof=1)
        within = ((halves[0] - halves[1]) ** 2 / 2).mean(axis=1)
        values, errors = means.mean(axis=1), np.sqrt(between / self.each)
        # A state that all replicas keep away from shows in no spread. They came to it about 1 + sweeps p times each, and
        # what came so seldom may as well have come once more.
        seldom = np.minimum(values, 1 - values)
        unseen = 1 / (self.each * (1 + sweeps * np.maximum(seldom, 0.0)) + 2)
        errors = np.where(seldom < unseen, np.maximum(errors, unseen), errors)
        return values, errors, _r_hat(between, within, asked), np.asarray(always)

    def keep(self, rows: IntArray) -> None:
        """Go on with some of the rows only."""
        at = (rows[:, None] * self.each + np.arange(self.each)).reshape(-1)
        self.moved = self.moved[rows]
        self.states = np.ascontiguousarray(self.states[at])
        # Rows have other places now: none meets words that another has had.
        self.seed = (self.seed + 1) % 2**64


def _r_hat(between: FloatArray, within: FloatArray, asked: Bools) -> FloatArray:
    """Of each row, over its cells together: 1 where halves of a replica differ as replicas do."""
    apart, inside = (np.where(asked, variance, 0.0).sum(axis=1) for variance in (between, within))
    ratio = np.divide(apart, inside, out=np.full_like(apart, np.inf), where=inside > 0)
    still = apart <= 1e-24  # nothing moves and nothing differs
    return np.asarray(np.where(still, 1.0, np.sqrt(0.5 + ratio)))


class LawRows(RowAnswers):
    """The answers of an ordered law; with `copies`, also draws, `copies[r]` of row r.

    `drawn` are the rows with their holes filled, those of row r after those of the rows before it.
    """

    def __init__(
        self,
        network: Network,
        distinct: DistinctRows,
        effort: Effort,
        copies: IntArray,
        targets: Sequence[int] | None = None,
    ) -> None:
        super().__init__(network, distinct, effort, targets)
        self._asked = np.isin(np.arange(len(network)), self.targets)
        self.method = np.where(self.holes.any(axis=1), EXACT, OBSERVED).astype(np.int8)
        self._copies = copies
        self._first = np.cumsum(copies) - copies
        self.drawn: NDArray[np.uint16] = np.repeat(self.codes, copies, axis=0)
        self._plans: dict[bytes, tuple[tuple[int, ...], EliminationPlan | None]] = {}
        """By the holes of a row: the variables that matter, and how they are eliminated, if that is small."""
        # One over the tolerance: a state that no start came to and no move comes to may have that much.
        self._replicas = min(max(math.ceil(1 / effort.tolerance), limits.BATCHES), limits.FIRST_DRAWS)

    def run(self, method: str) -> None:
        """Answer all rows: "auto", or "sample" also what could be solved."""
        for rows in Holes.pieces(self.holes):
            holes = Holes.of(self.network, self.codes[rows], self.holes[rows])
            together = holes.upstream | holes.barren
            wanted = together & self._asked
            if method == "auto":
                wanted, together = self._sum_items(holes, rows)
            hard = np.flatnonzero(wanted.any(axis=1))
            self.tell(len(rows) - len(hard))
            if method == "auto":
                hard = self._eliminate(rows, hard)
                hard = self._weigh(rows, hard, together)
            if len(hard):
                self.method[rows[hard]] = SAMPLE
                moved = holes.holes_to_move(together)
            for at in pieces(hard, 2 * self._replicas * int(self.begin[-1]), limits.CELLS_AT_ONCE):
                self._move(holes.select(at), rows[at], wanted[at], moved[at])
                self.tell(len(at))
            if len(self.drawn):
                self._draw_barren(holes, rows)

    def _sum_items(self, holes: Holes, rows: IntArray) -> tuple[Bools, Bools]:
        """All items that are small. Returned are the holes that have no answer then, and all holes of their items."""
        left, together = np.zeros_like(holes.upstream), np.zeros_like(holes.upstream)

        def leave(items: Items) -> None:
            np.logical_or.at(left, items.rows, items.targets)
            np.logical_or.at(together, items.rows, items.holes)

        for every, is_part in ((holes.parts(), True), (holes.barren_items(), False)):
            items = every.select(np.flatnonzero(every.targets[:, self._asked].any(axis=1)))
            for sums in items.select(items.small).sums():
                if self.effort.over():
                    leave(sums.items)
                    continue
                if sums.impossible.any():
                    row = rows[sums.items.rows[np.flatnonzero(sums.impossible)[0]]]
                    raise EvidenceError(
                        f"what a row knows has probability 0 under the law: {self.codes[row].tolist()} with holes at "
                        f"{np.flatnonzero(self.holes[row]).tolist()}. Smooth the tables (learn with a smoothing of 0.5)."
                    )
                for i, where, law in sums.marginals():
                    self.values[rows[where], self.cells_of(i)] = law
                if is_part and len(self.drawn):
                    own = rows[sums.items.rows]
                    item = np.repeat(np.arange(len(own)), self._copies[own])
                    place = self._places(own)
                    for i, having, digits in sums.draw(item, self.effort.rng.random(len(item))):
                        self.drawn[place[having], i] = digits
            leave(items.select(~items.small))
        return left & self._asked, together

    def _eliminate(self, rows: IntArray, hard: IntArray) -> IntArray:
        """Of the hard rows, those whose elimination is small, exactly; the others are returned."""
        left = []
        for r in hard.tolist():
            row = int(rows[r])
            found = None
            if not self.effort.over():
                found = self._elimination(row)
            if found is None:
                left.append(r)
                continue
            hidden = np.flatnonzero(self.holes[row] & self._asked)
            wanted = [int(i) for i in hidden if self.cardinalities[i] > 1]
            for i, law in found.marginals(wanted).items():
                self.values[row, self.cells_of(i)] = law
            if len(self.drawn):
                copies = self.drawn[self._first[row] : self._first[row] + self._copies[row]]
                clusters = max(len(found.plan.clusters), 1)
                words = self.effort.rng.integers(0, 2**32, size=(clusters, len(copies)), dtype=np.uint32)
                found.draw(words, copies)
            self.tell(1)
        return np.array(left, dtype=np.int64)

    def _weigh(self, rows: IntArray, hard: IntArray, together: Bools) -> IntArray:
        """Of the hard rows, those that weighted passes answer soon; the others are returned.

        Joint draws of the holes are left to replicas.
        """
        left = []
        for r in hard.tolist():
            row = int(rows[r])
            wanted = [int(i) for i in np.flatnonzero(together[r] & self._asked)]
            found = None if len(self.drawn) or self.effort.over() else self._passes(row, wanted)
            if found is None:
                left.append(r)
                continue
            for i, law, error in zip(wanted, found.sums.laws(), found.errors, strict=True):
                at = self.cells_of(i)
                self.values[row, at] = law
                self.errors[row, at] = np.maximum(error, RESOLUTION * self.effort.tolerance)
            self.method[row] = SAMPLE
            self.updates += found.sums.rows * len(wanted)
            self.tell(1)
        return np.array(left, dtype=np.int64)

    def _passes(self, row: int, wanted: Sequence[int]) -> Estimate | None:
        """What passes say of these holes, if they are sharp enough before `ROW_UPDATES` of them."""
        known = observed_cells(self.codes[row], self.holes[row])
        asked = Conditional(self.network, known, tuple((i,) for i in wanted))
        (seed,) = new_seeds(self.effort.rng, 1)
        tolerance, over = self.effort.tolerance, self.effort.over
        try:
            found, _ = weighted_passes(asked, tolerance, seed, limits.ROW_UPDATES, over)
        except EvidenceError:  # no pass has met what the row knows
            return None
        return found if found.converged else None

    def _elimination(self, row: int) -> Elimination | None:
        """The row's holes given what it knows; None where that is too large."""
        network, holes = self.network, self.holes[row]
        known, key = observed_cells(self.codes[row], holes), holes.tobytes()
        if key not in self._plans:
            asked = Conditional(
                network, known, tuple((i,) for i in np.flatnonzero(holes & self._asked).tolist())
            )
            plan = network_plan(network, asked.variables, known, most_cells=limits.ROW_CELLS)
            self._plans[key] = asked.variables, plan
        variables, plan = self._plans[key]
        return None if plan is None else Elimination.of(network, variables, known, plan)

    def _move(self, holes: Holes, rows: IntArray, wanted: Bools, moved: Bools) -> None:
        """Replicas of the rows, moved until the laws of the wanted holes are known well enough.

        A round that is not good enough is the lead of the next, which is twice as long.
        """
        effort = self.effort
        replicas = Replicas(holes, moved, self._replicas, effort)
        if not effort.over():
            replicas.move(limits.FIRST_SWEEPS)
        sweeps = limits.FIRST_SWEEPS
        while len(rows):
            asked = np.repeat(wanted, self.cardinalities, axis=1)
            values, errors, r_hat, possible = replicas.round(sweeps, asked)
            largest = np.where(asked, errors, 0.0).max(axis=1)
            good = (largest <= effort.tolerance) & (r_hat <= limits.R_HAT_REPLICAS) & possible
            done = good | (sweeps >= limits.MOST_SWEEPS or effort.over())
            at = rows[done]
            errors = np.maximum(errors, RESOLUTION * effort.tolerance)
            self.values[at] = np.where(asked[done], self._whole(values[done]), self.values[at])
            self.errors[at] = np.where(asked[done], errors[done], 0.0)
            self.r_hat[at], self.converged[at] = r_hat[done], good[done]
            for k in np.flatnonzero(done).tolist() if len(self.drawn) else []:
                self._take(int(rows[k]), replicas, k, wanted[k])
            rows, wanted = rows[~done], wanted[~done]
            replicas.keep(np.flatnonzero(~done))
            sweeps *= 2
        self.updates += replicas.updates

    def _whole(self, laws: FloatArray) -> FloatArray:
        """Every variable's law divided by its sum: moves that found no possible state added nothing to it."""
        cards = self.cardinalities
        totals = np.repeat(np.add.reduceat(laws, self.begin[:-1], axis=1), cards, axis=1)
        even = np.repeat(1 / np.array(cards), cards)
        return np.asarray(np.where(totals > 0, laws / np.where(totals > 0, totals, 1.0), even))

    def _take(self, row: int, replicas: Replicas, at: int, wanted: Bools) -> None:
        """The states of replicas as draws of the row that is their `at`-th: each one's once, then moved on for more."""
        rng, copies, each = self.effort.rng, int(self._copies[row]), replicas.each
        own = np.ascontiguousarray(replicas.states[at * each : (at + 1) * each])
        (again,) = new_seeds(rng, 1)
        for begin in range(0, copies, each):
            if begin:
                law_of(self.network).moves(
                    own,
                    replicas.moved[at : at + 1],
                    sweeps=max(replicas.sweeps // 2, limits.FIRST_SWEEPS),
                    seed=again,
                    first_sweep=begin * limits.MOST_SWEEPS,
                    n_jobs=self.effort.threads,
                )
            count = min(each, copies - begin)
            chosen = own[rng.permutation(each)[:count]]
            place = slice(int(self._first[row]) + begin, int(self._first[row]) + begin + count)
            self.drawn[place] = np.where(wanted, chosen, self.drawn[place])

    def _draw_barren(self, holes: Holes, rows: IntArray) -> None:
        """Barren holes of the draws, one after the other in the order: given all before them, X_i follows theta_i."""
        at = np.flatnonzero(holes.barren.any(axis=1))
        place = self._places(rows[at])
        if not len(place):
            return
        roles = np.repeat(
            np.where(holes.barren[at], np.uint8(DRAW), np.uint8(0)), self._copies[rows[at]], axis=0
        )
        states, (seed,) = self.drawn[place], new_seeds(self.effort.rng, 1)
        law, threads = law_of(self.network), self.effort.threads
        done = law.passes(len(place), roles=roles, seed=seed, start=states, n_jobs=threads)
        self.drawn[place] = done.codes

    def _places(self, rows: IntArray) -> IntArray:
        """Where in `drawn` the copies of these rows are, one row's after the other's."""
        copies = self._copies[rows]
        within = np.arange(int(copies.sum())) - np.repeat(np.cumsum(copies) - copies, copies)
        return np.asarray(np.repeat(self._first[rows], copies) + within)
