"""What somebody may have meant: the nearest names, for error messages."""

import difflib
import itertools
from collections.abc import Iterable

from depnet.errors import brief

COMPARED = 2_000
"""Only the first names, by their first characters, are compared: a message must not take seconds."""
COMPARED_CHARACTERS = 60


def nearest(wanted: object, names: Iterable[object], shown: int = 5) -> str:
    """One sentence that offers the names nearest to `wanted`, or some of all the names there are.

    >>> nearest("surived", ["class", "sex", "survived"])
    "Did you mean 'survived'?"
    >>> nearest("x0", ["X0", "X1"])
    "Did you mean 'X0'?"
    """
    every = list(names)
    text = _text(wanted)
    by_text = {_text(name).casefold(): name for name in itertools.islice(every, COMPARED)}
    same = [name for name in every if _text(name) == text]
    close = [by_text[near] for near in difflib.get_close_matches(text.casefold(), list(by_text), n=shown)]
    offered = same[:shown] or close
    if offered:
        return f"Did you mean {' or '.join(map(brief, offered))}?"
    some = ", ".join(brief(name) for name in every[:shown])
    rest = len(every) - shown
    return f"There {'is' if len(every) == 1 else 'are'}: {some}{f' and {rest:,} more' if rest > 0 else ''}."


def _text(name: object) -> str:
    return (name if isinstance(name, str) else brief(name))[:COMPARED_CHARACTERS]
