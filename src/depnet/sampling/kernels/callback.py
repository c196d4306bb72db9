"""The slow kernel: calls the information sources from Python.

For sources that are neither decision graphs nor functions of few inputs. All chains take a step together in numpy; under
the random scan the chains that chose the same node do.
"""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray
from depnet.sampling.kernels.base import Randomness, State, Task, choice_thresholds
from depnet.sampling.plan.plan import ChainPlan, impossible
from depnet.sampling.plan.thresholds import ALWAYS, thresholds_of
from depnet.sampling.plan.words import PLACE, UPDATE, words


class CallbackKernel:
    """Codes [variables, chains] in numpy; any source at all."""

    name = "callback"
    alignment = 1
    updates_a_call = 2**14

    def __init__(self, plan: ChainPlan) -> None:
        self.plan = plan
        self.choice = choice_thresholds(plan)

    @staticmethod
    def fits(plan: ChainPlan) -> bool:
        """Every plan."""
        return True

    def state(self, codes: CodeArray) -> State:
        """A copy."""
        return codes.copy()

    def run(self, task: Task, randomness: Randomness, state: State, out: CodeArray) -> None:
        """Advance the chains sweep by sweep."""
        sweep = task.first_sweep
        if task.records == 0:
            for _ in range(task.lead):
                self._sweep(task, randomness, state, sweep)
                sweep += 1
        for r in range(task.records):
            for _ in range(task.gap if r else task.lead):
                self._sweep(task, randomness, state, sweep)
                sweep += 1
            first = task.first_row + r * task.record_stride
            row = out[:, first : first + task.chains]
            if self.plan.random or task.at_boundary:
                row[:] = state
            else:
                self._sweep(task, randomness, state, sweep, (self._places(task, randomness, r), row))
                sweep += 1

    def _places(self, task: Task, randomness: Randomness, r: int) -> NDArray[np.uint64]:
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
        steps = len(self.plan.order)
        rows = steps * (2 if self.plan.random else 1)
        if randomness.words is not None:
            first = (sweep - task.first_sweep) * rows
            word = randomness.words[first : first + rows]
        else:
            word = words(randomness.seed, UPDATE, sweep * rows, rows, task.first_chain, task.chains)
        each = 2 if self.plan.random else 1
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
                raise impossible(self.plan, place)
        state[node.variable, chains] = (thresholds_of(weights) <= word[chains, None]).sum(axis=1)
