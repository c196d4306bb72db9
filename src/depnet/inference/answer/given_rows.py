r"""Rows of what is known, by labels and conditions: as codes, and beside them the conditions as nodes of a network.

A cell may be a label or a number, empty, or whatever evidence may say of a column: a comparison, a range, a set, weights of
states (`depnet.model.evidence`). Distinct cells of a column are read once. What leaves one state is a code. What leaves
several with weights w_k(x) becomes a state k of a further variable C that reads X alone,

.. math:: \theta(C = k \mid x) = w_k(x) / (K + 1), \qquad w_0 = 1,

with one state for the rest: given C = k the law of all others is that given the condition, and given C = 0 nothing is
known of X. So rows that know conditions are answered as rows of codes are, together and exactly where these are. A bin
that a condition cuts counts by the share of its values inside.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.open import open_frame
from depnet.data.table.variable import Domain, Variable
from depnet.errors import DataError, EvidenceError
from depnet.inference.answer.question import checked_ordered
from depnet.inference.answer.rows import RowsResult
from depnet.model.boosted import BoostedNode
from depnet.model.conditions import COMPARISON
from depnet.model.evidence import Evidence, Given
from depnet.model.given_text import read_condition
from depnet.model.mixture import AnyNetwork, Mixture
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import LosslessSource
from depnet.model.table import ConditionalTable

UNKNOWN = -1


def has_labels(rows: Any) -> bool:
    """Are these rows of labels, a frame or mappings, and not codes?"""
    if isinstance(rows, (list, tuple)):
        return bool(rows) and all(isinstance(row, Mapping) for row in rows)
    return not isinstance(rows, (np.ndarray, Dataset)) and (
        hasattr(rows, "columns") or hasattr(rows, "column_names")
    )


def codes_of(domain: Domain, rows: Any) -> "tuple[NDArray[np.int64], dict[int, Cells]]":
    """The codes of rows of labels, -1 where a cell does not say one state; and the columns that have conditions."""
    columns, count = _columns(rows)
    for name in columns if isinstance(rows, (list, tuple)) else ():
        domain.index(name)  # an unknown name is its error; a frame may have other columns
    codes, found = np.full((count, len(domain)), UNKNOWN), {}
    for i, variable in enumerate(domain.variables):
        if variable.name in columns:
            cells = Cells(variable, columns[variable.name])
            codes[:, i] = cells.codes
            if cells.conditions:
                found[i] = cells
    return codes, found


def _columns(rows: Any) -> tuple[dict[str, Iterable[Any]], int]:
    """The cells of each column, None where one is empty; and how many rows there are."""
    if isinstance(rows, (list, tuple)):
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}, len(rows)
    opened = open_frame(rows)
    return {name: opened.column(at).objects() for at, name in enumerate(opened.names)}, opened.rows


class Cells:
    """A column's cells: the `code` that each has, -1 where it has none; and which of the `conditions` holds, 0: none."""

    def __init__(self, variable: Variable, cells: Iterable[Any]) -> None:
        self.variable = variable
        self.conditions: list[FloatArray] = []
        read: dict[Any, tuple[int, int]] = {}
        places = []
        for row, cell in enumerate(cells):
            key = cell if isinstance(cell, (str, int, float, bool)) else repr(cell)
            if (type(cell), key) not in read:
                try:
                    read[type(cell), key] = self._read(cell)
                except (EvidenceError, DataError) as error:
                    raise DataError(f"row {row}: {error}") from None
            places.append(read[type(cell), key])
        pairs = np.array(places, dtype=np.int64).reshape(-1, 2)
        self.codes, self.which = pairs[:, 0], pairs[:, 1]

    def _read(self, cell: Any) -> tuple[int, int]:
        if cell is None or (isinstance(cell, float) and np.isnan(cell)):
            return UNKNOWN, 0
        known = read_cell(self.variable, cell)
        if 0 in known.clamped:
            return known.clamped[0], 0
        if 0 not in known.tilts:
            return UNKNOWN, 0
        self.conditions.append(known.tilts[0])
        return UNKNOWN, len(self.conditions)


def read_cell(variable: Variable, cell: Any) -> Evidence:
    """What a cell says of a variable alone."""
    if isinstance(cell, str) and variable.find(cell) is None and not COMPARISON.fullmatch(cell.strip()):
        cell = read_condition(variable, "=", cell)
    elif isinstance(cell, str) and variable.find(cell) is None:
        cell = cell.strip()
    return Evidence.parse(Domain((variable,)), {variable.name: cell})


def with_conditions(network: AnyNetwork, conditions: Mapping[int, Sequence[FloatArray]]) -> AnyNetwork:
    """The network with a variable at the end for each column that has conditions."""
    if isinstance(network, Mixture):
        parts = [_with_conditions(part, conditions) for part in network.components]
        return Mixture(parts, network.weights)
    checked_ordered("a condition on rows", network)
    return _with_conditions(network, conditions)


def _with_conditions(network: Network, conditions: Mapping[int, Sequence[FloatArray]]) -> Network:
    assert network.order is not None
    cards = network.domain.cardinalities
    wide = (*cards, *(len(weights) + 2 for weights in conditions.values()))
    variables, nodes = list(network.domain.variables), [_widen(node, wide) for node in network.nodes]
    for i, weights in conditions.items():
        some = np.stack([np.ones(cards[i]), *weights], axis=1) / (len(weights) + 1)
        table = np.column_stack([some, np.clip(1.0 - some.sum(axis=1), 0.0, 1.0)])
        name = f"what is given of {network.domain.names[i]}"
        while name in network.domain.names:
            name += "'"
        variables.append(Variable(name, tuple(range(table.shape[1]))))
        nodes.append(
            TableNode(
                len(nodes), LosslessSource((i,), (cards[i],)), ConditionalTable.from_probabilities(table)
            )
        )
    order = (*network.order, *range(len(network), len(nodes)))
    return Network(Domain(tuple(variables)), tuple(nodes), order=order)


def _widen(node: Node, cardinalities: tuple[int, ...]) -> Node:
    """The node in a domain that has more variables after its own."""
    source = node.start if isinstance(node, BoostedNode) else node.source
    if not isinstance(source, DecisionGraph):
        return node
    graph = DecisionGraph.from_record(source.arrays, cardinalities, source.size, source.compiled)
    if isinstance(node, BoostedNode):
        return replace(node, start=graph)
    return TableNode(node.variable, graph, node.table)


def join_given(
    domain: Domain, codes: NDArray[np.int64], cells: dict[int, Cells], evidence: Given | None
) -> tuple[NDArray[np.int64], dict[int, list[FloatArray]], NDArray[np.int64]]:
    """Codes with what is known of all rows; the conditions of each column, and which of them each row has, [row, column]."""
    conditions = {i: list(each.conditions) for i, each in cells.items()}
    which = {i: each.which for i, each in cells.items()}
    for name, value in (evidence or {}).items():
        i = domain.index(name)
        if i in which or (codes[:, i] >= 0).any():
            raise EvidenceError(
                f"{name!r} is given for all rows, and also in some rows. Give it in one of the two places."
            )
        known = Evidence.parse(Domain((domain.variables[i],)), {name: value})
        if 0 in known.clamped:
            codes[:, i] = known.clamped[0]
        elif 0 in known.tilts:
            conditions[i], which[i] = [known.tilts[0]], np.ones(len(codes), dtype=np.int64)
    none = np.zeros((len(codes), 0), dtype=np.int64)
    return codes, conditions, np.column_stack([none, *which.values()]) if which else none


def without_conditions(result: RowsResult, domain: Domain) -> RowsResult:
    """The answers about the variables of a domain, which come first."""
    return replace(
        result,
        domain=domain,
        probabilities={n: each for n, each in result.probabilities.items() if n in domain.names},
        standard_errors={n: each for n, each in result.standard_errors.items() if n in domain.names},
        hidden=result.hidden[:, : len(domain)],
    )
