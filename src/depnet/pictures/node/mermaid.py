"""One node's decision graph as Mermaid text, for Markdown pages."""

from depnet.model.network import Network
from depnet.pictures import colours
from depnet.pictures.labels import listed, mermaid, short
from depnet.pictures.node.decision import Decision, Leaf, decision, most_likely
from depnet.wording import counted

MOST_STATES = 4


def node_mermaid(network: Network, node: int | str) -> str:
    """The decision graph of a node, by its number or by the name of a variable, as a flowchart."""
    return decision_mermaid(decision(network, node))


def decision_mermaid(graph: Decision) -> str:
    """The text of `node_mermaid`, of a decision graph that is there already."""
    lines = ["flowchart TD"]
    for v, vertex in enumerate(graph.vertices):
        if isinstance(vertex, Leaf):
            shared = " shared" if vertex.ways > 1 else ""
            lines.append(f"  v{v}([{_leaf(graph, vertex)}]):::leaf{shared.strip()}")
            continue
        lines.append(f"  v{v}[{mermaid(short(vertex.variable, 40))}]")
    for v, vertex in enumerate(graph.vertices):
        if not isinstance(vertex, Leaf):
            lines += [f"  v{v} -->|{mermaid(listed(b.states, 40))}| v{b.to}" for b in vertex.branches]
    lines.append(f"  classDef leaf stroke:{colours.BLUE}")
    lines.append(f"  classDef leafshared stroke:{colours.ORANGE},stroke-width:3px")
    return "\n".join([*lines, ""])


def _leaf(graph: Decision, leaf: Leaf) -> str:
    rows = "" if leaf.rows is None else f", {counted(leaf.rows, 'row')}"
    if not leaf.probabilities:  # a stage of learning, without its rows
        return mermaid(f"leaf {leaf.number}")
    named = most_likely(leaf.probabilities, MOST_STATES)
    states = ", ".join(f"{short(graph.states[s], 20)} {leaf.probabilities[s]:.3f}" for s in named)
    rest = len(graph.states) - len(named)
    return mermaid(f"leaf {leaf.number}{rows}: {states}{f' +{rest}' if rest else ''}")
