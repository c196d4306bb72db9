"""A network compiled for the native core, once: passes, moves, chains and rows are functions of it.

A node's leaf is looked up in a table over the joint states of its inputs, or found by walking its decision graph; its theta
are the rows of its table, or, where it is boosted, computed of the summed scores of its stages.
"""

from collections.abc import Sequence

import numpy as np

from depnet._native import network as native
from depnet.arrays import FloatArray
from depnet.errors import DomainTooLargeError
from depnet.model.boosted import BoostedNode
from depnet.model.digits import digit_arrays
from depnet.model.evidence import Evidence
from depnet.model.network import Kept, Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import (
    InformationSource,
    LosslessSource,
    how_many_joint_states,
    product_within,
)
from depnet.model.sources.tabulated import JointStates

TABLE_STATES = 2**12
"""The joint states of the inputs of a decision graph or of a boosted node that is written out as a table, at most: a look-up
is quicker than a walk or a sum (`python -m benchmarks sample` against its lines "walking"). From 2^10 to 2^12
chains gain 3 to 18 % and passes a few; 2^14 gives chains 5 to 38 % more, for four times the memory of every table."""
FUNCTION_STATES = 2**22
"""The same of a function, which cannot be walked: beyond it, the source has to be called."""


def compile_network(network: Network) -> native.Network:
    """The network for the native core; a `DomainTooLargeError` where a source is a function of too many joint states."""
    cards = network.domain.cardinalities
    compiled = native.Network(np.array(cards, dtype=np.int32))
    for i in places_of(network):
        _add(compiled, network.nodes[i], cards)
    return compiled


compiled_of: Kept[native.Network] = Kept(compile_network)
"""The compiled network, made once and kept as long as the network is."""


def places_of(network: Network) -> Sequence[int]:
    """The variable of the node at each place of the compiled network: its order, or the numbers one after the other."""
    return range(len(network)) if network.order is None else network.order


def is_compilable(network: Network) -> bool:
    """Is no source a function that has to be called?"""
    cards = network.domain.cardinalities
    sources = [node.start if isinstance(node, BoostedNode) else node.source for node in network.nodes]
    return all(_is_written_out(source, cards) or isinstance(source, DecisionGraph) for source in sources)


def _is_written_out(source: InformationSource, cards: Sequence[int]) -> bool:
    most = TABLE_STATES if isinstance(source, DecisionGraph) else FUNCTION_STATES
    return isinstance(source, LosslessSource) or product_within([cards[j] for j in source.inputs], most)


def _add(compiled: native.Network, node: Node, cards: Sequence[int]) -> None:
    if not isinstance(node, BoostedNode):
        _add_source(compiled, node.variable, node.source, cards)
        compiled.set_theta(np.ascontiguousarray(node.table.probabilities))
    elif product_within([cards[j] for j in node.inputs], TABLE_STATES):
        leaves, theta = node.written_out(JointStates(cards, node.inputs))
        compiled.add_table(node.variable, np.array(node.inputs, dtype=np.int32), leaves)
        compiled.set_theta(theta)
    else:
        _add_source(compiled, node.variable, node.start, cards)
        compiled.set_stages(node.stages.native, node.start_scores, digit_arrays(node.digits))


def _add_source(
    compiled: native.Network, variable: int, source: InformationSource, cards: Sequence[int]
) -> None:
    if _is_written_out(source, cards):
        leaves = JointStates(cards, source.inputs).leaves(source)
        compiled.add_table(variable, np.array(source.inputs, dtype=np.int32), leaves)
    elif isinstance(source, DecisionGraph):
        compiled.add_graph(variable, *source.compiled)
    else:
        sizes = [cards[j] for j in source.inputs]
        raise DomainTooLargeError(
            f"the information source of variable {variable} is a function of {len(sizes)} variables with "
            f"{how_many_joint_states(sizes)} joint states, too many to write out. Learn a DecisionGraph instead."
        )


def known_of(evidence: Evidence, cardinalities: Sequence[int]) -> native.Known:
    """What is known of every variable, as weights of its states."""
    begin = np.full(len(cardinalities), -1, dtype=np.int32)
    parts: list[FloatArray] = []
    for i, weights in weights_of(evidence, cardinalities).items():
        begin[i] = sum(map(len, parts))
        parts.append(weights)
    return native.Known(begin, np.concatenate([*parts, np.zeros(0)]))


def weights_of(evidence: Evidence, cardinalities: Sequence[int]) -> dict[int, FloatArray]:
    """w_j of every variable of the evidence: 1 on a clamped state and 0 elsewhere, or the weights of its states."""
    found = {i: np.asarray(weights, dtype=np.float64) for i, weights in evidence.tilts.items()}
    for i, code in evidence.clamped.items():
        found[i] = np.zeros(cardinalities[i])
        found[i][code] = 1.0
    return found
