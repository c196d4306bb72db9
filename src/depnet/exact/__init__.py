"""Exact laws of pseudo-Gibbs sampling.

- `stationary`: stationary laws, the cycle of a sequential scan, recurrent classes with their laws
- `solve`: the fixed point of a scan on one class
- `path`: the laws on the way there
- `consistency`: is there a joint with all these full conditionals
"""

from depnet.exact.consistency import Consistency, consistency
from depnet.exact.path import law_path
from depnet.exact.stationary import RecurrentClass, recurrent_classes, stationary, stationary_cycle

__all__ = [
    "Consistency",
    "RecurrentClass",
    "consistency",
    "law_path",
    "recurrent_classes",
    "stationary",
    "stationary_cycle",
]
