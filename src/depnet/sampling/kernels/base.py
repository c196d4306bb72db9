"""What every kernel does: start chains, run them, hand out rows."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet._native import sampler as native
from depnet.arrays import CodeArray
from depnet.sampling.kernels.nodes import native_nodes
from depnet.sampling.plan.plan import ChainPlan, impossible
from depnet.sampling.plan.row_finder import DIRECT, RowFinder
from depnet.sampling.plan.rule import start_weights
from depnet.sampling.plan.thresholds import thresholds_of
from depnet.sampling.plan.words import PLACE, START, UPDATE

Task = native.Task

State: TypeAlias = NDArray[Any]
"""The states of some chains, in the layout of their kernel."""


@dataclass(frozen=True, slots=True, eq=False)
class Randomness:
    """A seed of the counter generator, or buffers of words: [words a chain, chains], [records, chains]."""

    seed: int = 0
    words: NDArray[np.uint32] | None = None
    place_words: NDArray[np.uint32] | None = None

    def native(self, stream: int = UPDATE) -> native.WordSource:
        """The same for the native kernels."""
        return native.WordSource(self.seed, self.words, self.place_words, stream, PLACE)


class Kernel(Protocol):
    """One way to run the chains of a plan; all kernels run the same chains, some of them faster."""

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


TILE = 64


class NativeKernel:
    """A kernel that advances chains by `nodes` of the native core, which each kind makes of a plan in its own way."""

    alignment = TILE

    def __init__(self, plan: ChainPlan) -> None:
        self.plan = plan
        self.nodes = self._native(plan)

    def _native(self, plan: ChainPlan) -> Any:
        raise NotImplementedError

    def run(self, task: Task, randomness: Randomness, state: State, out: CodeArray) -> None:
        """Advance the chains."""
        place = self.nodes.run(task, randomness.native(), state, out)
        if place is not None and place >= 0:
            raise impossible(self.plan, place)


def start_codes(plan: ChainPlan, seed: int, first_chain: int, chains: int) -> CodeArray:
    """Where chains start [variables, chains]: each node in turn draws one of its states, all alike."""
    finders = [RowFinder(DIRECT, (), 0, thresholds_of(start_weights(rule)[None, :])) for rule in plan.rules]
    nodes = native_nodes(plan, finders, native.NodeChoice(nodes=len(plan.rules), random=False, choice=None))
    state = tiles_by_variable(plan.blank(chains))
    out = plan.blank(chains)
    task = Task(first_chain, chains, lead=1, records=1, at_boundary=True)
    nodes.run(task, Randomness(seed).native(START), state, out)
    return out


def tiles_by_variable(codes: CodeArray) -> State:
    """Codes [variables, chains] as tiles [variable][64], flat."""
    variables, chains = codes.shape
    padded = np.zeros((variables, -(-chains // TILE) * TILE), dtype=codes.dtype)
    padded[:, :chains] = codes
    return np.ascontiguousarray(padded.reshape(variables, -1, TILE).transpose(1, 0, 2)).ravel()


def tiles_by_chain(codes: CodeArray) -> State:
    """Codes [variables, chains] as tiles [64][variable], flat."""
    variables, chains = codes.shape
    padded = np.zeros((-(-chains // TILE) * TILE, variables), dtype=codes.dtype)
    padded[:chains] = codes.T
    return padded.ravel()
