"""Exact laws of pseudo-Gibbs sampling.

- `stationary`: stationary laws and the path of laws there, the cycle of a sequential scan, recurrent classes with their laws
- `solve`: the fixed point of a scan on one class
"""

from depnet.exact.stationary import RecurrentClass as RecurrentClass
from depnet.exact.stationary import law_path as law_path
from depnet.exact.stationary import recurrent_classes as recurrent_classes
from depnet.exact.stationary import stationary as stationary
from depnet.exact.stationary import stationary_cycle as stationary_cycle
