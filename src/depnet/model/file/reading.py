"""A document as a network and a law: every field checked, in the order in which one gives the next its size.

The domain says how many variables and states there are; a node's source says how many leaves; only then
is the table looked at, which must have exactly as many rows. So nothing is made that the file only
declares and does not hold.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.data.table.domain import Domain
from depnet.data.table.layout import Layout
from depnet.errors import ModelFileError, brief
from depnet.model.file.boosted import boosted_of
from depnet.model.file.counts import counts_of
from depnet.model.file.document import FORMAT, VERSION
from depnet.model.file.fields import fault, fields_of, items_of, located, number_of, whole_of, wholes_of
from depnet.model.file.held_out import held_out_of
from depnet.model.file.packed import KINDS, PackedOperations
from depnet.model.file.variables import variable_of, with_order
from depnet.model.file.within import within_of
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import NOTHING_RECORDED, DecisionGraph, size_of_recorded
from depnet.model.sources.source import MAX_LEAVES, ConstantSource, InformationSource, LosslessSource
from depnet.model.sources.tabulated import TabulatedSource
from depnet.model.table import MAX_COUNT, ROW_SUM_TOLERANCE, ConditionalTable

AGAIN = "Fit again from the table: depnet fit TABLE -o MODEL, or depnet.learn and depnet.save."
"""What to do with a file that this depnet cannot use, or that lacks something."""


EARLIER = (
    "this file was written by an earlier depnet and has no ordered law: answers would be those of clamped chains. Fit again "
    "to get those of a law."
)
"""What a face says of a file of version 1 or 2."""

NO_LAW = (
    "this file has no ordered law: answers would be those of clamped chains. Fit again to get those of a law."
)
"""What a face says of a later file in which a network was saved alone."""


_LAWS, _BOOSTED = 3, 4
"""The versions that these came with."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """All that a model file holds. At least one of the networks is there; they share domain and counts."""

    network: Network | None
    """The paper's."""
    law: Network | None
    """The ordered one."""
    layout: Layout | None
    """Of the frame they were learned from: None also where the library of that kind of frame is not installed."""
    version: int
    """Of the file."""

    @property
    def first(self) -> Network:
        """The paper's network where the file has one, else the law: what `depnet.load` gives."""
        found = self.law if self.network is None else self.network
        assert found is not None
        return found

    @property
    def lacks(self) -> str | None:
        """One line that says what is not there, where there is no law; None where there is one."""
        if self.law is not None:
            return None
        return EARLIER if self.version < _LAWS else NO_LAW


def networks_of(document: dict[str, Any]) -> Loaded:
    """The networks that a document describes, whose nodes are taken out of it one by one as they are made.

    Top-level fields of other names are left alone.
    """
    version = _checked_version(document)
    lawful = version >= _LAWS
    if "domain" not in document:
        raise ModelFileError("the field 'domain' is missing.")
    if "nodes" not in document and not (lawful and "law" in document):
        raise ModelFileError("the field 'nodes' is missing" + (", and so is 'law'." if lawful else "."))
    domain = _domain(document["domain"], version)
    if "ordered" in document:
        domain = with_order(domain, document["ordered"])
    counts = counts_of(document["counts"], domain) if "counts" in document else None
    law = _law(document["law"], domain, counts, version) if lawful and "law" in document else None
    if law is not None and "within" in document:
        law = replace(law, within=within_of(document["within"], domain, law.order or ()))
    if "nodes" not in document:
        if "held_out" in document:
            raise fault("held_out", "this is of the network in 'nodes', which is missing.")
        return Loaded(None, law, None, version)
    held_out = held_out_of(document["held_out"], "held_out") if lawful and "held_out" in document else None
    nodes = _nodes(document["nodes"], domain, "nodes", version)
    with located("nodes"):
        return Loaded(Network(domain, nodes, counts, None, held_out), law, None, version)


def _law(value: object, domain: Domain, counts: MarginalCounts | None, version: int) -> Network:
    fields = fields_of(value, "law", ("order", "nodes"), optional=("held_out",))
    order = wholes_of(fields["order"], "law.order", 0, len(domain) - 1, len(domain))
    if len(set(order)) < len(order):
        raise fault("law.order", "expected every variable once; one stands twice.")
    scores = held_out_of(fields["held_out"], "law.held_out") if "held_out" in fields else None
    nodes = _nodes(fields["nodes"], domain, "law.nodes", version)
    with located("law"):
        return Network(domain, nodes, counts, tuple(order), scores)


def _nodes(given: object, domain: Domain, at: str, version: int) -> tuple[Node, ...]:
    """Node i updates variable i: as many as there are variables, in their order."""
    values, nodes = items_of(given, at), []
    for number in range(len(values)):
        if number == len(domain):
            raise fault(f"{at}[{number}]", f"there are {len(domain):,} variables, and each has one node.")
        value, values[number] = values[number], None
        nodes.append(_node(value, number, domain, f"{at}[{number}]", version))
    if len(nodes) < len(domain):
        raise fault(
            at, f"no node updates variable {brief(domain.names[len(nodes)])}; every variable needs one."
        )
    return tuple(nodes)


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
    given = items_of(fields_of(value, "domain", ("variables",))["variables"], at)
    variables = tuple(variable_of(each, f"{at}[{i}]", version) for i, each in enumerate(given))
    with located(at):
        return Domain(variables)


def _node(value: object, number: int, domain: Domain, at: str, version: int) -> Node:
    boosted = isinstance(value, dict) and "boosted" in value
    if boosted and version < _BOOSTED:
        raise fault(
            f"{at}.boosted", f"boosted nodes came with version {_BOOSTED}; the file has version {version}."
        )
    fields = fields_of(value, at, ("variables", "source", "boosted" if boosted else "table"))
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
    if boosted:
        return boosted_of(fields["boosted"], number, source, domain.cardinalities, f"{at}.boosted")
    table = _table(fields["table"], source.size, domain.cardinalities[number], f"{at}.table")
    with located(at):
        return Node((number,), source, table)


def _source(value: object, domain: Domain, at: str) -> InformationSource:
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind == "constant":
        fields_of(value, at, ("kind",))
        return ConstantSource()
    if kind == "decision graph":
        return _graph(fields_of(value, at, ("kind", "operations"))["operations"], domain, f"{at}.operations")
    if kind in ("lossless", "tabulated"):
        names = ("kind", "inputs") if kind == "lossless" else ("kind", "inputs", "size", "leaves")
        fields = fields_of(value, at, names)
        inputs = tuple(wholes_of(fields["inputs"], f"{at}.inputs", 0, len(domain) - 1))
        cards = tuple(domain.cardinalities[j] for j in inputs)
        with located(f"{at}.inputs"):
            lossless = LosslessSource(inputs, cards)  # its size is that of the tabulated leaves, too
        if kind == "lossless":
            return lossless
        size = whole_of(fields["size"], f"{at}.size", 1, MAX_LEAVES)
        given = fields["leaves"].tolist() if isinstance(fields["leaves"], np.ndarray) else fields["leaves"]
        leaves = wholes_of(given, f"{at}.leaves", 0, size - 1, lossless.size)
        return TabulatedSource(inputs, cards, np.array(leaves, dtype=np.int32), size)
    raise fault(
        at,
        f"expected an object whose 'kind' is 'constant', 'lossless', 'decision graph' or 'tabulated'; got "
        f"{brief(value)}.",
    )


def _graph(given: object, domain: Domain, at: str) -> DecisionGraph:
    if isinstance(given, PackedOperations):
        arrays = (given.kinds, given.first, given.second)
    else:  # empty, or wrong somewhere
        for t, operation in enumerate(items_of(given, at)):
            _check_operation(operation, f"{at}[{t}]")
        arrays = NOTHING_RECORDED
    with located(at):
        size = size_of_recorded(*arrays, domain.cardinalities)
    return DecisionGraph.recorded(*arrays, domain.cardinalities, size)


def _check_operation(value: object, at: str) -> None:
    name, *pair = items_of(value, at, 3)
    wholes_of(pair, at, 0, MAX_LEAVES)
    if name not in KINDS:
        raise fault(
            at, f"expected ['split', leaf, variable] or ['merge', first, second]; got {brief(value)}."
        )


def _table(value: object, leaves: int, states: int, at: str) -> ConditionalTable:
    if isinstance(value, dict) and "counts" in value:
        if "tilt" in value:
            raise fault(f"{at}.tilt", f"this table was calibrated, which depnet no longer does. {AGAIN}")
        fields = fields_of(value, at, ("smoothing", "counts"))
        smoothing = number_of(fields["smoothing"], f"{at}.smoothing")
        counts = _rows(fields["counts"], leaves, states, f"{at}.counts", whole=True)
        with located(at):
            return ConditionalTable.from_counts(counts, smoothing)
    fields = fields_of(value, at, ("probabilities",))
    rows = _rows(fields["probabilities"], leaves, states, f"{at}.probabilities", whole=False)
    with located(at):
        return ConditionalTable.from_probabilities(rows)


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
