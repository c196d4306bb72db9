r"""What the holes of rows depend on under an ordered law, and sums over their joint states.

Given the observed cells o of a row, its holes h follow

.. math:: Q(h \mid o) \propto \prod_j \theta_j(x_j \mid Y_j(x))

over the nodes j that are a hole or read one. A hole that no observed variable descends from is *barren*: the tables of
what follows it sum to one, and it has no say in any other. The other holes fall into parts that no table connects,
independent given o. An *item* is such a part of one row, or a barren hole with all that its law depends on; items
of all rows are summed over together, node by node.

log Q(o), the probability of what is observed, is the sum of those of the items; a row that has a larger one is evidence like
any other (`depnet.inference.ordered.answer`).
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray, code_type
from depnet.errors import EvidenceError
from depnet.inference.ordered.codes import log_of_codes
from depnet.law import limits
from depnet.law.program import DRAW, WEIGH
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.sources.decision_graph import DecisionGraph

CHUNK_STATES = 1 << 18
"""Joint states that are summed over at once."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Holes:
    """Some rows, and what their holes depend on. A hole of a variable of one state is none.

    `active[r, j]`: X_j is observed, or something observed descends from it. `upstream` are the holes that are active,
    `barren` the others; `part[r, i]` is the lowest number of the part of an upstream hole.
    """

    network: Network
    codes: CodeArray
    upstream: Bools
    barren: Bools
    active: Bools
    part: NDArray[np.int32]

    @classmethod
    def of(cls, network: Network, codes: CodeArray, holes: Bools) -> "Holes":
        """Who is upstream of something observed, and who is connected with whom."""
        assert network.order is not None
        hidden = holes & (np.array(network.domain.cardinalities) > 1)
        active = ~hidden
        for j in reversed(network.order):
            inputs = list(network.nodes[j].inputs)
            if inputs:
                active[:, inputs] |= active[:, j : j + 1]
        upstream = hidden & active
        part = _parts(network, upstream, active)
        return cls(network, codes, upstream, hidden & ~active, active, part)

    @staticmethod
    def pieces(holes: Bools) -> Iterator[IntArray]:
        """The numbers of rows in pieces whose holes fit into memory."""
        if not len(holes):
            return
        ends = np.cumsum(np.maximum(holes.sum(axis=1), 1) * holes.shape[1])
        call = (ends - 1) // limits.CELLS_AT_ONCE
        yield from np.split(np.arange(len(holes)), np.flatnonzero(np.diff(call)) + 1)

    def select(self, at: IntArray) -> "Holes":
        return Holes(
            self.network, self.codes[at], self.upstream[at], self.barren[at], self.active[at], self.part[at]
        )

    def parts(self) -> "Items":
        """An item for each part of upstream holes."""
        rows, columns = np.nonzero(self.upstream)
        first = self.part[rows, columns] == columns
        rows, columns = rows[first], columns[first]
        holes = self.upstream[rows] & (self.part[rows] == columns[:, None])
        return Items(self, rows, holes, holes)

    def barren_items(self) -> "Items":
        """An item for each barren hole: itself, its barren ancestors, and the parts that these read."""
        assert self.network.order is not None
        rows, own = np.nonzero(self.barren)
        targets = np.zeros((len(rows), self.barren.shape[1]), dtype=bool)
        targets[np.arange(len(rows)), own] = True
        holes = targets.copy()
        for j in reversed(self.network.order):
            inputs = list(self.network.nodes[j].inputs)
            at = np.flatnonzero(holes[:, j] & self.barren[rows, j])
            if inputs and len(at):
                hidden = self.barren[rows[at]][:, inputs] | self.upstream[rows[at]][:, inputs]
                holes[at[:, None], inputs] |= hidden
        read = holes & self.upstream[rows]
        for i in np.flatnonzero(read.any(axis=0)):
            at = np.flatnonzero(read[:, i])
            r = rows[at]
            holes[at] |= self.upstream[r] & (self.part[r] == self.part[r, i][:, None])
        return Items(self, rows, holes, targets)

    def holes_to_move(self, wanted: Bools) -> Bools:
        """The wanted holes, and every barren one that reads a hole of these, or one that does: left at some state, it
        would have a say.
        """
        assert self.network.order is not None
        found = wanted & (self.upstream | self.barren)
        for j in self.network.order:
            inputs = list(self.network.nodes[j].inputs)
            if inputs:
                found[:, j] |= self.barren[:, j] & found[:, inputs].any(axis=1)
        return found

    def roles(self, moved: Bools) -> NDArray[np.uint8]:
        """What passes do (`Law.passes`): draw the moved holes, weigh rows by the active nodes that read one of them."""
        roles = np.where(moved, np.uint8(DRAW), np.uint8(0))
        upstream = moved & self.upstream
        for j, node in enumerate(self.network.nodes):
            reads = upstream[:, list(node.inputs)].any(axis=1) & self.active[:, j] & ~moved[:, j]
            roles[reads, j] = WEIGH
        return roles

    def untouched(self) -> FloatArray:
        """Of each row, the sum of log theta_j of the observed X_j whose sources read no hole."""
        total = np.zeros(len(self.codes))
        hidden = self.upstream | self.barren
        for j, node in enumerate(self.network.nodes):
            at = np.flatnonzero(~hidden[:, [*node.inputs, j]].any(axis=1))
            if len(at):
                total[at] += log_own(self.network, j, [self.codes[at, c] for c in (*node.inputs, j)])
        return total


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Sums to make: of item k, row `rows[k]`, over the joint states of `holes[k]`; what is wanted are `targets[k]`."""

    of: Holes
    rows: IntArray
    holes: Bools
    targets: Bools

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def log2_states(self) -> FloatArray:
        return np.asarray(self.holes @ np.log2(self.of.network.domain.cardinalities))

    @property
    def small(self) -> Bools:
        """Which items have few enough joint states to be summed over."""
        return self.log2_states <= math.log2(limits.ROW_STATES) + 1e-9

    def select(self, at: NDArray[np.generic]) -> "Items":
        return Items(self.of, self.rows[at], self.holes[at], self.targets[at])

    def sums(self) -> Iterator["Sums"]:
        """All of them, some at a time."""
        if not len(self):
            return
        states = np.rint(np.exp2(self.log2_states)).astype(np.int64)
        ends = np.cumsum(states)
        call = (ends - states) // CHUNK_STATES
        begins = [*np.flatnonzero(np.diff(call, prepend=-1)).tolist(), len(states)]
        for start, stop in itertools.pairwise(begins):
            yield Sums(self.select(np.arange(start, stop)), states[start:stop])


class Sums:
    """The weights of all joint states of some items: state t of an item has digit (t // stride) % |X_i| for hole i."""

    def __init__(self, items: Items, states: IntArray) -> None:
        self.items, self.states = items, states
        self.begin = np.cumsum(states) - states
        cards = np.array(items.of.network.domain.cardinalities)
        sizes = np.where(items.holes, cards, 1)
        self._stride = (np.cumprod(sizes, axis=1) // sizes).astype(np.int32)
        self._cards = cards
        self._item = np.repeat(np.arange(len(states)), states)
        self._state = (np.arange(int(states.sum())) - self.begin[self._item]).astype(np.int32)
        logs = np.zeros(len(self._state))
        for j, node in enumerate(items.of.network.nodes):
            scope = (*node.inputs, j)
            touched = (items.holes & items.of.upstream[items.rows])[:, scope].any(axis=1)
            factor = (touched & items.of.active[items.rows, j]) | (
                items.holes[:, j] & items.of.barren[items.rows, j]
            )
            if not factor.any():
                continue
            at = np.flatnonzero(np.repeat(factor, states))
            chosen = np.flatnonzero(factor)
            logs[at] += log_own(items.of.network, j, [self.column(c, chosen, at) for c in scope])
        top = np.maximum.reduceat(logs, self.begin)
        self.impossible = top == -np.inf
        logs -= np.where(self.impossible, 0.0, top)[self._item]
        weights = np.exp(logs)
        totals = np.add.reduceat(weights, self.begin)
        with np.errstate(divide="ignore"):
            self.log_sums = top + np.log(totals)
        self.shares = weights / np.where(self.impossible, 1.0, totals)[self._item]

    def column(self, c: int, chosen: IntArray, at: IntArray) -> CodeArray:
        """The codes of X_c in the states `at`, which are all states of the `select` items."""
        items = self.items
        sizes = self.states[chosen]
        column: CodeArray = np.repeat(items.of.codes[items.rows[chosen], c], sizes)
        holes = items.holes[chosen, c]
        if holes.any():
            inside = np.flatnonzero(np.repeat(holes, sizes))
            strides = np.repeat(self._stride[chosen[holes], c], sizes[holes])
            column[inside] = self._state[at[inside]] // strides % np.int32(self._cards[c])
        return column

    def marginals(self) -> Iterator[tuple[int, IntArray, FloatArray]]:
        """Of each variable that is a target: its number, the rows, and its law in each."""
        for i in np.flatnonzero(self.items.targets.any(axis=0)).tolist():
            chosen = np.flatnonzero(self.items.targets[:, i])
            place = np.full(len(self.states), -1)
            place[chosen] = np.arange(len(chosen))
            own = place[self._item]
            at = np.flatnonzero(own >= 0)
            k = int(self._cards[i])
            cells = own[at] * k + self.column(i, chosen, at)
            law = np.bincount(cells, self.shares[at], minlength=len(chosen) * k).reshape(-1, k)
            yield i, self.items.rows[chosen], law / law.sum(axis=1, keepdims=True)

    def draw(self, item: IntArray, uniform: FloatArray) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Draws of the joint states of the items `item`, one of each for each of the numbers in [0, 1): of each
        variable, which of the draws have it, and its codes.
        """
        ends = np.cumsum(self.shares)
        last = self.begin + self.states - 1
        before = ends[self.begin] - self.shares[self.begin]
        until = before[item] + uniform * (ends[last] - before)[item]
        at = np.clip(np.searchsorted(ends, until, side="right"), self.begin[item], last[item])
        for i in np.flatnonzero(self.items.holes.any(axis=0)).tolist():
            having = np.flatnonzero(self.items.holes[item, i])
            digits = self._state[at[having]] // self._stride[item[having], i] % self._cards[i]
            yield i, having, digits


def log_own(network: Network, j: int, columns: Sequence[NDArray[np.integer]]) -> FloatArray:
    """Log theta_j(x_j | Y_j(x)); `columns` are the codes of the inputs of node j and then of X_j."""
    node, own, cards = network.nodes[j], columns[-1], network.domain.cardinalities
    # A source reads its inputs alone: of the other columns not a page is touched.
    table: CodeArray = np.empty((len(own), len(cards)), dtype=code_type(cards), order="F")
    for c, column in zip((*node.inputs, j), columns, strict=True):
        table[:, c] = column
    with np.errstate(divide="ignore"):
        if not node.boosted and isinstance(
            node.source, DecisionGraph
        ):  # the logs of few leaves are looked up
            return np.asarray(np.log(node.table.probabilities)[node.source(table), own])
        return np.asarray(np.log(node.own_probabilities(table)))


def _parts(network: Network, upstream: Bools, active: Bools) -> NDArray[np.int32]:
    """The lowest number of each upstream hole's part: those in the scope of one active node are connected."""
    n = upstream.shape[1]
    part = np.where(upstream, np.arange(n, dtype=np.int32), np.int32(n))
    scopes = [[*node.inputs, j] for j, node in enumerate(network.nodes) if node.inputs]
    left = np.flatnonzero(upstream.sum(axis=1) > 1)
    while len(left):
        now, was = part[left], part[left]
        open_, on = upstream[left], active[left]
        for scope in scopes:
            joined = open_[:, scope] & on[:, scope[-1] : scope[-1] + 1]
            own = np.where(joined, now[:, scope], n)
            now[:, scope] = np.where(joined, own.min(axis=1, keepdims=True), now[:, scope])
        part[left] = now
        left = left[(now != was).any(axis=1)]
    return part


def log_observed(
    network: Network, codes: NDArray[np.uint16], holes: Bools, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Log Q(o) of the observed cells of every row, the holes summed out, and its standard errors (0: exact)."""
    values, errors = np.zeros(len(codes)), np.zeros(len(codes))
    for rows in Holes.pieces(holes):
        here = Holes.of(network, codes[rows], holes[rows])
        values[rows] = here.untouched()
        parts = here.parts()
        for sums in parts.select(parts.small).sums():
            np.add.at(values, rows[sums.items.rows], sums.log_sums)
        for row in np.unique(rows[parts.select(~parts.small).rows]).tolist():
            known = observed_cells(codes[row], holes[row])
            try:
                values[row], errors[row] = log_of_codes(
                    network, known, limits.LOG_ERROR, rng, most_draws=limits.ROW_DRAWS
                )
            except EvidenceError:
                values[row] = -math.inf
    return values, errors


def observed_cells(codes: NDArray[np.uint16], holes: Bools) -> Evidence:
    return Evidence({int(i): int(codes[i]) for i in np.flatnonzero(~holes)}, {})
