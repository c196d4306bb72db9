"""The dependency graph in DOT, for Graphviz."""

from depnet.pictures import colours
from depnet.pictures.community import communities
from depnet.pictures.graph import DependencyGraph
from depnet.pictures.labels import dot


def to_dot(graph: DependencyGraph) -> str:
    r"""DOT text: a directed graph, arrows with their bits as `weight`, `label` and line width.

    Vertices are n0, n1, ... with the variables' names as labels, so that any name is safe. Two arrows between two
    variables are drawn as one with two heads; `forward` and `backward` keep both strengths.

    >>> from depnet.pictures.graph import Arrow
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
