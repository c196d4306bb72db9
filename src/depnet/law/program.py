r"""The law of an ordered network, drawn from in one pass.

In an ordered network Y_i reads only variables before X_i, so that one sweep of the sequential scan in the order
draws from

.. math:: Q(x) = \prod_i \theta_i(x_i \mid Y_i(x)),

whatever the start was. With evidence, weights w_j(x_j) of the states of some variables (0 or 1 for a known state or a
set), X_j is drawn in proportion to theta_j w_j and the draw gets the weight

.. math:: W = \prod_j \sum_x \theta_j(x \mid Y_j)\, w_j(x):

weighted draws follow Q(x) times the product of w_j(x_j). Only the ancestors of what is asked and known take part.
*Moves* draw X_i from its conditional under Q, theta_i times the tables of the nodes that read it; they leave
Q(. | x_C) as it is. A boosted node has theta in the place of a table, in both: its scores are summed for many rows at
once, and a move of X_i sums again only the stages that read it.

What an answer depends on is found here, too. Q(T | x_C) depends on some tables only (`relevant`). The law of codes and
levels (`depnet.data.frames.within`) is Q(codes) times, number after number in the order, P(level | codes, levels before).
What is asked of a number depends on its own tree; on those of the numbers of which the evidence allows some levels only,
whose shares of allowed levels weigh the rows; and on the levels that these trees read, and so on (`LevelPlan`).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import CodeArray, FloatArray, IntArray, code_type
from depnet.data.binning.levels import Levels
from depnet.data.frames.within import Drawer, Drawn, PlaceTrees, Within
from depnet.law import limits
from depnet.model.evidence import NOTHING, Evidence, known_of
from depnet.model.mixture import AnyNetwork
from depnet.model.network import Kept, Network, compiled_of
from depnet.threads import Span, even_spans, in_threads

DRAW, WEIGH = 1, 2
"""What passes do with a variable of a row that has a role."""


@dataclass(frozen=True, slots=True, eq=False)
class Passes:
    """Draws: `codes` [rows, n], column-major, of the variables that took part, and the log of their weights."""

    codes: CodeArray
    log_weights: FloatArray


class Law:
    """An ordered network, compiled: passes, moves, and who is whose ancestor."""

    def __init__(self, network: Network) -> None:
        assert network.order is not None  # who asks has checked it
        self.order = network.order
        self.cardinalities = network.domain.cardinalities
        self.place = {i: at for at, i in enumerate(self.order)}
        self.inputs = tuple(network.nodes[i].inputs for i in range(len(self.order)))
        self.dtype = code_type(self.cardinalities)
        self._compiled = compiled_of(network)

    def ancestors(self, variables: Iterable[int]) -> tuple[int, ...]:
        """These variables, those that their sources read, and so on: in the order."""
        found: set[int] = set()
        waiting = list(variables)
        while waiting:
            i = waiting.pop()
            if i not in found:
                found.add(i)
                waiting += self.inputs[i]
        return tuple(sorted(found, key=self.place.__getitem__))

    def passes(
        self,
        rows: int,
        evidence: Evidence = NOTHING,
        *,
        variables: Sequence[int] | None = None,
        roles: NDArray[np.uint8] | None = None,
        seed: int = 0,
        first: int = 0,
        words: NDArray[np.uint32] | None = None,
        start: CodeArray | None = None,
        n_jobs: int = 1,
    ) -> Passes:
        """Weighted draws of `variables` (None: all), which hold their own ancestors, or find them in `start`.

        Row r takes the words of chain `first` + r of the counter generator, one for each place of the order (or those
        of `words` [place, row]): the same draws in whatever pieces and threads they are made, and whichever other
        variables take part.

        Rows that know different variables have `roles` [row, variable] instead of evidence: `DRAW` draws X_i, `WEIGH` weighs
        the row by theta_i of its code in `start`, 0 leaves that as it is.
        """
        codes: CodeArray = np.zeros((rows, len(self.order)), dtype=self.dtype, order="F")
        if start is not None:
            codes[:] = start
        for i, code in evidence.clamped.items():  # also of those that do not take part
            codes[:, i] = code
        logs = np.zeros(rows)
        taking = self.order if variables is None else sorted(variables, key=self.place.__getitem__)
        places = np.array([self.place[i] for i in taking], dtype=np.int32)
        known = known_of(evidence, self.cardinalities)

        def run(start: int, stop: int) -> None:
            whole = (start, stop) == (0, rows)
            part: Any = codes if whole else np.asfortranarray(codes[start:stop])
            native.passes(
                self._compiled,
                known,
                places=places,
                roles=None if roles is None else roles[start:stop],
                seed=seed,
                first=first + start,
                words=None if words is None else np.ascontiguousarray(words[:, start:stop]),
                codes=part,
                log_weights=logs[start:stop],
            )
            if not whole:
                codes[start:stop] = part

        in_threads(run, _parts(rows, n_jobs if rows * len(places) >= limits.THREAD_CELLS else 1), n_jobs)
        return Passes(codes, logs)

    def moves(
        self,
        codes: NDArray[np.uint16],
        hidden: NDArray[np.bool_],
        evidence: Evidence = NOTHING,
        *,
        variables: Sequence[int] | None = None,
        sweeps: int,
        seed: int = 0,
        first_row: int = 0,
        first_sweep: int = 0,
        cells: IntArray | None = None,
        sums: FloatArray | None = None,
        n_jobs: int = 1,
    ) -> IntArray:
        """Sweeps of moves over the `hidden` variables ([rows, n], or [1, n] for all alike), in place.

        Of the law of `variables` (None: all), with the weights of the evidence. Where `sums` is given, the conditional of
        every update of X_i is added to `sums[row, cells[i] : cells[i] + |X_i|]`. Returned is how often each row
        found no possible state.
        """
        active = np.zeros(len(self.order), dtype=np.uint8)
        active[[self.place[i] for i in (self.order if variables is None else variables)]] = 1
        known = known_of(evidence, self.cardinalities)
        impossible = np.zeros(len(codes), dtype=np.int64)
        flags = np.ascontiguousarray(hidden, dtype=np.uint8)
        added = np.zeros((len(codes), 0)) if sums is None else sums
        at = np.zeros(len(self.order), dtype=np.int32) if cells is None else cells.astype(np.int32)

        def run(start: int, stop: int) -> None:
            native.moves(
                self._compiled,
                known,
                native.MoveSchedule(
                    seed=seed, first_row=first_row + start, first_sweep=first_sweep, sweeps=sweeps
                ),
                active=active,
                hidden=flags if len(flags) == 1 else flags[start:stop],
                codes=codes[start:stop],
                found=native.MoveSums(cells=at, sums=added[start:stop], impossible=impossible[start:stop]),
            )

        in_threads(run, _parts(len(codes), n_jobs), n_jobs)
        return impossible

    def conditionals(self, i: int, codes: CodeArray, evidence: Evidence = NOTHING) -> FloatArray:
        """[row, state]: the law of X_i given all other variables of each row, and the evidence."""
        sums, n = np.zeros((len(codes), self.cardinalities[i])), len(self.order)
        states = np.array(codes, dtype=np.uint16, order="C")
        none: IntArray = np.zeros(n, dtype=np.int64)
        self.moves(states, np.arange(n)[None] == i, evidence, sweeps=1, cells=none, sums=sums)
        return sums


def joint_codes(
    codes: NDArray[np.unsignedinteger], table: Sequence[int], cardinalities: Sequence[int]
) -> NDArray[np.int64]:
    """The joint state of the variables of a table in every row, row-major."""
    state = np.zeros(len(codes), dtype=np.int64)
    for i in table:
        state = state * cardinalities[i] + codes[:, i]
    return state


law_of: Kept[Law] = Kept(Law)
"""The compiled law of an ordered network, made once and kept as long as the network is."""


def _parts(rows: int, n_jobs: int) -> list[Span]:
    """A part of the rows for each thread; one part where they are few."""
    return even_spans(rows, 1 if rows < 2 * n_jobs else n_jobs)


def certain(network: Network, evidence: Evidence) -> dict[int, int]:
    """The codes of the variables that have no axis: known for certain, or of one state."""
    ones = {i: 0 for i, k in enumerate(network.domain.cardinalities) if k == 1}
    return ones | dict(evidence.clamped)


def scope_of(network: Network, i: int, fixed: Mapping[int, int]) -> tuple[int, ...]:
    """The variables of the factor theta_i: the inputs of node i, then X_i, without the fixed ones."""
    return tuple(j for j in (*network.nodes[i].inputs, i) if j not in fixed)


@dataclass(frozen=True, slots=True, eq=False)
class Conditional:
    """Q(. | x_C) of some tables of targets, and the variables that matter for them.

    `tables` are tuples of variables that are not known for certain; the answer to each is its joint law.
    """

    network: Network
    evidence: Evidence
    tables: tuple[tuple[int, ...], ...]
    variables: tuple[int, ...] = ()
    """Those that take part, in the order; of the known ones, those whose tables matter."""

    @classmethod
    def of_evidence(cls, network: Network, evidence: Evidence) -> "Conditional":
        """Nothing is asked but the probability of the evidence: its ancestors take part."""
        return cls(network, evidence, (), law_of(network).ancestors(evidence.variables))

    def __post_init__(self) -> None:
        if not self.tables:
            return
        targets = {i for table in self.tables for i in table}
        object.__setattr__(self, "variables", relevant(self.network, targets, self.evidence))

    @property
    def cells(self) -> list[int]:
        cards = self.network.domain.cardinalities
        return [math.prod(cards[i] for i in table) for table in self.tables]

    @property
    def known_ancestors(self) -> frozenset[int]:
        """What is known and takes part, and its ancestors: the weights of passes are functions of these."""
        known = self.evidence.variables & set(self.variables)
        return frozenset(law_of(self.network).ancestors(known))

    @property
    def own(self) -> Evidence:
        """The evidence, without weights of variables that do not take part."""
        tilts = {i: w for i, w in self.evidence.tilts.items() if i in set(self.variables)}
        return Evidence(self.evidence.clamped, tilts)


def relevant(network: Network, targets: Iterable[int], evidence: Evidence) -> tuple[int, ...]:
    """The variables whose tables Q(targets | evidence) depends on, in the order.

    They are ancestors of targets or evidence, and factors that share variables connect them with a target once what is
    known for certain has no axis.
    """
    law, fixed = law_of(network), certain(network, evidence)
    asked = set(targets)
    active = law.ancestors(asked | evidence.variables)
    scopes = {i: scope_of(network, i, fixed) for i in active}
    touching: dict[int, list[int]] = {}
    for i, scope in scopes.items():
        for j in scope:
            touching.setdefault(j, []).append(i)
    found: set[int] = set()
    seen = set(asked)
    waiting = list(asked)
    while waiting:
        for i in touching.get(waiting.pop(), ()):
            if i not in found:
                found.add(i)
                waiting += [j for j in scopes[i] if j not in seen]
                seen.update(scopes[i])
    return tuple(i for i in active if i in found)


@dataclass(frozen=True, slots=True, eq=False)
class LevelPlan:
    """The numbers whose levels are drawn, and the variables whose codes that needs."""

    within: Within
    drawers: Mapping[int, Drawer]
    """Of each number, in the order."""
    variables: frozenset[int]
    weighing: frozenset[int]
    """The numbers whose levels, when drawn, have a part in later weights."""

    @classmethod
    def of(cls, network: AnyNetwork, evidence: Evidence, wanted: Iterable[int]) -> "LevelPlan | None":
        """For the levels of the `wanted` numbers given evidence; None where no tree has a part in it."""
        within = network.within
        if within is None:
            return None
        read = {trees.column: _levels_read(within, trees) for trees in within.trees}
        binned = {i for i in wanted if network.domain.variables[i].bins is not None}
        needed = _close(binned | evidence.levels.keys(), read)
        if not needed & read.keys():
            return None
        drawers = {each.trees.column: each for each in within.drawers(sorted(needed), evidence.levels)}
        codes = {j for each in drawers.values() for j in each.trees.reads()}
        before = {j for i in evidence.levels for j in read.get(i, ())}
        return cls(within, drawers, frozenset(codes | needed), _close(before, read))

    @property
    def cuts(self) -> bool:
        """Do rows differ in weight?"""
        return any(
            each.inside is not None and (each.trees.roots >= 0).any() for each in self.drawers.values()
        )

    def draw(self, codes: CodeArray, rng: np.random.Generator) -> Drawn:
        """Levels of all numbers of the plan, for rows of codes [row, variable]."""
        return self.within.pass_through(list(self.drawers.values()), codes, rng)


def _close(numbers: Iterable[int], read: Mapping[int, frozenset[int]]) -> frozenset[int]:
    """These numbers, those whose levels their trees read, and so on."""
    found: set[int] = set()
    waiting = list(numbers)
    while waiting:
        i = waiting.pop()
        if i not in found:
            found.add(i)
            waiting += read.get(i, ())
    return frozenset(found)


def _levels_read(within: Within, trees: PlaceTrees) -> frozenset[int]:
    """The numbers before it whose levels some test compares with one inside a bin: of all others, bins are enough."""
    before, found = set(within.order[: within.order.index(trees.column)]), set()
    for j in before.intersection(trees.reads()):
        bins = within.domain.variables[j].bins
        if bins is not None:
            levels = Levels.of(bins)
            ends = levels.same[levels.first + levels.sizes - 1]
            if not np.isin(trees.threshold[trees.variable == j], ends).all():
                found.add(j)
    return frozenset(found)


def words(seed: int, stream: int, first: int, rows: int, first_chain: int, chains: int) -> NDArray[np.uint32]:
    """Words first, first + 1, ... of neighbouring chains: [rows, chains]."""
    made = np.empty((rows, chains), dtype=np.uint32)
    native.words(seed, stream, first, first_chain, made)
    return made
