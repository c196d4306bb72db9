"""The dependency graph as text that other tools read (networkx.parse_graphml is one), and its links as a table."""

import csv
import io
import re
from collections.abc import Sequence

from depnet.learning.links import Link
from depnet.pictures import colours
from depnet.pictures.graph.community import communities
from depnet.pictures.graph.dependency import DependencyGraph
from depnet.pictures.labels import dot, xml

_FORMULA = re.compile(r"""(^|[\n\r,;\t|])(["' ]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r])""")

_GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="community" for="node" attr.name="community" attr.type="int"/>
  <key id="strength" for="edge" attr.name="strength" attr.type="double"/>
  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>
  <graph id="depnet" edgedefault="directed">"""


def to_dot(graph: DependencyGraph) -> str:
    r"""DOT text: a directed graph, arrows with their bits as `weight`, `label` and line width.

    Vertices are n0, n1, ... with the variables' names as labels, so that any name is safe. Two arrows between two
    variables are drawn as one with two heads; `forward` and `backward` keep both strengths.

    Args:
        graph: the graph.

    Returns:
        The text.

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
    shares = graph.shares
    for tie, share in shares:
        weight = max(1, round(10 * share)) if len(shares) > 1 else 1
        colour = colours.BOTH if tie.both else colours.ONE_WAY
        ways = [
            f"{way}={bits:.6f}"
            for way, bits in (("forward", tie.forward), ("backward", tie.backward))
            if bits is not None
        ]
        lines.append(
            f"  n{tie.ends[0]} -> n{tie.ends[1]} [weight={weight}, strength={tie.strength:.6f}, "
            f'label="{tie.strength:.3f}", penwidth={0.5 + 3.5 * share:.2f}, color="{colour}", '
            f"{', '.join([*(['dir=both'] if tie.both else []), *ways])}];"
        )
    return "\n".join([*lines, "}", ""])


def to_graphml(graph: DependencyGraph) -> str:
    """GraphML text: vertices n0, n1, ... with `name` and `community`; arrows with `strength`, in bits.

    `weight` is the strength, at least 0, under the name that other tools look for.

    Args:
        graph: the graph.

    Returns:
        The text.
    """
    group = communities(graph)
    lines = [_GRAPHML]
    for v, name in enumerate(graph.names):
        # A carriage return would be read back as a line feed, were it not written as a code.
        lines.append(
            f'    <node id="n{v}"><data key="name">{xml(name).replace(chr(13), "&#13;")}</data>'
            f'<data key="community">{group[v]}</data></node>'
        )
    lines += [
        f'    <edge source="n{arrow.source}" target="n{arrow.target}"><data key="strength">{arrow.strength}</data>'
        f'<data key="weight">{max(arrow.strength, 0.0)}</data></edge>'
        for arrow in graph.arrows
    ]
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def guard(label: str) -> str:
    r"""A label that no spreadsheet computes, with an apostrophe before each place where a formula would begin.

    One that takes other separators than the file's own sees cells begin inside a text, too: after a line break, a comma, a
    semicolon, a tab or a bar.

    >>> guard("=1+1"), guard("a;=1"), guard("a\n@b"), guard("\uff1d1")
    ("'=1+1", "a;'=1", "a\n'@b", "'\uff1d1")
    """
    return _FORMULA.sub(r"\1'\2", label)


def links_csv(found: Sequence[Link]) -> str:
    """CSV text of the links that `depnet.links` found, in bits, in their order; what is not known is empty.

    Names are as the table had them, quoted where need be, with an apostrophe before what a spreadsheet would compute.

    Args:
        found: the links.

    Returns:
        The text.

    >>> from depnet.learning.links import Link
    >>> print(links_csv([Link("a, b", "c", 2, 0, 0.5, None, None)]))
    source,target,node,strength,mutual_information,conditional_information
    "a, b",c,2,0.5,,
    <BLANKLINE>
    """
    numbers = ("strength", "mutual_information", "conditional_information")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["source", "target", "node", *numbers])
    for link in found:
        values = [getattr(link, number) for number in numbers]
        known = ["" if value is None else repr(float(value)) for value in values]
        writer.writerow([guard(link.source), guard(link.target), link.node, *known])
    return out.getvalue()
