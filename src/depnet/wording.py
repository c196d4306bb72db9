"""Numbers of things, lists of names, and the name that somebody may have meant, in results and messages; values as JSON.

What a result shows is parts, lines and tables, for a terminal, for `print` and for a notebook alike.
"""

import difflib
import itertools
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from depnet.errors import brief

COMPARED = 2_000
"""Only the first names, by their first characters, are compared: a message must not take seconds."""
COMPARED_CHARACTERS = 60


UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
"""Control characters, breaks of lines, marks that turn text around, and half characters."""


def printable(text: str) -> str:
    r"""A text that a terminal shows as it is, on one line: names and labels may hold what would move its cursor.

    >>> printable("a\x1b[2Jb"), printable("two\nlines"), printable("abc\u202edef")
    ('a\\x1b[2Jb', 'two\\nlines', 'abc\\u202edef')
    """
    return UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def shown_width(text: str) -> int:
    """How many places of a terminal a text takes: two for an ideograph, none for a mark that sits on another character.

    >>> shown_width("abc"), shown_width("日本"), shown_width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    marks = ("Mn", "Me", "Cf")
    shown = (c for c in text if unicodedata.category(c) not in marks)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in shown)


class Line(NamedTuple):
    """A line in bold, dim or a colour."""

    text: str
    style: str


class Grid(NamedTuple):
    """A table; all but the first `left` columns (or those marked) are numbers, to the right. `shares` may become bars."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int | Sequence[bool] = 1
    shares: Sequence[float] = ()
    title: str | None = None

    def lines(self, gap: int = 2, widest: int = 10**9, *, ruled: bool = False) -> list[str]:
        """Its head, a rule if wanted, and its rows; a cell that is wider than that moves the rest of its own row only.

        >>> Grid(["state", "p"], [["No", "0.25"]]).lines()
        ['  state     p', '  No     0.25']
        """
        left = self.left
        lefts = [at < left for at in range(len(self.head))] if isinstance(left, int) else list(left)
        cells = [[printable(cell) for cell in row] for row in [self.head, *self.rows]]
        widths = [min(max(map(shown_width, column)), widest) for column in zip(*cells, strict=True)]
        found = []
        for row in cells:
            blanks = [" " * (width - shown_width(cell)) for cell, width in zip(row, widths, strict=True)]
            parts = [c + b if is_left else b + c for c, b, is_left in zip(row, blanks, lefts, strict=True)]
            found.append(f"  {(' ' * gap).join(parts)}".rstrip())
        rule = " " + "─" * (sum(widths) + gap * len(widths) - 1)
        return [found[0], rule, *found[1:]] if ruled else found


Part: TypeAlias = str | Line | Grid


def text_of_parts(parts: Iterable[Part]) -> str:
    """Parts as `print` shows them."""
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Grid):
            lines += [*([] if part.title is None else [part.title]), *part.lines()]
        else:
            lines.append(printable(part if isinstance(part, str) else part.text))
    return "\n".join(lines)


def json_value(value: Any) -> Any:
    """A value as JSON knows it; what is not a finite number is null.

    >>> json_value({1: (math.nan, 2.5)})
    {'1': [None, 2.5]}
    """
    if hasattr(value, "tolist"):  # numpy's
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):  # which have no order of their own
        value = sorted(value, key=str)
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)


def pick(value: Any, *names: str, **renamed: str) -> dict[str, Any] | None:
    """Attributes of a value for an answer, some under other names; None where there is no value.

    >>> pick(3 + 4j, "real", second="imag"), pick(None, "real")
    ({'real': 3.0, 'second': 4.0}, None)
    """
    if value is None:
        return None
    return {
        key: getattr(value, name) for key, name in {**dict(zip(names, names, strict=True)), **renamed}.items()
    }


def plural(number: int, what: str, many: str | None = None) -> str:
    """A number of things; `many` is the plural where it is not `what` with an s.

    >>> plural(1, "row"), plural(1200, "row"), plural(3, "leaf", "leaves")
    ('1 row', '1,200 rows', '3 leaves')
    """
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def percent(share: float) -> str:
    """A share for people.

    >>> percent(0.342), percent(0.0042), percent(0.0)
    ('34 %', '0.42 %', '0 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.095 or share == 0 else f"{100 * share:.2g} %"


def once_in(score: float) -> str:
    """One in how many a row of this mean log-likelihood is.

    >>> once_in(-2.3406), once_in(-10.0), once_in(-40.0), once_in(-math.inf)
    ('10.4', '22,026', '2.4e+17', 'infinitely many')
    """
    if score < -700:
        return "infinitely many" if math.isinf(score) else f"10^{-score / math.log(10):.0f}"
    rows = math.exp(-score)
    return f"{rows:.3g}" if rows < 100 else f"{rows:,.0f}" if rows < 1e6 else f"{rows:.1e}"


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
