"""A fitted estimator in a notebook: what it explains, the strongest links, and a small picture; nothing from elsewhere."""

import math
from collections.abc import Sequence
from html import escape

from depnet.learning.links.links import Link
from depnet.model.network import Network
from depnet.wording import counted

PICTURED_LINKS = 24
LISTED_LINKS = 10
NAME_LENGTH = 18
SIZE, RADIUS = 340, 115


def html_of(title: object, network: Network, links: Sequence[Link], said: Sequence[str]) -> str:
    """One self-contained `<div>`, with the lines that are `said` of the model; every name is escaped."""
    rows = "".join(
        f"<tr><td>{escape(link.source)}</td><td>{escape(' × '.join(link.targets))}</td>"
        f"<td style='text-align:right'>{link.strength:.3f}</td></tr>"
        for link in links[:LISTED_LINKS]
    )
    lines = "".join(f"<p>{escape(line)}</p>" for line in said)
    name = escape(type(title).__name__)
    return (
        "<div style='font-family:sans-serif;font-size:13px'>"
        f"<p><b>{name}</b>: {counted(len(network.domain), 'variable')}, {counted(len(links), 'link')}</p>{lines}"
        "<div style='display:flex;flex-wrap:wrap;gap:24px;align-items:flex-start'>"
        "<table><thead><tr><th>source</th><th>node</th><th>bits per row</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>{picture(links)}</div></div>"
    )


def picture(links: Sequence[Link]) -> str:
    """The strongest links as an SVG: variables on a circle, an arrow from source to node, its width the strength."""
    shown = [
        (link.source, target, link.strength) for link in links[:PICTURED_LINKS] for target in link.targets
    ]
    names = list(dict.fromkeys(name for source, target, _ in shown for name in (source, target)))
    if not names:
        return ""
    at = {}
    for k, name in enumerate(names):
        angle = 2 * math.pi * k / len(names) - math.pi / 2
        at[name] = (SIZE / 2 + RADIUS * math.cos(angle), SIZE / 2 + RADIUS * math.sin(angle))
    strongest = max(max(strength for *_, strength in shown), 1e-12)
    parts = [
        _arrow(*at[source], *at[target], max(strength, 0.0) / strongest) for source, target, strength in shown
    ]
    for name, (x, y) in at.items():
        anchor = "middle" if abs(x - SIZE / 2) < 1 else "start" if x > SIZE / 2 else "end"
        dx = {"middle": 0, "start": 8, "end": -8}[anchor]
        dy = 4 if anchor != "middle" else (-9 if y < SIZE / 2 else 17)
        short = name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1] + "…"
        parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='#33658a'/>")
        parts.append(
            f"<text x='{x + dx:.1f}' y='{y + dy:.1f}' text-anchor='{anchor}' font-size='11' fill='currentColor'>"
            f"<title>{escape(name)}</title>{escape(short)}</text>"
        )
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{SIZE + 160}' height='{SIZE}' "
        f"viewBox='-80 0 {SIZE + 160} {SIZE}' role='img' aria-label='strongest links'>{''.join(parts)}</svg>"
    )


def _arrow(x0: float, y0: float, x1: float, y1: float, share: float) -> str:
    """A line that bends a little to its left, so that the links of both ways are apart, and a head."""
    length = max(math.hypot(x1 - x0, y1 - y0), 1e-9)
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    bend = 0.08 * length
    cx, cy = (x0 + x1) / 2 + uy * bend, (y0 + y1) / 2 - ux * bend
    ex, ey = x1 - 6 * ux, y1 - 6 * uy
    head = " ".join(
        f"{px:.1f},{py:.1f}"
        for px, py in (
            (ex, ey),
            (ex - 7 * ux - 3 * uy, ey - 7 * uy + 3 * ux),
            (ex - 7 * ux + 3 * uy, ey - 7 * uy - 3 * ux),
        )
    )
    opacity = 0.25 + 0.6 * share
    return (
        f"<path d='M{x0:.1f},{y0:.1f} Q{cx:.1f},{cy:.1f} {ex:.1f},{ey:.1f}' fill='none' stroke='#86bbd8' "
        f"stroke-width='{0.7 + 3 * share:.2f}' stroke-opacity='{opacity:.2f}'/>"
        f"<polygon points='{head}' fill='#86bbd8' fill-opacity='{opacity:.2f}'/>"
    )
