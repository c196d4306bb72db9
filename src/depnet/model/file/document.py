"""A network as a document: plain JSON values, with the tables as arrays."""

from typing import Any

import numpy as np

from depnet.data.domain import Domain
from depnet.data.layout import Layout
from depnet.errors import ModelError, ModelFileError
from depnet.model.decision_graph import DecisionGraph
from depnet.model.file.fields import fault
from depnet.model.file.layout import document_of_layout
from depnet.model.file.variables import document_of_variable, version_of
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.model.operations import Operation, Split
from depnet.model.source import ConstantSource, InformationSource, LosslessSource
from depnet.model.table import ConditionalTable
from depnet.model.tabulated import TabulatedSource

FORMAT = "depnet network"
VERSION = 2
"""The newest version that is read. Raised when a reader of the former version would misunderstand a file."""


def document_of(network: Network, layout: Layout | None = None) -> dict[str, Any]:
    """What the file says of a network, all but its checksum."""
    document = {
        "format": FORMAT,
        "version": version_of(network.domain),
        "domain": {
            "variables": [
                document_of_variable(v, f"domain.variables[{i}]")
                for i, v in enumerate(network.domain.variables)
            ]
        },
        "nodes": [
            {
                "variables": list(node.variables),
                "source": _source(node.source, network.domain, f"nodes[{number}].source"),
                "table": _table(node.table, f"nodes[{number}].table"),
            }
            for number, node in enumerate(network.nodes)
        ],
    }
    if network.counts is not None:
        document["counts"] = _counts(network.counts)
    if layout is not None:
        document["layout"] = document_of_layout(layout, network.domain)
    return document


def _source(source: InformationSource, domain: Domain, at: str) -> dict[str, Any]:
    if isinstance(source, ConstantSource):
        return {"kind": "constant"}
    if isinstance(source, LosslessSource):
        return {"kind": "lossless", "inputs": list(source.inputs)}
    if isinstance(source, DecisionGraph):
        return {"kind": "decision graph", "operations": [_operation(o) for o in source.operations]}
    if not isinstance(source, TabulatedSource):
        try:
            source = TabulatedSource.of(source, domain.cardinalities)
        except ModelError as error:
            raise fault(at, f"a {type(source).__name__} cannot be saved as it is: {error}") from error
    return {
        "kind": "tabulated",
        "inputs": list(source.inputs),
        "size": source.size,
        "leaves": source.leaves.tolist(),
    }


def _operation(operation: Operation) -> list[Any]:
    return ["split" if isinstance(operation, Split) else "merge", *map(int, operation)]


def _table(table: ConditionalTable, at: str) -> dict[str, Any]:
    if table.counts is None or table.smoothing is None:
        return {"probabilities": table.probabilities}
    # What is not written must be what the reader makes of the counts.
    again = ConditionalTable.from_counts(table.counts, table.smoothing, table.tilt)
    if not np.array_equal(again.probabilities, table.probabilities):
        raise ModelFileError(
            f"{at}: its probabilities are not those of its counts and smoothing. Make the table with "
            "ConditionalTable.from_counts or .from_probabilities."
        )
    tilt = {} if table.tilt is None else {"tilt": table.tilt.tolist()}
    return {"smoothing": table.smoothing, **tilt, "counts": table.counts}


def _counts(counts: MarginalCounts) -> dict[str, Any]:
    pairs = counts.pairs
    return {
        "singles": [single.tolist() for single in counts.singles],
        "pairs": None if pairs is None else [pairs[pair].ravel().tolist() for pair in sorted(pairs)],
    }
