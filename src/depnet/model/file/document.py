"""A network, and the law beside it, as a document: plain JSON values, with the tables as arrays."""

from typing import Any

import numpy as np

from depnet.data.table.domain import Domain
from depnet.data.table.layout import Layout
from depnet.errors import ModelError, ModelFileError, brief
from depnet.model.boosted import BoostedNode
from depnet.model.file.boosted import document_of_boosted
from depnet.model.file.fields import fault
from depnet.model.file.held_out import held_out_in
from depnet.model.file.layout import document_of_layout
from depnet.model.file.packed import PackedOperations
from depnet.model.file.variables import document_of_variable
from depnet.model.file.within import document_of_within
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import ConstantSource, InformationSource, LosslessSource
from depnet.model.sources.tabulated import TabulatedSource
from depnet.model.table import ConditionalTable

FORMAT = "depnet network"
VERSION = 6
"""The newest that is read. Raised when a reader of the former version would misunderstand a file."""

WITHOUT_HOLES, WITHOUT_OTHER, WITHOUT_BOOSTED = 5, 4, 3
"""Written where no counted row has holes, no variable a state of all other values, and no node is boosted: earlier readers
can read it."""


def document_of(network: Network, layout: Layout | None = None, law: Network | None = None) -> dict[str, Any]:
    """What the file says of a network and the law beside it, all but the checksum. An ordered network is a law itself."""
    _check_pair(network, law)
    domain = network.domain
    if network.order is not None:
        paper, law = None, network
    else:
        paper = network
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": _version(domain, paper, law),
        "domain": {
            "variables": [
                document_of_variable(v, f"domain.variables[{i}]") for i, v in enumerate(domain.variables)
            ]
        },
    }
    if paper is not None:
        document |= {"nodes": _nodes(paper, "nodes"), **held_out_in(paper.held_out, "held_out")}
    if law is not None and law.order is not None:
        document["law"] = {
            "order": list(law.order),
            **held_out_in(law.held_out, "law.held_out"),
            "nodes": _nodes(law, "law.nodes"),
        }
    counts = next(
        (each.counts for each in (paper, law) if each is not None and each.counts is not None), None
    )
    if counts is not None:
        document["counts"] = _counts(counts)
    ordered = [i for i, variable in enumerate(domain.variables) if variable.ordered]
    if ordered:
        document["ordered"] = ordered
    if law is not None and law.within is not None:
        document["within"] = document_of_within(law.within)
    if layout is not None:
        document["layout"] = document_of_layout(layout, domain)
    return document


def _version(domain: Domain, *networks: Network | None) -> int:
    if any(each is not None and each.counts is not None and each.counts.holes.any() for each in networks):
        return VERSION
    if any(variable.other is not None for variable in domain.variables):
        return WITHOUT_HOLES
    nodes = (node for network in networks if network is not None for node in network.nodes)
    return WITHOUT_OTHER if any(node.boosted for node in nodes) else WITHOUT_BOOSTED


def _check_pair(network: Network, law: Network | None) -> None:
    """The two must be of one domain, and of the same rows where both say which."""
    if law is None:
        return
    if not isinstance(law, Network) or law.order is None:
        got = "a Network without an order" if isinstance(law, Network) else brief(law)
        raise ModelError(
            f"depnet.save(network, path, law): the law is an ordered Network; got {got}. Learn one with "
            'depnet.learn(dataset, order="auto").'
        )
    if network.order is not None:
        raise ModelError(
            "depnet.save(network, path, law): both networks are ordered, and a file holds one law. Give the paper's network "
            "first, or the law alone: depnet.save(law, path)."
        )
    if network.domain != law.domain:
        raise ModelError(
            "depnet.save(network, path, law): the two are of different domains. Learn both from one dataset."
        )
    if network.counts is not None and law.counts is not None and network.counts != law.counts:
        raise ModelError(
            "depnet.save(network, path, law): the two have 1- and 2-way counts of different rows, and a file holds them "
            "once. Learn both from one dataset."
        )


def _nodes(network: Network, at: str) -> list[dict[str, Any]]:
    return [_node(node, network.domain, f"{at}[{number}]") for number, node in enumerate(network.nodes)]


def _node(node: Node, domain: Domain, at: str) -> dict[str, Any]:
    variables = list(node.variables)
    if isinstance(node, BoostedNode):
        start = _source(node.start, domain, f"{at}.source")
        return {"variables": variables, "source": start, "boosted": document_of_boosted(node)}
    source = _source(node.source, domain, f"{at}.source")
    return {"variables": variables, "source": source, "table": _table(node.table, f"{at}.table")}


def _source(source: InformationSource, domain: Domain, at: str) -> dict[str, Any]:
    if isinstance(source, ConstantSource):
        return {"kind": "constant"}
    if isinstance(source, LosslessSource):
        return {"kind": "lossless", "inputs": list(source.inputs)}
    if isinstance(source, DecisionGraph):
        return {"kind": "decision graph", "operations": PackedOperations(*source.arrays)}
    if not isinstance(source, TabulatedSource):
        try:
            source = TabulatedSource.of(source, domain.cardinalities)
        except ModelError as error:
            raise fault(at, f"a {type(source).__name__} cannot be saved as it is: {error}") from error
    return {
        "kind": "tabulated",
        "inputs": list(source.inputs),
        "size": source.size,
        "leaves": source.leaves,
    }


def _table(table: ConditionalTable, at: str) -> dict[str, Any]:
    if table.counts is None or table.smoothing is None:
        return {"probabilities": table.probabilities}
    # What is not written must be what the reader makes of the counts.
    again = ConditionalTable.from_counts(table.counts, table.smoothing)
    if not np.array_equal(again.probabilities, table.probabilities):
        raise ModelFileError(
            f"{at}: its probabilities are not those of its counts and smoothing. Make the table with "
            "ConditionalTable.from_counts or .from_probabilities."
        )
    return {"smoothing": table.smoothing, "counts": table.counts}


def _counts(counts: MarginalCounts) -> dict[str, Any]:
    pairs = counts.pairs
    return {
        "singles": [single.tolist() for single in counts.singles],
        "pairs": None if pairs is None else [pairs[pair].ravel().tolist() for pair in sorted(pairs)],
        **({"total": counts.total} if counts.holes.any() else {}),
    }
