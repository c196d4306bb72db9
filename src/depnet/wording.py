"""Numbers of things, lists of names, and the name that somebody may have meant, in results and messages."""

import difflib
import itertools
import re
from collections.abc import Iterable, Sequence

from depnet.errors import brief

COMPARED = 2_000
"""Only the first names, by their first characters, are compared: a message must not take seconds."""
COMPARED_CHARACTERS = 60


_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
"""Control characters, breaks of lines, marks that turn text around, and half characters."""


def printable(text: str) -> str:
    r"""A text that a terminal shows as it is, on one line: names and labels may hold what would move its cursor.

    >>> printable("a\x1b[2Jb"), printable("two\nlines"), printable("abc\u202edef")
    ('a\\x1b[2Jb', 'two\\nlines', 'abc\\u202edef')
    """
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def counted(number: int, what: str, many: str | None = None) -> str:
    """A number of things; `many` is the plural where it is not `what` with an s.

    >>> counted(1, "row"), counted(1200, "row"), counted(3, "leaf", "leaves")
    ('1 row', '1,200 rows', '3 leaves')
    """
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def some_of(names: Sequence[str], most: int = 5) -> str:
    """The first names, and how many more there are.

    >>> some_of(["class", "sex", "age"], most=2)
    'class, sex and 1 more'
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


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
    return f"There {'is' if len(every) == 1 else 'are'}: {some_of(list(map(brief, every)), shown)}."


def _text(name: object) -> str:
    return (name if isinstance(name, str) else brief(name))[:COMPARED_CHARACTERS]
