"""What both SVG pictures are made of: the opening, its style, and elements with their attributes.

A picture is one self-contained file, light and dark, with no font or script of its own.
"""

from collections.abc import Iterable

from depnet.pictures import colours
from depnet.pictures.labels import short, xml
from depnet.wording import shown_width

LETTER = 0.62
"""The width of a character of a sans-serif font as a share of its size, on the safe side."""

SMALL = 11
"""The size of small letters."""

STYLE = f"""<style>
.depnet{{font-family:system-ui,-apple-system,"Segoe UI",sans-serif}}
.depnet text{{fill:#1b1f24}}
.depnet .soft{{fill:#57606a}}
.depnet .paper{{fill:#ffffff}}
.depnet .box{{fill:#ffffff;stroke-width:2.5}}
.depnet .halo{{stroke:#ffffff;stroke-width:3;paint-order:stroke}}
.depnet .both{{fill:{colours.BOTH};stroke:{colours.BOTH}}}
.depnet .one{{fill:{colours.ONE_WAY};stroke:{colours.ONE_WAY}}}
.depnet .head{{stroke:none}}
@media (prefers-color-scheme:dark){{
.depnet text{{fill:#e6e9ed}}
.depnet .soft{{fill:#a5adb7}}
.depnet .paper{{fill:#16191d}}
.depnet .box{{fill:#16191d}}
.depnet .halo{{stroke:#16191d}}
.depnet .both{{fill:{colours.SKY};stroke:{colours.SKY}}}
.depnet .one{{fill:{colours.ORANGE};stroke:{colours.ORANGE}}}
}}
</style>"""
"""Plain classes and no variables, which drawing programs do not know."""


def element(tag: str, inside: str = "", /, **attributes: object) -> str:
    """An element with `inside`, which is SVG already; a float has one digit, `kind` is the class.

    >>> element("circle", cx=1.25, r=3, kind="soft", stroke_width=2)
    '<circle cx="1.2" r="3" class="soft" stroke-width="2"/>'
    """
    said = "".join(
        f' {"class" if name == "kind" else name.replace("_", "-")}="{f"{value:.1f}" if isinstance(value, float) else value}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{said}>{inside}</{tag}>" if inside else f"<{tag}{said}/>"


def title(*lines: str) -> str:
    """What hovering says, line by line; any text."""
    return f"<title>{'&#10;'.join(map(xml, lines))}</title>"


def text(x: float, y: float, label: object, size: float = SMALL, tip: str = "", **attributes: object) -> str:
    """A label, any text, with a `tip` that is SVG already."""
    return element("text", xml(label) + tip, x=float(x), y=float(y), font_size=f"{size:g}", **attributes)


def key(x: float, y: float, named: Iterable[tuple[str, str]]) -> list[str]:
    """States and their colours, beside each other."""
    found = []
    for state, colour in named:
        label = short(state, 18)
        found.append(element("rect", x=x, y=y - 9, width=11, height=11, rx=2, fill=colour))
        found.append(text(x + 16, y, label, kind="soft"))
        x += 32 + 0.6 * SMALL * shown_width(label)
    return found


def share_bar(
    box: tuple[float, float, float, float], shares: Iterable[tuple[str, float]], least: float
) -> list[str]:
    """Shares with their colours from end to end of a box; those of at least `least` have their number in them."""
    left, top, whole, height = box
    found = []
    for colour, share in shares:
        if share <= 1e-9:
            continue
        wide = share * whole
        found.append(
            element("rect", x=f"{left:.2f}", y=top, width=f"{wide:.2f}", height=f"{height:g}", fill=colour)
        )
        if share >= least:
            ink = f"fill:{colours.readable_on(colour)}"
            middle = top + height / 2 + 4
            found.append(text(left + wide / 2, middle, f"{share:.2f}", text_anchor="middle", style=ink))
        left += wide
    return found


def picture(box: tuple[float, float, float, float], said: str, *parts: str) -> str:
    """The whole of a picture: its size, style and paper, and its parts. `said` is what a screen reader says."""
    x, y, width, height = box
    view = f'viewBox="{x:.1f} {y:.1f} {width:.1f} {height:.1f}" width="{width:.0f}" height="{height:.0f}"'
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="depnet" {view} role="img" aria-label="{xml(said)}">'
    )
    paper = element("rect", x=float(x), y=float(y), width=float(width), height=float(height), kind="paper")
    return "\n".join([opening, STYLE, paper, *parts, "</svg>", ""])
