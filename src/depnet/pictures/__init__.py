"""Pictures and exports of a network: text that other tools read, and figures.

Everything starts from a value: `dependency_graph(network, dataset)` and `decision(network, node)`. Functions named
`to_...`, `node_...` and `..._csv` return text, `plot_...` return matplotlib figures (extra `plot`). Nothing is written
to disk here, nothing is random without a seed, and the same network gives the same bytes.

Names are imported when they are first used: a decision graph as text is there sooner than a layout.
"""

from depnet.lazy import exports
from depnet.pictures.decision import decision as decision  # a module of the function's own name

__getattr__, __dir__, __all__ = exports(__name__)
