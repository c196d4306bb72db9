"""depnet: probabilistic dependency networks. Learn a table's joint distribution, ask it anything.

Eight names to start with: `read` a file, fit a `DependencyNetwork`, `load` and `save` it; or, with values instead of
an estimator, `learn` a network from a `Dataset`, `query` it, `sample` rows of it, and see its `certificate`.
All names are listed in `__init__.pyi`, and imported when they are first used, so that `import depnet` is quick.
"""

from depnet.lazy import exports

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = exports(__name__)
