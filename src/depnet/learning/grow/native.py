"""The native learner of one node after another: what crosses the border to C++ and back."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet._native import learner as native
from depnet.arrays import FloatArray, IntArray, read_only
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.options import Limits
from depnet.learning.penalty import Penalty, StructuralMdl, penalty_value, per_parameter
from depnet.model import ConditionalTable, DecisionGraph
from depnet.model.sources.decision_graph import CompiledGraph


class GrownNode(NamedTuple):
    """A grown node, by its number; not complete if the time was over first."""

    number: int
    source: DecisionGraph
    table: ConditionalTable
    complete: bool


class Batch(NamedTuple):
    """Some grown nodes: the arrays of all of them one behind the other, as the native core gives them."""

    numbers: tuple[int, ...]
    kinds: NDArray[np.uint8]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    counts: IntArray
    variable: NDArray[np.int32]
    begin: NDArray[np.int32]
    children: NDArray[np.int32]
    sizes: IntArray
    """[node, 5]: how many operations, counts, vertices and children it has; 0 if it is not complete."""
    seconds: float
    """Wall time that they took."""

    def nodes(
        self, specs: Sequence[NodeSpec], cardinalities: tuple[int, ...], smoothing: float
    ) -> Iterator[GrownNode]:
        """One by one."""
        states = np.array([cardinalities[specs[n].target] for n in self.numbers])
        leaves = self.sizes[:, 1] // states
        theta = flat_theta(self.counts, np.repeat(states, leaves), smoothing)
        for array in (*self[1:8], theta):
            read_only(array)
        ends = np.cumsum(self.sizes[:, :4], axis=0)
        starts = (ends - self.sizes[:, :4]).tolist()
        for k, ((o, c, v, w), (o1, c1, v1, w1)) in enumerate(zip(starts, ends.tolist(), strict=True)):
            size = int(leaves[k])
            graph = CompiledGraph(self.variable[v:v1], self.begin[v:v1], self.children[w:w1])
            source = DecisionGraph.recorded(
                self.kinds[o:o1], self.first[o:o1], self.second[o:o1], cardinalities, size, graph
            )
            table = ConditionalTable.learned(
                self.counts[c:c1].reshape(size, -1), smoothing, theta[c:c1].reshape(size, -1)
            )
            yield GrownNode(self.numbers[k], source, table, bool(self.sizes[k, 4]))


def flat_theta(counts: IntArray, states: IntArray, smoothing: float) -> FloatArray:
    """`ConditionalTable.from_counts` of many tables at once: leaf after leaf, each with its number of `states`."""
    starts = np.cumsum(states) - states
    totals = np.repeat(np.add.reduceat(counts, starts) + smoothing * states, states)
    theta: FloatArray = np.repeat(1.0 / states, states)
    np.divide(counts + smoothing, totals, out=theta, where=totals > 0)
    return theta


def native_settings(penalty: Penalty, linear: float | None, limits: Limits, rows: int) -> native.Settings:
    """The penalty and the limits for the native core; `linear` is what one parameter costs, where all cost the same."""
    return native.Settings(
        per_parameter=0.0 if linear is None else linear,
        penalty=None if linear is not None else lambda k: penalty_value(penalty, k, rows),
        name_factors=(penalty.split_factor, penalty.merge_factor)
        if isinstance(penalty, StructuralMdl)
        else None,
        max_leaves=limits.max_leaves,
        min_leaf_rows=limits.min_leaf_rows,
    )


MOST_BARRED = 4096
"""Variables that the nodes of an ordered network in one native call may not read, though others of them may."""


def _later(spec: NodeSpec, widest: NodeSpec) -> tuple[int, ...]:
    """Of what the widest spec of a call may read, that which comes later in the order than this spec's."""
    if spec.first is None or widest.first is None:
        return ()
    return spec.readable[spec.first : widest.first]


@dataclass(eq=False)
class Grower:
    """Grows the nodes of `specs`, each with its own penalty, from the native `table`; safe to call from many threads."""

    table: native.Table
    total: int
    """N, weights included."""
    specs: Sequence[NodeSpec]
    penalties: Sequence[Penalty]
    limits: Limits = field(default_factory=Limits)
    ends: float = math.inf
    """Of `time.monotonic`: nodes stay as they have grown by then."""
    _linear: dict[Penalty, float | None] = field(default_factory=dict, init=False)
    _stop: native.Stop = field(default_factory=native.Stop, init=False)

    def __post_init__(self) -> None:
        self._linear = {
            penalty: per_parameter(penalty, self.total) for penalty in dict.fromkeys(self.penalties)
        }

    def __call__(self, numbers: Sequence[int], seconds: float = math.inf) -> list[Batch]:
        """Grow these nodes, each to the end or until the time of the fit is over.

        After `seconds` no further node is begun: the first ones are returned, at least one.
        """
        began = time.perf_counter()
        batches: list[Batch] = []
        done = 0
        while done < len(numbers) and (not done or time.perf_counter() - began < seconds):
            alike = self._alike(numbers, done)
            batches.append(self._grow(alike, seconds - (time.perf_counter() - began)))
            done += len(batches[-1].numbers)
        return batches

    def _alike(self, numbers: Sequence[int], begin: int) -> Sequence[int]:
        """The nodes from `begin` on that one native call can grow: of one penalty, with about the same to read.

        Of an ordered network the first one reads most, and what others may not read of that is barred.
        """
        first = numbers[begin]
        end, barred = begin + 1, 0
        while (
            end < len(numbers)
            and self.penalties[numbers[end]] == self.penalties[first]
            and self.specs[numbers[end]].readable is self.specs[first].readable
            and (self.specs[numbers[end]].first or 0) <= (self.specs[first].first or 0)
        ):
            barred += len(_later(self.specs[numbers[end]], self.specs[first]))
            if barred > MOST_BARRED:
                break
            end += 1
        return numbers[begin:end]

    def _grow(self, numbers: Sequence[int], seconds: float) -> Batch:
        specs, penalty = [self.specs[number] for number in numbers], self.penalties[numbers[0]]
        left = None if math.isinf(self.ends) else max(self.ends - time.monotonic(), 0.0)
        began = time.perf_counter()
        kinds, first, second, counts, variable, begin, children, flat = self.table.grow(
            native_settings(penalty, self._linear[penalty], self.limits, self.total),
            targets=[spec.target for spec in specs],
            barred=[(*spec.barred, *_later(spec, specs[0])) for spec in specs],
            readable=_as_array(specs[0]),
            seconds=None if left is None else min(left, 1e9),
            slice_seconds=seconds,
            stop=self._stop,
        )
        sizes = flat.reshape(-1, 5)
        grown = tuple(numbers[: len(sizes)])
        took = time.perf_counter() - began
        return Batch(grown, kinds, first, second, counts, variable, begin, children, sizes, took)

    def stop(self) -> None:
        """End the growing in all threads, soon."""
        self._stop.set()


def _as_array(spec: NodeSpec) -> NDArray[np.int32]:
    """The variables that the source may read, with itself and those barred."""
    shared = _shared_array(spec.readable)
    return shared if spec.first is None else np.sort(shared[: spec.first])


@lru_cache(maxsize=4)
def _shared_array(variables: tuple[int, ...]) -> NDArray[np.int32]:
    return np.array(variables, dtype=np.int32)
