"""What to ask first: of the variables that tell most, a state that says something."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Variable
from depnet.explorer.bars import between, is_histogram
from depnet.explorer.known import Held
from depnet.pictures import DependencyGraph

QUESTIONS = 2
LEAST = 0.05
"""The probability of a state that is worth asking for."""


def first_questions(
    variables: Sequence[Variable], graph: DependencyGraph, priors: dict[str, FloatArray]
) -> list[tuple[str, Held]]:
    """The variables with the strongest links in all, the second not tied to the first where there is such a one."""
    strength: dict[int, float] = defaultdict(float)
    for arrow in graph.arrows:
        for i in (arrow.source, arrow.target):
            strength[i] += max(arrow.strength, 0.0)
    strongest = sorted((i for i in strength if variables[i].cardinality > 1), key=lambda i: (-strength[i], i))
    chosen: list[int] = strongest[:1]
    if chosen:
        near = set(graph.around(chosen[0]))
        apart = [i for i in strongest if i not in near]
        chosen += [*apart, *strongest[1:]][: QUESTIONS - 1]
    return [
        (variables[i].name, telling_state(variables[i], priors[variables[i].name]))
        for i in dict.fromkeys(chosen)
    ]


def telling_state(variable: Variable, prior: FloatArray) -> Held:
    """The top quarter of a number's bins; else the rarest state that is not too rare, which is most of a surprise.

    >>> telling_state(Variable("class", ("1st", "2nd", "crew")), np.array([0.3, 0.68, 0.02]))
    ('1st',)
    """
    if is_histogram(variable):
        last = len(variable.present_states) - 1
        held = between(variable, last - max(1, len(variable.present_states) // 4) + 1, last)
        if held is not None:
            return held
    enough = [code for code in range(variable.cardinality) if prior[code] >= LEAST]
    code = min(enough, key=lambda c: (prior[c], c)) if enough else int(np.argmax(prior))
    return (variable.states[code],)
