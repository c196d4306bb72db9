"""Evidence as people write it, read against a domain's own names and labels.

    sex=female,class=1st        two variables, one state each
    class=1st|2nd               a set of states
    age>30,class!=1st           comparisons: > >= < <= and !=
    age=30..40                  a range, both ends in
    class~1st:3|2nd:1           weights of states
    age=23                      of a binned variable: the bin of a number, a date or a duration
    "a, b"="c=d"                names and labels in quotes, ' or "; or a backslash before , = | ~ : < > ! or a quote

A part without a sign belongs to the label before it, so that age=[18, 25) needs no quotes; nor does a label with "|",
"=" or ">" in it that the variable has as it stands. One condition is read by `depnet.model.condition_text`.
"""

import math
from collections.abc import Iterable
from typing import Any

from depnet.data.table.variable import Domain, Variable
from depnet.errors import EvidenceError
from depnet.model.condition_text import cut_at_sign, read_condition, split, unquote
from depnet.model.conditions import label_code
from depnet.model.evidence import Given

SYNTAX = (
    "Write variable=state, variable=state (sets: a|b, numbers: variable>5, variable=5..9, weights: "
    "variable~a:3|b:1)."
)


def read_given(texts: str | Iterable[str], domain: Domain) -> Given | None:
    """The evidence of a text, or of several together; None where there is none.

    >>> domain = Domain((Variable("sex", ("female", "male")), Variable("visits", (1, 2, 3))))
    >>> read_given("sex = male, visits > 1", domain)
    {'sex': 'male', 'visits': '>1'}
    """
    given: dict[str, Any] = {}
    for text in [texts] if isinstance(texts, str) else texts:
        for part in _parts(text, domain):
            name, sign, rest = cut_at_sign(domain, part)
            if not sign:
                raise EvidenceError(f"{part.strip()!r} is not evidence. {SYNTAX}")
            variable = domain.variables[domain.index(name)]
            if name in given:
                raise EvidenceError(
                    f"there is evidence on {name!r} twice. Sets of states are {name}=a|b, ranges {name}=5..9."
                )
            given[name] = _weights(rest, variable) if sign == "~" else read_condition(variable, sign, rest)
    return given or None


def names_of(text: str) -> list[str]:
    """Names in a list with commas; one that has a comma of its own is in quotes."""
    return [unquote(part) for part in split(text, ",") if part.strip()]


def _weights(text: str, variable: Variable) -> dict[Any, float]:
    weights: dict[Any, float] = {}
    for part in split(text, "|"):
        *label, last = split(part, ":")
        try:
            weight = float(last)
        except ValueError:
            weight = math.nan
        if not label or math.isnan(weight):
            raise EvidenceError(
                f"{variable.name}~{text}: {part!r} is no state with its weight. Write "
                f"{variable.name}~state:weight|state:weight."
            )
        weights[variable.states[label_code(variable, unquote(":".join(label)))]] = weight
    return weights


def _parts(text: str, domain: Domain) -> list[str]:
    """The text cut at commas; what has no name and sign of its own belongs to the part before."""
    parts: list[str] = []
    for piece in split(text, ","):
        name, sign, _ = cut_at_sign(domain, piece)
        if parts and not (sign and name) and cut_at_sign(domain, parts[-1])[1] and piece.strip():
            parts[-1] += f",{piece}"
        elif piece.strip():
            parts.append(piece)
    return parts
