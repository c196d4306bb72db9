"""Pictures and exports of a network: text that other tools read, and figures.

Everything starts from a value: `dependency_graph(network, dataset)` and `decision(network, node)`. Functions named
`to_...`, `node_...` and `..._csv` return text, `plot_...` return matplotlib figures (extra `plot`). Nothing is written
to disk here, nothing is random without a seed, and the same network gives the same bytes.

Names are imported when they are first used: a decision graph as text is there sooner than a layout.
"""

import importlib
from typing import TYPE_CHECKING

from depnet.pictures.decision import Decision, decision  # light, and a module of the function's own name

if TYPE_CHECKING:
    from depnet.pictures.arrange import layout, spread
    from depnet.pictures.community import communities, modularity
    from depnet.pictures.compared import Marginal, marginals
    from depnet.pictures.dot import to_dot
    from depnet.pictures.exchange import to_networkx
    from depnet.pictures.graph import Arrow, DependencyGraph, Relation, Tie, dependency_graph
    from depnet.pictures.graphml import to_graphml
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
    from depnet.pictures.stages import Stage, decision_at, growth
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
    "Stage",
    "Tie",
    "communities",
    "decision",
    "decision_at",
    "decision_mermaid",
    "decision_svg",
    "decision_text",
    "dependency_graph",
    "growth",
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
    "to_networkx",
    "to_svg",
]

_NAMES = {
    "arrange": "layout spread",
    "community": "communities modularity",
    "compared": "Marginal marginals",
    "dot": "to_dot",
    "exchange": "to_networkx",
    "graph": "Arrow DependencyGraph Relation Tie dependency_graph",
    "graphml": "to_graphml",
    "stages": "Stage decision_at growth",
    "mermaid": "decision_mermaid node_mermaid to_mermaid",
    "plots": "plot_certificate plot_chains plot_graph plot_marginals plot_node plot_r_hat plot_trace",
    "report": "html_report",
    "svg": "to_svg",
    "svg_decision": "decision_svg node_svg",
    "table": "links_csv",
    "text": "decision_text node_text",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # a type checker would take any misspelt name for granted

    def __getattr__(name: str) -> object:
        """The exported name, imported now and kept."""
        if name not in _HOME:
            raise AttributeError(f"module 'depnet.pictures' has no attribute {name!r}")
        value = getattr(importlib.import_module(f"depnet.pictures.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
