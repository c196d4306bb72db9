r"""Chains of the fastest sampling kernel, of one row of evidence, and Rao-Blackwell sums over some of their states.

Under the random scan a node is chosen independently of the state, so the averages of `depnet.inference.clamped.estimates`
may be taken at any states of the chain, not only where a target is about to be updated. A chain is looked at once in
several sweeps, and every state x that is seen adds to a joint law of targets T

.. math:: \sum_{i \in T} \frac{c_i}{c_T}\, \theta_i(x_i \mid Y_i(x))\, 1(X_{T \setminus i} = x_{T \setminus i})

States in between are not looked at, so the kernel may keep them in registers. Chains that mix slowly lose nothing:
neighbouring states say the same. Rounds differ in how often they look, so a state weighs as many sweeps as it
stands for.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray, strides_of
from depnet.inference.clamped.estimates import Rounds
from depnet.inference.clamped.relevance import Reduced
from depnet.inference.clamped.tilt import tilted_rows
from depnet.inference.effort import Over
from depnet.model.node import Node
from depnet.model.scan import RandomScan
from depnet.sampling.kernels import PackedKernel, Randomness, Task
from depnet.sampling.plan.plan import ChainPlan, chain_plan
from depnet.sampling.plan.words import new_seeds

RECORDS = 64
"""Short rounds look at every sweep, until a chain has been looked at this often in a round."""

WIDEST_GAP = 8
"""Long ones look once in at least this many sweeps, and one more for each term that is summed: so that summing costs
little beside the updates, and more sweeps still bring more states."""

MAX_STATES = 1 << 18
"""States that are kept at once, of all chains together."""

MAX_CONTEXTS = 1 << 12
"""Leaves times states of the targets that a node does not update: counted for every chain."""


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """What node i adds to an estimator: `theta[leaf, state]`, times `share`, c_i / c_T, and where it goes.

    `outside` are the other targets with their strides among themselves; `cells[outside state, state]` is the
    place in the sums.
    """

    node: Node
    share: float
    theta: FloatArray
    outside: tuple[tuple[int, int], ...]
    cells: IntArray

    def add(self, codes: CodeArray, chains: int, weight: float, sums: FloatArray) -> None:
        """Add the states `codes` [variables, states x chains] to `sums` [chain, cell]."""
        at = np.tile(np.arange(chains), codes.shape[1] // chains) * len(self.cells)
        for i, stride in self.outside:
            at += codes[i].astype(np.int64) * stride
        at = at * len(self.theta) + self.node.source(codes.T)
        contexts = chains * len(self.cells) * len(self.theta)
        counts = np.bincount(at, minlength=contexts).reshape(chains, len(self.cells), len(self.theta))
        sums[:, self.cells.ravel()] += weight * self.share * (counts @ self.theta).reshape(chains, -1)


def terms_of(reduced: Reduced, targets: Sequence[int], first: int) -> list[Term]:
    """The terms of the joint law of `targets`, whose cells begin at `first` in the sums."""
    assert isinstance(reduced.scan, RandomScan)
    network, cards = reduced.network, reduced.network.domain.cardinalities
    chances = reduced.scan.weights_of(len(network))
    total = sum(chances[i] for i in targets)
    numbers = first + np.arange(math.prod(cards[i] for i in targets)).reshape([cards[i] for i in targets])
    terms = []
    for i in sorted(targets):
        outside = [j for j in targets if j != i]
        strides = strides_of([cards[j] for j in outside])
        theta = np.ascontiguousarray(tilted_rows(network.nodes[i], reduced.evidence)[0])
        cells = np.moveaxis(numbers, list(targets).index(i), -1).reshape(-1, cards[i])
        places = tuple(zip(outside, strides, strict=True))
        terms.append(Term(network.nodes[i], float(chances[i] / total), theta, places, cells))
    return terms


class PackedChains(Rounds):
    """Chains of a reduced network under the random scan, all with the same evidence."""

    def __init__(
        self,
        compiled: ChainPlan,
        terms: Sequence[Sequence[Term]],
        cells: int,
        codes: NDArray[np.uint16],
        seed: int,
    ) -> None:
        chains = len(codes)
        super().__init__(chains)
        self.kernel = PackedKernel(compiled)
        self.terms, self.cells, self.seed = terms, cells, seed
        self.state = self.kernel.state(codes.T)
        self.a_sweep = chains * len(compiled.rules)
        widest = WIDEST_GAP + sum(map(len, terms))
        self.widest_gap = 1 << (widest.bit_length() - 1)  # divides a round's sweeps, which are a power of two

    @classmethod
    def of(
        cls,
        reduced: Reduced,
        estimators: Sequence[Sequence[int]],
        codes: NDArray[np.uint16],
        rng: np.random.Generator,
    ) -> "PackedChains | None":
        """Chains from the states `codes` [chain, variable] that estimate these joint laws.

        None where this kernel does not fit, and `Chains` are to be used.
        """
        if not isinstance(reduced.scan, RandomScan):
            return None
        compiled = chain_plan(reduced.network, reduced.scan, reduced.evidence)
        if not PackedKernel.fits(compiled):
            return None
        terms, first = [], 0
        for targets in estimators:
            own = terms_of(reduced, targets, first)
            if any(len(term.cells) * len(term.theta) > MAX_CONTEXTS for term in own):
                return None
            terms.append(own)
            first += math.prod(reduced.network.domain.cardinalities[i] for i in targets)
        return cls(compiled, terms, first, codes, new_seeds(rng, 1)[0])

    def run(self, sweeps: int, *, over: Over | None = None) -> bool:
        """A round of a number of sweeps, a power of two; False where it was `over` first."""
        gap = max(1, min(sweeps // RECORDS, self.widest_gap))
        piece = max(1, min(self.kernel.updates_a_call // (gap * self.a_sweep), MAX_STATES // self.per_row))
        sums = np.zeros((1, self.per_row, self.cells))
        left = sweeps // gap
        while left > 0:
            if over is not None and over():
                return False
            records = min(piece, left)
            codes = self._states(gap, records)
            for own in self.terms:
                for term in own:
                    term.add(codes, self.per_row, gap, sums[0])
            left -= records
        weights = np.full((1, self.per_row, len(self.terms)), float(sweeps))
        self.rounds.append((sums, weights))
        self.round_sweeps = sweeps
        return True

    def _states(self, gap: int, records: int) -> CodeArray:
        """[variables, records x chains]: the next states, one of every chain once in `gap` sweeps."""
        compiled = self.kernel.plan
        codes: CodeArray = np.empty((compiled.variables, records * self.per_row), dtype=compiled.dtype)
        task = Task(
            0,
            self.per_row,
            first_sweep=self.sweeps,
            lead=gap,
            gap=gap,
            records=records,
            record_stride=self.per_row,
        )
        self.kernel.run(task, Randomness(self.seed), self.state, codes)
        self.sweeps += gap * records
        self.updates += gap * records * self.a_sweep
        return codes
