"""Questions to try first, made from a model's strongest links."""

from dataclasses import dataclass

import numpy as np

from depnet.data import Variable
from depnet.explorer.cards import is_histogram
from depnet.explorer.histogram import Axis
from depnet.explorer.known import Held, describe_held
from depnet.explorer.loaded import Loaded
from depnet.explorer.state import State
from depnet.inference.answer.profile import Profile
from depnet.pictures.graph.dependency import Tie

LEAST = 0.05
"""The share of a state that is worth asking for."""

TOP = 0.25
"""Of a number, the share of its highest values that is."""


@dataclass(frozen=True)
class FirstQuestion:
    """A question in words, and the state of Explore that answers it."""

    text: str
    state: State


def what_ifs(loaded: Loaded, most: int = 1) -> list[FirstQuestion]:
    """Questions about what changes when a variable with a strong link is known; none where there are no links.

    The strongest links first, each of other variables than those before it, where there are such ones.
    """
    variables = loaded.domain.variables
    ties = loaded.graph.ties
    apart: list[Tie] = []
    for tie in ties:
        if len(apart) < most and not any({*tie.ends} & {*other.ends} for other in apart):
            apart.append(tie)
    found = []
    for tie in apart:
        teller, told = tie.ends
        column = loaded.column(teller)
        held = telling(variables[teller], column)
        said = describe_held(variables[teller].name, held, variables[teller])
        found.append(
            FirstQuestion(
                f"What is likely when {said}? Look at {variables[told].name}.",
                State({variables[teller].name: held}, variable=variables[told].name),
            )
        )
    return found


def telling(variable: Variable, column: Profile | None) -> Held:
    """The top quarter of a number; else the rarest state that is not too rare, which is most of a surprise."""
    if is_histogram(variable) and column is not None and column.numbers is not None:
        law = column.numbers.law
        drawn = Axis.of(variable, law)
        above = np.cumsum(drawn.bars(law.values, law.weights)[::-1])[::-1]
        at = max(int((above >= TOP - 1e-9).sum()) - 1, 1)  # the last bar with a quarter from its beginning on
        held = drawn.held(at, len(drawn) - 1)
        if held is not None:
            return held
    if column is None:
        return variable.present_states[-1:]
    shares = column.shares
    enough = [code for code in range(len(variable.present_states)) if shares[code] >= LEAST]
    code = min(enough, key=lambda c: (shares[c], c)) if enough else int(np.argmax(shares))
    return (variable.states[code],)
