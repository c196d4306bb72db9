"""The dependency graph as text that other tools read, as a networkx graph, and its links as a table."""

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from depnet.errors import PictureError
from depnet.learning.links.links import Link
from depnet.pictures import colours
from depnet.pictures.graph.community import communities
from depnet.pictures.graph.dependency import DependencyGraph
from depnet.pictures.labels import dot, mermaid, short, xml

if TYPE_CHECKING:
    from networkx import DiGraph

_SPACE = "http://graphml.graphdrawing.org/xmlns"
_KEYS = (
    ("name", "node", "string"),
    ("community", "node", "int"),
    ("strength", "edge", "double"),
    ("weight", "edge", "double"),
)


COLUMNS = (
    "source",
    "target",
    "node",
    "strength",
    "mutual_information",
    "conditional_information",
    "frequency",
)


def to_dot(graph: DependencyGraph) -> str:
    r"""DOT text: a directed graph, arrows with their bits as `weight`, `label` and line width.

    Vertices are n0, n1, ... with the variables' names as labels, so that any name is safe. Two arrows between two
    variables are drawn as one with two heads; `forward` and `backward` keep both strengths.

    >>> from depnet.pictures.graph.dependency import Arrow
    >>> print(to_dot(DependencyGraph(("a", 'b"'), (Arrow(0, 1, 0.25),))))
    digraph depnet {
      graph [overlap=false, splines=true, comment="strengths in bits"];
      node [shape=box, style="rounded,filled", fontname="sans-serif", fillcolor="#ffffff"];
      edge [fontname="sans-serif", fontsize=9];
      n0 [label="a", color="#56B4E9"];
      n1 [label="b\"", color="#56B4E9"];
      n0 -> n1 [weight=1, strength=0.250000, label="0.250", penwidth=4.00, color="#D55E00", forward=0.250000];
    }
    <BLANKLINE>
    """
    group = communities(graph)
    lines = [
        "digraph depnet {",
        f"  graph [overlap=false, splines=true, comment={dot(graph.measured or 'strengths in bits')}];",
        '  node [shape=box, style="rounded,filled", fontname="sans-serif", fillcolor="#ffffff"];',
        '  edge [fontname="sans-serif", fontsize=9];',
    ]
    lines += [
        f'  n{v} [label={dot(name)}, color="{colours.of(group[v])}"];' for v, name in enumerate(graph.names)
    ]
    ties = graph.ties
    strongest = max([tie.strength for tie in ties], default=0.0)
    for tie in ties:
        share = max(tie.strength, 0.0) / strongest if strongest > 0 else 0.0
        ends = (tie.first, tie.second) if tie.forward is not None else (tie.second, tie.first)
        both = tie.forward is not None and tie.backward is not None
        colour = colours.BOTH if both else colours.ONE_WAY
        ways = ", ".join(
            f"{way}={bits:.6f}"
            for way, bits in (("forward", tie.forward), ("backward", tie.backward))
            if bits is not None
        )
        lines.append(
            f"  n{ends[0]} -> n{ends[1]} [weight={max(1, round(10 * share)) if len(ties) > 1 else 1}, "
            f'strength={tie.strength:.6f}, label="{tie.strength:.3f}", penwidth={0.5 + 3.5 * share:.2f}, color="{colour}"'
            f"{', dir=both' if both else ''}, {ways}];"
        )
    return "\n".join([*lines, "}", ""])


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


def to_mermaid(graph: DependencyGraph) -> str:
    """A flowchart: an arrow with its bits, two heads where both ways are learned.

    >>> from depnet.pictures.graph.dependency import Arrow
    >>> print(to_mermaid(DependencyGraph(("a", "<b>"), (Arrow(0, 1, 0.25),))))
    flowchart LR
      n0["a"]
      n1["#60;b#62;"]
      n0 -->|"0.250"| n1
    <BLANKLINE>
    """
    lines = ["flowchart LR"]
    lines += [f"  n{v}[{mermaid(short(name, 40))}]" for v, name in enumerate(graph.names)]
    for tie in graph.ties:
        first, second = (tie.first, tie.second) if tie.forward is not None else (tie.second, tie.first)
        both = tie.forward is not None and tie.backward is not None
        arrow = "<-->" if both else "-->"
        lines.append(f'  n{first} {arrow}|"{tie.strength:.3f}"| n{second}')
    return "\n".join([*lines, ""])


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


def links_csv(found: Sequence[Link]) -> str:
    r"""CSV text of the links that `depnet.links` found, in bits, in their order; what is not known is empty.

    Names are as the table had them, quoted where need be.

    >>> from depnet.learning.links.links import Link
    >>> print(links_csv([Link("a, b", ("c",), 2, 0, 0.5, None, None, None)]))
    source,target,node,strength,mutual_information,conditional_information,frequency
    "a, b",c,2,0.5,,,
    <BLANKLINE>
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for link in found:
        numbers = (link.strength, link.mutual_information, link.conditional_information, link.frequency)
        writer.writerow(
            [
                link.source,
                link.targets[0],
                link.node,
                *("" if x is None else repr(float(x)) for x in numbers),
            ]
        )
    return out.getvalue()
