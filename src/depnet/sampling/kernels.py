"""Kernels: ways to run the chains of a plan, the fastest that fits being chosen. All of them run the same chains.

- `PackedKernel`: a chain's state is one, two or four 64-bit words. Every variable takes as many bits as its states need; a
  node gathers the bits of its inputs (`pext`) into the number of its row. For nodes whose inputs have at most 14 bits,
  together. At 12 binary variables it makes 3 times as many site updates a second as `CodesKernel` in one chain of the
  sequential scan, 4 times as many in one of the random scan and 7 times as many in 4,096 (`python -m benchmarks sample`).
- `CodesKernel`: chains of the compiled network, 64 at a time; any cardinality.
- `CallbackKernel`: for information sources that have to be called from Python. All chains take a step together in numpy;
  under the random scan the chains that chose the same node do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import CodeArray, FloatArray
from depnet.errors import SamplingError
from depnet.model import Evidence
from depnet.model.compiled import compiled_of, is_compilable, known_of, places_of
from depnet.model.sources.tabulated import JointStates
from depnet.sampling.plan import ChainPlan
from depnet.sampling.words import ALWAYS, PLACE, START, UPDATE, thresholds_of, uniform_thresholds, words

Task = native.Task
State: TypeAlias = NDArray[Any]
"""The states of some chains, in the layout of their kernel."""

TILE = 64
WIDTHS = (1, 2, 4)
CELLS = (1, 3, 7)
INPUT_BITS = 14
MOST_CELLS = 2**18


@dataclass(frozen=True, slots=True, eq=False)
class Randomness:
    """A seed of the counter generator, or buffers of words: [words a chain, chains], [records, chains]."""

    seed: int = 0
    words: NDArray[np.uint32] | None = None
    place_words: NDArray[np.uint32] | None = None

    def native(self) -> native.WordSource:
        return native.WordSource(self.seed, self.words, self.place_words, UPDATE, PLACE)


class Kernel(Protocol):
    """One way to run the chains of a plan."""

    plan: ChainPlan

    @property
    def name(self) -> str:
        """What reports call it."""

    @property
    def alignment(self) -> int:
        """Ranges of chains that run apart begin at multiples of this."""

    @property
    def updates_a_call(self) -> int:
        """About how many site updates take a tenth of a second, so that Ctrl-C is heard."""

    def state(self, codes: CodeArray) -> State:
        """Chains at `codes` [variables, chains] in the kernel's own layout."""

    def run(self, task: Task, randomness: Randomness, state: State, out: CodeArray) -> None:
        """Advance `state` in place and write the recorded rows into `out` [variables, rows]."""


class NativeKernel:
    """A kernel that advances `chains` of the native core, which each kind makes of a plan in its own way."""

    alignment = TILE

    def __init__(self, plan: ChainPlan) -> None:
        self.plan = plan
        self.chains = self._native(plan)

    def _native(self, plan: ChainPlan) -> Any:
        raise NotImplementedError

    def run(self, task: Task, randomness: Randomness, state: State, out: CodeArray) -> None:
        place = self.chains.run(task, randomness.native(), state, out)
        if place is not None and place >= 0:
            raise self.plan.impossible(place)


def choice_thresholds(plan: ChainPlan) -> NDArray[np.uint32]:
    """The thresholds by which the random scan chooses a node; without weights all are alike."""
    if plan.weights is None:
        return uniform_thresholds(len(plan.order))
    return np.asarray(thresholds_of(plan.weights[None, :])[0])


def node_choice(plan: ChainPlan) -> native.NodeChoice:
    choice = None if plan.weights is None else choice_thresholds(plan)
    return native.NodeChoice(nodes=len(plan.order), random=plan.random, choice=choice)


def start_codes(plan: ChainPlan, seed: int, first_chain: int, chains: int) -> CodeArray:
    """Where chains start [variables, chains]: every variable in one of the states that are possible, all alike.

    Chains that start near the product of the marginals agree with each other before they have seen other modes; random
    states fall into whatever modes draw them.
    """
    codes = plan.blank(chains)
    word = np.minimum(words(seed, START, 0, len(plan.order), first_chain, chains), ALWAYS - 1)
    for place, i in enumerate(plan.order):
        thresholds = thresholds_of(plan.possible_states(i).astype(np.float64)[None, :])[0]
        codes[i] = np.searchsorted(thresholds, word[place], side="right")
    return codes


class CodesKernel(NativeKernel):
    """Chains of the compiled network, 64 at a time; any cardinality, either scan."""

    name = "codes"
    updates_a_call = 2**22

    def _native(self, plan: ChainPlan) -> native.Chains:
        place = {i: at for at, i in enumerate(places_of(plan.network))}
        known = known_of(Evidence({}, plan.evidence.tilts), plan.network.domain.cardinalities)
        places = np.array([place[i] for i in plan.order], dtype=np.int32)
        return native.Chains(compiled_of(plan.network), known, node_choice(plan), places)

    @staticmethod
    def fits(plan: ChainPlan) -> bool:
        return is_compilable(plan.network)

    def state(self, codes: CodeArray) -> State:
        """Tiles of 64 chains, [variable][64] each, flat."""
        variables, chains = codes.shape
        padded = np.zeros((variables, -(-chains // TILE) * TILE), dtype=codes.dtype)
        padded[:, :chains] = codes
        return np.ascontiguousarray(padded.reshape(variables, -1, TILE).transpose(1, 0, 2)).ravel()


class CallbackKernel:
    """Codes [variables, chains] in numpy; any source at all."""

    name = "callback"
    alignment = 1
    updates_a_call = 2**14

    def __init__(self, plan: ChainPlan) -> None:
        self.plan = plan
        self.choice = choice_thresholds(plan)
        self.words_a_step = 2 if plan.random else 1

    @staticmethod
    def fits(plan: ChainPlan) -> bool:
        return True

    def state(self, codes: CodeArray) -> State:
        return codes.copy()

    def run(self, task: Task, randomness: Randomness, state: State, out: CodeArray) -> None:
        sweep = task.first_sweep
        for r in range(max(task.records, 1)):
            for _ in range(task.gap if r else task.lead):
                self._sweep(task, randomness, state, sweep)
                sweep += 1
            if not task.records:
                return
            first = task.first_row + r * task.record_stride
            row = out[:, first : first + task.chains]
            if self.plan.random:
                row[:] = state
            else:
                self._sweep(task, randomness, state, sweep, (self._places(task, randomness, r), row))
                sweep += 1

    def _places(self, task: Task, randomness: Randomness, r: int) -> NDArray[np.uint64]:
        """Where in its sweep each chain records."""
        if randomness.place_words is not None:
            word = randomness.place_words[r]
        else:
            word = words(randomness.seed, PLACE, task.first_record + r, 1, task.first_chain, task.chains)[0]
        return np.asarray(word.astype(np.uint64) * np.uint64(len(self.plan.order)) >> np.uint64(32))

    def _sweep(
        self,
        task: Task,
        randomness: Randomness,
        state: State,
        sweep: int,
        record: tuple[NDArray[np.uint64], CodeArray] | None = None,
    ) -> None:
        steps, each = len(self.plan.order), self.words_a_step
        if randomness.words is not None:
            word = randomness.words[(sweep - task.first_sweep) * steps * each :]
        else:
            first = sweep * steps * each
            word = words(randomness.seed, UPDATE, first, steps * each, task.first_chain, task.chains)
        for j in range(steps):
            if record is not None:
                here = record[0] == j
                record[1][:, here] = state[:, here]
            self.step(j, state, word[each * j : each * (j + 1)])

    def step(self, place: int, state: State, word: NDArray[np.uint32]) -> None:
        """One update of every chain: of the node at `place`, or of nodes that the first words choose."""
        word = np.minimum(word, ALWAYS - 1)
        if not self.plan.random:
            self._update(place, state, np.arange(state.shape[1]), word[0])
            return
        chosen = np.searchsorted(self.choice, word[0], side="right")
        for own in np.unique(chosen):
            self._update(int(own), state, np.flatnonzero(chosen == own), word[1])

    def _update(self, place: int, state: State, chains: NDArray[np.intp], word: NDArray[np.uint32]) -> None:
        node = self.plan.network.nodes[self.plan.order[place]]
        weights = node.probabilities(np.asfortranarray(state[:, chains].T))
        tilt = self.plan.evidence.tilts.get(node.variable)
        if tilt is not None:
            weights = weights * tilt
            if not weights.sum(axis=1).all():
                raise self.plan.impossible(place)
        state[node.variable, chains] = (thresholds_of(weights) <= word[chains, None]).sum(axis=1)


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


KERNELS: dict[str, type[PackedKernel | CodesKernel | CallbackKernel]] = {
    "packed": PackedKernel,
    "codes": CodesKernel,
    "callback": CallbackKernel,
}


def choose_kernel(plan: ChainPlan, name: str = "auto") -> Kernel:
    """The fastest kernel that can run the plan, or the one called `name`."""
    if name != "auto":
        if name not in KERNELS or not KERNELS[name].fits(plan):
            fitting = ", ".join(repr(other) for other, kind in KERNELS.items() if kind.fits(plan))
            raise SamplingError(f"kernel {name!r} cannot run this network and scan; these can: {fitting}.")
        return KERNELS[name](plan)
    return next(kind(plan) for kind in KERNELS.values() if kind.fits(plan))
