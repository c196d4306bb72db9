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
from depnet.data.table.variable import Domain
from depnet.errors import ModelError, ModelFileError
from depnet.model.boosted import BoostedNode
from depnet.model.file.fields import (
    Count,
    Fields,
    Leaf,
    Whole,
    check_each,
    check_length,
    count_array,
    decode,
    fault,
    locate_errors,
    whole_array,
)
from depnet.model.node import Node, TableNode
from depnet.model.sources.decision_graph import DecisionGraph, size_of_record
from depnet.model.sources.limits import MOST_DIGIT_STATES
from depnet.model.sources.source import (
    MAX_LEAVES,
    ConstantSource,
    InformationSource,
    LosslessSource,
    TabulatedSource,
)
from depnet.model.stages import MOST_SCORE, DigitTree, Stages
from depnet.model.table import ROW_SUM_TOLERANCE, ConditionalTable

_MOST = 2**31 - 1
_OPERATIONS: tuple[Literal["split"], Literal["merge"]] = ("split", "merge")
Short: TypeAlias = Annotated[int, Meta(ge=0, le=2**16 - 1)]
Score: TypeAlias = Annotated[int, Meta(gt=-MOST_SCORE, lt=MOST_SCORE)]


class ConstantFields(Fields, tag_field="kind", tag="constant"):
    def read(self, domain: Domain, at: str) -> InformationSource:
        return ConstantSource()


class LosslessFields(Fields, tag_field="kind", tag="lossless"):
    """A source with a leaf for each joint state of its inputs."""

    inputs: list[Leaf]

    def read(self, domain: Domain, at: str) -> LosslessSource:
        whole_array(self.inputs, 0, len(domain) - 1, None, f"{at}.inputs")
        with locate_errors(f"{at}.inputs"):
            return LosslessSource(tuple(self.inputs), tuple(domain.cardinalities[j] for j in self.inputs))


class GraphFields(Fields, tag_field="kind", tag="decision graph"):
    operations: list[tuple[Literal["split", "merge"], Leaf, Leaf]]

    def read(self, domain: Domain, at: str) -> InformationSource:
        kinds = np.array([name == "merge" for name, _, _ in self.operations], dtype=np.uint8)
        first, second = (np.array([each[k] for each in self.operations], dtype=np.int32) for k in (1, 2))
        with locate_errors(f"{at}.operations"):
            size = size_of_record(kinds, first, second, domain.cardinalities)
        return DecisionGraph.from_record((kinds, first, second), domain.cardinalities, size)


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
    """A conditional table: counts with their smoothing, and a prior where there is one, or probabilities."""

    smoothing: float | UnsetType = UNSET
    counts: list[list[Count]] | UnsetType = UNSET
    prior: list[list[Count]] | UnsetType = UNSET
    probabilities: list[list[Annotated[float, Meta(ge=0, le=1 + ROW_SUM_TOLERANCE)]]] | UnsetType = UNSET

    @classmethod
    def of(cls, table: ConditionalTable, at: str) -> "TableFields":
        if table.counts is None or table.smoothing is None:
            return cls(probabilities=table.probabilities.tolist())
        # What is not written must be what the reader makes of the counts.
        again = table.with_counts(table.counts)
        if not np.array_equal(again.probabilities, table.probabilities):
            raise ModelFileError(
                f"{at}: its probabilities are not those of its counts and smoothing. Make the table with "
                "ConditionalTable.from_counts or .from_probabilities."
            )
        prior = UNSET if table.prior is None else table.prior.tolist()
        return cls(table.smoothing, table.counts.tolist(), prior)

    def read(self, leaves: int, states: int, at: str) -> ConditionalTable:
        if self.counts is not UNSET and self.smoothing is not UNSET and self.probabilities is UNSET:
            counts = _rows(self.counts, leaves, states, f"{at}.counts")
            prior = None
            if self.prior is not UNSET:
                prior = _rows(self.prior, leaves, states, f"{at}.prior")
            with locate_errors(at):
                return ConditionalTable.from_counts(counts, self.smoothing, prior)
        others = (self.counts, self.smoothing, self.prior)
        if self.probabilities is UNSET or any(each is not UNSET for each in others):
            raise fault(at, "expected the fields 'counts' and 'smoothing', or 'probabilities' alone.")
        rows = _rows(self.probabilities, leaves, states, f"{at}.probabilities", np.float64)
        with locate_errors(at):
            return ConditionalTable.from_probabilities(rows)


def _rows(
    rows: list[list[Any]], leaves: int, states: int, at: str, dtype: type | None = None
) -> NDArray[Any]:
    """[leaf, state], of a type, or counts."""
    if len(rows) != leaves:
        what = f"expected one row for each of the source's {leaves:,} leaves; got {len(rows):,} rows."
        raise fault(at, what)
    for leaf, row in enumerate(rows):
        check_length(row, states, f"{at}[{leaf}]")
    return count_array(rows, at) if dtype is None else np.array(rows, dtype=dtype)


class BoostedFields(Fields):
    """What a boosted node adds to the scores of its source. `Stages` and `BoostedNode` check that the lists fit together."""

    start_scores: list[Score]
    gains: list[float]
    variable: list[Leaf]
    low: list[Short]
    high: list[Short]
    begin: list[Leaf]
    leaf: list[Short]
    test: list[Leaf]
    scores: list[Score]
    digits: list[Whole] | UnsetType = UNSET
    column: list[Short] | UnsetType = UNSET

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
        check_length(self.start_scores, start.size * states, f"{at}.start_scores")
        first = np.array(self.start_scores, dtype=np.int32).reshape(-1, states)
        scores = self._scores(states, at)
        with locate_errors(at):
            lists = (self.variable, self.low, self.high, self.begin, self.leaf, self.test)
            arrays = (*(np.array(each, dtype=np.int32) for each in lists), scores)
            stages = Stages(*arrays)  # type: ignore[arg-type]  # it narrows them
            digits = None if self.digits is UNSET else DigitTree(np.array(self.digits, dtype=np.int32))
            node = BoostedNode(variable, start, first, stages, self.gains, digits)
            node.check_domain(cardinalities)
            return node

    def _scores(self, states: int, at: str) -> NDArray[np.int32]:
        """[leaf, state] of all stages; where the file has one column a stage, the others are 0."""
        leaves = len(self.leaf) + max(len(self.begin) - 1, 0)
        given = np.array(self.scores, dtype=np.int32)
        if self.column is UNSET:
            check_length(self.scores, leaves * states, f"{at}.scores")
            return given.reshape(-1, states)
        check_length(self.scores, leaves, f"{at}.scores")
        column = whole_array(self.column, 0, states - 1, max(len(self.begin) - 1, 0), f"{at}.column")
        begin = np.array(self.begin, dtype=np.int64)
        sizes = begin[1:] - begin[:-1] + 1
        if states > MOST_DIGIT_STATES:  # each number of the file takes the place of as many
            raise fault(f"{at}.column", f"the variable has more than {MOST_DIGIT_STATES} states.")
        if (sizes < 1).any() or sizes.sum() != leaves:
            raise fault(
                f"{at}.begin", f"expected ascending numbers from 0 to {len(self.leaf):,}, that of splits."
            )
        scores = np.zeros((leaves, states), dtype=np.int32)
        scores[np.arange(leaves), np.repeat(column, sizes)] = given
        return scores


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
        with locate_errors(at):
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
