"""A document as a network: every field checked, in the order in which one gives the next its size.

The domain says how many variables and states there are; a node's source says how many leaves; only then
is the table looked at, which must have exactly as many rows. So nothing is made that the file only
declares and does not hold.
"""

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.data.domain import Domain
from depnet.errors import DataError, ModelError, ModelFileError, brief
from depnet.model.decision_graph import DecisionGraph, checked_size, recorded_of
from depnet.model.file.counts import counts_of
from depnet.model.file.document import FORMAT, VERSION
from depnet.model.file.fields import fault, fields_of, items_of, number_of, whole_of, wholes_of
from depnet.model.file.variables import variable_of
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.operations import Merge, Operation, Split
from depnet.model.source import (
    MAX_LEAVES,
    ConstantSource,
    InformationSource,
    LosslessSource,
    how_many_joint_states,
    product_within,
)
from depnet.model.table import MAX_COUNT, ROW_SUM_TOLERANCE, ConditionalTable
from depnet.model.tabulated import TabulatedSource


def network_of(document: dict[str, Any]) -> Network:
    """The network that a document describes. Top-level fields of other names are left alone."""
    version = _checked_version(document)
    for name in ("domain", "nodes"):
        if name not in document:
            raise ModelFileError(f"the field {name!r} is missing.")
    domain = _domain(document["domain"], version)
    given = document["nodes"]
    by_lines = isinstance(given, Iterable) and not isinstance(given, (list, dict, str))
    nodes = tuple(
        _node(value, domain, f"nodes[{number}]")
        for number, value in enumerate(given if by_lines else items_of(given, "nodes"))
    )
    counts = counts_of(document["counts"], domain) if "counts" in document else None
    try:
        return Network(domain, nodes, counts)
    except ModelError as error:
        raise fault("nodes", str(error)) from None


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


def _node(value: object, domain: Domain, at: str) -> Node:
    fields = fields_of(value, at, ("variables", "source", "table"))
    variables = wholes_of(fields["variables"], f"{at}.variables", 0, len(domain) - 1)
    if not variables or len(set(variables)) < len(variables):
        raise fault(f"{at}.variables", f"expected one or more distinct variables; got {brief(variables)}.")
    targets = [domain.cardinalities[i] for i in variables]
    if not product_within(targets, MAX_LEAVES):
        raise fault(
            f"{at}.variables", f"the variables have {how_many_joint_states(targets)} joint states together."
        )
    source = _source(fields["source"], domain, f"{at}.source")
    table = _table(fields["table"], source.size, math.prod(targets), f"{at}.table")
    try:
        return Node(tuple(variables), source, table)
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
        tilted = "tilt" in value
        fields = fields_of(value, at, ("smoothing", "tilt", "counts") if tilted else ("smoothing", "counts"))
        smoothing = number_of(fields["smoothing"], f"{at}.smoothing")
        tilt = _tilt(fields["tilt"], leaves, states, f"{at}.tilt") if tilted else None
        counts = _rows(fields["counts"], leaves, states, f"{at}.counts", whole=True)
        make = partial(ConditionalTable.from_counts, counts, smoothing, tilt)
    else:
        fields = fields_of(value, at, ("probabilities",))
        rows = _rows(fields["probabilities"], leaves, states, f"{at}.probabilities", whole=False)
        make = partial(ConditionalTable.from_probabilities, rows)
    try:
        return make()
    except ModelError as error:
        raise fault(at, str(error)) from None


def _tilt(value: object, leaves: int, states: int, at: str) -> list[Any]:
    """Numbers by leaf and state, or by state alone; the table says which are tilts."""
    entries = items_of(value, at)
    if any(isinstance(entry, list) for entry in entries):
        return [
            _numbers(row, states, f"{at}[{leaf}]") for leaf, row in enumerate(items_of(value, at, leaves))
        ]
    return _numbers(value, states, at)


def _numbers(value: object, length: int, at: str) -> list[float]:
    return [number_of(entry, f"{at}[{x}]") for x, entry in enumerate(items_of(value, at, length))]


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
