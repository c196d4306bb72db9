"""Fields of a model file as a model: every one checked, in the order in which one gives the next its size.

The domain says how many variables and states there are; a node's source says how many leaves; only then
is the table looked at, which must have exactly as many rows. So nothing is made that the file only
declares and does not hold.
"""

import math
from collections import Counter
from collections.abc import Sequence, Sized
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, Raw, UnsetType
from numpy.typing import NDArray

from depnet.arrays import IntArray, read_only
from depnet.data.binning.bins import MAX_QUANTILES, Bins
from depnet.data.frames.within import WHOLE, PlaceTrees, Within, level_count
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Variable
from depnet.errors import ModelFileError
from depnet.model.boosted import BoostedNode
from depnet.model.digits import DigitTree
from depnet.model.file.fields import (
    BinsFields,
    BoostedFields,
    ConstantFields,
    CountsFields,
    Document,
    GraphFields,
    HeldOutFields,
    LawFields,
    NodeFields,
    SourceFields,
    TableFields,
    TabulatedFields,
    TreesFields,
    VariableFields,
    decode,
    fault,
    located,
)
from depnet.model.held_out import HeldOut
from depnet.model.marginals import MarginalCounts, PairTables
from depnet.model.model import Model
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.sources.decision_graph import DecisionGraph, size_of_recorded
from depnet.model.sources.source import ConstantSource, InformationSource, LosslessSource
from depnet.model.sources.tabulated import TabulatedSource
from depnet.model.stages import MOST_LEAVES, MOST_SCORE, Stages
from depnet.model.table import MAX_COUNT, ConditionalTable

MAX_LABEL_BITS = 4096
"""Whole numbers as labels: JSON sets no limit, but Python reads no more than 4,300 digits."""

_MAX_OF_ONE_HASH = 1000
"""Labels that may fall together in a dictionary."""

_MOST = 2**31 - 1
MOST_DIGIT_STATES = 256
"""Of a number whose stages have scores of one digit each."""


def model_of(document: Document) -> Model:
    """The model that a file describes, all but its layout."""
    if document.nodes is UNSET and document.law is UNSET:
        raise ModelFileError("the field 'nodes' is missing, and so is 'law'.")
    if document.nodes is UNSET and document.held_out is not UNSET:
        raise fault("held_out", "this is of the network in 'nodes', which is missing.")
    variables = document.domain.variables
    with located("domain.variables"):
        domain = Domain(tuple(_variable(each, f"domain.variables[{i}]") for i, each in enumerate(variables)))
    counts = None if document.counts is UNSET else _counts(document.counts, domain)
    law = None if document.law is UNSET else _law(document.law, domain, counts)
    if law is not None and document.within is not UNSET:
        law = replace(law, within=_within(document.within, domain, law.order or ()))
    if document.nodes is UNSET:
        assert law is not None
        return Model(law)
    held_out = _held_out(document.held_out, "held_out")
    nodes = _nodes(document.nodes, domain, "nodes")
    with located("nodes"):
        return Model(Network(domain, nodes, counts, None, held_out), law)


def check_label(label: object, at: str) -> None:
    """A whole number as a label must be of a size that every reader can take."""
    if isinstance(label, int) and label.bit_length() > MAX_LABEL_BITS:
        raise fault(at, "this whole number is too long for a label. Make it a string.")


def _variable(fields: VariableFields, at: str) -> Variable:
    states = fields.states
    for code, label in enumerate(states):
        check_label(label, f"{at}.states[{code}]")
    _check_hashes(states, f"{at}.states")
    bins = None if fields.bins is UNSET else _bins(fields.bins, len(states) - fields.missing, f"{at}.bins")
    other = states[-1 - fields.missing] if fields.other and len(states) > fields.missing else None
    missing = states[-1] if fields.missing and states else None
    with located(at):
        return Variable(fields.name, tuple(states), bins, missing, fields.ordered, other=other)


def _check_hashes(labels: list[Any], at: str) -> None:
    """Whole numbers can be chosen so that a dictionary of them takes quadratic time; those of a table never are."""
    if len(labels) <= _MAX_OF_ONE_HASH:
        return
    ((_, most),) = Counter(map(hash, labels)).most_common(1)
    if most > _MAX_OF_ONE_HASH:
        raise fault(
            at, f"{most:,} of the labels have one hash: they were made to take time. Make them strings."
        )


def _bins(fields: BinsFields, number: int, at: str) -> Bins:
    _check_length(fields.edges, number + 1, f"{at}.edges")
    _check_length(fields.quantiles, number, f"{at}.quantiles")
    edges = []
    for k, edge in enumerate(fields.edges):
        if edge is None and k not in (0, number):
            raise fault(f"{at}.edges[{k}]", "only the first and the last edge may be null.")
        edges.append((math.inf if k else -math.inf) if edge is None else edge)
    for k, values in enumerate(fields.quantiles):
        if len(values) > MAX_QUANTILES:
            raise fault(
                f"{at}.quantiles[{k}]", f"a bin keeps at most {MAX_QUANTILES} values; got {len(values):,}."
            )
    with located(at):
        return Bins(tuple(edges), tuple(map(tuple, fields.quantiles)), fields.kind, fields.form)  # type: ignore[arg-type]  # it checks the kind


def _counts(fields: CountsFields, domain: Domain) -> MarginalCounts:
    cards = domain.cardinalities
    _check_length(fields.singles, len(cards), "counts.singles")
    singles = tuple(
        _tally(single, k, f"counts.singles[{i}]")
        for i, (single, k) in enumerate(zip(fields.singles, cards, strict=True))
    )
    pairs = None if fields.pairs is None else _pairs(fields.pairs, cards)
    with located("counts"):
        counts = MarginalCounts(singles, pairs, -1 if fields.total is UNSET else fields.total)
        if pairs is not None:
            pairs.check(singles, counts.total)
    return counts


def _tally(numbers: list[int], states: int, at: str) -> IntArray:
    _check_length(numbers, states, at)
    if sum(numbers) >= MAX_COUNT:
        raise fault(at, "the counts sum to 2^53 or more.")
    return read_only(np.array(numbers, dtype=np.int64))


def _pairs(given: list[list[int]], cards: tuple[int, ...]) -> PairTables:
    """All tables in one array: one array for each of millions of small tables would take a hundred times their text."""
    n = len(cards)
    _check_length(given, n * (n - 1) // 2, "counts.pairs")
    sizes = [cards[i] * cards[j] for i in range(n) for j in range(i + 1, n)]
    for p, (table, size) in enumerate(zip(given, sizes, strict=True)):
        _check_length(table, size, f"counts.pairs[{p}]")
    numbers = np.fromiter((count for table in given for count in table), dtype=np.int64, count=sum(sizes))
    return PairTables(cards, read_only(numbers), 0, n)


def _law(fields: LawFields, domain: Domain, counts: MarginalCounts | None) -> Network:
    _check_length(fields.order, len(domain), "law.order")
    held_out = _held_out(fields.held_out, "law.held_out")
    nodes = _nodes(fields.nodes, domain, "law.nodes")
    with located("law"):
        return Network(domain, nodes, counts, tuple(fields.order), held_out)


def _held_out(fields: HeldOutFields | UnsetType, at: str) -> HeldOut | None:
    if fields is UNSET:
        return None
    with located(at):
        return HeldOut(**msgspec.structs.asdict(fields))


def _nodes(given: list[Raw], domain: Domain, at: str) -> tuple[Node, ...]:
    """Node i updates variable i: as many as there are variables, in their order."""
    if len(given) != len(domain):
        raise fault(at, f"expected one node for each of the {len(domain):,} variables; got {len(given):,}.")
    return tuple(_node(each, i, domain, f"{at}[{i}]") for i, each in enumerate(given))


def _node(raw: Raw, number: int, domain: Domain, at: str) -> Node:
    fields = decode(raw, NodeFields, at)
    if (fields.table is UNSET) == (fields.boosted is UNSET):
        raise fault(at, "expected either of the fields 'table' and 'boosted'.")
    source = _source(fields.source, domain, f"{at}.source")
    if fields.boosted is not UNSET:
        return _boosted(fields.boosted, number, source, domain.cardinalities, f"{at}.boosted")
    assert fields.table is not UNSET
    table = _table(fields.table, source.size, domain.cardinalities[number], f"{at}.table")
    with located(at):
        return TableNode(number, source, table)


def _source(fields: SourceFields, domain: Domain, at: str) -> InformationSource:
    if isinstance(fields, ConstantFields):
        return ConstantSource()
    if isinstance(fields, GraphFields):
        return _graph(fields, domain, f"{at}.operations")
    check_whole(np.array(fields.inputs, dtype=np.int64), 0, len(domain) - 1, f"{at}.inputs")
    inputs = tuple(fields.inputs)
    cards = tuple(domain.cardinalities[j] for j in inputs)
    with located(f"{at}.inputs"):
        lossless = LosslessSource(inputs, cards)  # its size is that of the tabulated leaves, too
    if not isinstance(fields, TabulatedFields):
        return lossless
    leaves = _whole_array(fields.leaves, 0, fields.size - 1, lossless.size, f"{at}.leaves")
    return TabulatedSource(inputs, cards, leaves, fields.size)


def _graph(fields: GraphFields, domain: Domain, at: str) -> DecisionGraph:
    kinds = np.array([name == "merge" for name, _, _ in fields.operations], dtype=np.uint8)
    first, second = (np.array([each[k] for each in fields.operations], dtype=np.int32) for k in (1, 2))
    with located(at):
        size = size_of_recorded(kinds, first, second, domain.cardinalities)
    return DecisionGraph.recorded(kinds, first, second, domain.cardinalities, size)


def _table(fields: TableFields, leaves: int, states: int, at: str) -> ConditionalTable:
    if fields.counts is not UNSET and fields.smoothing is not UNSET and fields.probabilities is UNSET:
        counts = _rows(fields.counts, leaves, states, f"{at}.counts", np.int64)
        with located(at):
            return ConditionalTable.from_counts(counts, fields.smoothing)
    if fields.probabilities is UNSET or fields.counts is not UNSET or fields.smoothing is not UNSET:
        raise fault(at, "expected the fields 'counts' and 'smoothing', or 'probabilities' alone.")
    rows = _rows(fields.probabilities, leaves, states, f"{at}.probabilities", np.float64)
    with located(at):
        return ConditionalTable.from_probabilities(rows)


def _rows(rows: list[list[Any]], leaves: int, states: int, at: str, dtype: type) -> NDArray[Any]:
    """Rows of numbers, one a leaf."""
    if len(rows) != leaves:
        raise fault(
            at, f"expected one row for each of the source's {leaves:,} leaves; got {len(rows):,} rows."
        )
    for leaf, row in enumerate(rows):
        _check_length(row, states, f"{at}[{leaf}]")
    return np.array(rows, dtype=dtype)


def _boosted(
    fields: BoostedFields,
    variable: int,
    start: InformationSource,
    cardinalities: tuple[int, ...],
    at: str,
) -> BoostedNode:
    states = cardinalities[variable]
    first = _scores(fields.start_scores, start.size * states, f"{at}.start_scores")
    stages = _stages(fields, states, cardinalities, at)
    _check_length(fields.gains, len({*start.inputs, *stages.inputs}), f"{at}.gains")
    with located(at):
        digits = None if fields.digits is UNSET else DigitTree.of_middles(fields.digits)
        gains = np.array(fields.gains, dtype=np.float64)
        return BoostedNode(variable, start, first.reshape(-1, states), stages, gains, digits)


def _stages(fields: BoostedFields, states: int, cardinalities: tuple[int, ...], at: str) -> Stages:
    tested = _whole_array(fields.variable, 0, len(cardinalities) - 1, None, f"{at}.variable")
    low = _whole_array(fields.low, 0, 2**16 - 1, len(tested), f"{at}.low")
    high = _whole_array(fields.high, 0, 2**16 - 1, len(tested), f"{at}.high")
    fewer = high < np.array(cardinalities, dtype=np.int64)[tested]
    _check_each(fewer, f"{at}.high", "the variable of this test has fewer states.")
    _check_each(low <= high, f"{at}.low", "the lowest state of this test is above its highest.")
    leaf = _whole_array(fields.leaf, 0, MOST_LEAVES - 2, None, f"{at}.leaf")
    test = _whole_array(fields.test, 0, len(tested) - 1, len(leaf), f"{at}.test")
    begin = _whole_array(fields.begin, 0, len(leaf), None, f"{at}.begin")
    if not len(begin) or begin[0] != 0 or begin[-1] != len(leaf):
        raise fault(f"{at}.begin", f"expected numbers from 0 to {len(leaf):,}, that of splits.")
    sizes = np.diff(begin)
    _check_each(sizes >= 0, f"{at}.begin", "this stage ends before it begins.")
    _check_each(sizes < MOST_LEAVES, f"{at}.begin", f"this stage has more than {MOST_LEAVES} leaves.")
    leaves = np.arange(len(leaf)) - np.repeat(begin[:-1], sizes)
    _check_each(leaf <= leaves, f"{at}.leaf", "the stage of this split has fewer leaves by then.")
    if fields.column is UNSET:
        scores = _scores(fields.scores, (len(leaf) + len(sizes)) * states, f"{at}.scores")
    else:  # of one state for each stage
        column = _whole_array(fields.column, 0, states - 1, len(sizes), f"{at}.column")
        alone = _scores(fields.scores, len(leaf) + len(sizes), f"{at}.scores")
        if states > MOST_DIGIT_STATES:  # each number of the file takes the place of as many
            raise fault(f"{at}.column", f"the variable has more than {MOST_DIGIT_STATES} states.")
        scores = np.zeros((len(alone), states), dtype=np.int32)
        scores[np.arange(len(alone)), np.repeat(column, sizes + 1)] = alone
    with located(f"{at}.scores"):
        return Stages(tested, low, high, begin, leaf, test, scores.reshape(-1, states))  # type: ignore[arg-type]  # it narrows them


def _scores(values: list[int], length: int, at: str) -> NDArray[np.int32]:
    return _whole_array(values, 1 - MOST_SCORE, MOST_SCORE - 1, length, at)


def _within(given: list[Raw], domain: Domain, order: tuple[int, ...]) -> Within:
    """Where numbers lie within bins. A tree's node leads to later nodes only, so that every row comes to a leaf."""
    found = [_trees(each, domain, f"within[{k}]") for k, each in enumerate(given)]
    columns = [trees.column for trees in found]
    if len(set(columns)) < len(columns):
        raise fault("within", "expected one object for each variable; one stands twice.")
    return Within(domain, order, tuple(found))


def _trees(raw: Raw, domain: Domain, at: str) -> PlaceTrees:
    fields = decode(raw, TreesFields, at)
    column = fields.column
    if not 0 <= column < len(domain) or (bins := domain.variables[column].bins) is None:
        raise fault(f"{at}.column", f"expected the number of a variable with bins; got {column}.")
    variable = _whole_array(fields.variable, -1, len(domain) - 1, None, f"{at}.variable")
    nodes = len(variable)
    _check_each(variable != column, f"{at}.variable", "a tree does not read the variable that it is of.")
    roots = _whole_array(fields.roots, -1, nodes - 1, len(bins), f"{at}.roots")
    threshold = _whole_array(fields.threshold, 0, _MOST, nodes, f"{at}.threshold")
    levels = np.array([*map(level_count, domain.variables), 1])  # a leaf's is 0
    _check_each(
        threshold < levels[variable], f"{at}.threshold", "the variable of this test has no such level."
    )
    shares = _whole_array(fields.shares, 0, WHOLE, None, f"{at}.shares")
    most = max(map(len, bins.quantiles))
    if len(shares) % most:
        raise fault(f"{at}.shares", f"expected {most} numbers for each leaf; got {len(shares):,} in all.")
    totals = np.repeat(shares.reshape(-1, most).sum(axis=1), most)
    _check_each(totals == WHOLE, f"{at}.shares", f"the shares of a leaf are {WHOLE} in all.")
    child = _whole_array(fields.child, 0, _MOST, nodes, f"{at}.child")
    leaf, leaves = variable < 0, len(shares) // most
    _check_each(~leaf | (child < leaves), f"{at}.child", "there is no such leaf.")
    inner = leaf | ((child > np.arange(nodes)) & (child < nodes - 1))
    _check_each(inner, f"{at}.child", "expected the first of two later nodes.")
    return PlaceTrees(column, *map(read_only, (roots, variable, threshold, child, shares)))


def _check_length(values: Sized, length: int, at: str) -> None:
    if len(values) != length:
        raise fault(at, f"expected {length:,} entries; got {len(values):,}.")


def _whole_array(
    values: Sequence[int], low: int, high: int, length: int | None, at: str
) -> NDArray[np.int32]:
    """A given number of whole numbers from `low` to `high`."""
    if length is not None:
        _check_length(values, length, at)
    numbers = np.array(values, dtype=np.int32)
    check_whole(numbers, low, high, at)
    return numbers


def check_whole(numbers: NDArray[Any], low: int, high: int, at: str) -> None:
    """The error of the first number that is not from `low` to `high`."""
    wrong = np.flatnonzero((numbers < low) | (numbers > high))
    if len(wrong):
        k = int(wrong[0])
        raise fault(f"{at}[{k}]", f"expected a whole number from {low:,} to {high:,}; got {numbers[k]}.")


def _check_each(fine: NDArray[np.bool_], at: str, what: str) -> None:
    """The error of the first entry that is not fine."""
    if not fine.all():
        raise fault(f"{at}[{int(np.argmin(fine))}]", what)
