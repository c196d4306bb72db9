"""What a model file says of nodes, and of where numbers lie in their bins, each with its way in and out.

What is read is checked in the order in which one thing gives the next its size: a node's source says how many leaves there
are; only then is the table looked at, which must have exactly as many rows. So nothing is made that the file only declares
and does not hold.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from msgspec import UNSET, Meta, Raw, UnsetType
from numpy.typing import NDArray

from depnet.arrays import read_only
from depnet.data.frames.within import WHOLE, PlaceTrees, level_count
from depnet.data.table.domain import Domain
from depnet.errors import ModelError, ModelFileError
from depnet.model.boosted import BoostedNode
from depnet.model.digits import DigitTree
from depnet.model.file.fields import (
    Count,
    Fields,
    Leaf,
    Whole,
    check_each,
    check_length,
    check_whole,
    decode,
    fault,
    located,
    whole_array,
)
from depnet.model.node import Node, TableNode
from depnet.model.sources.decision_graph import DecisionGraph, size_of_recorded
from depnet.model.sources.source import MAX_LEAVES, ConstantSource, InformationSource, LosslessSource
from depnet.model.sources.tabulated import TabulatedSource
from depnet.model.stages import MOST_LEAVES, MOST_SCORE, Stages
from depnet.model.table import ROW_SUM_TOLERANCE, ConditionalTable

_MOST = 2**31 - 1
_OPERATIONS: tuple[Literal["split"], Literal["merge"]] = ("split", "merge")
MOST_DIGIT_STATES = 256
"""Of a number whose stages have scores of one digit each."""


class ConstantFields(Fields, tag_field="kind", tag="constant"):
    """A source of one leaf."""

    def read(self, domain: Domain, at: str) -> InformationSource:
        return ConstantSource()


class LosslessFields(Fields, tag_field="kind", tag="lossless"):
    """A source with a leaf for each joint state of its inputs."""

    inputs: list[Leaf]

    def read(self, domain: Domain, at: str) -> LosslessSource:
        check_whole(np.array(self.inputs, dtype=np.int64), 0, len(domain) - 1, f"{at}.inputs")
        with located(f"{at}.inputs"):
            return LosslessSource(tuple(self.inputs), tuple(domain.cardinalities[j] for j in self.inputs))


class GraphFields(Fields, tag_field="kind", tag="decision graph"):
    operations: list[tuple[Literal["split", "merge"], Leaf, Leaf]]

    def read(self, domain: Domain, at: str) -> InformationSource:
        kinds = np.array([name == "merge" for name, _, _ in self.operations], dtype=np.uint8)
        first, second = (np.array([each[k] for each in self.operations], dtype=np.int32) for k in (1, 2))
        with located(f"{at}.operations"):
            size = size_of_recorded(kinds, first, second, domain.cardinalities)
        return DecisionGraph.recorded(kinds, first, second, domain.cardinalities, size)


class TabulatedFields(Fields, tag_field="kind", tag="tabulated"):
    """A source that says the leaf of each joint state of its inputs."""

    inputs: list[Leaf]
    size: Annotated[int, Meta(ge=1, le=MAX_LEAVES)]
    leaves: list[Leaf]

    def read(self, domain: Domain, at: str) -> InformationSource:
        every = LosslessFields(self.inputs).read(domain, at)
        leaves = whole_array(self.leaves, 0, self.size - 1, every.size, f"{at}.leaves")
        return TabulatedSource(every.inputs, every.input_cardinalities, leaves, self.size)


SourceFields: TypeAlias = ConstantFields | LosslessFields | GraphFields | TabulatedFields


def source_fields(source: InformationSource, cardinalities: Sequence[int], at: str) -> SourceFields:
    """What a file says of a source; a user's own function is written out."""
    if isinstance(source, ConstantSource):
        return ConstantFields()
    if isinstance(source, LosslessSource):
        return LosslessFields(list(source.inputs))
    if isinstance(source, DecisionGraph):
        kinds, first, second = (numbers.tolist() for numbers in source.arrays)
        return GraphFields(list(zip([_OPERATIONS[kind] for kind in kinds], first, second, strict=True)))
    if not isinstance(source, TabulatedSource):
        try:
            source = TabulatedSource.of(source, cardinalities)
        except ModelError as error:
            raise fault(at, f"a {type(source).__name__} cannot be saved as it is: {error}") from error
    return TabulatedFields(list(source.inputs), source.size, source.leaves.tolist())


class TableFields(Fields):
    """A conditional table: counts with their smoothing, or probabilities."""

    smoothing: float | UnsetType = UNSET
    counts: list[list[Count]] | UnsetType = UNSET
    probabilities: list[list[Annotated[float, Meta(ge=0, le=1 + ROW_SUM_TOLERANCE)]]] | UnsetType = UNSET

    @classmethod
    def of(cls, table: ConditionalTable, at: str) -> "TableFields":
        if table.counts is None or table.smoothing is None:
            return cls(probabilities=table.probabilities.tolist())
        # What is not written must be what the reader makes of the counts.
        again = ConditionalTable.from_counts(table.counts, table.smoothing)
        if not np.array_equal(again.probabilities, table.probabilities):
            raise ModelFileError(
                f"{at}: its probabilities are not those of its counts and smoothing. Make the table with "
                "ConditionalTable.from_counts or .from_probabilities."
            )
        return cls(table.smoothing, table.counts.tolist())

    def read(self, leaves: int, states: int, at: str) -> ConditionalTable:
        if self.counts is not UNSET and self.smoothing is not UNSET and self.probabilities is UNSET:
            counts = _rows(self.counts, leaves, states, f"{at}.counts", np.int64)
            with located(at):
                return ConditionalTable.from_counts(counts, self.smoothing)
        if self.probabilities is UNSET or self.counts is not UNSET or self.smoothing is not UNSET:
            raise fault(at, "expected the fields 'counts' and 'smoothing', or 'probabilities' alone.")
        rows = _rows(self.probabilities, leaves, states, f"{at}.probabilities", np.float64)
        with located(at):
            return ConditionalTable.from_probabilities(rows)


def _rows(rows: list[list[Any]], leaves: int, states: int, at: str, dtype: type) -> NDArray[Any]:
    if len(rows) != leaves:
        what = f"expected one row for each of the source's {leaves:,} leaves; got {len(rows):,} rows."
        raise fault(at, what)
    for leaf, row in enumerate(rows):
        check_length(row, states, f"{at}[{leaf}]")
    return np.array(rows, dtype=dtype)


class BoostedFields(Fields):
    """What a boosted node adds to the scores of its source."""

    start_scores: list[Whole]
    gains: list[float]
    variable: list[Whole]
    low: list[Whole]
    high: list[Whole]
    begin: list[Whole]
    leaf: list[Whole]
    test: list[Whole]
    scores: list[Whole]
    digits: list[Whole] | UnsetType = UNSET
    column: list[Whole] | UnsetType = UNSET

    @classmethod
    def of(cls, node: BoostedNode) -> "BoostedFields":
        stages = node.stages
        lists = {f.name: getattr(stages, f.name) for f in fields(stages)}
        lists |= {"start_scores": node.start_scores, "gains": node.gains}
        column = None
        if node.digits is not None:
            lists["digits"] = node.digits.middle
            column = stages.only_columns() if node.states <= MOST_DIGIT_STATES else None
        if column is not None:
            sizes = np.diff(stages.begin) + 1
            lists["column"] = column
            lists["scores"] = stages.scores[np.arange(len(stages.scores)), np.repeat(column, sizes)]
        return cls(**{name: each.ravel().tolist() for name, each in lists.items()})

    def read(
        self, variable: int, start: InformationSource, cardinalities: tuple[int, ...], at: str
    ) -> BoostedNode:
        states = cardinalities[variable]
        first = _scores(self.start_scores, start.size * states, f"{at}.start_scores")
        stages = self._stages(states, cardinalities, at)
        check_length(self.gains, len({*start.inputs, *stages.inputs}), f"{at}.gains")
        with located(at):
            digits = None if self.digits is UNSET else DigitTree.of_middles(self.digits)
            return BoostedNode(variable, start, first.reshape(-1, states), stages, self.gains, digits)

    def _stages(self, states: int, cardinalities: tuple[int, ...], at: str) -> Stages:
        tested = whole_array(self.variable, 0, len(cardinalities) - 1, None, f"{at}.variable")
        low = whole_array(self.low, 0, 2**16 - 1, len(tested), f"{at}.low")
        high = whole_array(self.high, 0, 2**16 - 1, len(tested), f"{at}.high")
        fewer = high < np.array(cardinalities, dtype=np.int64)[tested]
        check_each(fewer, f"{at}.high", "the variable of this test has fewer states.")
        check_each(low <= high, f"{at}.low", "the lowest state of this test is above its highest.")
        leaf = whole_array(self.leaf, 0, MOST_LEAVES - 2, None, f"{at}.leaf")
        test = whole_array(self.test, 0, len(tested) - 1, len(leaf), f"{at}.test")
        begin = whole_array(self.begin, 0, len(leaf), None, f"{at}.begin")
        if not len(begin) or begin[0] != 0 or begin[-1] != len(leaf):
            raise fault(f"{at}.begin", f"expected numbers from 0 to {len(leaf):,}, that of splits.")
        sizes = np.diff(begin)
        check_each(sizes >= 0, f"{at}.begin", "this stage ends before it begins.")
        check_each(sizes < MOST_LEAVES, f"{at}.begin", f"this stage has more than {MOST_LEAVES} leaves.")
        leaves = np.arange(len(leaf)) - np.repeat(begin[:-1], sizes)
        check_each(leaf <= leaves, f"{at}.leaf", "the stage of this split has fewer leaves by then.")
        if self.column is UNSET:
            scores = _scores(self.scores, (len(leaf) + len(sizes)) * states, f"{at}.scores")
        else:  # of one state for each stage
            column = whole_array(self.column, 0, states - 1, len(sizes), f"{at}.column")
            alone = _scores(self.scores, len(leaf) + len(sizes), f"{at}.scores")
            if states > MOST_DIGIT_STATES:  # each number of the file takes the place of as many
                raise fault(f"{at}.column", f"the variable has more than {MOST_DIGIT_STATES} states.")
            scores = np.zeros((len(alone), states), dtype=np.int32)
            scores[np.arange(len(alone)), np.repeat(column, sizes + 1)] = alone
        with located(f"{at}.scores"):
            return Stages(tested, low, high, begin, leaf, test, scores.reshape(-1, states))  # type: ignore[arg-type]  # it narrows them


def _scores(values: list[int], length: int, at: str) -> NDArray[np.int32]:
    return whole_array(values, 1 - MOST_SCORE, MOST_SCORE - 1, length, at)


class NodeFields(Fields):
    """A node: its source, and either a table or stages."""

    source: SourceFields
    table: TableFields | UnsetType = UNSET
    boosted: BoostedFields | UnsetType = UNSET

    @classmethod
    def of(cls, node: Node, cardinalities: Sequence[int], at: str) -> "NodeFields":
        if isinstance(node, BoostedNode):
            source = source_fields(node.start, cardinalities, f"{at}.source")
            return cls(source, boosted=BoostedFields.of(node))
        source = source_fields(node.source, cardinalities, f"{at}.source")
        return cls(source, TableFields.of(node.table, f"{at}.table"))

    def read(self, number: int, domain: Domain, at: str) -> Node:
        if (self.table is UNSET) == (self.boosted is UNSET):
            raise fault(at, "expected either of the fields 'table' and 'boosted'.")
        source = self.source.read(domain, f"{at}.source")
        if self.boosted is not UNSET:
            return self.boosted.read(number, source, domain.cardinalities, f"{at}.boosted")
        assert self.table is not UNSET
        table = self.table.read(source.size, domain.cardinalities[number], f"{at}.table")
        with located(at):
            return TableNode(number, source, table)


def read_nodes(given: list[Raw], domain: Domain, at: str) -> tuple[Node, ...]:
    """Node i updates variable i: as many as there are variables, in their order.

    Each stays text until its turn comes, so that no more than one of them is in memory as plain values.
    """
    if len(given) != len(domain):
        raise fault(at, f"expected one node for each of the {len(domain):,} variables; got {len(given):,}.")
    places = [f"{at}[{i}]" for i in range(len(given))]
    return tuple(
        decode(raw, NodeFields, place).read(i, domain, place)
        for i, (raw, place) in enumerate(zip(given, places, strict=True))
    )


class TreesFields(Fields):
    """The trees that say where in its bins one variable lies."""

    column: Whole
    roots: list[Whole]
    variable: list[Whole]
    threshold: list[Whole]
    child: list[Whole]
    shares: list[Whole]

    @classmethod
    def of(cls, trees: PlaceTrees) -> "TreesFields":
        return cls(trees.column, *(getattr(trees, name).tolist() for name in cls.__struct_fields__[1:]))

    def read(self, domain: Domain, at: str) -> PlaceTrees:
        """The trees. A node leads to later nodes only, so that every row comes to a leaf."""
        column = self.column
        if not 0 <= column < len(domain) or (bins := domain.variables[column].bins) is None:
            raise fault(f"{at}.column", f"expected the number of a variable with bins; got {column}.")
        variable = whole_array(self.variable, -1, len(domain) - 1, None, f"{at}.variable")
        nodes = len(variable)
        check_each(variable != column, f"{at}.variable", "a tree does not read the variable that it is of.")
        roots = whole_array(self.roots, -1, nodes - 1, len(bins), f"{at}.roots")
        threshold = whole_array(self.threshold, 0, _MOST, nodes, f"{at}.threshold")
        levels = np.array([*map(level_count, domain.variables), 1])  # a leaf's is 0
        fine = threshold < levels[variable]
        check_each(fine, f"{at}.threshold", "the variable of this test has no such level.")
        shares = whole_array(self.shares, 0, WHOLE, None, f"{at}.shares")
        most = max(map(len, bins.quantiles))
        if len(shares) % most:
            raise fault(f"{at}.shares", f"expected {most} numbers for each leaf; got {len(shares):,} in all.")
        totals = np.repeat(shares.reshape(-1, most).sum(axis=1), most)
        check_each(totals == WHOLE, f"{at}.shares", f"the shares of a leaf are {WHOLE} in all.")
        child = whole_array(self.child, 0, _MOST, nodes, f"{at}.child")
        leaf, leaves = variable < 0, len(shares) // most
        check_each(~leaf | (child < leaves), f"{at}.child", "there is no such leaf.")
        inner = leaf | ((child > np.arange(nodes)) & (child < nodes - 1))
        check_each(inner, f"{at}.child", "expected the first of two later nodes.")
        return PlaceTrees(column, *map(read_only, (roots, variable, threshold, child, shares)))
