"""Evidence as the address of a page has it: /ask?sex=female&class=1st&class=2nd.

A name with several states is a set of allowed states. States are written as their text. What the model does not
know is told apart, so that an old link still opens with the rest.
"""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from depnet.data import Domain, Label, Variable
from depnet.errors import EvidenceError
from depnet.model.evidence import Given

Chosen = dict[str, tuple[Label, ...]]
"""For each variable of the evidence its allowed states: one clamps it."""

MOST_PROBLEMS = 5
"""Told in full, each with the nearest names; of more, only how many there are."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What a link says: the evidence in it, and what was not understood."""

    chosen: Chosen
    problems: tuple[str, ...]


def opened(domain: Domain, parameters: Iterable[tuple[str, str]]) -> Opened:
    """The evidence that the parameters of an address give."""
    texts: dict[str, dict[str, None]] = {}
    for name, text in parameters:
        texts.setdefault(name, {})[text] = None
    known = set(domain.names)
    chosen: Chosen = {}
    problems: list[str] = []
    more = 0
    for name, values in texts.items():
        full = len(problems) == MOST_PROBLEMS
        if full and name not in known:  # to find what is near to a name takes time
            more += 1
            continue
        try:
            variable = domain.variables[domain.index(name)]
            codes = state_codes(variable, values)
        except EvidenceError as error:
            if full:
                more += 1
            else:
                problems.append(str(error))
            continue
        if len(codes) < variable.cardinality:
            chosen[name] = tuple(variable.states[code] for code in codes)
    if more:
        problems.append(f"{more:,} more names or states that the model does not know.")
    return Opened(chosen, tuple(problems))


def state_codes(variable: Variable, texts: Iterable[str]) -> list[int]:
    """The codes of the states with these texts, or of the bins of these numbers; else the error that offers the nearest."""
    of_text = {str(state): code for code, state in reversed(tuple(enumerate(variable.states)))}
    return sorted({of_text[text] if text in of_text else _code(variable, text) for text in texts})


def _code(variable: Variable, text: str) -> int:
    value: str | float = text
    with contextlib.suppress(ValueError):
        value = float(text)
    found = variable.find(value)
    return variable.code(text) if found is None else found


def pairs(chosen: Mapping[str, Iterable[Label]]) -> list[tuple[str, str]]:
    """The evidence as parameters of an address."""
    return [(name, str(state)) for name, states in chosen.items() for state in states]


def given(chosen: Mapping[str, tuple[Label, ...]]) -> Given:
    """The same as the library takes it."""
    return {name: states[0] if len(states) == 1 else frozenset(states) for name, states in chosen.items()}
