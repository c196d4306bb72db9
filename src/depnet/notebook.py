"""What results look like in a notebook: one self-contained `<div>` each, of the same few elements.

They look like the explorer's page: a card with a thin frame, tables with a line below each row, bars in its colours.
Cards work in light and dark notebooks alike, since text has the colour of the page; nothing is fetched and nothing is run.
Names and labels are whatever a table held: all text is escaped here, and what would turn text around is shown as its code.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from depnet.wording import Grid, Part, printable

BAR = "#56B4E9"
"""Shares of an answer: sky blue of Okabe and Ito's colours, as in pictures (`pictures.colours.SKY`)."""

LINE = "1px solid rgba(128,128,128,.35)"
_CARD = f"font-family:system-ui,sans-serif;font-size:13px;border:{LINE};border-radius:10px;padding:8px 14px;max-width:1080px"
_TABLE = "border-collapse:collapse;font-size:inherit;margin:4px 0"
_TEXT = f"text-align:left;padding:2px 10px 2px 0;border:0;border-bottom:{LINE};overflow-wrap:anywhere"
_NUMBER = (
    f"text-align:right;padding:2px 0 2px 10px;border:0;border-bottom:{LINE};white-space:nowrap;"
    "font-variant-numeric:tabular-nums"
)


@dataclass(frozen=True, slots=True)
class Bar:
    """A cell with a bar: `share` of its width."""

    share: float


Cell = str | Bar


def text(said: str) -> str:
    r"""A text as HTML shows it.

    >>> text("<b>\u202e")
    '&lt;b&gt;\\u202e'
    """
    return escape(printable(said))


def card(title: str, *parts: str) -> str:
    """The whole face of a result: its title, and parts that the functions below have made."""
    return f"<div style='{_CARD}'><p style='margin:2px 0 6px'><b>{text(title)}</b></p>{''.join(parts)}</div>"


def line(said: str) -> str:
    return f"<p style='margin:4px 0'>{text(said)}</p>"


def note(said: str) -> str:
    """A sentence that steps back: how something was found, what is not shown."""
    return f"<p style='margin:4px 0;opacity:.7'>{text(said)}</p>"


def warning(said: str) -> str:
    return f"<p style='margin:4px 0'>⚠ {text(said)}</p>"


def beside(*parts: str) -> str:
    inside = "".join(f"<div style='max-width:100%'>{part}</div>" for part in parts if part)
    return f"<div style='display:flex;flex-wrap:wrap;gap:4px 28px;align-items:flex-start'>{inside}</div>"


def fold(said: str, part: str) -> str:
    return f"<details><summary style='cursor:pointer;opacity:.7'>{text(said)}</summary>{part}</details>"


def table(heads: Sequence[str], rows: Iterable[Sequence[Cell]], *, left: int = 1) -> str:
    """A table; the first `left` columns are text, the others numbers to the right, or bars."""
    head = "".join(_cell("th", name, at < left) for at, name in enumerate(heads))
    body = "".join(
        f"<tr>{''.join(_cell('td', cell, at < left) for at, cell in enumerate(row))}</tr>" for row in rows
    )
    return f"<table style='{_TABLE}'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_of_parts(parts: Iterable[Part]) -> Iterator[str]:
    """Parts as the elements of a card."""
    for part in parts:
        if isinstance(part, Grid):
            left = part.left if isinstance(part.left, int) else sum(part.left)
            yield (line(part.title) if part.title else "") + table(part.head, part.rows, left=left)
        else:
            yield line(part if isinstance(part, str) else part.text)


def _cell(tag: str, cell: Cell, is_text: bool) -> str:
    if isinstance(cell, str):
        return f"<{tag} style='{_TEXT if is_text else _NUMBER}'>{text(cell)}</{tag}>"
    share = min(max(cell.share, 0.0), 1.0)
    inside = f"<div style='height:10px;border-radius:2px;background:{BAR};width:{100 * share:.1f}%'></div>"
    return f"<{tag} style='{_TEXT};padding-left:8px'><div style='width:120px'>{inside}</div></{tag}>"
