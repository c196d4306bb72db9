"""Nodes grown by splits and merges: rows made ready once, and one loop over the nodes of a network.

To ask for a node costs Python some ten microseconds, more than to grow it in a small table, while one of a large table takes
seconds. So a native call is given many nodes, and begins no further one when a twentieth of a second is over: few calls on
small tables, one node a call on large ones, and neither progress nor Ctrl-C waits for long.
"""

import threading
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet._native import learner as native
from depnet.arrays import FloatArray, IntArray, read_only
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Domain
from depnet.data.table.weights import FRACTION, from_units, in_units
from depnet.errors import DataError, ManyStatesWarning, outside
from depnet.learning import limits
from depnet.learning.cost import Penalty, StructuralMdl, penalty_value, per_parameter
from depnet.learning.cuts import CutDomain, rows_with_cuts, specs_with_cuts, spell_out
from depnet.learning.options import LearnOptions, NodeSpec, order_of
from depnet.learning.rows import held_out, repeat_rows
from depnet.model import ConditionalTable, DecisionGraph, Network, Node, TableNode
from depnet.model.sources.decision_graph import CompiledGraph
from depnet.threads import Work

SECONDS, MOST = 0.05, 256
"""The wall time that a native call should take, and the nodes that it is given at most."""


class TrainingRows:
    """What is made of a dataset when somebody first asks for it, and kept as long as this is.

    Where there are many datasets of one domain, its cuts are given. The rows held out are those of `validation`; without
    it, parts of the dataset.
    """

    def __init__(
        self, dataset: Dataset, with_cuts: CutDomain | None = None, validation: Dataset | None = None
    ) -> None:
        self.dataset = dataset
        self._with_cuts = with_cuts
        self._validation = validation
        self._native: dict[bool, native.Table] = {}
        self._lock = threading.Lock()

    @classmethod
    def of(cls, rows: "Dataset | TrainingRows") -> "TrainingRows":
        return rows if isinstance(rows, TrainingRows) else cls(rows)

    @property
    def domain(self) -> Domain:
        return self.dataset.domain

    @property
    def total(self) -> int:
        """N, weights included."""
        return self.dataset.total

    @cached_property
    def with_cuts(self) -> CutDomain:
        return self._with_cuts or CutDomain(self.dataset.domain, self.dataset)

    def native(self, *, wide: bool) -> native.Table:
        """The native learner's table of the rows, with or without a column for each cut."""
        with self._lock:  # many threads grow nodes, and the first of them makes it
            if wide not in self._native:
                rows = rows_with_cuts(self.dataset, self.with_cuts) if wide else self.dataset
                single = repeat_rows(rows)
                self._native[wide] = native.Table(
                    single.codes, list(single.domain.cardinalities), in_units(single.weights)
                )
            return self._native[wide]

    @cached_property
    def held_out(self) -> tuple[tuple["TrainingRows", Dataset], ...]:
        """(rows to learn from, rows to score on), for each part that is held out."""
        if self._validation is not None:
            return ((self, self._validation),)
        return tuple(
            (TrainingRows(learned, self.with_cuts), scored) for learned, scored in held_out(self.dataset)
        )


def warn_of_identifiers(dataset: Holed) -> None:
    """Warn of columns that look like an identifier: most states in one row only, nothing to learn from."""
    many = max(limits.IDENTIFIER_STATES, dataset.rows // 2)
    for i, variable in enumerate(dataset.domain.variables):
        if variable.cardinality > many and (seen := len(np.unique(dataset.codes[:, i]))) > many:
            warnings.warn(
                f"column {variable.name!r} has {seen:,} different values in {dataset.rows:,} rows: nothing can be "
                "learned from an identifier. Leave it out, group its values, or bin it.",
                ManyStatesWarning,
                stacklevel=outside(),
            )


def learn_nodes(
    rows: TrainingRows,
    specs: Sequence[NodeSpec],
    penalties: Sequence[Penalty],
    options: LearnOptions,
    work: Work,
    *,
    smoothing: float = 0.0,
) -> Network:
    """The network of these rows and nodes, a penalty for each; of the options, the limits and whether cuts are read."""
    if rows.total == 0:
        raise DataError("learning needs at least one row; the table has none, or all its weights are 0.")
    settings = {
        penalty: native_settings(penalty, options, rows.total, FRACTION if rows.dataset.surveyed else 1)
        for penalty in dict.fromkeys(penalties)
    }
    cards = rows.domain.cardinalities
    cuts = rows.with_cuts if options.cuts and rows.with_cuts.cuts else None
    wide = specs if cuts is None else specs_with_cuts(specs, cuts.cuts, len(cards))
    read = cards if cuts is None else cuts.wide.cardinalities
    table = rows.native(wide=cuts is not None)
    nodes: dict[int, Node] = {}
    for numbers, arrays in grow(table, wide, [settings[penalty] for penalty in penalties], work):
        targets = [specs[number].target for number in numbers]
        arrays = (*arrays[:3], from_units(arrays[3], rows.dataset.weights), *arrays[4:])
        for number, source, theta in zip(numbers, *unpack(arrays, targets, read, smoothing), strict=True):
            if cuts is not None:
                source = spell_out(source, cuts.numbered, cards)
            nodes[number] = TableNode.from_learner(specs[number].target, source, theta)
            work.tell(len(nodes), len(specs))
    ordered = tuple(nodes[number] for number in range(len(specs)))
    return Network(rows.domain, ordered, order=order_of(specs))


def native_settings(penalty: Penalty, options: LearnOptions, rows: int, units: int = 1) -> native.Settings:
    """The penalty and the limits for the native core, which counts each row as so many `units`."""
    penalty_value(penalty, 1, rows)
    linear = per_parameter(penalty, rows)
    names = None
    if isinstance(penalty, StructuralMdl):
        names = (penalty.split_factor * units, penalty.merge_factor * units)
    return native.Settings(
        per_parameter=0.0 if linear is None else linear,
        penalty=None if linear is not None else lambda k: penalty_value(penalty, k, rows),
        name_factors=names,
        max_leaves=options.max_leaves,
        min_leaf_rows=options.min_leaf_rows * units,
    )


Arrays: TypeAlias = tuple[
    NDArray[np.uint8],  # kinds of operations
    NDArray[np.int32],  # their first numbers
    NDArray[np.int32],  # their second numbers
    IntArray,  # counts
    NDArray[np.int32],  # the compiled graph: variable
    NDArray[np.int32],  # begin
    NDArray[np.int32],  # children
    IntArray,  # [node, 4], flat: operations, counts, vertices and children
]
"""Some grown nodes, as the native core gives them: the arrays of all of them one behind the other."""


def grow(
    table: native.Table, specs: Sequence[NodeSpec], settings: Sequence[native.Settings], work: Work
) -> Iterator[tuple[Sequence[int], Arrays]]:
    """Grow all nodes; yield them in batches, with their numbers, as they are ready. Threads end with this iterator."""
    alike: dict[tuple[int, int], list[int]] = {}  # of one penalty, with the same to read: for one native call
    for number, spec in enumerate(specs):
        alike.setdefault((id(settings[number]), id(spec.readable)), []).append(number)
    # Taken from the end; of an ordered network those that read most come first.
    waiting = [sorted(group, key=lambda i: (specs[i].first or 0, -i)) for group in alike.values()]
    lock, stop = threading.Lock(), native.Stop()

    def grow_some() -> tuple[Sequence[int], Arrays] | None:
        with lock:
            if not waiting:
                return None
            group = waiting.pop()
            share = MOST if work.threads == 1 else max(1, min(MOST, len(group) // (4 * work.threads)))
            numbers, rest = group[-share:][::-1], group[:-share]
            if rest:
                waiting.append(rest)
        readable, left = specs[numbers[0]].readable, work.seconds
        arrays = table.grow(
            settings[numbers[0]],
            targets=[specs[i].target for i in numbers],
            barred=[list(specs[i].barred) for i in numbers],
            firsts=[len(readable) if (first := specs[i].first) is None else first for i in numbers],
            readable=np.array(readable, dtype=np.int32),
            seconds=None if left is None else min(left, 1e9),
            slice_seconds=SECONDS,
            stop=stop,
        )
        done = len(arrays[-1]) // 4
        if done < len(numbers):
            with lock:
                waiting.append(numbers[done:][::-1])
        return numbers[:done], arrays

    if work.threads == 1:
        while batch := grow_some():
            yield batch
        return
    pool = ThreadPoolExecutor(work.threads)
    running: set[Future[tuple[Sequence[int], Arrays] | None]] = set()
    try:
        while waiting or running:
            while waiting and len(running) < 2 * work.threads:
                running.add(pool.submit(grow_some))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (batch for future in done if (batch := future.result()))
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def unpack(
    arrays: Arrays, targets: Sequence[int], cardinalities: tuple[int, ...], smoothing: float
) -> tuple[list[DecisionGraph], list[ConditionalTable]]:
    kinds, first, second, counts, variable, begin, children, flat = arrays
    sizes = flat.reshape(-1, 4)
    states = np.array([cardinalities[target] for target in targets])
    leaves = sizes[:, 1] // states
    theta = _flat_theta(counts, np.repeat(states, leaves), smoothing)
    for array in (*arrays[:7], theta):
        read_only(array)
    ends = np.cumsum(sizes, axis=0)
    sources, tables = [], []
    each = zip((ends - sizes).tolist(), ends.tolist(), leaves.tolist(), strict=True)
    for (o, c, v, w), (o1, c1, v1, w1), size in each:
        graph = CompiledGraph(variable[v:v1], begin[v:v1], children[w:w1])
        sources.append(
            DecisionGraph.from_record((kinds[o:o1], first[o:o1], second[o:o1]), cardinalities, size, graph)
        )
        shaped = (counts[c:c1].reshape(size, -1), theta[c:c1].reshape(size, -1))
        tables.append(ConditionalTable.from_learner(shaped[0], smoothing, shaped[1]))
    return sources, tables


def _flat_theta(counts: IntArray, states: IntArray, smoothing: float) -> FloatArray:
    """`ConditionalTable.from_counts` of many tables at once: leaf after leaf, each with its number of `states`."""
    starts = np.cumsum(states) - states
    totals = np.repeat(np.add.reduceat(counts, starts) + smoothing * states, states)
    theta: FloatArray = np.repeat(1.0 / states, states)
    np.divide(counts + smoothing, totals, out=theta, where=totals > 0)
    return theta
