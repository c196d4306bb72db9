"""Pictures and exports of a network: text that other tools read, SVG and HTML.

Everything starts from a value: `dependency_graph(network, dataset)` and `decision(network, node)`. Functions named
`to_...`, `node_...` and `..._csv` return text. Nothing is written to disk here, nothing is random without a seed, and
the same network gives the same bytes.

Names are imported when they are first used: a decision graph as text is there sooner than a layout. In reading order:

- `colours`, `labels`: Okabe and Ito's colours; any text made safe for every format;
- `graph`: the dependency graph, its communities and layout, exports and picture;
- `node`: one node's decision graph, as text and picture;
- `svg`: the elements that SVG pictures are made of;
- `raster`: any of these pictures by matplotlib, as PNG and PDF;
- `tetrahedron`: the laws of two binary variables as points;
- `report`: all of it on one HTML page.
"""

from depnet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
