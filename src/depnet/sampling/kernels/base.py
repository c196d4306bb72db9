"""What every kernel does, and the one for any network whose sources are no functions of too many joint states."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import CodeArray
from depnet.model import Evidence
from depnet.model.compiled import compiled_of, is_compilable, known_of, places_of
from depnet.sampling.plan.plan import ChainPlan, impossible, possible_states
from depnet.sampling.plan.thresholds import ALWAYS, thresholds_of, uniform_thresholds
from depnet.sampling.plan.words import PLACE, START, UPDATE, words

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
    """A kernel that advances `chains` of the native core, which each kind makes of a plan in its own way."""

    alignment = TILE

    def __init__(self, plan: ChainPlan) -> None:
        self.plan = plan
        self.chains = self._native(plan)

    def _native(self, plan: ChainPlan) -> Any:
        raise NotImplementedError

    def run(self, task: Task, randomness: Randomness, state: State, out: CodeArray) -> None:
        """Advance the chains."""
        place = self.chains.run(task, randomness.native(), state, out)
        if place is not None and place >= 0:
            raise impossible(self.plan, place)


def choice_thresholds(plan: ChainPlan) -> NDArray[np.uint32]:
    """The thresholds by which the random scan chooses a node; without weights all are alike."""
    if plan.weights is None:
        return uniform_thresholds(len(plan.order))
    return np.asarray(thresholds_of(plan.weights[None, :])[0])


def node_choice(plan: ChainPlan) -> native.NodeChoice:
    """How the plan's scan chooses its nodes."""
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
        thresholds = thresholds_of(possible_states(plan, i).astype(np.float64)[None, :])[0]
        codes[i] = np.searchsorted(thresholds, word[place], side="right")
    return codes


def tiles(codes: CodeArray) -> State:
    """Codes [variables, chains] as tiles [variable][64], flat."""
    variables, chains = codes.shape
    padded = np.zeros((variables, -(-chains // TILE) * TILE), dtype=codes.dtype)
    padded[:, :chains] = codes
    return np.ascontiguousarray(padded.reshape(variables, -1, TILE).transpose(1, 0, 2)).ravel()


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
        """Every source has a native form."""
        return is_compilable(plan.network)

    def state(self, codes: CodeArray) -> State:
        """Tiles of 64 chains."""
        return tiles(codes)
