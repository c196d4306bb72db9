"""`depnet show --node`: one node's decision graph, as text or JSON."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from depnet.model import Network


def show_node(network: "Network", name: str) -> None:
    """The graph as text; long lines stay as they are."""
    from depnet.pictures import node_text

    click.echo(node_text(network, name))


def document(network: "Network", name: str) -> dict[str, Any]:
    """Vertices by number, 0 being the root: tests with branches, and leaves with their probabilities."""
    from depnet.pictures.node.decision import Leaf, decision

    graph = decision(network, name)
    vertices: list[dict[str, Any]] = []
    for vertex in graph.vertices:
        if isinstance(vertex, Leaf):
            vertices.append(
                {"leaf": vertex.number, "rows": vertex.rows, "probabilities": vertex.probabilities}
            )
        else:
            branches = [{"states": branch.states, "to": branch.to} for branch in vertex.branches]
            vertices.append({"test": vertex.variable, "branches": branches})
    return {
        "node": graph.name,
        "states": graph.states,
        "reads": graph.inputs,
        "leaves": graph.leaves,
        "rows": graph.rows,
        "vertices": vertices,
    }
