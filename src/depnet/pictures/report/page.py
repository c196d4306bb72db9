"""The page around the sections: its head, its style, and the few pieces they are made of.

No script and nothing from elsewhere: the page's own policy forbids both, so that even a label that got through the
escaping could do nothing. Light and dark follow the reader's system.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from depnet.pictures import colours
from depnet.pictures.labels import line, short, xml

STYLE = f"""
:root{{color-scheme:light dark;--ink:#1b1f24;--paper:#ffffff;--soft:#57606a;--rule:#d8dee4;--panel:#f6f8fa;
--data:{colours.DATA};--model:{colours.MODEL}}}
@media (prefers-color-scheme:dark){{:root{{--ink:#e6e9ed;--paper:#16191d;--soft:#a5adb7;--rule:#343a42;--panel:#1e2228;
--data:{colours.SKY}}}}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}}
main{{max-width:1080px;margin:0 auto;padding:16px}}
h1{{font-size:1.6rem;margin:.4em 0 .1em;overflow-wrap:anywhere}}
h2{{font-size:1.2rem;margin:2em 0 .3em;border-bottom:1px solid var(--rule);padding-bottom:.2em}}
p{{margin:.4em 0 .8em}}
.soft{{color:var(--soft)}}
.tiles{{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:8px;margin:12px 0}}
.tile{{background:var(--panel);border:1px solid var(--rule);border-radius:8px;padding:8px 12px}}
.tile b{{display:block;font-size:1.25rem;font-variant-numeric:tabular-nums}}
.tile span{{color:var(--soft);font-size:.85rem}}
.wide{{overflow-x:auto;border:1px solid var(--rule);border-radius:8px;margin:8px 0}}
.wide svg{{display:block;height:auto;max-width:100%}}
table{{border-collapse:collapse;width:100%;font-size:.9rem}}
th,td{{padding:4px 10px;text-align:left;border-bottom:1px solid var(--rule);vertical-align:middle}}
th{{background:var(--panel);font-weight:600;white-space:nowrap}}
td.number,th.number{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
td.name{{max-width:16em;overflow-wrap:anywhere;min-width:7em}}
tr:last-child td{{border-bottom:0}}
.bar{{display:block;height:10px;border-radius:2px;min-width:1px}}
.track{{width:clamp(70px,12vw,130px);background:var(--panel);border-radius:2px}}
.cards{{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));gap:10px}}
.card{{border:1px solid var(--rule);border-radius:8px;padding:8px 12px;min-width:0}}
.card h3{{font-size:.95rem;margin:0 0 .3em;overflow-wrap:anywhere}}
.state{{display:grid;grid-template-columns:7.5em 1fr 3.2em;gap:6px;align-items:center;font-size:.8rem}}
.state>span:first-child{{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}}
.state>span:last-child{{text-align:right;font-variant-numeric:tabular-nums;line-height:1.15}}
.state .bar{{height:7px;margin:1px 0}}
.key i{{display:inline-block;width:12px;height:12px;border-radius:2px;margin:0 5px 0 0;vertical-align:-1px}}
.key span{{margin-right:16px}}
details{{margin:8px 0}}
summary{{cursor:pointer;font-weight:600;overflow-wrap:anywhere}}
pre{{overflow-x:auto;background:var(--panel);padding:10px;border-radius:8px;font-size:12px;line-height:1.35}}
@media print{{details>*{{display:block}}}}
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


def table(columns: Mapping[str, str], rows: Iterable[Sequence[str]]) -> str:
    """A table that scrolls by itself where the page is narrow.

    `columns` are headings with what is below them: "name" and "number" are text, "bars" are HTML.
    """
    head = "".join(f'<th class="{kind}">{xml(heading)}</th>' for heading, kind in columns.items())
    body = "".join(f"<tr>{''.join(map(_cell, columns.values(), row))}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>\n'


def _cell(kind: str, inside: str) -> str:
    return f'<td class="{kind}">{inside if kind == "bars" else xml(inside)}</td>'


def bar(share: float, colour: str) -> str:
    width = 100 * min(max(share, 0.0), 1.0)
    return (
        f'<div class="track"><span class="bar" style="width:{width:.1f}%;background:{colour}"></span></div>'
    )


def paragraph(text: str, attributes: str = "") -> str:
    return f"<p{attributes}>{xml(text)}</p>\n"


def note(text: str) -> str:
    return paragraph(text, ' class="soft"')


def folded(summary: str, body: str, *, opened: bool = False) -> str:
    """What is shown when it is clicked."""
    return f"<details{' open' if opened else ''}><summary>{xml(short(summary, 120))}</summary>\n{body}</details>\n"


def framed(svg: str) -> str:
    """A picture that scrolls by itself where the page is narrow."""
    wide = re.search(r' width="(\d+)"', svg)
    least = (
        f' style="min-width:{0.7 * int(wide[1]):.0f}px"' if wide else ""
    )  # smaller letters could not be read
    return f'<div class="wide">{svg.replace("<svg ", f"<svg{least} ", 1)}</div>\n'
