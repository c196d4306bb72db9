"""The order of a variable's states: one rule, for frames, files and partitions alike.

States stand in the order that a frame declares for its categories (a pandas category, a polars Enum, an Arrow
dictionary; unused ones stay), and False before True. Otherwise they are sorted: numbers by size, text by the code
points of its characters, so that neither the order of rows nor the language of the machine matters.
"""

from collections.abc import Iterable
from dataclasses import replace

from depnet.data.table.variable import Label, Variable
from depnet.errors import DataError, brief

MISSING_LABEL = "(missing)"
OTHER_LABEL = "other"


def ordered_states(values: Iterable[Label], declared: Iterable[Label] | None = None) -> tuple[Label, ...]:
    """The states of a column with these values, each once.

    >>> ordered_states(["b", "a", "b"]), ordered_states([10, 9]), ordered_states(["b"], declared=["b", "a"])
    (('a', 'b'), (9, 10), ('b', 'a'))
    """
    if declared is not None:
        return tuple(dict.fromkeys(declared))
    once = set(values)
    try:
        return tuple(sorted(once))
    except TypeError:
        first, second = sorted(once, key=lambda value: type(value).__name__)[:: len(once) - 1]
        raise DataError(
            f"the values mix {type(first).__name__} ({brief(first)}) and {type(second).__name__} "
            f"({brief(second)}). Make them one type."
        ) from None


def with_missing_state(variable: Variable) -> Variable:
    """The variable with one more state, the last, for missing values, under a label that no other state has.

    >>> with_missing_state(Variable("x", ("a", "(missing)"))).states
    ('a', '(missing)', '(missing 2)')
    """
    label, number = MISSING_LABEL, 1
    while label in variable.states:
        number += 1
        label = f"(missing {number})"
    return replace(variable, states=(*variable.states, label), missing=label)


def with_other_state(name: str, states: tuple[Label, ...]) -> Variable:
    """A variable with these states, and one more, the last, for all other values, under a label that no other state has.

    >>> with_other_state("x", ("a", "other")).states
    ('a', 'other', 'other 2')
    """
    label, number = OTHER_LABEL, 1
    while label in states:
        number += 1
        label = f"{OTHER_LABEL} {number}"
    return Variable(name, (*states, label), other=label)
