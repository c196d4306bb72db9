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

from depnet._native import network as native
from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.errors import ModelError
from depnet.model.evidence import NOTHING, Evidence, known_of
from depnet.model.network import Kept, Network, compiled_of
from depnet.model.sources.source import code_type
from depnet.threads import Span, even_spans, in_threads

DRAW, WEIGH = 1, 2
"""What passes of rows do with a variable."""
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
        known = known_of(evidence, self.cardinalities)

        def run(start: int, stop: int) -> None:
            whole = (start, stop) == (0, rows)
            part: Any = codes if whole else np.asfortranarray(codes[start:stop])
            native.passes(
                self._compiled,
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

    def row_passes(
        self,
        codes: NDArray[np.uint16],
        roles: NDArray[np.uint8],
        *,
        seed: int,
        first: int = 0,
        n_jobs: int = 1,
    ) -> FloatArray:
        """A pass of each row of `codes` [rows, n], in place, rows knowing different variables; the logs of their weights.

        `roles[k, i]` says what is done with X_i in the k-th of equally many neighbouring rows: `DRAW` draws it, `WEIGH`
        weighs the row by theta_i of its code, 0 leaves it as it is. Row r takes the words of chain `first` + r.
        """
        logs = np.zeros(len(codes))
        each = len(codes) // max(len(roles), 1)

        def run(start: int, stop: int) -> None:
            rows = slice(start * each, stop * each)
            native.row_passes(
                self._compiled,
                roles=roles[start:stop],
                seed=seed,
                first=first + start * each,
                codes=codes[rows],
                log_weights=logs[rows],
            )

        in_threads(run, _parts(len(roles), n_jobs if codes.size >= THREAD_CELLS else 1), n_jobs)
        return logs

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
