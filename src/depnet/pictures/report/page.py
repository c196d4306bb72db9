"""The page around the sections: its head, its style, tiles and pictures; all else are elements of `depnet.notebook`.

No script and nothing from elsewhere: the page's own policy forbids both, so that even a label that got through the
escaping could do nothing. Light and dark follow the reader's system.
"""

import re
from collections.abc import Mapping, Sequence

from depnet.pictures.labels import line, xml

STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#ffffff;--soft:#57606a;--rule:#d8dee4;--panel:#f6f8fa}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--paper:#16191d;--soft:#a5adb7;--rule:#343a42;--panel:#1e2228}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1080px;margin:0 auto;padding:16px}
h1{font-size:1.6rem;margin:.4em 0 .1em;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2em 0 .3em;border-bottom:1px solid var(--rule);padding-bottom:.2em}
.soft{color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:8px;margin:12px 0}
.tile{background:var(--panel);border:1px solid var(--rule);border-radius:8px;padding:8px 12px}
.tile b{display:block;font-size:1.25rem;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);font-size:.85rem}
.wide{overflow-x:auto;margin:8px 0}
.wide svg{display:block;height:auto;max-width:100%}
details{margin:8px 0}
summary{overflow-wrap:anywhere}
pre{overflow-x:auto;background:var(--panel);padding:10px;border-radius:8px;font-size:12px;line-height:1.35}
@media print{details>*{display:block}}
"""


def page(title: str, subtitle: str, sections: Mapping[str, str]) -> str:
    """The whole file; `sections` are headings with the HTML below them."""
    shown = xml(line(title))
    body = "".join(
        f"<section><h2>{xml(heading)}</h2>\n{html}</section>\n" for heading, html in sections.items()
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{shown}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{shown}</h1>\n"
        f'<p class="soft">{xml(subtitle)}</p>\n{body}</main>\n</body>\n</html>\n'
    )


def tiles(found: Sequence[tuple[str, str]]) -> str:
    inside = "".join(
        f'<div class="tile"><b>{xml(value)}</b><span>{xml(what)}</span></div>' for value, what in found
    )
    return f'<div class="tiles">{inside}</div>\n'


def wide(inside: str) -> str:
    """What scrolls by itself where the page is narrow."""
    return f'<div class="wide">{inside}</div>\n'


def framed(svg: str) -> str:
    """A picture, whose letters stay large enough to be read."""
    size = re.search(r' width="(\d+)"', svg)
    least = f' style="min-width:{0.7 * int(size[1]):.0f}px"' if size else ""
    return wide(svg.replace("<svg ", f"<svg{least} ", 1))
