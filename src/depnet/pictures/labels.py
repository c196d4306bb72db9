"""Labels of any text at all, made safe for each format, and measured.

Names and states are whatever a table held: quotes, markup, line breaks, control characters, right-to-left
marks, nothing but blanks. Every format gets its own escaping here, and nowhere else.
"""

import html
import re
from collections.abc import Sequence

from depnet.wording import printable

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""


def line(text: object) -> str:
    r"""A label as one line of visible characters; blanks alone are shown as ␣.

    >>> line("a\nb"), line("  "), line("\x00")
    ('a\\nb', '␣␣', '\\x00')
    """
    shown = printable(str(text))
    return shown if shown.strip() else "␣" * max(len(shown), 1)


def short(text: object, limit: int) -> str:
    """A label as one line of at most `limit` characters."""
    shown = line(text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def join(labels: Sequence[object], limit: int, each: int = 24) -> str:
    """Several states as one label: "1st, 2nd", or "1st, 2nd, +3" where they are too long for `limit`.

    >>> join(["1st", "2nd"], 20), join(range(100), 12)
    ('1st, 2nd', '0, 1, 2, +97')
    """
    names: list[str] = []
    for k, label in enumerate(labels):
        more = f", +{len(labels) - k - 1}" if k + 1 < len(labels) else ""
        new = short(label, each)
        if names and len(", ".join([*names, new])) + len(more) > limit:
            return f"{', '.join(names)}, +{len(labels) - k}"
        names.append(new)
    return ", ".join(names)


def xml(text: object) -> str:
    """Text for XML and HTML, as content or in quotes; what XML cannot hold becomes �.

    >>> xml('<script>"&')
    '&lt;script&gt;&quot;&amp;'
    """
    return html.escape(_FORBIDDEN.sub("\ufffd", str(text)), quote=True)


def dot(text: object) -> str:
    r"""A double-quoted DOT string: quotes, backslashes and entities are themselves.

    >>> print(dot('a "b" \\N &lt;'))
    "a \"b\" \\N &amp;lt;"
    """
    escaped = line(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
