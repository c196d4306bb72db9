"""What is known, as a page holds it and as its address has it: /?sex=female&class=1st&class=2nd&age=20..40.

A variable is known by some of its states, or by single numbers and dates; one alone clamps it. Or it meets a condition, such
as ">5000", "4000..5000", "!=male", "is missing" or "is known". A label that reads like a condition is that label. Names and
states that the model does not have are reported, and the rest of an old link still works. A name that begins with a dot gets
one more in an address: parameters with one dot are the page's own (`state`).
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from depnet.arrays import FloatArray
from depnet.data import Domain, Label, Variable
from depnet.errors import DataError, EvidenceError
from depnet.model.conditions import KNOWN, MISSING, SIGNS, describe, empty_condition, interpret, label_code
from depnet.model.evidence import Condition, Given
from depnet.pictures.node.rules import describe_states

Held = tuple[Label, ...] | str
"""The allowed states of one variable (also single numbers or dates, as text), or a condition as text."""

Known = Mapping[str, Held]

MOST_PROBLEMS = 5
"""Conditions that are described, each with the nearest names; others are only counted."""


@dataclass(frozen=True, slots=True)
class LinkEvidence:
    """The evidence in a link, and the parts that were not understood."""

    known: dict[str, Held]
    problems: tuple[str, ...]


def read_parameters(domain: Domain, parameters: Iterable[tuple[str, str]]) -> LinkEvidence:
    """Read the evidence from the parameters of an address; skip the page's own parameters."""
    texts: dict[str, dict[str, None]] = {}
    for name, text in parameters:
        if not is_own(name):
            texts.setdefault(name.removeprefix("."), {})[text] = None
    names = set(domain.names)
    known: dict[str, Held] = {}
    problems: list[str] = []
    more = 0
    for name, values in texts.items():
        full = len(problems) == MOST_PROBLEMS
        if full and name not in names:  # to find what is near to a name takes time
            more += 1
            continue
        try:
            held = held_by(domain.variables[domain.index(name)], tuple(values))
        except EvidenceError as error:
            if full:
                more += 1
            else:
                problems.append(str(error))
            continue
        if held is not None:
            known[name] = held
    if more:
        problems.append(f"{more:,} more names or values that the model does not know.")
    return LinkEvidence(known, tuple(problems))


def is_own(name: str) -> bool:
    """Is a parameter of an address the page's own, and not a variable?"""
    return name.startswith(".") and not name.startswith("..")


def held_by(variable: Variable, texts: tuple[str, ...]) -> Held | None:
    """The states with these texts, or these numbers; one text may be a condition. None: all are allowed."""
    of_text = {str(state): code for code, state in reversed(tuple(enumerate(variable.states)))}
    if len(texts) == 1 and (texts[0] not in of_text or variable.missing == texts[0]):
        (condition,) = texts
        if condition in (MISSING, KNOWN) or variable.missing == condition:
            return KNOWN if condition == KNOWN else MISSING
        if _is_condition(condition):
            weights = interpret(variable, condition).weights()
            if not weights.any():
                raise EvidenceError(empty_condition(variable, condition))
            return None if (weights == 1.0).all() else condition
    found = {_find_state(variable, text, of_text): None for text in texts}
    held = sorted(found, key=variable.code)
    return None if found.keys() >= set(variable.states) else tuple(held)


def _find_state(variable: Variable, text: str, of_text: Mapping[str, int]) -> Label:
    """A state by its text; of a variable with bins a number or date is itself, and not the bin that it lies in."""
    if text in of_text:
        return variable.states[of_text[text]]
    if variable.bins is not None:
        with suppress(DataError):  # the error below offers the nearest
            return number_text(variable, text)
    return variable.states[label_code(variable, text)]


def number_text(variable: Variable, text: str) -> str:
    """A number or a date of a variable with bins, as it was typed; a `DataError` where it is none."""
    assert variable.bins is not None
    number = variable.bins.number(text)
    return variable.bins.text(number) if variable.bins.kind in ("integer", "float") else text


def _is_condition(text: str) -> bool:
    return text.startswith(tuple(SIGNS)) or ".." in text


def pairs(known: Known) -> list[tuple[str, str]]:
    return [
        (f".{name}" if name.startswith(".") else name, text)
        for name, held in known.items()
        for text in ((held,) if isinstance(held, str) else map(str, held))
    ]


def to_text(known: Known) -> str:
    """Write what is known as one parameter of an address, whatever the names and states contain.

    >>> to_text({"sex": ("male",), "a&b=c": ">3"})
    'sex=male&a%26b%3Dc=%3E3'
    """
    return urlencode(pairs(known))


def from_text(domain: Domain, text: str) -> LinkEvidence:
    return read_parameters(domain, parse_qsl(text, keep_blank_values=True))


def given(known: Known) -> Given:
    return {name: condition_of(held) for name, held in known.items()}


def weights(variable: Variable, held: Held) -> FloatArray:
    return interpret(variable, condition_of(held)).weights()


def describe_held(name: str, held: Held, variable: Variable | None = None) -> str:
    """Say in words what is known of a variable; with it, bins of a number by their ends.

    >>> describe_held("class", ("1st", "2nd")), describe_held("age", "20..40"), describe_held("age", ">20")
    ('class = 1st or 2nd', 'age in 20..40', 'age > 20')
    """
    if variable is not None and variable.bins is not None and set(held) <= set(variable.states):
        return describe_states(variable, held)
    return describe(name, held) if isinstance(held, str) else f"{name} = {' or '.join(map(str, held))}"


def is_clamped(held: Held) -> bool:
    """Is one state left, or is it missing?"""
    return held == MISSING or (not isinstance(held, str) and len(held) == 1)


def condition_of(held: Held) -> Condition:
    """What is held of a variable, as evidence has it."""
    if isinstance(held, str):
        return held
    return held[0] if len(held) == 1 else frozenset(held)
