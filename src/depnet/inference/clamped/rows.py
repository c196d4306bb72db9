"""Many rows of evidence with holes, answered by a network's clamped law.

Each row clamps what it knows, and every hole is a target. Rows with one hole are answered by table look-up, all others one
after the other as questions are: by the exact law of their holes where that is small, else by clamped chains. Joint draws of
a row's holes are draws of that law, or states of its chains, which have settled by then.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.errors import ConvergenceError
from depnet.inference.answer.part import Diagnostics
from depnet.inference.answer.question import Effort
from depnet.inference.answer.rows import EXACT, LOOK_UP, SAMPLE, DistinctRows, RowAnswers
from depnet.inference.clamped.answer import exact_law, marginal
from depnet.inference.clamped.chains import ClampedChains
from depnet.inference.clamped.relevance import Reduced, reduce
from depnet.inference.clamped.sampled import sampled
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.scan import Scan

EXACT_STATES = 1 << 12
"""Rows whose holes have at most this many joint states are solved exactly."""


class ClampedRows(RowAnswers):
    """The answers of a network's clamped law under a scan, and `draws[k]` draws of the holes of row k.

    `drawn` are all draws, one row after the other.
    """

    def __init__(
        self, network: Network, distinct: DistinctRows, effort: Effort, scan: Scan, draws: IntArray
    ) -> None:
        super().__init__(network, distinct, effort)
        self.scan, self.draws = scan, draws
        self.drawn = np.repeat(self.codes.astype(np.int64), draws, axis=0)
        self._positive = all(node.positive for node in network.nodes)

    def run(self, method: str) -> None:
        """Answer all rows: "auto", or "sample" also what could be looked up or solved."""
        single = (self.holes.sum(axis=1) == 1) & (method == "auto")
        self._look_up(single)
        ends = np.cumsum(self.draws)
        for row in np.flatnonzero(self.holes.any(axis=1)).tolist():
            holes, count = np.flatnonzero(self.holes[row]), int(self.draws[row])
            if not single[row]:
                draw = self._answer(row, holes, exact=method == "auto")
            if count:
                law = self.values[row, self.cells_of(int(holes[0]))]
                drawn = self._draw(law, count) if single[row] else draw(count)
                self.drawn[ends[row] - count : ends[row], holes] = drawn

    def _look_up(self, single: NDArray[np.bool_]) -> None:
        """Rows with one hole: what its node says."""
        for i, node in enumerate(self.network.nodes):
            chosen = np.flatnonzero(single & self.holes[:, i])
            if len(chosen):
                self.values[chosen, self.cells_of(i)] = node.probabilities(self.codes[chosen])
                self.method[chosen] = LOOK_UP

    def _answer(self, row: int, holes: IntArray, exact: bool) -> Callable[[int], IntArray]:
        """Answer one row; returned is what draws its holes."""
        known = {i: int(code) for i, code in enumerate(self.codes[row]) if not self.holes[row, i]}
        reduced = reduce(self.network, holes.tolist(), Evidence(known, {}), self.scan)
        law = self._solve(reduced) if exact else None
        if law is not None:
            for place, i in enumerate(holes.tolist()):
                self.values[row, self.cells_of(i)] = marginal(law, (place,))
            self.method[row] = EXACT
            return partial(self._draw, law)
        effort = self.effort
        part, chains = sampled(
            reduced,
            [(place,) for place in range(len(holes))],
            tolerance=effort.tolerance,
            max_seconds=None,
            rng=effort.rng,
            stop=effort.over,
            threads=effort.threads,
        )
        for place, i in enumerate(holes.tolist()):
            self.values[row, self.cells_of(i)] = part.values[place]
            self.errors[row, self.cells_of(i)] = part.errors[place]
        self.method[row], self.converged[row] = SAMPLE, part.converged
        if isinstance(part.diagnostics, Diagnostics):
            self.r_hat[row] = part.diagnostics.r_hat
        self.updates += chains.updates
        return partial(_states_of, chains, rng=effort.rng)

    def _solve(self, reduced: Reduced) -> FloatArray | None:
        """The exact law of a row's holes; None where chains have to answer."""
        if reduced.size > EXACT_STATES or not self._positive or self.effort.over():
            return None
        try:
            return exact_law(reduced)
        except ConvergenceError:  # it mixes too slowly
            return None

    def _draw(self, law: FloatArray, count: int) -> IntArray:
        """[draw, variable]: states of a law."""
        flat = law.reshape(-1)
        chosen = self.effort.rng.choice(len(flat), size=count, p=flat / flat.sum())
        return np.stack(np.unravel_index(chosen, law.shape), axis=1)


def _states_of(chains: ClampedChains, count: int, *, rng: np.random.Generator) -> IntArray:
    """[draw, variable]: states of settled chains, in no order.

    Where there are more draws than chains, those of one chain are as many sweeps apart as it took to settle.
    """
    sweeps, states = chains.sweeps, [chains.advance(records=1)[0].T]
    while sum(map(len, states)) < count:
        chains.run(sweeps, record=False)
        states.append(chains.advance(records=1)[0].T)
    return np.asarray(rng.permutation(np.concatenate(states))[:count], dtype=np.int64)
