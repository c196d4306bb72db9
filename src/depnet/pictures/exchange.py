"""The dependency graph as a networkx graph (extra `graph`)."""

from typing import TYPE_CHECKING

from depnet.errors import PictureError
from depnet.pictures.community import communities
from depnet.pictures.graph import DependencyGraph

if TYPE_CHECKING:
    from networkx import DiGraph


def to_networkx(graph: DependencyGraph) -> "DiGraph":
    """A directed graph on the variables' names: arrows with `strength` and `weight` (at least 0).

    Variables have their `community`. `graph.graph["measured"]` says what the strengths were measured on.
    """
    try:
        from networkx import DiGraph
    except ImportError:
        raise PictureError("this needs networkx; install it with: pip install 'depnet[graph]'.") from None
    found = DiGraph(measured=graph.measured)
    for name, group in zip(graph.names, communities(graph), strict=True):
        found.add_node(name, community=group)
    for arrow in graph.arrows:
        found.add_edge(
            graph.names[arrow.source],
            graph.names[arrow.target],
            strength=arrow.strength,
            weight=max(arrow.strength, 0.0),
        )
    return found
