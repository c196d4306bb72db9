"""A document as a network and a law: every field checked, in the order in which one gives the next its size.

The domain says how many variables and states there are; a node's source says how many leaves; only then
is the table looked at, which must have exactly as many rows. So nothing is made that the file only
declares and does not hold.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.data.table.domain import Domain
from depnet.errors import DataError, ModelError, ModelFileError, brief
from depnet.model.file.counts import counts_of
from depnet.model.file.document import FORMAT, VERSION
from depnet.model.file.fields import fault, fields_of, items_of, number_of, whole_of, wholes_of
from depnet.model.file.held_out import held_out_of
from depnet.model.file.lines import NodeLines
from depnet.model.file.variables import variable_of
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph, checked_size, recorded_of
from depnet.model.sources.operations import Merge, Operation, Split
from depnet.model.sources.source import MAX_LEAVES, ConstantSource, InformationSource, LosslessSource
from depnet.model.sources.tabulated import TabulatedSource
from depnet.model.table import MAX_COUNT, ROW_SUM_TOLERANCE, ConditionalTable

AGAIN = "Fit again from the table: depnet fit TABLE -o MODEL, or depnet.learn and depnet.save."
"""What to do with a file that this depnet cannot use, or that lacks something."""


class Networks(NamedTuple):
    """What a document describes: the paper's network and the law, one of which may not be there."""

    network: Network | None
    law: Network | None
    version: int


def networks_of(document: dict[str, Any]) -> Networks:
    """The networks that a document describes. Top-level fields of other names are left alone."""
    version = _checked_version(document)
    lawful = version >= 3
    if "domain" not in document:
        raise ModelFileError("the field 'domain' is missing.")
    if "nodes" not in document and not (lawful and "law" in document):
        raise ModelFileError("the field 'nodes' is missing" + (", and so is 'law'." if lawful else "."))
    domain = _domain(document["domain"], version)
    counts = counts_of(document["counts"], domain) if "counts" in document else None
    # The law first: so are its nodes in the checksum.
    law = _law(document["law"], domain, counts) if lawful and "law" in document else None
    if "nodes" not in document:
        if "held_out" in document:
            raise fault("held_out", "this is of the network in 'nodes', which is missing.")
        return Networks(None, law, version)
    held_out = held_out_of(document["held_out"], "held_out") if lawful and "held_out" in document else None
    nodes = _nodes(document["nodes"], domain, "nodes")
    return Networks(_made(partial(Network, domain, nodes, counts, None, held_out), "nodes"), law, version)


def _law(value: object, domain: Domain, counts: MarginalCounts | None) -> Network:
    held_out = ("held_out",) if isinstance(value, dict) and "held_out" in value else ()
    fields = fields_of(value, "law", ("order", *held_out, "nodes"))
    order = wholes_of(fields["order"], "law.order", 0, len(domain) - 1, len(domain))
    if len(set(order)) < len(order):
        raise fault("law.order", "expected every variable once; one stands twice.")
    scores = held_out_of(fields["held_out"], "law.held_out") if held_out else None
    nodes = _nodes(fields["nodes"], domain, "law.nodes")
    return _made(partial(Network, domain, nodes, counts, tuple(order), scores), "law")


def _nodes(given: object, domain: Domain, at: str) -> tuple[Node, ...]:
    """Node i updates variable i: as many as there are variables, in their order."""
    nodes = []
    for number, value in enumerate(given if isinstance(given, NodeLines) else items_of(given, at)):
        if number == len(domain):
            raise fault(f"{at}[{number}]", f"there are {len(domain):,} variables, and each has one node.")
        nodes.append(_node(value, number, domain, f"{at}[{number}]"))
    if len(nodes) < len(domain):
        raise fault(
            at, f"no node updates variable {brief(domain.names[len(nodes)])}; every variable needs one."
        )
    return tuple(nodes)


def _made(make: partial[Network], at: str) -> Network:
    try:
        return make()
    except ModelError as error:
        raise fault(at, str(error)) from None


def _checked_version(document: dict[str, Any]) -> int:
    if document.get("format") != FORMAT:
        raise fault(
            "format", f"expected {FORMAT!r}; got {brief(document.get('format'))}. This is no model file."
        )
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise fault("version", f"expected a whole number from 1 to {VERSION}; got {brief(version)}.")
    if version > VERSION:
        raise fault(
            "version",
            f"the file has version {brief(version)} and comes from a newer depnet; this one reads versions up to "
            f"{VERSION}. Upgrade depnet: pip install --upgrade depnet.",
        )
    return version


def _domain(value: object, version: int) -> Domain:
    at = "domain.variables"
    variables = []
    for i, given in enumerate(items_of(fields_of(value, "domain", ("variables",))["variables"], at)):
        variables.append(variable_of(given, f"{at}[{i}]", version))
    try:
        return Domain(tuple(variables))
    except DataError as error:
        raise fault(at, str(error)) from None


def _node(value: object, number: int, domain: Domain, at: str) -> Node:
    fields = fields_of(value, at, ("variables", "source", "table"))
    variables = wholes_of(fields["variables"], f"{at}.variables", 0, len(domain) - 1)
    if len(variables) > 1:
        raise fault(
            f"{at}.variables",
            f"this node updates {len(variables):,} variables at once: a block, which depnet no longer has. {AGAIN}",
        )
    if variables != [number]:
        raise fault(
            f"{at}.variables",
            f"expected [{number}]: each variable has one node, in the order of the domain; got {brief(variables)}. {AGAIN}",
        )
    source = _source(fields["source"], domain, f"{at}.source")
    table = _table(fields["table"], source.size, domain.cardinalities[number], f"{at}.table")
    try:
        return Node((number,), source, table)
    except ModelError as error:
        raise fault(at, str(error)) from None


def _source(value: object, domain: Domain, at: str) -> InformationSource:
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind == "constant":
        fields_of(value, at, ("kind",))
        return ConstantSource()
    if kind == "decision graph":
        fields = fields_of(value, at, ("kind", "operations"))
        given = items_of(fields["operations"], f"{at}.operations")
        operations = tuple(_operation(o, f"{at}.operations[{t}]") for t, o in enumerate(given))
        try:
            size = checked_size(operations, domain.cardinalities)
        except ModelError as error:
            raise fault(f"{at}.operations", str(error)) from None
        # As arrays: a tuple for each operation would take more memory than all else.
        return DecisionGraph.recorded(*recorded_of(operations), domain.cardinalities, size)
    if kind in ("lossless", "tabulated"):
        names = ("kind", "inputs") if kind == "lossless" else ("kind", "inputs", "size", "leaves")
        fields = fields_of(value, at, names)
        inputs = tuple(wholes_of(fields["inputs"], f"{at}.inputs", 0, len(domain) - 1))
        cards = tuple(domain.cardinalities[j] for j in inputs)
        try:
            lossless = LosslessSource(inputs, cards)  # its size is that of the tabulated leaves, too
        except ModelError as error:
            raise fault(f"{at}.inputs", str(error)) from None
        if kind == "lossless":
            return lossless
        size = whole_of(fields["size"], f"{at}.size", 1, MAX_LEAVES)
        leaves = wholes_of(fields["leaves"], f"{at}.leaves", 0, size - 1, lossless.size)
        return TabulatedSource(inputs, cards, np.array(leaves, dtype=np.int32), size)
    raise fault(
        at,
        f"expected an object whose 'kind' is 'constant', 'lossless', 'decision graph' or 'tabulated'; got "
        f"{brief(value)}.",
    )


def _operation(value: object, at: str) -> Operation:
    name, *pair = items_of(value, at, 3)
    first, second = wholes_of(pair, at, 0, MAX_LEAVES)
    if name == "split":
        return Split(first, second)
    if name == "merge":
        return Merge(first, second)
    raise fault(at, f"expected ['split', leaf, variable] or ['merge', first, second]; got {brief(value)}.")


def _table(value: object, leaves: int, states: int, at: str) -> ConditionalTable:
    if isinstance(value, dict) and "counts" in value:
        if "tilt" in value:
            raise fault(f"{at}.tilt", f"this table was calibrated, which depnet no longer does. {AGAIN}")
        fields = fields_of(value, at, ("smoothing", "counts"))
        smoothing = number_of(fields["smoothing"], f"{at}.smoothing")
        counts = _rows(fields["counts"], leaves, states, f"{at}.counts", whole=True)
        make = partial(ConditionalTable.from_counts, counts, smoothing)
    else:
        fields = fields_of(value, at, ("probabilities",))
        rows = _rows(fields["probabilities"], leaves, states, f"{at}.probabilities", whole=False)
        make = partial(ConditionalTable.from_probabilities, rows)
    try:
        return make()
    except ModelError as error:
        raise fault(at, str(error)) from None


def _rows(value: object, leaves: int, states: int, at: str, *, whole: bool) -> NDArray[Any]:
    """Rows of numbers, none negative, one row a leaf; already an array where the text had plain rows."""
    length = len(value) if isinstance(value, (list, np.ndarray)) else leaves
    if length != leaves:
        raise fault(at, f"expected one row for each of the source's {leaves:,} leaves; got {length:,} rows.")
    most = MAX_COUNT if whole else 1 + ROW_SUM_TOLERANCE
    if (
        isinstance(value, np.ndarray)
        and value.shape[1] == states
        and (value.dtype == np.int64 or not whole)
        and (value.min() >= 0 and value.max() <= most)
    ):
        return value
    rows = value.tolist() if isinstance(value, np.ndarray) else items_of(value, at)
    for leaf, row in enumerate(rows):
        for state, cell in enumerate(items_of(row, f"{at}[{leaf}]", states)):
            _check_cell(cell, f"{at}[{leaf}][{state}]", whole)
    return np.array(rows)  # whole numbers and floats, mixed


def _check_cell(cell: object, at: str, whole: bool) -> None:
    if whole:
        whole_of(cell, at, 0, MAX_COUNT)
    elif not 0 <= number_of(cell, at) <= 1 + ROW_SUM_TOLERANCE:
        raise fault(at, f"expected a probability; got {brief(cell)}.")
