"""The native learner of one node after another: what crosses the border to C++ and back."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from depnet._native import learner as native
from depnet.arrays import IntArray
from depnet.data import Dataset
from depnet.learning.options import Limits, Task
from depnet.learning.penalty import Penalty, StructuralMdl, penalty_value, per_parameter
from depnet.model import DecisionGraph


class Grown(NamedTuple):
    """A grown information source: its operations as arrays, and the counts [leaf, state] at its leaves."""

    kinds: NDArray[np.uint8]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    counts: IntArray
    complete: bool

    def source(self, cardinalities: tuple[int, ...]) -> DecisionGraph:
        """The information source itself."""
        return DecisionGraph.recorded(self.kinds, self.first, self.second, cardinalities, len(self.counts))


@dataclass(eq=False)
class Grower:
    """Grows the nodes of `tasks` one by one, each with its own penalty; safe to call from many threads.

    It can be pickled: another process makes the native table again, once.
    """

    dataset: Dataset
    tasks: Sequence[Task]
    penalties: Sequence[Penalty]
    limits: Limits = field(default_factory=Limits)
    max_seconds: float | None = None
    _linear: list[float | None] = field(default_factory=list, init=False)
    _token: str = field(default_factory=lambda: uuid4().hex, init=False)
    _began: float = field(default_factory=time.time, init=False)
    _stop: native.Stop = field(default_factory=native.Stop, init=False)

    def __post_init__(self) -> None:
        prices = {
            penalty: per_parameter(penalty, self.dataset.total) for penalty in dict.fromkeys(self.penalties)
        }
        self._linear = [prices[penalty] for penalty in self.penalties]
        _table(self._token, self.dataset)

    def __call__(self, number: int) -> Grown:
        """Grow node `number`, to the end or until the time is over."""
        task, penalty = self.tasks[number], self.penalties[number]
        rows = self.dataset.total
        linear = self._linear[number]
        left = None if self.max_seconds is None else max(0.0, self._began + self.max_seconds - time.time())
        kinds, first, second, counts, complete = _table(self._token, self.dataset).grow(
            targets=task.targets,
            inputs=task.inputs,
            per_parameter=0.0 if linear is None else linear,
            penalty=None if linear is not None else lambda k: penalty_value(penalty, k, rows),
            name_factors=(penalty.split_factor, penalty.merge_factor)
            if isinstance(penalty, StructuralMdl)
            else None,
            max_leaves=self.limits.max_leaves,
            min_leaf_rows=self.limits.min_leaf_rows,
            seconds=None if left is None else min(left, 1e9),
            stop=self._stop,
        )
        states = math.prod(self.dataset.domain.cardinalities[i] for i in task.targets)
        return Grown(kinds, first, second, counts.reshape(-1, states), complete)

    def stop(self) -> None:
        """End the growing in all threads, soon."""
        self._stop.set()

    def close(self) -> None:
        """Let go of the native table."""
        _TABLES.pop(self._token, None)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_stop"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _stop=native.Stop())


_TABLES: dict[str, native.Table] = {}


def _table(token: str, dataset: Dataset) -> native.Table:
    table = _TABLES.get(token)
    if table is None:
        table = _TABLES[token] = native.Table(
            dataset.codes, list(dataset.domain.cardinalities), dataset.weights
        )
    return table
