"""Evidence on the command line, read against the model's own names and labels; names and states offered in the shell.

    sex=female,class=1st        two variables, one state each
    class=1st|2nd               a set of states
    age>30,class!=1st           comparisons: > >= < <= and !=
    age=30..40                  a range, both ends in
    class~1st:3|2nd:1           weights of states
    age=23                      of a binned variable: the bin of a number, a date or a duration
    "a, b"="c=d"                names and labels in quotes, ' or "; or a backslash before , = | ~ : < > ! or a quote

`--given` may be repeated. A part without a sign belongs to the label before it, so that age=[18, 25) needs
no quotes; nor does a label with "|", "=" or ">" in it that the variable has as it stands. One condition is read by
`depnet.model.condition_text`.
"""

import math
import os
import shlex
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from depnet.data import Domain, Variable
    from depnet.model import Network
    from depnet.model.evidence import Given

SYNTAX = (
    "Write --given variable=state,variable=state (sets: a|b, numbers: variable>5, variable=5..9, weights: "
    "variable~a:3|b:1)."
)


def parse(texts: Iterable[str], domain: "Domain") -> "Given | None":
    """The evidence of all `--given`; None where there is none."""
    from depnet.errors import EvidenceError
    from depnet.model.condition_text import cut_at_sign, read_condition

    given: dict[str, Any] = {}
    for text in texts:
        for part in _parts(text, domain):
            name, sign, rest = cut_at_sign(domain, part)
            if not sign:
                raise click.ClickException(f"--given {text!r}: {part.strip()!r} is not evidence. {SYNTAX}")
            variable = domain.variables[domain.index(name)]
            if name in given:
                raise EvidenceError(
                    f"there is evidence on {name!r} twice. Sets of states are {name}=a|b, ranges {name}=5..9."
                )
            given[name] = _weights(rest, variable) if sign == "~" else read_condition(variable, sign, rest)
    return given or None


def check_targets(targets: Iterable[str], domain: "Domain", known: "Given | None") -> None:
    """Refuse a target such as sex=female beside a variable: it is evidence whose --given was forgotten.

    Alone it is a question, as are comparisons: of these, where nothing is known, the other meaning is named.
    """
    from depnet.model.condition_text import EQUALS, cut_at_sign

    variables = [target for target in targets if target in domain.names]
    for target in targets:
        name, sign, _ = cut_at_sign(domain, target)
        if target in domain.names or not variables or name not in domain.names or name in variables:
            continue
        meant = f"{target!r} is asked for, beside {variables[0]}. If it is known, write --given {shlex.quote(target)}."
        if sign in EQUALS:
            raise click.UsageError(f"{meant} Else ask for it alone.")
        if known is None:
            warnings.warn(meant, UserWarning, stacklevel=2)


def names_of(text: str) -> list[str]:
    """Names in a list with commas; one that has a comma of its own is in quotes."""
    from depnet.model.condition_text import split, unquote

    return [unquote(part) for part in split(text, ",") if part.strip()]


def _weights(text: str, variable: "Variable") -> dict[Any, float]:
    from depnet.model.condition_text import split, unquote
    from depnet.model.conditions import label_code

    weights: dict[Any, float] = {}
    for part in split(text, "|"):
        *label, last = split(part, ":")
        try:
            weight = float(last)
        except ValueError:
            weight = math.nan
        if not label or math.isnan(weight):
            raise click.ClickException(
                f"--given {variable.name}~{text}: {part!r} is no state with its weight. Write "
                f"{variable.name}~state:weight|state:weight."
            )
        weights[variable.states[label_code(variable, unquote(":".join(label)))]] = weight
    return weights


def _parts(text: str, domain: "Domain") -> list[str]:
    """The text cut at commas; what has no name and sign of its own belongs to the part before."""
    from depnet.model.condition_text import cut_at_sign, split

    parts: list[str] = []
    for piece in split(text, ","):
        name, sign, _ = cut_at_sign(domain, piece)
        if parts and not (sign and name) and cut_at_sign(domain, parts[-1])[1] and piece.strip():
            parts[-1] += f",{piece}"
        elif piece.strip():
            parts.append(piece)
    return parts


def complete_variable(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Names of variables, of the model that the command line names."""
    network = _model(context)
    return [] if network is None else [name for name in network.domain.names if name.startswith(incomplete)]


def complete_given(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """What the last part of an unfinished `--given` may become: names of variables, and after "=" their states."""
    from depnet.model.condition_text import cut_at, quote, split, unquote

    network = _model(context)
    if network is None:
        return []
    *before, last = split(incomplete, ",")
    start = "".join(f"{part}," for part in before)
    name, sign, rest = cut_at(last, "=~")
    if not sign:
        return [f"{start}{quote(n)}=" for n in network.domain.names if n.startswith(unquote(name))]
    if unquote(name) not in network.domain.names:
        return []
    states = map(str, network.domain.variables[network.domain.index(unquote(name))].states)
    return [f"{start}{name}{sign}{quote(label)}" for label in states if label.startswith(unquote(rest))]


def _model(context: click.Context) -> "Network | None":
    """The first model file of the line: click itself gives up parsing at an option without its value."""
    from depnet.cli.files import is_model
    from depnet.model.file import load

    line = os.environ.get("COMP_WORDS", "")
    try:
        words = shlex.split(line)
    except ValueError:  # an open quotation
        words = line.split()
    path = next((word for word in [context.params.get("model"), *words] if word and is_model(word)), None)
    try:
        return None if path is None else load(path)
    except Exception:  # completion never complains
        return None
