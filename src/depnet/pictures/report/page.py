"""The report of a fitted model: one HTML file to send, self-contained, that opens offline and runs nothing.

First what everybody reads: how good the model is, what predicts what, every column with its true histogram, what is
missing, unusual rows with their reasons. The certificates are behind a fold at the end. Parts are elements of
`depnet.notebook`. No script and nothing from elsewhere: the page's own policy forbids both, so that even a label that got
through the escaping could do nothing. Light and dark follow the reader's system.
"""

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Variable
from depnet.errors import ConvergenceError, ReducibleError
from depnet.fitting.summary import count_rows, plain_figures
from depnet.inference.answer.numbers import shown_long, value_of
from depnet.inference.answer.profile import Profile, bar_edges, column_of, share_of_bars
from depnet.inference.judge.cells import row_scores
from depnet.inference.judge.nearness import WAYS, Nearness, nearness
from depnet.inference.judge.odd import how_odd, list_reasons
from depnet.learning.auto import copies_of
from depnet.learning.certificate import law_certificate
from depnet.learning.cost import Mdl, PenaltyLike
from depnet.learning.links import Link, links
from depnet.model.constraints import say_constraints
from depnet.model.marginals import MarginalCounts
from depnet.model.mixture import AnyNetwork
from depnet.model.network import Network
from depnet.notebook import BAR, Bar, Cell, beside, fold, line, note, table
from depnet.pictures import labels
from depnet.pictures.graph.dependency import dependency_graph
from depnet.pictures.graph.svg import to_svg
from depnet.pictures.labels import short, xml
from depnet.pictures.svg import element
from depnet.sampling import sample
from depnet.wording import percent, plural, some_of

NAME = 40
"""Letters of a name."""
LINKS = 25
MOST_CARDS = 60
STATES = 8
BARS = 24
"""Of a histogram."""
SAID = 3
"""Columns of which a sentence says what predicts them, and the names in it."""
ODD_ROWS = 10
MOST_NUMBERS = 200
"""Rows of a finding's numbers."""
MOST_SCORED = 20_000_000
"""Cells that are looked at for unusual rows: of a larger table, those of its first rows."""
SELDOM = 0.0005
"""What is missing less often is not spoken of."""
DRAWING_CHAINS = 500

STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#ffffff;--soft:#57606a;--rule:#d8dee4;--panel:#f6f8fa}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--paper:#16191d;--soft:#a5adb7;--rule:#343a42;--panel:#1e2228}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1080px;margin:0 auto;padding:16px}
h1{font-size:1.7rem;margin:.4em 0 .1em;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2em 0 .4em;border-bottom:1px solid var(--rule);padding-bottom:.2em}
h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.said{font-size:1.05rem;padding-left:1.2em}
.said li{margin:.3em 0}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(250px,100%),1fr));gap:12px;align-items:start}
.card{background:var(--panel);border:1px solid var(--rule);border-radius:8px;padding:10px 12px;break-inside:avoid}
.card p{margin:.1em 0 .5em;font-size:.85rem;color:var(--soft);overflow-wrap:anywhere}
.card table{width:100%}
.card td>div{width:70px!important}
td,th{overflow-wrap:break-word!important}
.card svg{display:block;width:100%;height:64px}
.ends{display:flex;justify-content:space-between;font-size:.8rem;color:var(--soft)}
.wide{overflow-x:auto;margin:8px 0}
.wide svg{display:block;height:auto;max-width:100%}
details{margin:8px 0}
summary{overflow-wrap:anywhere}
pre{overflow-x:auto;background:var(--panel);padding:10px;border-radius:8px;font-size:12px;line-height:1.35}
@media print{details::details-content{display:block;content-visibility:visible}h2{break-after:avoid}main{max-width:none}}
"""


class _Drawn(NamedTuple):
    """Rows drawn from the network, what they are compared with, and how near they are; or why there are none."""

    rows: Dataset | None = None
    data: MarginalCounts | None = None
    near: Nearness | None = None
    said: tuple[str, ...] = ()


def html_report(
    network: Network,
    dataset: Holed | None = None,
    *,
    law: AnyNetwork | None = None,
    title: str = "A table and its model",
    left_out: Sequence[str] = (),
    penalty: PenaltyLike = Mdl(),  # noqa: B008  # a frozen value
    drawn: int = 10_000,
    sampled: Dataset | None = None,
    seed: int = 0,
) -> str:
    """The report of a model as one HTML text: the same model, rows and seed give the same bytes.

    Args:
        network: the network.
        dataset: the rows it was learned from: the report then has unusual rows, histograms of the rows' own values, the
            certificate, and strengths of links measured on the rows without holes; without, all is what the counts that
            the network keeps can tell.
        law: the ordered network of the same rows: the report then says how good it is, and compares rows drawn from it
            with the table's; without it, those of the network's chain.
        title: of the page, such as the table's name.
        left_out: columns of the table that were not learned from.
        penalty: the one that the network was learned with.
        drawn: how many rows are drawn to stand for the law.
        sampled: or these, which were drawn already.
        seed: of what is drawn.

    Returns:
        The text; it opens without a network.

    >>> from depnet import learn, titanic
    >>> html_report(learn(titanic(), smoothing=0.5), titanic(), title="Titanic", drawn=1000)[:15]
    '<!doctype html>'
    """
    whole = None if dataset is None else dataset.whole_rows()
    whole = None if whole is None or not whole.rows else whole
    found = links(network, whole)
    law = network if law is None and network.ordered else law
    both = [] if law is None or network.ordered else [law]  # the law first: answers are its
    rows = _draw(network if law is None else law, dataset, drawn, seed, sampled)
    columns = [column_of(network.domain, dataset, network.counts, i) for i in range(len(network.domain))]
    picture = frame(to_svg(dependency_graph(network, whole, found=found)))
    why = "An arrow points to the column that is predicted; wider lines are stronger links. Colours are groups of columns."
    sections = {
        "In short": _sentences(network, law, found, columns, rows.near, left_out),
        "Columns": _columns(network, columns),
        "What depends on what": picture + note(why) + _links(network, found),
    }
    if dataset is not None and dataset.rows:
        sections["Unusual rows"] = _unusual(network, dataset)
    sections["Synthetic rows beside the table's"] = _against(rows)
    if whole is not None:
        found_of = (law_certificate(each, whole, penalty=penalty) for each in (*both, network))
        proven = [scroll(each._repr_html_()) for each in found_of if each is not None]
        sections["For readers of the theory"] = fold("What is proven", "".join(proven))
    total = count_rows(network) if dataset is None else dataset.total
    size = plural(len(network.domain), "column")
    return whole_page(
        labels.line(title), size if total is None else f"{plural(total, 'row')}, {size}", sections
    )


def scroll(inside: str) -> str:
    """What scrolls by itself where the page is narrow."""
    return f'<div class="wide">{inside}</div>\n'


def frame(svg: str) -> str:
    """A picture, whose letters stay large enough to be read."""
    size = re.search(r' width="(\d+)"', svg)
    least = f' style="min-width:{0.7 * int(size[1]):.0f}px"' if size else ""
    return scroll(svg.replace("<svg ", f"<svg{least} ", 1))


class Section(NamedTuple):
    """A finding: its picture as SVG (or none), its numbers under their headings, and the command that prints them."""

    title: str
    svg: str
    heads: Sequence[str]
    rows: Sequence[Sequence[object]]
    command: str


def findings_page(title: str, findings: Sequence[Section]) -> str:
    """Findings of somebody who explored a model, as one HTML file that runs nothing."""
    sections = {}
    for number, found in enumerate(findings, start=1):
        cells = [["" if cell is None else _rounded(str(cell)) for cell in row] for row in found.rows]
        numbers = scroll(table(list(found.heads), cells[:MOST_NUMBERS]))
        left = len(cells) - MOST_NUMBERS
        more = note(f"{plural(left, 'more row')} in the CSV of the numbers.") if left > 0 else ""
        picture = frame(found.svg) if found.svg.startswith("<svg") else ""
        said = f"<pre>{xml(found.command)}</pre>\n" if found.command else ""
        sections[f"{number}. {labels.line(found.title)}"] = (
            f"{picture}{fold('Numbers', numbers + more)}{said}"
        )
    return whole_page(labels.line(title), plural(len(findings), "finding"), sections)


def whole_page(title: str, subtitle: str, sections: Mapping[str, str]) -> str:
    """The whole file; `sections` are headings with the HTML below them."""
    body = "".join(
        f"<section><h2>{xml(heading)}</h2>\n{html}</section>\n" for heading, html in sections.items()
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{xml(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{xml(title)}</h1>\n"
        f'<p class="soft">{xml(subtitle)}</p>\n{body}</main>\n</body>\n</html>\n'
    )


def _sentences(
    network: Network,
    law: AnyNetwork | None,
    found: Sequence[Link],
    columns: Sequence[Profile | None],
    near: Nearness | None,
    left_out: Sequence[str],
) -> str:
    """What there is to know first: how good the model is, what predicts what, what is missing, what was left out."""
    names = [short(name, NAME) for name in network.domain.names]
    said = [f"{text[0].upper()}{text[1:]}." for text in plain_figures(law, near)]
    known = np.zeros(len(names))
    for link in found:
        known[link.node] += max(link.strength, 0.0)
    for i in np.argsort(-known, kind="stable")[:SAID].tolist():
        by = [names[link.variable] for link in found if link.node == i][:SAID]
        shares = np.ones(1) if columns[i] is None else columns[i].shares
        whole = -float((shares * np.log2(np.where(shares > 0, shares, 1.0))).sum())
        if by and whole > 0:
            part = percent(min(known[i] / whole, 1.0))
            said.append(
                f"{names[i]} is predicted by {_and(by)}: in these rows, the other columns remove {part} of its uncertainty."
            )
    if not found:
        said.append("No column predicts another.")
    holes = sorted(
        ((c.missing, n) for c, n in zip(columns, names, strict=True) if c and c.missing > SELDOM),
        reverse=True,
    )
    missing = [f"{name} in {percent(share)} of the rows" for share, name in holes]
    said.append(f"Missing: {some_of(missing)}." if missing else "No value is missing.")
    said += [f"{copy}." for copy in map(str, () if law is None else copies_of(law))]
    said += [] if law is None else [f"{each}." for each in say_constraints(law.domain, law.constraints)]
    if left_out:
        said.append(
            f"Left out, since nothing can be learned from them: {some_of([short(n, NAME) for n in left_out])}."
        )
    return f'<ul class="said">{"".join(f"<li>{xml(text)}</li>" for text in said)}</ul>\n'


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _columns(network: Network, columns: Sequence[Profile | None]) -> str:
    """A card for each column: its histogram or its states, and what is missing."""
    cards = [
        f'<div class="card"><h3>{xml(short(variable.name, NAME))}</h3>{_card(variable, column)}</div>'
        for variable, column in zip(network.domain.variables, columns, strict=True)
    ]
    more = (
        fold(f"{plural(len(cards) - MOST_CARDS, 'column')} more", _cards(cards[MOST_CARDS:]))
        if cards[MOST_CARDS:]
        else ""
    )
    return _cards(cards[:MOST_CARDS]) + more


def _cards(cards: Sequence[str]) -> str:
    return f'<div class="cards">{"".join(cards)}</div>\n'


def _card(variable: Variable, column: Profile | None) -> str:
    if column is None:
        return f"<p>{plural(len(variable.present_states), 'value')}</p>"
    missing = f"; {percent(column.missing)} missing" if column.missing > SELDOM else ""
    number = column.numbers
    if number is None or len(column.counts) <= 2:
        said = plural(len(variable.present_states), "value") + missing
        rows = _shares(list(map(str, variable.present_states)), column.shares)
        return f"<p>{said}</p>" + table(
            ["", "", ""], [[name, Bar(a / most), percent(a)] for name, (a,), most in rows]
        )
    edges = bar_edges(number.law, BARS)
    shares = share_of_bars(number.law, edges)
    values, _ = number.law.ascending
    ends = max(float(edges[0]), float(values[0])), min(float(edges[-1]), float(values[-1]))
    low, high = (xml(shown_long(value_of(end, number.kind))) for end in ends)
    wide = 240 / len(shares)
    bars = "".join(
        element("rect", x=wide * k, y=60 - 58 * share, width=wide - 1, height=58 * share, fill=BAR)
        for k, share in enumerate((shares / max(float(shares.max()), 1e-300)).tolist())
    )
    left = 1 - float(shares.sum())
    beyond = f"; {percent(left)} outside the picture" if left > SELDOM else ""
    said = f"mean {shown_long(number.mean)}, median {shown_long(number.median)}{missing}{beyond}"
    name = f"Histogram of {short(variable.name, NAME)}"
    return (
        f'<p>{xml(said)}</p><svg viewBox="0 0 240 60" preserveAspectRatio="none" role="img" aria-label="{xml(name)}">'
        f"{bars}</svg>"
        f'<div class="ends"><span>{low}</span><span>{high}</span></div>'
    )


def _rounded(text: str) -> str:
    """A number with many digits as people read it; any other text as it is."""
    return shown_long(float(text)) if re.fullmatch(r"-?\d+\.\d{3,}", str(text)) else text


def _unusual(network: Network, rows: Holed) -> str:
    """The oddest rows, with the cells that make them so."""
    cells, before = [], None
    for one in list_reasons(network, rows, row_scores(network, rows, MOST_SCORED), ODD_ROWS):
        first = "" if one["row"] == before else f"{one['row']:,}"
        texts = [short(_rounded(one[key]), NAME) for key in ("value", "expected")]
        cells.append([first, short(one["column"], NAME), *texts, how_odd(one["tail"])])
        before = one["row"]
    why = '"1 in 200": a value that fits its row this badly comes up once in 200 such rows.'
    return scroll(table(["row", "column", "value", "expected", "how unusual"], cells, left=4)) + note(why)


def _draw(
    network: AnyNetwork, dataset: Holed | None, drawn: int, seed: int, sampled: Dataset | None
) -> _Drawn:
    chains: int | Literal["auto"] = "auto" if network.ordered else DRAWING_CHAINS
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rng = np.random.default_rng(seed)
            rows = sample(network, drawn, chains=chains, rng=rng) if sampled is None else sampled
        except (ReducibleError, ConvergenceError) as error:
            return _Drawn(said=(f"No synthetic rows: {error}",))
    said = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    data = network.counts if dataset is None or not dataset.total else MarginalCounts.of(dataset)
    if data is None or not data.total:
        return _Drawn(rows, said=said)
    return _Drawn(rows, data, nearness(rows, data), said)


def _against(drawn: _Drawn) -> str:
    """The shares of each variable's states in the data and in drawn rows, the furthest apart first."""
    said = "".join(note(text) for text in drawn.said)
    if drawn.rows is None:
        return said
    if drawn.data is None or drawn.near is None:
        return said + line(
            "There is no table to compare with: the model keeps no counts of its own, and no rows were given."
        )
    lines = [
        [WAYS[way], *(f"{100 * each:.2g} %" for each in distances)]
        for way, *distances in drawn.near.by_ways()
    ]
    heads = ["shares differ by", "on average", "at most", "by chance, on average"]
    theirs, apart = MarginalCounts.of(drawn.rows, 0).singles, drawn.near.singles
    tables = []
    for i in np.argsort(-apart, kind="stable")[:MOST_CARDS].tolist():
        data, model = (counts[i] / counts[i].sum() for counts in (drawn.data.singles, theirs))
        head = f"{short(drawn.near.names[i], NAME)}: {100 * apart[i]:.2g} % difference"
        states = list(map(str, drawn.rows.domain.variables[i].states))
        cells: list[list[Cell]] = [
            [name, f"{a:.3f}", Bar(a / most), f"{b:.3f}", Bar(b / most)]
            for name, (a, b), most in _shares(states, data, model)
        ]
        tables.append(table([head, "table", "", "model", ""], cells))
    more = f"{drawn.near.rows:,} synthetic rows, column by column, the largest difference first"
    return said + scroll(table(heads, lines)) + fold(more, beside(*tables))


def _shares(states: list[str], *shares: FloatArray) -> list[tuple[str, list[float], float]]:
    """The most frequent states in their own order, and the rest together, with their shares and the largest of all."""
    order = np.argsort(-np.max(shares, axis=0), kind="stable")
    kept = np.sort(order if len(order) <= STATES else order[: STATES - 1])
    rows = [(short(states[s], NAME), [float(each[s]) for each in shares]) for s in kept]
    if len(kept) < len(order):
        rest = order[STATES - 1 :]
        rows.append((f"{len(rest):,} other values", [float(each[rest].sum()) for each in shares]))
    most = max(max(each) for _, each in rows) or 1.0  # of many states, the others together may be the most
    return [(name, each, most) for name, each in rows]


def _links(network: Network, found: Sequence[Link]) -> str:
    if not found:
        return line("No column predicts another: the model treats them as independent.")
    strongest = max(found[0].strength, 1e-300)
    rows: list[list[Cell]] = []
    for link in found[:LINKS]:
        known = (link.mutual_information, link.conditional_information)
        names = [short(link.source, NAME), short(link.target, NAME)]
        bits: list[Cell] = [Bar(link.strength / strongest), f"{link.strength:.4f}"]
        rows.append([*names, *bits, *("–" if x is None else f"{x:.4f}" for x in known)])
    more = f" The {LINKS} strongest of {len(found):,}." if len(found) > LINKS else ""
    gained = " For a column learned by boosting: what each input gained."
    said = note(
        "Bits per row, from left to right: what the first column adds to the prediction of the second; what it tells "
        "alone; what it tells beyond the other inputs, if there are enough rows to know."
        f"{gained if any(node.boosted for node in network.nodes) else ''}{more}"
    )
    heads = ["predicts", "column", "strength", "", "alone", "beside the others"]
    return scroll(table(heads, rows, left=2)) + said
