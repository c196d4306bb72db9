"""Evidence on the command line, read against the model's own names and labels.

    sex=female,class=1st        two variables, one state each
    class=1st|2nd               a set of states
    class~1st:3|2nd:1           weights of states
    age=23                      of a binned variable: the bin of a number or a date
    "a, b"="c=d"                names and labels in quotes, ' or "; or a backslash before , = | ~ : or a quote

`--given` may be repeated. A part without "=" or "~" belongs to the label before it, so that age=[18, 25) needs
no quotes; nor does a label with "|" or "=" in it that the variable has as it stands.
"""

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from depnet.data import Domain, Label, Variable
    from depnet.model import Network
    from depnet.model.evidence import Given

SYNTAX = "Write --given variable=state,variable=state (sets: a|b, weights: variable~a:3|b:1)."


def parse(texts: Iterable[str], domain: "Domain") -> "Given | None":
    """The evidence of all `--given`; None where there is none."""
    from depnet.errors import EvidenceError

    given: dict[str, Any] = {}
    for text in texts:
        for part in _parts(text):
            quoted, sign, rest = _cut_at(part, "=~")
            if not sign:
                raise click.ClickException(f"--given {text!r}: {part.strip()!r} is not evidence. {SYNTAX}")
            name = _unquoted(quoted)
            variable = domain.variables[domain.index(name)]
            if name in given:
                raise EvidenceError(f"there is evidence on {name!r} twice. Sets of states are {name}=a|b.")
            given[name] = _weights(rest, variable) if sign == "~" else _states(rest, variable)
    return given or None


def label_of(text: str, variable: "Variable") -> "Label":
    """The state of a variable that a text means: its label, an equal number, or the bin of a number or date."""
    for value in (text, *_readings(text)):
        code = variable.find(value)
        if code is not None:
            return variable.states[code]
    return variable.states[variable.code(text)]  # an error that offers the nearest


def complete(network: "Network", incomplete: str) -> list[str]:
    """What the last part of an unfinished `--given` may become: names, then states."""
    *before, last = _split(incomplete, ",")
    start = "".join(f"{part}," for part in before)
    name, sign, rest = _cut_at(last, "=~")
    if not sign:
        return [f"{start}{_quoted(n)}=" for n in network.domain.names if n.startswith(_unquoted(name))]
    try:
        variable = network.domain.variables[network.domain.index(_unquoted(name))]
    except Exception:  # completion never complains
        return []
    labels = (str(state) for state in variable.states)
    return [f"{start}{name}{sign}{_quoted(label)}" for label in labels if label.startswith(_unquoted(rest))]


def _states(text: str, variable: "Variable") -> Any:
    whole = _unquoted(text)
    if any(str(state) == whole for state in variable.states):
        return label_of(whole, variable)
    labels = [label_of(_unquoted(part), variable) for part in _split(text, "|")]
    return labels[0] if len(labels) == 1 else frozenset(labels)


def _weights(text: str, variable: "Variable") -> dict[Any, float]:
    weights: dict[Any, float] = {}
    for part in _split(text, "|"):
        *label, last = _split(part, ":")
        try:
            weight = float(last)
        except ValueError:
            weight = math.nan
        if not label or math.isnan(weight):
            raise click.ClickException(
                f"--given {variable.name}~{text}: {part!r} is no state with its weight. Write "
                f"{variable.name}~state:weight|state:weight."
            )
        weights[label_of(_unquoted(":".join(label)), variable)] = weight
    return weights


def _readings(text: str) -> list[Any]:
    """What a text may be besides itself: a number, a truth value."""
    found: list[Any] = []
    for read in (int, float):
        try:
            found.append(read(text))
        except ValueError:
            continue
    if text.lower() in ("true", "false"):
        found.append(text.lower() == "true")
    return found


def _parts(text: str) -> list[str]:
    """The text cut at commas; what has no sign of its own belongs to the part before."""
    parts: list[str] = []
    for piece in _split(text, ","):
        if parts and not _cut_at(piece, "=~")[1] and _cut_at(parts[-1], "=~")[1] and piece.strip():
            parts[-1] += f",{piece}"
        elif piece.strip():
            parts.append(piece)
    return parts


def _split(text: str, sign: str) -> list[str]:
    parts, rest = [], text
    while True:
        head, found, rest = _cut_at(rest, sign)
        parts.append(head)
        if not found:
            return parts


def _cut_at(text: str, signs: str) -> tuple[str, str, str]:
    """The text before the first of `signs` outside quotes, that sign, and the rest, as `str.partition`.

    A quotation begins where a name or a label does: O'Neil is none.
    """
    quote, begins = "", True
    at = 0
    while at < len(text):
        here = text[at]
        if here == "\\":
            at, begins = at + 1, False
        elif quote:
            quote = "" if here == quote else quote
        elif here in "\"'" and begins:
            quote, begins = here, False
        elif here in signs:
            return text[:at], here, text[at + 1 :]
        elif not here.isspace():
            begins = here in "|,=~"
        at += 1
    return text, "", ""


def _unquoted(text: str) -> str:
    bare = text.strip()
    if len(bare) >= 2 and bare[0] in "\"'" and bare[-1] == bare[0]:
        bare = bare[1:-1]
    return re.sub(r"\\([,=|~:\\\"'])", r"\1", bare)


def _quoted(text: str) -> str:
    return f'"{text}"' if any(sign in ",=|~:\"'\\" or sign.isspace() for sign in text) else text


def names_of(text: str) -> list[str]:
    """Names in a list with commas; one that has a comma of its own is in quotes."""
    return [_unquoted(part) for part in _split(text, ",") if part.strip()]
