"""Exact laws of pseudo-Gibbs sampling.

- `stationary`: stationary laws and the path of laws there, the cycle of a sequential scan, recurrent classes with their laws
- `solve`: the fixed point of a scan on one class
- `consistency`: is there a joint with all these full conditionals
"""

from depnet.exact.consistency import Consistency, consistency
from depnet.exact.stationary import RecurrentClass, law_path, recurrent_classes, stationary, stationary_cycle

__all__ = [
    "Consistency",
    "RecurrentClass",
    "consistency",
    "law_path",
    "recurrent_classes",
    "stationary",
    "stationary_cycle",
]
