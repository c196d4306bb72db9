"""The quality of drawn rows as one HTML page: sentences first, then every measure, column by column and pair by pair."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from depnet.inference.judge.quality import Beside, Quality
from depnet.notebook import fold, note, table
from depnet.pictures import colours, labels
from depnet.pictures.labels import short, xml
from depnet.pictures.report.page import NAME, frame, scroll, whole_page
from depnet.pictures.svg import element, key, picture, text, title
from depnet.wording import plural

MOST_ROWS, MOST_PAIRS = 60, 20
"""Of the table of columns, and of that of pairs."""
COLUMNS = {
    "shape": ("column shapes",),
    "coverage": ("range coverage", "category coverage"),
    "guessed": ("disclosure",),
    "predicted": ("accuracy", "variance explained"),
}
"""What the table of columns has of which measures."""
MARKS = (
    ("drawn rows", colours.BLUE),
    ("fresh real rows", colours.ORANGE),
    ("shuffled columns", colours.GREY),
)
LINE, LEFT, WIDE = 24, 230, 420


def quality_report(found: Quality, title: str = "Quality of drawn rows") -> str:
    """What `depnet.quality` found as one HTML text, self-contained, that opens offline and runs nothing.

    Args:
        found: a `Quality`.
        title: of the page, such as the table's name.

    Returns:
        The text.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> quality_report(depnet.quality(people, people), "Titanic")[:15]
    '<!doctype html>'
    """
    said = "".join(f"<li>{xml(sentence)}</li>" for sentence in found.sentences)
    cells = [[name, *map(_shown, found[name])] for name in found.measures]
    sections = {
        "In short": f'<ul class="said">{said}</ul>\n',
        "All measures": frame(_marks({name: found[name] for name in found.measures}))
        + fold("Numbers", scroll(table(["", "drawn", "fresh", "shuffled"], cells))),
        "Column by column": _columns(found),
        "Pair by pair": _pairs(found),
    }
    size = f"{plural(found.rows, 'drawn row')} and as many fresh ones, beside {plural(found.real_rows, 'row')} learned from"
    return whole_page(labels.line(title), size, {name: html for name, html in sections.items() if html})


def _shown(figure: float) -> str:
    return "–" if np.isnan(figure) else f"{figure:.3f}"


def _marks(figures: Mapping[str, Beside]) -> str:
    """Every measure as marks on a line from 0 to 1."""
    parts = key(LEFT, 16, MARKS)
    for k, (name, beside) in enumerate(figures.items(), start=1):
        y = 16 + k * LINE
        parts.append(text(0, y + 4, name))
        track = {"x1": LEFT, "x2": LEFT + WIDE, "y1": y, "y2": y, "stroke": colours.REST}
        parts.append(element("line", **track))
        for (who, colour), figure, size in reversed([*zip(MARKS, beside, (6, 5, 4), strict=True)]):
            if not np.isnan(figure):
                x = float(LEFT + WIDE * min(max(figure, 0.0), 1.0))
                tip = title(f"{name}, {who}: {figure:.3f}")
                parts.append(element("circle", tip, cx=x, cy=y, r=size, fill=colour))
        parts.append(text(LEFT + WIDE + 16, y + 4, _shown(beside.drawn)))
    box = (0, 0, LEFT + WIDE + 70, 16 + (len(figures) + 1) * LINE)
    return picture(box, "Every measure from 0 to 1, of drawn, fresh and shuffled rows", *parts)


def _columns(found: Quality) -> str:
    """A line for each column: what was measured of it, drawn / fresh, the least alike first."""
    shapes = found.each["column shapes"]
    names = sorted(shapes, key=lambda name: np.nan_to_num(shapes[name].drawn, nan=1.0))

    def cells(name: str) -> Iterator[str]:
        yield short(name, NAME)
        yield "number" if name in found.numbers else "category"
        for measures in COLUMNS.values():
            figures = [found.each[each][name] for each in measures if name in found.each.get(each, ())]
            yield f"{_shown(figures[0].drawn)} / {_shown(figures[0].fresh)}" if figures else ""
        yield " / ".join(f"{100 * share:.1f} %" for share in found.holes.get(name, ()))

    more = note(f"{plural(len(names) - MOST_ROWS, 'column')} more.") if len(names) > MOST_ROWS else ""
    heads = ["", "", *COLUMNS, "missing in real / drawn / fresh"]
    said = "Drawn / fresh rows. Shape and coverage: 1 is all. Guessed: by who knows the rest of a row learned from. "
    said += "Predicted: from the other columns, taught by drawn / by real rows; hits, of numbers variance explained."
    return scroll(table(heads, [[*cells(name)] for name in names[:MOST_ROWS]], left=2)) + note(said) + more


def _pairs(found: Quality) -> str:
    """The pairs that are the least alike beside fresh rows."""
    pairs: Mapping[Any, Beside] = found.each["column pair trends"]
    known = [pair for pair, beside in pairs.items() if not np.isnan(beside.drawn)]
    worst = sorted(known, key=lambda pair: pairs[pair].drawn - np.nan_to_num(pairs[pair].fresh))[:MOST_PAIRS]
    cells = [[*(short(name, NAME) for name in pair), *map(_shown, pairs[pair])] for pair in worst]
    listed = scroll(table(["", "", "drawn", "fresh", "shuffled"], cells, left=2))
    return note(f"{plural(len(known), 'pair')}; first those less alike than in fresh rows.") + listed
