"""A model as the bytes of a file: JSON that people and line-by-line tools can read, with a checksum of the content.

The same model gives the same bytes.
"""

import gzip
import hashlib
import math
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from depnet.data.frames.within import Within
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Variable
from depnet.errors import ModelError, ModelFileError
from depnet.model.boosted import BoostedNode
from depnet.model.file.fields import (
    FORMAT,
    VERSION,
    BinsFields,
    BoostedFields,
    ConstantFields,
    CountsFields,
    GraphFields,
    HeldOutFields,
    LosslessFields,
    NodeFields,
    SourceFields,
    TableFields,
    TabulatedFields,
    TreesFields,
    VariableFields,
    fault,
)
from depnet.model.file.layout import layout_fields
from depnet.model.file.read import MOST_DIGIT_STATES, check_label
from depnet.model.held_out import HeldOut
from depnet.model.marginals import MarginalCounts
from depnet.model.model import Model
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import ConstantSource, InformationSource, LosslessSource
from depnet.model.sources.tabulated import TabulatedSource
from depnet.model.table import MAX_COUNT, ConditionalTable

_CHUNK = 2**16
_OPERATIONS = ("split", "merge")


def encode(model: Model, *, compressed: bool) -> bytes:
    """The bytes of a file: one variable, one node and the trees of one variable a line."""
    domain, network, law = model.domain, model.network, model.law
    variables = [_variable(each, f"domain.variables[{i}]") for i, each in enumerate(domain.variables)]
    parts = [
        f'"format": {_text(FORMAT)}',
        f'"version": {VERSION}',
        f'"domain": {{"variables": {_lines(variables)}}}',
    ]
    if network is not law:
        parts.append(f'"nodes": {_lines(_nodes(network, "nodes"))}')
        parts += _held_out(network.held_out, "held_out")
    if law is not None:
        order = f'"order": {_text(law.order)}'
        beside = ", ".join([order, *_held_out(law.held_out, "law.held_out")])
        parts.append(f'"law": {{{beside},\n"nodes": {_lines(_nodes(law, "law.nodes"))}}}')
    if model.counts is not None:
        parts.append(f'"counts": {_text(_counts(model.counts))}')
    if law is not None and law.within is not None:
        parts.append(f'"within": {_lines(_trees(law.within))}')
    if model.layout is not None:
        parts.append(f'"layout": {_text(layout_fields(model.layout, domain))}')
    content = ("{\n" + ",\n".join(parts) + ",\n").encode()
    data = content + f'"checksum": "{checksum_of(memoryview(content))}"\n}}\n'.encode()
    return gzip.compress(data, 6, mtime=0) if compressed else data


def checksum_of(content: memoryview) -> str:
    """SHA-256 of all that stands before the field `checksum`, blanks and line breaks left out."""
    digest = hashlib.sha256()
    for start in range(0, len(content), _CHUNK):  # no copy of the whole file
        digest.update(bytes(content[start : start + _CHUNK]).translate(None, b" \t\r\n"))
    return f"sha256:{digest.hexdigest()}"


def _variable(variable: Variable, at: str) -> VariableFields:
    for code, label in enumerate(variable.states):
        check_label(label, f"{at}.states[{code}]")
    bins: BinsFields | UnsetType = UNSET
    if (given := variable.bins) is not None:
        edges = [None if math.isinf(edge) else edge for edge in given.edges]
        bins = BinsFields(given.kind, edges, [list(values) for values in given.quantiles], given.form)
    return VariableFields(
        variable.name,
        list(variable.states),
        bins,
        missing=variable.missing is not None,
        other=variable.other is not None,
        ordered=variable.ordered,
    )


def _nodes(network: Network, at: str) -> list[NodeFields]:
    return [_node(node, network.domain, f"{at}[{number}]") for number, node in enumerate(network.nodes)]


def _node(node: Node, domain: Domain, at: str) -> NodeFields:
    if isinstance(node, BoostedNode):
        return NodeFields(_source(node.start, domain, f"{at}.source"), boosted=_boosted(node))
    return NodeFields(_source(node.source, domain, f"{at}.source"), _table(node.table, f"{at}.table"))


def _boosted(node: BoostedNode) -> BoostedFields:
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
    return BoostedFields(**{name: each.ravel().tolist() for name, each in lists.items()})


def _source(source: InformationSource, domain: Domain, at: str) -> SourceFields:
    if isinstance(source, ConstantSource):
        return ConstantFields()
    if isinstance(source, LosslessSource):
        return LosslessFields(list(source.inputs))
    if isinstance(source, DecisionGraph):
        kinds, first, second = (numbers.tolist() for numbers in source.arrays)
        names = [_OPERATIONS[kind] for kind in kinds]
        return GraphFields(list(zip(names, first, second, strict=True)))  # type: ignore[arg-type]  # of two names
    if not isinstance(source, TabulatedSource):
        try:
            source = TabulatedSource.of(source, domain.cardinalities)
        except ModelError as error:
            raise fault(at, f"a {type(source).__name__} cannot be saved as it is: {error}") from error
    return TabulatedFields(list(source.inputs), source.size, source.leaves.tolist())


def _table(table: ConditionalTable, at: str) -> TableFields:
    if table.counts is None or table.smoothing is None:
        return TableFields(probabilities=table.probabilities.tolist())
    # What is not written must be what the reader makes of the counts.
    again = ConditionalTable.from_counts(table.counts, table.smoothing)
    if not np.array_equal(again.probabilities, table.probabilities):
        raise ModelFileError(
            f"{at}: its probabilities are not those of its counts and smoothing. Make the table with "
            "ConditionalTable.from_counts or .from_probabilities."
        )
    return TableFields(table.smoothing, table.counts.tolist())


def _held_out(held_out: HeldOut | None, at: str) -> list[str]:
    """The field `held_out`, where there is something to say."""
    if held_out is None:
        return []
    if held_out.rows > MAX_COUNT:
        raise fault(f"{at}.rows", f"expected a whole number from 1 to {MAX_COUNT:,}; got {held_out.rows:,}.")
    fields = HeldOutFields(*(getattr(held_out, name) for name in HeldOutFields.__struct_fields__))
    return [f'"held_out": {_text(fields)}']


def _counts(counts: MarginalCounts) -> CountsFields:
    pairs = counts.pairs
    return CountsFields(
        [single.tolist() for single in counts.singles],
        None if pairs is None else [pairs[pair].ravel().tolist() for pair in sorted(pairs)],
        counts.total if counts.holes.any() else UNSET,
    )


def _trees(within: Within) -> list[TreesFields]:
    names = TreesFields.__struct_fields__[1:]
    return [
        TreesFields(trees.column, *(getattr(trees, name).tolist() for name in names))
        for trees in within.trees
    ]


def _lines(values: Any) -> str:
    return "[\n" + ",\n".join(map(_text, values)) + "\n]"


def _text(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
