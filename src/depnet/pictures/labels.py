"""Labels of any text at all, made safe for each format, and measured.

Names and states are whatever a table held: quotes, markup, line breaks, control characters, right-to-left
marks, nothing but blanks. Every format gets its own escaping here, and nowhere else.
"""

import html
import re
import unicodedata
from collections.abc import Sequence

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""

_BREAKS = {
    "\n": "↵",
    "\r": "",
    "\t": "⇥",
    "\u2028": "↵",
    "\u2029": "↵",
    "\x0b": "↵",
    "\x0c": "↵",
    "\x85": "↵",
}
_DIRECTIONS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C])
"""Marks that would turn the text after a label around."""


def line(text: object) -> str:
    r"""A label as one line of visible characters: breaks shown as ↵, control characters as �, blanks as ␣.

    >>> line("a\nb"), line("  "), line("\x00")
    ('a↵b', '␣␣', '�')
    """
    shown = "".join(
        _BREAKS[c] if c in _BREAKS else "\ufffd" if unicodedata.category(c) in ("Cc", "Cs", "Cn") else c
        for c in str(text).translate(_DIRECTIONS)
    )
    return shown if shown.strip() else "␣" * max(len(shown), 1)


def short(text: object, limit: int) -> str:
    """A label as one line of at most `limit` characters."""
    shown = line(text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def listed(labels: Sequence[object], limit: int, each: int = 24) -> str:
    """Several states as one label: "1st, 2nd", or "1st, 2nd, +3" where they are too long for `limit`.

    >>> listed(["1st", "2nd"], 20), listed(range(100), 12)
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
