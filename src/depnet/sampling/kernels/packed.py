"""The kernel for small networks: a chain's state is one, two or four 64-bit words.

Every variable takes as many bits as its states need; a node gathers the bits of its inputs (`pext`) into
the number of its row. For nodes whose inputs have at most 14 bits, together.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import CodeArray, FloatArray
from depnet.model.sources.enumerate import JointStates
from depnet.sampling.kernels.base import NativeKernel, State, node_choice
from depnet.sampling.plan.plan import ChainPlan
from depnet.sampling.plan.thresholds import ALWAYS, thresholds_of

WIDTHS = (1, 2, 4)
CELLS = (1, 3, 7)
INPUT_BITS = 14
MOST_CELLS = 2**18


class BitLayout:
    """Where the bits of each variable are: no variable is cut by the end of a word."""

    def __init__(self, cardinalities: Sequence[int]) -> None:
        self.bits = [int(k - 1).bit_length() for k in cardinalities]
        self.word: list[int] = []
        self.shift: list[int] = []
        word = shift = 0
        for b in self.bits:
            if shift + max(b, 1) > 64:
                word, shift = word + 1, 0
            self.word.append(word)
            self.shift.append(shift)
            shift += b
        self.words = word + 1

    def mask(self, i: int) -> int:
        """The bits of a code of variable i."""
        return (1 << self.bits[i]) - 1

    def place(self, i: int) -> int:
        """The first bit of variable i, counted over all words."""
        return 64 * self.word[i] + self.shift[i]


class PackedKernel(NativeKernel):
    """States in registers; any cardinality up to 256, nodes of up to 8 states, either scan."""

    name = "packed"
    updates_a_call = 2**25

    def _native(self, plan: ChainPlan) -> native.PackedNodes:
        self.layout = BitLayout(plan.network.domain.cardinalities)
        self.width = next(w for w in WIDTHS if w >= self.layout.words)
        states = max(plan.network.nodes[i].states for i in plan.order)
        self.cells = next(c for c in CELLS if c >= states - 1)
        thresholds, patterns, heads = [], [], []
        first_threshold = first_pattern = 0
        for i in plan.order:
            inputs = self._inputs(plan, i)
            table, pattern = self._thresholds(i, inputs), self._patterns(i)
            heads.append(self._head(i, inputs, first_threshold, first_pattern))
            thresholds.append(table)
            patterns.append(pattern)
            first_threshold += len(table)
            first_pattern += len(pattern)
        layout = self.layout
        return native.PackedNodes(
            node_choice(plan),
            heads=np.array(heads, dtype=np.uint64).ravel(),
            thresholds=np.concatenate(thresholds),
            patterns=np.concatenate(patterns),
            variables=np.array(
                [(layout.word[i], layout.shift[i], layout.mask(i)) for i in range(plan.variables)],
                dtype=np.uint64,
            ).ravel(),
            cells=self.cells,
            width=self.width,
        )

    @classmethod
    def fits(cls, plan: ChainPlan) -> bool:
        """Few bits in all, few inputs and states a node, and no row that the evidence empties."""
        layout = BitLayout(plan.network.domain.cardinalities)
        if plan.dtype != np.uint8 or layout.words > WIDTHS[-1]:
            return False
        cells = 0
        for i in plan.order:
            inputs, states = cls._inputs(plan, i), plan.network.nodes[i].states
            bits = sum(layout.bits[j] for j in inputs)
            if bits > INPUT_BITS or states - 1 > CELLS[-1]:
                return False
            cells += 2**bits * (states - 1)
        return cells <= MOST_CELLS and all(
            cls._weights(plan, i, cls._inputs(plan, i)).any(axis=1).all() for i in plan.evidence.tilts
        )

    @staticmethod
    def _inputs(plan: ChainPlan, i: int) -> list[int]:
        """The inputs of node i that can change, in the order of their bits."""
        cards = plan.network.domain.cardinalities
        return [j for j in plan.network.nodes[i].inputs if j not in plan.evidence.clamped and cards[j] > 1]

    @staticmethod
    def _weights(plan: ChainPlan, i: int, inputs: Sequence[int]) -> FloatArray:
        """Theta of node i for every joint state of these inputs, times the evidence's weights."""
        states = JointStates(plan.network.domain.cardinalities, inputs, plan.evidence.clamped)
        leaves, theta = plan.network.nodes[i].written_out(states)
        return np.asarray(theta[leaves] * plan.evidence.tilts.get(i, 1.0))

    def _thresholds(self, i: int, inputs: Sequence[int]) -> NDArray[np.uint32]:
        """The rows by gathered bits: the inputs in the order of their places, lowest bits first.

        Bits that are no code get a row that is never read; short rows are padded with "never".
        """
        cards = self.plan.network.domain.cardinalities
        own = thresholds_of(self._weights(self.plan, i, inputs))
        bits = [self.layout.bits[j] for j in inputs]
        number = np.arange(2 ** sum(bits))
        row = np.zeros(len(number), dtype=np.int64)
        for j, b, low in zip(inputs, bits, accumulate(bits, initial=0), strict=False):
            code = number >> low & ((1 << b) - 1)
            row = row * cards[j] + np.minimum(code, cards[j] - 1)
        table = np.full((len(number), self.cells), ALWAYS, dtype=np.uint32)
        table[:, : own.shape[1]] = own[row]
        return table.ravel()

    def _patterns(self, i: int) -> NDArray[np.uint64]:
        place, states = self.layout.place(i), self.plan.network.nodes[i].states
        return np.array([self._split(code << place) for code in range(states)], dtype=np.uint64).ravel()

    def _head(self, i: int, inputs: Sequence[int], threshold: int, pattern: int) -> list[int]:
        layout = self.layout
        read = self._split(sum(layout.mask(j) << layout.place(j) for j in inputs))
        gathered = [mask.bit_count() for mask in read]
        own = layout.mask(i) << layout.place(i)
        keep = self._split(~own & ((1 << 64 * self.width) - 1))
        shifts = list(accumulate(gathered, initial=0))[: self.width]
        return [*read, *shifts, *keep, threshold, pattern, layout.shift[i]]

    def _split(self, bits: int) -> list[int]:
        return [bits >> 64 * k & 2**64 - 1 for k in range(self.width)]

    def state(self, codes: CodeArray) -> State:
        """[chain][word], flat."""
        packed = np.zeros((codes.shape[1], self.width), dtype=np.uint64)
        for i in range(self.plan.variables):
            packed[:, self.layout.word[i]] |= codes[i].astype(np.uint64) << np.uint64(self.layout.shift[i])
        return packed.ravel()
