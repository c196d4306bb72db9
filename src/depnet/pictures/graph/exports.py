"""The dependency graph as text that other tools read (networkx.parse_graphml is one), and its links as a table."""

import csv
import io
import re
from collections.abc import Sequence

from depnet.learning.links import Link
from depnet.pictures.graph.community import communities
from depnet.pictures.graph.dependency import DependencyGraph
from depnet.pictures.labels import xml

_FORMULA = re.compile(r"""(^|[\n\r,;\t|])(["' ]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r])""")

_GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="community" for="node" attr.name="community" attr.type="int"/>
  <key id="strength" for="edge" attr.name="strength" attr.type="double"/>
  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>
  <graph id="depnet" edgedefault="directed">"""


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
