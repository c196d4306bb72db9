"""Evidence on the command line (`depnet.model.given_text` reads it); names and states offered in the shell."""

import os
import shlex
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from depnet.data import Domain
    from depnet.model import Network
    from depnet.model.evidence import Given


def parse(texts: Iterable[str], domain: "Domain") -> "Given | None":
    """The evidence of all `--given`; None where there is none."""
    from depnet.model.given_text import read_given

    return read_given(texts, domain)


def check_targets(targets: Iterable[str], domain: "Domain", known: "Given | None") -> None:
    """Refuse a target such as sex=female beside a variable: it is evidence whose --given was forgotten.

    Alone it is a question, as are comparisons: of these, where nothing is known, the other meaning is named.
    """
    from depnet.model.given_text import EQUALS, cut_at_sign

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


def complete_variable(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Names of variables, of the model that the command line names."""
    network = _model(context)
    return [] if network is None else [name for name in network.domain.names if name.startswith(incomplete)]


def complete_given(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """What the last part of an unfinished `--given` may become: names of variables, and after "=" their states."""
    from depnet.model.given_text import cut_at, quote, split, unquote

    network = _model(context)
    if network is None:
        return []
    *before, last = split(incomplete, ",")
    start = "".join(f"{part}," for part in before)
    name, sign, rest = cut_at(last, "=")
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
