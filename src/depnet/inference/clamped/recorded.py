r"""Chains of the fastest sampling kernel, and Rao-Blackwell sums over the states that they record.

Under the random scan a node is chosen independently of the state, so the averages of `chains` may be taken at
any states of the chain, not only where a target is about to be updated. A chain records its state once in so many
sweeps, and every recorded state x adds to a joint law of targets T

.. math:: \sum_{B \cap T \ne \emptyset} \frac{c_B}{c_T}\,
    \theta_B(x_{B \cap T} \mid Y_B(x))\, 1(X_{T \setminus B} = x_{T \setminus B})

States in between are not looked at, so the kernel may keep them in registers. Chains that mix slowly lose nothing:
neighbouring states say the same. Rounds differ in how often they record, so a record weighs as many sweeps as it
stands for.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray, strides_of
from depnet.inference.clamped.chains import Over, Rounds
from depnet.inference.clamped.relevance import Reduced
from depnet.inference.clamped.tilt import tilted_rows
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.scan import RandomScan
from depnet.sampling.kernels import PackedKernel, Randomness, Task
from depnet.sampling.plan.plan import Plan, plan
from depnet.sampling.plan.words import new_seeds

RECORDS = 64
"""Short rounds record every sweep, until a chain has so many records in a round."""

WIDEST_GAP = 8
"""Long ones once in so many sweeps at least, and for each term that is summed once more: so that summing costs little
beside the updates, and more sweeps still bring more records."""

MAX_STATES = 1 << 18
"""Recorded states that are kept at once, of all chains together."""

MAX_CONTEXTS = 1 << 12
"""Leaves times states of the targets that a node does not update: counted for every chain."""


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """What node B adds to an estimator: `theta[leaf, cell of B's targets]`, c_B / c_T and where it goes.

    `outside` are the other targets with their strides among themselves; `cells[outside state, cell]` is the
    place in the sums.
    """

    node: Node
    share: float
    theta: FloatArray
    outside: tuple[tuple[int, int], ...]
    cells: IntArray

    def add(self, codes: CodeArray, chains: int, weight: float, sums: FloatArray) -> None:
        """Add the records `codes` [variables, records x chains] to `sums` [chain, cell]."""
        at = np.tile(np.arange(chains), codes.shape[1] // chains) * len(self.cells)
        for i, stride in self.outside:
            at += codes[i].astype(np.int64) * stride
        at = at * len(self.theta) + self.node.source(codes.T)
        contexts = chains * len(self.cells) * len(self.theta)
        counts = np.bincount(at, minlength=contexts).reshape(chains, len(self.cells), len(self.theta))
        sums[:, self.cells.ravel()] += weight * self.share * (counts @ self.theta).reshape(chains, -1)


class RecordedChains(Rounds):
    """Chains of a reduced network under the random scan, all with the same evidence."""

    def __init__(
        self,
        compiled: Plan,
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
    ) -> "RecordedChains | None":
        """Chains from the states `codes` [chain, variable] that estimate these joint laws.

        None where this kernel does not fit, and `Chains` is to be used.
        """
        if not isinstance(reduced.scan, RandomScan):
            return None
        compiled = plan(reduced.network, reduced.scan, reduced.evidence)
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
        """A round of so many sweeps, a power of two; False where it was `over` first."""
        gap = max(1, min(sweeps // RECORDS, self.widest_gap))
        piece = max(1, min(self.kernel.updates_a_call // (gap * self.a_sweep), MAX_STATES // self.per_row))
        sums = np.zeros((1, self.per_row, self.cells))
        left = sweeps // gap
        while left > 0:
            if over is not None and over():
                return False
            records = min(piece, left)
            codes = self._recorded(gap, records)
            for own in self.terms:
                for term in own:
                    term.add(codes, self.per_row, gap, sums[0])
            left -= records
        weights = np.full((1, self.per_row, len(self.terms)), float(sweeps))
        self.rounds.append((sums, weights))
        self.round_sweeps = sweeps
        return True

    def _recorded(self, gap: int, records: int) -> CodeArray:
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


def terms_of(reduced: Reduced, targets: Sequence[int], first: int) -> list[Term]:
    """The terms of the joint law of `targets`, whose cells begin at `first` in the sums."""
    assert isinstance(reduced.scan, RandomScan)
    network = reduced.network
    chances = reduced.scan.weights_of(len(network))
    touching = network.updating(targets)
    total = sum(chances[number] for number in touching)
    return [
        _term(network, reduced, number, targets, first, float(chances[number] / total)) for number in touching
    ]


def _term(
    network: Network, reduced: Reduced, number: int, targets: Sequence[int], first: int, share: float
) -> Term:
    node, cards = network.nodes[number], network.domain.cardinalities
    rows, _ = tilted_rows(node, cards, reduced.evidence)
    shape = [cards[i] for i in node.variables]
    summed = tuple(axis + 1 for axis, i in enumerate(node.variables) if i not in targets)
    theta = rows.reshape(len(rows), *shape).sum(axis=summed).reshape(len(rows), -1)
    inside = [i for i in node.variables if i in targets]  # in the order of theta's cells
    outside = [i for i in targets if i not in node.variables]
    numbers = np.arange(math.prod(cards[i] for i in targets)).reshape([cards[i] for i in targets])
    moved = np.transpose(numbers, [list(targets).index(i) for i in (*outside, *inside)])
    strides = strides_of([cards[j] for j in outside])
    return Term(
        node,
        share,
        np.ascontiguousarray(theta),
        tuple(zip(outside, strides, strict=True)),
        first + moved.reshape(math.prod(cards[i] for i in outside), -1),
    )
