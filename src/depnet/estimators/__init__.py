"""The scikit-learn faces: a frame in, a fitted network, frames out. docs/estimators.md shows them.

scikit-learn is imported when one of them is first used: the command fits through `settings` without it.
"""

from depnet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
