"""One node's decision graph as Mermaid text, for Markdown pages."""

from depnet.model.network import Network
from depnet.pictures import colours
from depnet.pictures.labels import listed, mermaid, short
from depnet.pictures.node.decision import Decision, Leaf, decision, named_states, node_of
from depnet.pictures.node.effects import Input, inputs_of

MOST_STATES = 4
MOST_INPUTS = 20


def node_mermaid(network: Network, node: int | str) -> str:
    """The decision graph of a node as a flowchart.

    Of a boosted node, what it reads, with the bits a row that each input gained: the strongest inputs.

    Args:
        network: the network.
        node: the number of the node, or the name of its variable.

    Returns:
        The text.
    """
    if network.nodes[node_of(network, node)].boosted:
        return _inputs(network.domain.names[node_of(network, node)], inputs_of(network, node))
    return decision_mermaid(decision(network, node))


def decision_mermaid(graph: Decision) -> str:
    """The text of `node_mermaid`, of a decision graph that is there already."""
    boxes, arrows = [], []
    for v, vertex in enumerate(graph.vertices):
        if isinstance(vertex, Leaf):
            boxes.append(f"  v{v}([{_leaf(graph, vertex)}]):::leaf{'shared' if vertex.ways > 1 else ''}")
        else:
            boxes.append(f"  v{v}[{mermaid(short(vertex.variable, 40))}]")
            arrows += [f"  v{v} -->|{mermaid(listed(b.states, 40))}| v{b.to}" for b in vertex.branches]
    styles = (
        f"  classDef leaf stroke:{colours.BLUE}",
        f"  classDef leafshared stroke:{colours.ORANGE},stroke-width:3px",
    )
    return "\n".join(["flowchart TD", *boxes, *arrows, *styles, ""])


def _inputs(name: str, inputs: tuple[Input, ...]) -> str:
    rest = inputs[MOST_INPUTS:]
    boxes = [f"  v[{mermaid(short(name, 40))}]"]
    boxes += [
        f"  v{one.variable}[{mermaid(short(one.name, 40))}] -->|{mermaid(f'{one.bits:.4f}')}| v"
        for one in inputs[:MOST_INPUTS]
    ]
    if rest:
        more = mermaid(f"{len(rest)} more"), mermaid(f"{sum(one.bits for one in rest):.4f}")
        boxes.append(f"  rest[{more[0]}] -->|{more[1]}| v")
    return "\n".join(["flowchart LR", *boxes, ""])


def _leaf(graph: Decision, leaf: Leaf) -> str:
    if not leaf.probabilities:  # a stage of learning, without its rows
        return mermaid(f"leaf {leaf.number}")
    named, rest = named_states(leaf.probabilities, MOST_STATES)
    states = ", ".join(f"{short(graph.states[s], 20)} {leaf.probabilities[s]:.3f}" for s in named)
    return mermaid(f"leaf {leaf.number}{leaf.rows_said}: {states}{f' +{rest}' if rest else ''}")
