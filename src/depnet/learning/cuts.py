r"""Splits of variables with an order at a cut, and of categories into one state and the rest, by the paper's two operations.

A split on a variable of K bins makes K leaves, each with a row of the table to pay for: on few rows hardly any split
lowers the cost, though two leaves, of the bins below and above some edge, would. Such a split needs no third operation.
With |Y| leaves before it,

.. math:: Split(y, x_j < t) = Split(y, j), \quad Merge(|Y| - 1, |Y|)^{t - 1}, \quad Merge(|Y|, |Y| + 1)^{K - t - 1}

has the leaf |Y| - 1 for the bins before t and the leaf |Y| for the others, in the paper's numbering. A state that stands
for missing values comes after all bins: the cut before it separates known values from missing ones.

A category of many states has the same trouble. Any set of its states without state 0, of which t is the first, stands in
the leaf |Y| after the same split and merges, but that each state after t is merged with |Y| where it is in the set, and with
|Y| - 1 where it is not. So every cut is
offered to the learner as one more variable of two states, which only sources read, and is spelled out afterwards: the
same function, leaf for leaf, on the variables themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data import Dataset, Domain, Variable
from depnet.learning import limits
from depnet.learning.options import NodeSpec
from depnet.model.sources.decision_graph import CompiledGraph, DecisionGraph, Recorded


@dataclass(frozen=True, slots=True)
class Cut:
    """The codes of `variable`, which has `cardinality` of them, before and from `at` on; 0 < at < cardinality.

    With `others`: all codes but `at` and those others, ascending, and these.
    """

    variable: int
    at: int
    cardinality: int
    others: tuple[int, ...] | None = None

    @classmethod
    def of(cls, variable: int, told: NDArray[np.bool_]) -> "Cut":
        """The codes that are told from the rest, of whichever part the first code is not."""
        second = np.flatnonzero(told != told[0]).tolist()
        return cls(variable, second[0], len(told), tuple(second[1:]))

    @property
    def told(self) -> NDArray[np.bool_]:
        """Which codes are of its second part."""
        codes = np.arange(self.cardinality)
        if self.others is None:
            return np.asarray(codes >= self.at)
        return np.isin(codes, (self.at, *self.others))


def cuts_of(domain: Domain, most: int = limits.MOST_CUTS) -> tuple[Cut, ...]:
    """At most `most` cuts of each variable with an order, and one between what is known and what is missing.

    >>> from depnet.data import describe
    >>> domain, _ = describe([{"age": age + 0.5} for age in range(60)])
    >>> [cut.at for cut in cuts_of(domain)]
    [1, 2, 3]
    """
    found = []
    for i, variable in enumerate(domain.variables):
        if not variable.has_cuts or variable.cardinality < 3:
            continue
        k = len(variable.present_states)
        cuts = set(np.rint(np.linspace(0, k, min(most, k - 1) + 2)[1:-1]).astype(int).tolist())
        cuts |= set() if variable.missing is None else {k}
        found += [Cut(i, cut, variable.cardinality) for cut in sorted(cuts)]
    return tuple(found)


def states_alone(dataset: Dataset) -> tuple[Cut, ...]:
    """The states that are offered alone: of categories of many states, and numbers as they are, those that most rows have.

    >>> rows = Dataset.from_codes([[7]] * 40 + [[2]] * 30 + [[5]], domain=Domain((Variable("town", tuple("abcdefghi")),)))
    >>> [cut.at for cut in states_alone(rows)]
    [2, 7]
    """
    found = []
    for i, variable in enumerate(dataset.domain.variables):
        if (
            variable.bins is not None
            or variable.scale == "ordered"
            or variable.cardinality < limits.ALONE_STATES
        ):
            continue
        counts = np.bincount(dataset.column(i), dataset.weights, minlength=variable.cardinality)
        most = np.argsort(-counts, kind="stable")[: limits.MOST_ALONE]
        states = sorted(most[counts[most] >= limits.ALONE_ROWS].tolist())
        found += [Cut(i, max(x, 1), variable.cardinality, () if x else None) for x in states]
    return tuple(found)


class CutDomain:
    """The cuts of a domain; and with a variable of two states for each of them, what is made of it once for many tables."""

    def __init__(self, domain: Domain, rows: Dataset | None = None, more: Sequence[Cut] = ()) -> None:
        self.domain = domain
        alone = () if rows is None else states_alone(rows)
        self.cuts = tuple(
            dict.fromkeys((*cuts_of(domain), *alone, *more))
        )  # the first state alone is the cut at 1

    @cached_property
    def wide(self) -> Domain:
        """The domain with a variable for each cut, numbered after its own, under names that no other has."""
        longest = max(map(len, self.domain.names)) + 1
        named = [f"{number}: {cut.variable} {cut.at}" for number, cut in enumerate(self.cuts)]
        names = [name.rjust(longest + len(name)) for name in named]
        return Domain((*self.domain.variables, *(Variable(name, (0, 1)) for name in names)))

    @cached_property
    def numbered(self) -> "Numbered":
        return Numbered.of(self.cuts, self.domain.cardinalities)


class Numbered(NamedTuple):
    """Of variables and then cuts: the variable itself, its states, the states to split by, the first told, and all told."""

    variable: IntArray
    states: IntArray
    width: IntArray
    cut: IntArray
    told: NDArray[np.bool_]

    @classmethod
    def of(cls, cuts: Sequence[Cut], cardinalities: tuple[int, ...]) -> "Numbered":
        """Number the cuts of variables with these cardinalities."""
        n = len(cardinalities)
        variable = np.array([*range(n), *(t.variable for t in cuts)])
        width = np.array([*cardinalities, *([2] * len(cuts))])
        cut = np.array([*([0] * n), *(t.at for t in cuts)])
        told = np.zeros((len(variable), max(cardinalities)), dtype=np.bool_)
        for number, each in enumerate(cuts, n):
            told[number, : each.cardinality] = each.told
        return cls(variable, np.array(cardinalities)[variable], width, cut, told)


def rows_with_cuts(dataset: Dataset, domain: CutDomain) -> Dataset:
    """The rows of a dataset of this domain with a column for each cut."""
    n, cuts = len(dataset.domain), domain.cuts
    codes: CodeArray = np.empty((dataset.rows, n + len(cuts)), dtype=dataset.codes.dtype, order="F")
    codes[:, :n] = dataset.codes
    for t, cut in enumerate(cuts):
        codes[:, n + t] = cut.told[dataset.column(cut.variable)]
    return Dataset.of_checked(domain.wide, read_only(codes), dataset.weights)


def specs_with_cuts(specs: Sequence[NodeSpec], cuts: Sequence[Cut], variables: int) -> tuple[NodeSpec, ...]:
    """The nodes with cuts to read, but none of what a source may not read. In an order, cuts stand behind their variable."""
    own: dict[int, list[int]] = {}
    for t, cut in enumerate(cuts):
        own.setdefault(cut.variable, []).append(variables + t)
    wide: dict[tuple[int, ...], tuple[int, ...]] = {}
    found = []
    for spec in specs:
        if spec.first is None:
            behind = [c for j in spec.readable for c in own.get(j, ())]
            readable = wide.setdefault(spec.readable, (*spec.readable, *sorted(behind)))
            first, closed = None, spec.barred.union((spec.target,))
        else:
            readable = wide.setdefault(
                spec.readable, tuple(c for j in spec.readable for c in (j, *own.get(j, ())))
            )
            earlier = spec.readable[: spec.first]
            first, closed = sum(1 + len(own.get(j, ())) for j in earlier), spec.barred
        barred = spec.barred.union(c for j in closed for c in own.get(j, ()))
        found.append(NodeSpec(spec.target, readable, barred, first))
    return tuple(found)


def spell_out(source: DecisionGraph, numbered: Numbered, cardinalities: tuple[int, ...]) -> DecisionGraph:
    """A source that reads cuts, numbered after the variables, as one that reads the variables alone.

    The graph is made now, its operations when somebody asks: most sources are only tried.
    """
    record = partial(_operations, source, numbered, len(cardinalities))
    graph = source.compiled
    if graph.variable.max(initial=-1) < len(cardinalities):
        return DecisionGraph.from_record(record, cardinalities, source.size, graph)
    variable, states, _, _, told = numbered
    tests = np.flatnonzero(graph.variable >= 0)
    read = graph.variable[tests]
    vertex, code = _spread(states[read])
    asked = read[vertex]
    branch = np.where(asked < len(cardinalities), code, told[asked, code])
    begin = graph.begin.copy()
    begin[tests] = np.cumsum(states[read]) - states[read]
    compiled = CompiledGraph(
        read_only(np.where(graph.variable >= 0, variable[graph.variable], -1).astype(np.int32)),
        read_only(begin),
        read_only(graph.children[graph.begin[tests][vertex] + branch]),
    )
    return DecisionGraph.from_record(record, cardinalities, source.size, compiled)


def _operations(source: DecisionGraph, numbered: Numbered, n: int) -> Recorded:
    """The operations of a source that reads cuts of n variables, each cut in the paper's two operations."""
    variable, states, width, cut, told = numbered
    kinds, first, second = (array.astype(np.int64) for array in source.arrays)
    tested = np.where(kinds == 0, second, 0)
    growth = np.where(kinds == 0, width[tested] - 1, -1)
    size = 1 + np.cumsum(growth) - growth
    at, within = _spread(np.where((kinds == 0) & (second >= n), states[tested] - 1, 1))
    late = (
        within >= cut[tested[at]]
    )  # of the states after the first, that which is told first is merged with none
    below = size[at] - 1 + told[tested[at], np.minimum(within + late, told.shape[1] - 1)]
    begun = within == 0
    return (
        np.where(begun, kinds[at], 1).astype(np.uint8),
        np.where(begun, first[at], below).astype(np.int32),
        np.where(begun, np.where(kinds == 0, variable[tested], second)[at], size[at] + late).astype(np.int32),
    )


def _spread(times: IntArray) -> tuple[IntArray, IntArray]:
    """Each place as often as `times` says, and a number 0, 1, ... for each of its copies."""
    at = np.repeat(np.arange(len(times)), times)
    return at, np.arange(len(at)) - np.repeat(np.cumsum(times) - times, times)
