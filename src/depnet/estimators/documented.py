"""Docstrings of estimators, which say each of their parameters, also those that they share: said once, in the base class.

`help(depnet.DependencyNetworkClassifier)` is then whole by itself, and no sentence stands in four files.
"""

import inspect

HEADING = "Args:"


def parameters_of(docstring: str | None) -> dict[str, list[str]]:
    r"""The lines of the section `Args:`, by the name of the parameter.

    >>> parameters_of("A thing.\n\nArgs:\n    one: first,\n        and more.\n    two: second.\n\nReturns:\n    It.")
    {'one': ['    one: first,', '        and more.'], 'two': ['    two: second.']}
    """
    lines = inspect.cleandoc(docstring or "").splitlines()
    found: dict[str, list[str]] = {}
    for line in lines[lines.index(HEADING) + 1 :] if HEADING in lines else ():
        if not line.startswith("    "):
            break
        if not line.startswith("     "):
            found[line.split(":")[0].strip()] = []
        found[list(found)[-1]].append(line)
    return found


def with_parameters(docstring: str, shared: str | None) -> str:
    r"""A docstring whose section `Args:` has also the parameters of a shared one, but for those that it says itself.

    >>> print(with_parameters("A thing.\n\nArgs:\n    one: own.", "Base.\n\nArgs:\n    one: shared.\n    two: shared."))
    A thing.
    <BLANKLINE>
    Args:
        one: own.
        two: shared.
    """
    lines = inspect.cleandoc(docstring).splitlines()
    own = parameters_of(docstring)
    end = lines.index(HEADING) + 1 + sum(map(len, own.values()))
    added = [line for name, text in parameters_of(shared).items() if name not in own for line in text]
    return "\n".join([*lines[:end], *added, *lines[end:]])
