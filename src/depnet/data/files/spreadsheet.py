"""Text that a spreadsheet would take for a formula, made plain.

A spreadsheet computes a cell that begins with =, +, -, @ (or their full-width forms), a tab or a carriage return, and labels
are whatever a table held. One that takes other separators than the file's own sees cells begin inside a text, too: after
a line break, a comma, a semicolon, a tab or a bar. An apostrophe goes before each such place; numbers stay as they are.
"""

import re
from dataclasses import replace
from typing import Any

from depnet.data.table.variable import Domain, Label, Variable

_FORMULA = re.compile(r"""(^|[\n\r,;\t|])(["' ]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r])""")


def guard(value: Any) -> Any:
    r"""A cell that no spreadsheet computes; what is no text, and text that is a number, is as it was.

    >>> guard("=1+1"), guard("-2.5"), guard("a;=1"), guard("a\n@b"), guard("\uff1d1")
    ("'=1+1", '-2.5', "a;'=1", "a\n'@b", "'\uff1d1")
    """
    if not isinstance(value, str) or _is_number(value):
        return value
    return _FORMULA.sub(r"\1'\2", value)


def guard_domain(domain: Domain) -> Domain:
    """The same variables with names and labels that no spreadsheet computes.

    >>> domain = guard_domain(Domain((Variable("=x", ("-", "a")),)))
    >>> domain.names, domain.variables[0].states
    (("'=x",), ("'-", 'a'))
    """
    names = _distinct(domain.names)
    return Domain(
        tuple(
            replace(variable, name=name, states=_states(variable))
            for variable, name in zip(domain.variables, names, strict=True)
        )
    )


def _states(variable: Variable) -> tuple[Label, ...]:
    own = variable.present_states
    return (*_distinct(own), *variable.states[len(own) :])


def _distinct(labels: tuple[Any, ...]) -> tuple[Any, ...]:
    """Guarded, and as different as they were: "=a" becomes "'=a", which another may be already."""
    taken = {label for label in labels if guard(label) == label}
    found = []
    for label in labels:
        plain = guard(label)
        while plain != label and plain in taken:
            plain = f"'{plain}"
        taken.add(plain)
        found.append(plain)
    return tuple(found)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
