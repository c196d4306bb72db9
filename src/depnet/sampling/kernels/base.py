"""What every kernel does: start chains, run them, hand out rows."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet._native import sampler as native
from depnet.arrays import CodeArray
from depnet.sampling.plan.plan import Plan
from depnet.sampling.plan.program import DIRECT, RowFinder, native_nodes
from depnet.sampling.plan.rule import start_weights
from depnet.sampling.plan.thresholds import thresholds_of
from depnet.sampling.plan.words import PLACE, START, UPDATE

State: TypeAlias = NDArray[Any]
"""The states of some chains, in the layout of their kernel."""


@dataclass(frozen=True, slots=True)
class Task:
    """Run `lead` sweeps, record a row of every chain, and again with `gap` sweeps between records.

    The chains are first_chain, ..., first_chain + chains - 1; `first_sweep` and `first_record` say how
    far they have come. Record r of chain c is row first_row + r * record_stride + c - first_chain of the
    output. Under the sequential scan a row is recorded just before the update at a random place of a
    sweep, which is then finished, unless `at_boundary`.
    """

    first_chain: int
    chains: int
    first_sweep: int = 0
    first_record: int = 0
    lead: int = 0
    gap: int = 0
    records: int = 0
    first_row: int = 0
    record_stride: int = 0
    at_boundary: bool = False

    def native(self, random_scan: bool) -> native.Task:
        """The same for the native kernels."""
        return native.Task(
            first_chain=self.first_chain,
            chains=self.chains,
            first_sweep=self.first_sweep,
            first_record=self.first_record,
            lead=self.lead,
            gap=self.gap,
            records=self.records,
            first_row=self.first_row,
            record_stride=self.record_stride,
            random_scan=random_scan,
            at_boundary=self.at_boundary,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Randomness:
    """A seed of the counter generator, or buffers of words: [words a chain, chains], [records, chains]."""

    seed: int = 0
    words: NDArray[np.uint32] | None = None
    place_words: NDArray[np.uint32] | None = None

    @property
    def arguments(self) -> tuple[int, int, int, NDArray[np.uint32] | None, NDArray[np.uint32] | None]:
        """As the native kernels take them."""
        flat = None if self.words is None else np.ascontiguousarray(self.words).ravel()
        places = None if self.place_words is None else np.ascontiguousarray(self.place_words).ravel()
        return self.seed, UPDATE, PLACE, flat, places


class Kernel(Protocol):
    """One way to run the chains of a plan; all kernels run the same chains, some of them faster."""

    plan: Plan

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


def start_codes(plan: Plan, seed: int, first_chain: int, chains: int) -> CodeArray:
    """Where chains start [variables, chains]: each node in turn draws one of its states, all alike."""
    finders = [RowFinder(DIRECT, (), 0, thresholds_of(start_weights(rule)[None, :])) for rule in plan.rules]
    nodes = native_nodes(plan.variables, plan.rules, finders, None)
    state = tiles_by_variable(plan.blank(chains))
    out = plan.blank(chains)
    task = Task(first_chain, chains, lead=1, records=1, at_boundary=True)
    native.codes(nodes, task.native(random_scan=False), seed, START, PLACE, None, None, state, out)
    return out


TILE = 64


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
