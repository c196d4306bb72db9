"""The slow twin of `depnet.explain`: Shapley values by their definition, the mean over every order of the facts."""

import itertools
import math
from collections.abc import Callable, Sequence


def shapley(names: Sequence[str], answer: Callable[[frozenset[str]], float]) -> dict[str, float]:
    changes = dict.fromkeys(names, 0.0)
    for order in itertools.permutations(names):
        told: frozenset[str] = frozenset()
        for name in order:
            changes[name] += (answer(told | {name}) - answer(told)) / math.factorial(len(names))
            told |= {name}
    return changes
