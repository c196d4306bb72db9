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
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet._native import law as native
from depnet.arrays import CodeArray, FloatArray, IntArray, LeafArray
from depnet.errors import DomainTooLargeError, ModelError
from depnet.model.boosted import BoostedNode
from depnet.model.evidence import NOTHING, Evidence
from depnet.model.kept import Kept
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.enumerate import JointStates, code_type
from depnet.model.sources.source import InformationSource, how_many_joint_states, product_within
from depnet.threads import Span, even_spans, in_threads

TABLE_STATES = 2**10
"""The joint states of the inputs of a decision graph or of a boosted node that is written out, at most: a look-up is
quicker than a walk, or than a sum."""
FUNCTION_STATES = 2**22
"""The same of any other source."""
THREAD_CELLS = 1 << 18
"""The codes of a pass that is worth a second thread, at least."""


@dataclass(frozen=True, slots=True, eq=False)
class Passes:
    """Draws: `codes` [rows, n], column-major, of the variables that took part, and the log of their weights."""

    codes: CodeArray
    log_weights: FloatArray


class Law:
    """An ordered network, compiled: passes, moves, and who is whose ancestor."""

    def __init__(self, network: Network) -> None:
        if network.order is None:
            raise ModelError('a law needs an ordered network; learn one with learn(dataset, order="auto").')
        self.order = network.order
        self.cardinalities = network.domain.cardinalities
        self.place = {i: at for at, i in enumerate(self.order)}
        self.inputs = tuple(network.nodes[i].inputs for i in range(len(self.order)))
        self.dtype = code_type(self.cardinalities)
        self._program = native.Program(np.array(self.cardinalities, dtype=np.int32))
        for i in self.order:
            self._add(network.nodes[i])

    def _add(self, node: Node) -> None:
        if isinstance(node, BoostedNode):
            self._add_boosted(node)
            return
        theta = np.ascontiguousarray(node.table.probabilities).reshape(-1)
        source, inputs = node.source, node.inputs
        cards = [self.cardinalities[j] for j in inputs]
        if isinstance(source, DecisionGraph) and not product_within(cards, TABLE_STATES):
            self._program.add_graph_node(node.variable, *source.compiled, theta)
        else:
            leaves = self._written_out(node.variable, source)
            self._program.add_table_node(node.variable, np.array(inputs, dtype=np.int32), leaves, theta)

    def _add_boosted(self, node: BoostedNode) -> None:
        """As a table where its inputs have few joint states, else as its first source and its stages."""
        i, start = node.variable, node.start
        if product_within([self.cardinalities[j] for j in node.inputs], TABLE_STATES):
            theta = node.probabilities(JointStates(self.cardinalities, node.inputs).codes())
            leaves: LeafArray = np.arange(len(theta), dtype=np.int32)
            self._program.add_table_node(i, np.array(node.inputs, dtype=np.int32), leaves, theta.reshape(-1))
            return
        made = native.Stages(*node.stages.arrays, node.start_scores)
        if isinstance(start, DecisionGraph):
            self._program.add_boosted_graph_node(i, *start.compiled, made)
        else:
            leaves = self._written_out(i, start)
            self._program.add_boosted_table_node(i, np.array(start.inputs, dtype=np.int32), leaves, made)

    def _written_out(self, variable: int, source: InformationSource) -> LeafArray:
        """The leaf of every joint state of the inputs."""
        cards = [self.cardinalities[j] for j in source.inputs]
        if not product_within(cards, FUNCTION_STATES):
            raise DomainTooLargeError(
                f"the information source of variable {variable} is a function of {len(cards)} variables with "
                f"{how_many_joint_states(cards)} joint states, too many to write out. Learn a DecisionGraph instead."
            )
        return JointStates(self.cardinalities, source.inputs).leaves(source)

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
        """
        codes: CodeArray = np.zeros((rows, len(self.order)), dtype=self.dtype, order="F")
        if start is not None:
            codes[:] = start
        for i, code in evidence.clamped.items():  # also of those that do not take part
            codes[:, i] = code
        logs = np.zeros(rows)
        taking = self.order if variables is None else sorted(variables, key=self.place.__getitem__)
        places = np.array([self.place[i] for i in taking], dtype=np.int32)
        known = self._known(evidence)

        def run(start: int, stop: int) -> None:
            whole = (start, stop) == (0, rows)
            part: Any = codes if whole else np.asfortranarray(codes[start:stop])
            native.passes(
                self._program,
                known,
                places=places,
                seed=seed,
                first=first + start,
                words=None if words is None else np.ascontiguousarray(words[:, start:stop]),
                codes=part,
                log_weights=logs[start:stop],
            )
            if not whole:
                codes[start:stop] = part

        in_threads(run, _parts(rows, n_jobs if rows * len(places) >= THREAD_CELLS else 1), n_jobs)
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
        known = self._known(evidence)
        impossible = np.zeros(len(codes), dtype=np.int64)
        flags = np.ascontiguousarray(hidden, dtype=np.uint8)
        added = np.zeros((len(codes), 0)) if sums is None else sums
        at = np.zeros(len(self.order), dtype=np.int32) if cells is None else cells.astype(np.int32)

        def run(start: int, stop: int) -> None:
            native.moves(
                self._program,
                known,
                active=active,
                seed=seed,
                first_row=first_row + start,
                first_sweep=first_sweep,
                sweeps=sweeps,
                hidden=flags if len(flags) == 1 else flags[start:stop],
                codes=codes[start:stop],
                cells=at,
                sums=added[start:stop],
                impossible=impossible[start:stop],
            )

        in_threads(run, _parts(len(codes), n_jobs), n_jobs)
        return impossible

    def _known(self, evidence: Evidence) -> native.Known:
        """The weights of the states of each variable of the evidence."""
        begin = np.full(len(self.order), -1, dtype=np.int32)
        parts: list[FloatArray] = []
        for i, weights in weights_of(evidence, self.cardinalities).items():
            begin[i] = sum(map(len, parts))
            parts.append(weights)
        return native.Known(begin, np.concatenate([*parts, np.zeros(0)]))


def weights_of(evidence: Evidence, cardinalities: Sequence[int]) -> dict[int, FloatArray]:
    """w_j of every variable of the evidence: 1 on a clamped state and 0 elsewhere, or the weights of its states."""
    found = {i: np.asarray(weights, dtype=np.float64) for i, weights in evidence.tilts.items()}
    for i, code in evidence.clamped.items():
        found[i] = np.zeros(cardinalities[i])
        found[i][code] = 1.0
    return found


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
