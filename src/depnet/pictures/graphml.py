"""The dependency graph in GraphML, for networkx, Gephi, yEd, Cytoscape and igraph."""

from depnet.pictures.community import communities
from depnet.pictures.graph import DependencyGraph
from depnet.pictures.labels import xml

_SPACE = "http://graphml.graphdrawing.org/xmlns"
_KEYS = (
    ("name", "node", "string"),
    ("community", "node", "int"),
    ("strength", "edge", "double"),
    ("weight", "edge", "double"),
)


def to_graphml(graph: DependencyGraph) -> str:
    """GraphML text: vertices n0, n1, ... with `name` and `community`; arrows with `strength`, in bits.

    `weight` is the strength, at least 0, under the name that other tools look for.
    """
    group = communities(graph)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<graphml xmlns="{_SPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
    ]
    lines += [
        f'  <key id="{key}" for="{where}" attr.name="{key}" attr.type="{kind}"/>'
        for key, where, kind in _KEYS
    ]
    lines.append('  <graph id="depnet" edgedefault="directed">')
    for v, name in enumerate(graph.names):
        # A carriage return would be read back as a line feed, were it not written as a code.
        lines.append(
            f'    <node id="n{v}"><data key="name">{xml(name).replace(chr(13), "&#13;")}</data>'
            f'<data key="community">{group[v]}</data></node>'
        )
    for arrow in graph.arrows:
        data = {"strength": arrow.strength, "weight": max(arrow.strength, 0.0)}
        inside = "".join(f'<data key="{key}">{value}</data>' for key, value in data.items())
        lines.append(f'    <edge source="n{arrow.source}" target="n{arrow.target}">{inside}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])
