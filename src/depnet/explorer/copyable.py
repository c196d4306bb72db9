"""A question as text to copy: a command line and Python, both of which run as they stand."""

import shlex
from collections.abc import Sequence

from depnet.explorer.known import Held, Known
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import copyable
from depnet.model.conditions import KNOWN, MISSING
from depnet.model.conditions import SIGNS as COMPARISONS


class Copies:
    """A question as a command line and as Python, each with a button that copies it."""

    def __init__(self) -> None:
        self._command, self._python = copyable("Command line"), copyable("Python")

    def show(self, loaded: Loaded, targets: Sequence[str], known: Known) -> None:
        """The question about these targets, of which there is at least one."""
        self._command.text = command_line(loaded.path, targets, known, loaded.table) if targets else ""
        self._python.text = python(loaded.path, targets, known, law=loaded.law is not None) if targets else ""


SIGNS = ",=|~:\"'\\"
"""What, beside spaces, the command's --given reads as something else than text, unless it is in quotes."""


def command_line(model: str, targets: Sequence[str], known: Known, data: str | None = None) -> str:
    """`depnet query ...` for a POSIX shell."""
    words = ["depnet", "query"]
    for name, held in known.items():
        words += ["--given", _quote(name) + _comparison(held)]
    if data is not None:
        words += ["--data", data]
    # after "--" a name that begins with a dash is a name
    dashed = any(word.startswith("-") for word in (model, *targets))
    words += [*(["--"] if dashed else []), model, *targets]
    return " ".join(map(shlex.quote, words))


def python(model: str, targets: Sequence[str], known: Known, *, law: bool = True) -> str:
    """The same in Python, asked of the model alone; the answer is `result`. `law`: the file has one."""
    evidence = ", ".join(f"{name!r}: {_literal(held)}" for name, held in known.items())
    asked = repr(targets[0]) if len(targets) == 1 else repr(list(targets))
    evidence = f", {{{evidence}}}" if evidence else ""
    name = "law" if law else "network"
    return (
        "import depnet\n\n"
        f"{name} = depnet.load({model!r}{', law=True' if law else ''})\n"
        f"result = depnet.query({name}, {asked}{evidence})\n"
        "print(result)\n"
    )


def _literal(held: Held) -> str:
    if isinstance(held, str):
        return "None" if held == MISSING else repr(held)
    return repr(held[0]) if len(held) == 1 else f"{{{', '.join(map(repr, held))}}}"


def _comparison(held: Held) -> str:
    """What follows a name: a sign, and states or the bound of a condition."""
    if held in (MISSING, KNOWN):
        return f" {held}"
    if not isinstance(held, str):
        return "=" + "|".join(_quote(str(state)) for state in held)
    sign = next((sign for sign in COMPARISONS if held.startswith(sign)), None)
    return f"={held}" if sign is None else sign + _quote(held.removeprefix(sign))


def _quote(text: str) -> str:
    if text and not any(sign in SIGNS or sign.isspace() for sign in text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
