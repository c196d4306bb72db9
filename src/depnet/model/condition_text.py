"""Conditions as people write them: a variable's name, a sign, and what it is compared with.

    sex=female                  a state; of numbers and dates the state or bin that the value lies in
    class=1st|2nd               a set of states
    income>50000                a comparison: > >= < <= and !=
    income=40000..50000         a range, both ends in
    income is missing           an empty cell; income is known: one that is not
    "a, b"="c=d"                names and labels in quotes, ' or "; or a backslash before a sign

A label that the variable has as it stands needs no quotes, whatever signs are in it: income>50K is the state ">50K"
where there is one. Nor does a name, as long as no shorter name before a sign is a variable, too.
"""

import re

from depnet.data.table.variable import Domain, Variable
from depnet.errors import EvidenceError
from depnet.model.conditions import SIGNS, label_code

EQUALS = ("==", "=")
SPECIAL = ",=|~:<>!"
"""What a backslash or quotes protect, besides quotes and the backslash itself."""
_MISSING = re.compile(r"(.*\S)\s+is\s+(missing|known)\s*", re.DOTALL)


def read_condition(variable: Variable, sign: str, text: str) -> object:
    """What follows a name: `sign` is one of `SIGNS` or an equals sign, `text` still in quotes where it has any."""
    if sign not in EQUALS:
        whole = SIGNS[sign] + unquote(text)
        spaced = f"{SIGNS[sign]} {unquote(text)}"
        return spaced if spaced in variable.states and whole not in variable.states else whole
    whole = unquote(text)
    of_text = {str(state): state for state in reversed(variable.states)}
    if whole in of_text:
        return of_text[whole]
    alternatives = [_alternative(variable, unquote(part)) for part in split(text, "|")]
    return alternatives[0] if len(alternatives) == 1 else frozenset(alternatives)


def _alternative(variable: Variable, text: str) -> object:
    """A state by its label or a value in it, or a range."""
    if text.startswith(tuple(SIGNS)) and text not in variable.states:
        raise EvidenceError(
            f"the condition {text!r} on {variable.name!r} has a sign after the equals sign. Write {variable.name}{text} "
            "(and >=, not =>)."
        )
    if ".." in text and variable.find(text) is None:
        return text
    code = label_code(variable, text)
    # A number is itself, and not its bin.
    return text if variable.bins is not None and text not in variable.states else variable.states[code]


def cut_at_sign(domain: Domain, text: str) -> tuple[str, str, str]:
    """The name, the sign (also the ~ of weights) and the rest: cut after a variable's name, else at the first sign."""
    first = None
    told = _MISSING.fullmatch(text)
    if told and unquote(told[1]) in domain.names and text.strip() not in domain.names:
        return unquote(told[1]), "is", told[2]
    for at, sign in signs_in(text):
        name = unquote(text[:at])
        found = name, sign, text[at + len(sign) :]
        if name in domain.names:
            return found
        first = first or found
    return first or (unquote(text), "", "")


def signs_in(text: str) -> list[tuple[int, str]]:
    """Every sign outside quotes, with its place."""
    found, at, places = [], 0, open_places(text)
    while at < len(text):
        whole = next((s for s in (*SIGNS, *EQUALS, "~") if places[at] and text.startswith(s, at)), None)
        if whole is not None:
            found.append((at, whole))
        at += len(whole or " ")
    return found


def open_places(text: str) -> list[bool]:
    """Of each place, is it outside of quotes, and not after a backslash?

    A quotation begins where a name or a label does: O'Neil is none.
    """
    found, quote, begins = [], "", True
    word, protected = "", False
    for here in text:
        found.append(not (quote or protected))
        if protected:
            protected, begins, word = False, False, ""
        elif here == "\\":
            protected, begins = True, False
            found[-1] = False
        elif quote:
            quote = "" if here == quote else quote
        elif here in "\"'" and begins:
            quote, begins = here, False
            found[-1] = False
        elif here.isspace():
            begins, word = begins or word.lower() in ("and", "or", "not"), ""
        else:
            begins, word = here in "|,=~<>(", word + here
    return found


def cut_at(text: str, signs: str) -> tuple[str, str, str]:
    """The text before the first of `signs` outside quotes, that sign, and the rest, as `str.partition`."""
    places = open_places(text)
    at = next((at for at, here in enumerate(text) if here in signs and places[at]), len(text))
    return text[:at], text[at : at + 1], text[at + 1 :]


def split(text: str, sign: str) -> list[str]:
    """The text cut at every `sign` outside quotes."""
    parts, rest = [], text
    while True:
        head, found, rest = cut_at(rest, sign)
        parts.append(head)
        if not found:
            return parts


def unquote(text: str) -> str:
    """A name or a label without its quotes and backslashes."""
    bare = text.strip()
    if len(bare) >= 2 and bare[0] in "\"'" and bare[-1] == bare[0]:
        bare = bare[1:-1]
    return re.sub(rf"\\([{SPECIAL}\\\"'])", r"\1", bare)


def quote(text: str) -> str:
    """A name or a label in quotes, where it needs them."""
    return f'"{text}"' if any(sign in f"{SPECIAL}\"'\\" or sign.isspace() for sign in text) else text
