"""Exact laws of pseudo-Gibbs sampling: stationary laws, their cycle, the path to them, recurrent classes."""

from depnet.exact.classes import RecurrentClass, recurrent_classes
from depnet.exact.consistency import Consistency, consistency
from depnet.exact.path import law_path
from depnet.exact.stationary import stationary, stationary_cycle

__all__ = [
    "Consistency",
    "RecurrentClass",
    "consistency",
    "law_path",
    "recurrent_classes",
    "stationary",
    "stationary_cycle",
]
