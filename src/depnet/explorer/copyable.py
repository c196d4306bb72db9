"""A question as text to copy: a command line and Python, both of which run as they stand."""

import shlex
from collections.abc import Mapping, Sequence

from depnet.data import Label

SIGNS = ",=|~:\"'\\"
"""What, beside spaces, the command's --given reads as something else than text, unless it is in quotes."""


def command_line(
    model: str, targets: Sequence[str], chosen: Mapping[str, tuple[Label, ...]], data: str | None = None
) -> str:
    """`depnet query ...` for a POSIX shell."""
    words = ["depnet", "query"]
    for name, states in chosen.items():
        words += ["--given", f"{_quoted(name)}={'|'.join(_quoted(str(state)) for state in states)}"]
    if data is not None:
        words += ["--data", data]
    # after "--" a name that begins with a dash is a name
    dashed = any(word.startswith("-") for word in (model, *targets))
    words += [*(["--"] if dashed else []), model, *targets]
    return " ".join(map(shlex.quote, words))


def python(
    model: str, targets: Sequence[str], chosen: Mapping[str, tuple[Label, ...]], *, law: bool = True
) -> str:
    """The same in Python, asked of the model alone; the answer is `result`. `law`: the file has one."""
    known = ", ".join(
        f"{name!r}: {states[0]!r}" if len(states) == 1 else f"{name!r}: {{{', '.join(map(repr, states))}}}"
        for name, states in chosen.items()
    )
    asked = repr(targets[0]) if len(targets) == 1 else repr(list(targets))
    evidence = f", {{{known}}}" if known else ""
    name = "law" if law else "network"
    return (
        "import depnet\n\n"
        f"{name} = depnet.load({model!r}{', law=True' if law else ''})\n"
        f"result = depnet.query({name}, {asked}{evidence})\n"
        "print(result)\n"
    )


def _quoted(text: str) -> str:
    if text and not any(sign in SIGNS or sign.isspace() for sign in text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
