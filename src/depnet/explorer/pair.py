"""Two binary variables of a model, all others held at one state: the two nodes of a tetrahedron."""

from collections.abc import Mapping, Sequence

from depnet.data import Label
from depnet.errors import DepnetError
from depnet.inference.clamped.relevance import reduce
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.scan import RandomScan


def binary_variables(network: Network) -> tuple[str, ...]:
    """The variables with two states that have a node of their own."""
    alone = {node.variables[0] for node in network.nodes if len(node.variables) == 1}
    shared = {i for node in network.nodes if len(node.variables) > 1 for i in node.variables}
    return tuple(
        variable.name
        for i, variable in enumerate(network.domain.variables)
        if variable.cardinality == 2 and i in alone - shared
    )


def relevant_others(network: Network, pair: Sequence[str]) -> tuple[str, ...]:
    """The variables that the two nodes read, beside each other: what their tables depend on."""
    two = {network.domain.index(name) for name in pair}
    read = {
        j for node in network.nodes if set(node.variables) <= two for j in node.source.inputs if j not in two
    }
    return tuple(network.domain.names[j] for j in sorted(read))


def pair_network(network: Network, pair: Sequence[str], others: Mapping[str, Label]) -> Network:
    """The two nodes with the other variables clamped: `others` at these states, what is not named at its first."""
    names = network.domain.names
    if len(set(pair)) != 2 or not set(pair) <= set(binary_variables(network)):
        raise DepnetError("the tetrahedron needs two different variables with two states each.")
    held = {name: others.get(name, network.domain.variables[i].states[0]) for i, name in enumerate(names)}
    evidence = Evidence.parse(network.domain, {n: held[n] for n in names if n not in pair})
    two = [network.domain.index(name) for name in sorted(pair, key=names.index)]
    return reduce(network, two, evidence, RandomScan()).network
