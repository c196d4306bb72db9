"""Plots with matplotlib (extra `plot`): each returns the figure, and draws on the caller's axes where they are given.

- `graph`, `node`: the dependency graph, and one node's decision graph;
- `marginals`: data against drawn rows;
- `chains`: do they agree;
- `certificate`: how far each node is from the data.
"""

from depnet.pictures.plots.certificate import plot_certificate
from depnet.pictures.plots.chains import plot_chains, plot_r_hat, plot_trace
from depnet.pictures.plots.graph import plot_graph
from depnet.pictures.plots.marginals import plot_marginals
from depnet.pictures.plots.node import plot_node

__all__ = [
    "plot_certificate",
    "plot_chains",
    "plot_graph",
    "plot_marginals",
    "plot_node",
    "plot_r_hat",
    "plot_trace",
]
