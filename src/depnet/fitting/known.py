"""Links and certificates of networks in which nodes may be boosted.

A boosted node has no leaves to measure on: the strength of its links is what each input gained while it was learned, and
Theorem 4, on which the certificate rests, does not speak of it.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError, ModelError
from depnet.learning.certificate import Certificate, certificate
from depnet.learning.links.from_counts import known_nats
from depnet.learning.links.links import Link, links
from depnet.model.boosted import BoostedNode
from depnet.model.counting import leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.source import ConstantSource, LosslessSource
from depnet.model.table import ConditionalTable


def all_links(
    network: Network, dataset: Dataset | None = None, bootstrap: int = 0, **options: Any
) -> tuple[Link, ...]:
    """`depnet.links`, those of boosted nodes among them, the strongest first."""
    boosted = [node for node in network.nodes if isinstance(node, BoostedNode)]
    if not boosted:
        return links(network, dataset, bootstrap, **options)
    if bootstrap:
        raise LearningError(
            "links: bootstrap learns again, which boosted nodes are not made for yet; call it without bootstrap."
        )
    plain = tuple(_alone(network, node) if node.boosted else node for node in network.nodes)
    found = [*links(replace(network, nodes=plain), dataset)]
    for node in boosted:
        found += _gained(network, node, dataset)
    return tuple(sorted(found, key=lambda link: (-link.strength, link.node, link.variable)))


def _alone(network: Network, node: Node) -> Node:
    """A node of the same variable that reads nothing: links of other nodes are measured beside it."""
    if network.counts is not None:
        table = ConditionalTable.from_counts(network.counts.singles[node.variable][None], 0.0)
    else:
        table = ConditionalTable.from_probabilities(np.full((1, node.states), 1 / node.states))
    return Node(node.variables, ConstantSource(), table)


def _gained(network: Network, node: BoostedNode, dataset: Dataset | None) -> Iterator[Link]:
    names = network.domain.names
    for j, gain in zip(node.inputs, node.gains.tolist(), strict=True):
        yield Link(
            source=names[j],
            targets=(names[node.variable],),
            node=node.variable,
            variable=j,
            strength=gain / math.log(2),
            mutual_information=_mutual_information(network, node.variable, j, dataset),
            conditional_information=None,
            frequency=None,
        )


def _mutual_information(network: Network, i: int, j: int, dataset: Dataset | None) -> float | None:
    """I(X_i; X_j) in bits a row, from rows or from the 2-way counts that the network keeps."""
    if dataset is not None:
        pairs = leaf_counts(LosslessSource((j,), (network.domain.cardinalities[j],)), i, dataset)
    elif network.counts is not None and network.counts.pairs is not None:
        kept = network.counts.pairs
        pairs = kept[i, j].T if i < j else kept[j, i]
    else:
        return None
    return max(known_nats(pairs), 0.0) / (max(int(pairs.sum()), 1) * math.log(2))


def certified(network: Network, dataset: Dataset, **options: Any) -> Certificate | None:
    """`depnet.certificate`; None where nodes are boosted and so nothing is proven."""
    try:
        return certificate(network, dataset, **options)
    except ModelError:
        if any(node.boosted for node in network.nodes):
            return None
        raise
