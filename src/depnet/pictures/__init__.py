"""Pictures and exports of a network: text that other tools read, and figures.

Everything starts from a value: `dependency_graph(network, dataset)` and `decision(network, node)`. Functions named
`to_...`, `node_...` and `..._csv` return text, `plot_...` return matplotlib figures (extra `plot`). Nothing is written
to disk here, nothing is random without a seed, and the same network gives the same bytes.
"""

from depnet.pictures.communities import communities, modularity
from depnet.pictures.decision import Decision, decision
from depnet.pictures.dot import to_dot
from depnet.pictures.graph import Arrow, DependencyGraph, Relation, Tie, dependency_graph
from depnet.pictures.graphml import to_graphml
from depnet.pictures.layout import layout, spread
from depnet.pictures.marginals import Marginal, marginals
from depnet.pictures.mermaid import decision_mermaid, node_mermaid, to_mermaid
from depnet.pictures.plots import (
    plot_certificate,
    plot_chains,
    plot_graph,
    plot_marginals,
    plot_node,
    plot_r_hat,
    plot_trace,
)
from depnet.pictures.report import html_report
from depnet.pictures.svg import to_svg
from depnet.pictures.svg_decision import decision_svg, node_svg
from depnet.pictures.table import links_csv
from depnet.pictures.text import decision_text, node_text

__all__ = [
    "Arrow",
    "Decision",
    "DependencyGraph",
    "Marginal",
    "Relation",
    "Tie",
    "communities",
    "decision",
    "decision_mermaid",
    "decision_svg",
    "decision_text",
    "dependency_graph",
    "html_report",
    "layout",
    "links_csv",
    "marginals",
    "modularity",
    "node_mermaid",
    "node_svg",
    "node_text",
    "plot_certificate",
    "plot_chains",
    "plot_graph",
    "plot_marginals",
    "plot_node",
    "plot_r_hat",
    "plot_trace",
    "spread",
    "to_dot",
    "to_graphml",
    "to_mermaid",
    "to_svg",
]
