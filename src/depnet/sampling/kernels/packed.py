"""The kernel for small networks: a chain's state is one, two or four 64-bit words.

Every variable takes as many bits as its states need; a node gathers the bits of its inputs (`pext`) into
the number of its row. For nodes whose inputs have at most 14 bits, together.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from depnet._native import sampler as native
from depnet.arrays import CodeArray
from depnet.sampling.kernels.base import NativeKernel, State
from depnet.sampling.kernels.nodes import node_choice
from depnet.sampling.plan.plan import ChainPlan
from depnet.sampling.plan.row_finder import DIRECT, RowFinder
from depnet.sampling.plan.rule import UpdateRule
from depnet.sampling.plan.thresholds import ALWAYS

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
        self.cells = next(c for c in CELLS if c >= max(rule.thresholds.shape[1] for rule, _ in plan.found))
        thresholds, patterns, heads = [], [], []
        first_threshold = first_pattern = 0
        for rule, finder in plan.found:
            table = self._thresholds(finder)
            pattern = self._patterns(rule)
            heads.append(self._head(rule, finder, first_threshold, first_pattern))
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

    @staticmethod
    def fits(plan: ChainPlan) -> bool:
        """Few bits in all, few inputs and states a node, and no row that the evidence empties."""
        layout = BitLayout(plan.network.domain.cardinalities)
        if plan.dtype != np.uint8 or layout.words > WIDTHS[-1] or len(plan.found) < len(plan.rules):
            return False
        cells = 0
        for rule, finder in plan.found:
            if finder.kind != DIRECT or rule.impossible:
                return False
            bits = sum(layout.bits[j] for j, _ in finder.inputs)
            if bits > INPUT_BITS or rule.thresholds.shape[1] > CELLS[-1]:
                return False
            cells += 2**bits * rule.thresholds.shape[1]
        return cells <= MOST_CELLS

    def _thresholds(self, finder: RowFinder) -> NDArray[np.uint32]:
        """The rows by gathered bits: the inputs in the order of their places, lowest bits first.

        Bits that are no code get a row that is never read; short rows are padded with "never".
        """
        inputs = sorted(finder.inputs, key=lambda pair: self.layout.place(pair[0]))
        bits = [self.layout.bits[j] for j, _ in inputs]
        number = np.arange(2 ** sum(bits))
        row = np.full(len(number), finder.base)
        for (j, stride), b, low in zip(inputs, bits, accumulate(bits, initial=0), strict=False):
            code = number >> low & ((1 << b) - 1)
            row += stride * np.minimum(code, self.plan.network.domain.cardinalities[j] - 1)
        table = np.full((len(number), self.cells), ALWAYS, dtype=np.uint32)
        table[:, : finder.thresholds.shape[1]] = finder.thresholds[row]
        return table.ravel()

    def _patterns(self, rule: UpdateRule) -> NDArray[np.uint64]:
        place = self.layout.place(rule.number)
        words = [code << place for code in range(rule.states)]
        return np.array([self._split(word) for word in words], dtype=np.uint64).ravel()

    def _head(self, rule: UpdateRule, finder: RowFinder, threshold: int, pattern: int) -> list[int]:
        layout = self.layout
        inputs = self._split(sum(layout.mask(j) << layout.place(j) for j, _ in finder.inputs))
        gathered = [mask.bit_count() for mask in inputs]
        own = layout.mask(rule.number) << layout.place(rule.number)
        keep = self._split(~own & ((1 << 64 * self.width) - 1))
        shifts = list(accumulate(gathered, initial=0))[: self.width]
        return [*inputs, *shifts, *keep, threshold, pattern, layout.shift[rule.number]]

    def _split(self, bits: int) -> list[int]:
        return [bits >> 64 * k & 2**64 - 1 for k in range(self.width)]

    def state(self, codes: CodeArray) -> State:
        """[chain][word], flat."""
        packed = np.zeros((codes.shape[1], self.width), dtype=np.uint64)
        for i in range(self.plan.variables):
            packed[:, self.layout.word[i]] |= codes[i].astype(np.uint64) << np.uint64(self.layout.shift[i])
        return packed.ravel()
