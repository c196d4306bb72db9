"""One boosted node, ready to be drawn: what it reads and how much each input gained, and its first graph.

Many graphs are summed, and no single one can be drawn. What the states of an input do to an answer is for questions:
`depnet.query`, `depnet.explain` and the explorer's Target view.
"""

import math
from dataclasses import dataclass

from depnet.errors import ModelError
from depnet.model.boosted import BoostedNode
from depnet.model.network import Network
from depnet.model.node import TableNode
from depnet.model.table import ConditionalTable
from depnet.pictures.labels import join
from depnet.pictures.node.decision import Decision, decision_of, node_of
from depnet.wording import plural

MOST_GAINS = 20


@dataclass(frozen=True, slots=True)
class Input:
    """A variable that the node reads, and what it gained, in bits a row."""

    variable: int
    name: str
    bits: float


@dataclass(frozen=True, slots=True)
class Boosted:
    """What a boosted node says. Make one with `boosted`."""

    name: str
    states: tuple[str, ...]
    inputs: tuple[Input, ...]
    """All that it reads, those that gained most first."""
    stages: int
    leaves: int
    """The leaves of all stages together."""
    first: Decision | None
    """The first graph, which stages are added to; None where it has one leaf."""

    @property
    def size(self) -> str:
        """Its stages, its first graph and its inputs in words."""
        first = ""
        if self.first is not None:
            first = f", after a graph of {plural(self.first.leaves, 'leaf', 'leaves')}"
        reads = f"reads {join([one.name for one in self.inputs], 60)}" if self.inputs else "reads nothing"
        leaves = plural(self.leaves, "leaf", "leaves")
        return f"boosted: {plural(self.stages, 'stage')} of {leaves} together{first}, {reads}"

    @property
    def shares(self) -> list[tuple[Input, float]]:
        """The inputs that gained most, each with its gain as a share of the first one's."""
        most = max(self.inputs[0].bits, 1e-12) if self.inputs else 1.0
        return [(one, max(one.bits, 0.0) / most) for one in self.inputs[:MOST_GAINS]]

    @property
    def rest(self) -> str:
        """What is said of all other inputs; nothing where there are none."""
        others = self.inputs[MOST_GAINS:]
        bits = sum(one.bits for one in others)
        return f"and {plural(len(others), 'input')} more, {bits:.4f} together" if others else ""


def boosted(network: Network, node: int | str) -> Boosted:
    """What a boosted node says: what it reads, how much each input gained, and its first graph.

    Args:
        network: the network.
        node: the number of the node, or the name of its variable.

    Returns:
        A `Boosted`, which `boosted_text` and `boosted_svg` show.
    """
    chosen, names = network.nodes[node_of(network, node)], network.domain.names
    name = names[chosen.variable]
    if not isinstance(chosen, BoostedNode):
        raise ModelError(
            f"the node of {name!r} is not boosted: decision(network, node) is its decision graph."
        )
    gains = zip(chosen.inputs, chosen.gains.tolist(), strict=True)
    inputs = [Input(j, names[j], gain / math.log(2)) for j, gain in gains]
    inputs.sort(key=lambda one: (-one.bits, one.variable))
    states = tuple(map(str, network.domain.variables[chosen.variable].states))
    stages = chosen.stages
    return Boosted(
        name, states, tuple(inputs), len(stages), len(stages.scores), _first_graph(network, chosen)
    )


def _first_graph(network: Network, node: BoostedNode) -> Decision | None:
    """The decision graph of the first source, with theta as it is before any stage; None where it has one leaf."""
    if node.start.size == 1:
        return None
    table = ConditionalTable.from_probabilities(node.theta(node.start_scores))
    try:
        return decision_of(network.domain, TableNode(node.variable, node.start, table))
    except ModelError:  # a source that is no graph, and too large to be written out as one
        return None
