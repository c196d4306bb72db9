"""The report of a fitted network: one HTML file, self-contained, that opens offline and runs nothing.

It says what the model is worth, and has its graph and links, drawn rows against the data's, the certificate, and decision
graphs. Its parts are elements of `depnet.notebook`. No script and nothing from elsewhere: the page's own policy forbids
both, so that even a label that got through the escaping could do nothing. Light and dark follow the reader's system.
"""

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset, Holed
from depnet.errors import ConvergenceError, ModelError, ReducibleError
from depnet.fitting.summary import count_rows, plain_figures
from depnet.inference.judge.compare import Nearness, nearness
from depnet.learning.certificate import BIT, Certificate, certificate
from depnet.learning.cost import Mdl, PenaltyLike
from depnet.learning.links import Link, links
from depnet.model.links import one_sided_links
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.notebook import Bar, Cell, beside, fold, line, note, table
from depnet.pictures import labels
from depnet.pictures.graph.dependency import DependencyGraph, dependency_graph
from depnet.pictures.graph.svg import to_svg
from depnet.pictures.labels import short, xml
from depnet.pictures.node.boosted import boosted
from depnet.pictures.node.decision import Decision, Leaf, decision, node_name
from depnet.pictures.node.svg import boosted_svg, decision_svg
from depnet.pictures.node.text import decision_text
from depnet.sampling import sample
from depnet.wording import plural

LINKS = 25
NAME = 40
ONE_SIDED = 12
MOST_ONE_SIDED = 400
"""The most variables whose links are looked through for those that go one way only."""
DRAWN_LEAVES = 40
"""A decision graph of more leaves is written, not drawn."""
CARDS = 12
MOST_CARDS = 60
STATES = 8
DRAWING_CHAINS = 500

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
    law: Network | None = None,
    title: str = "Dependency network",
    penalty: PenaltyLike = Mdl(),  # noqa: B008  # a frozen value
    drawn: int = 10_000,
    sampled: Dataset | None = None,
    nodes: int = 6,
    seed: int = 0,
) -> str:
    """The report of a network as one HTML text: the same network, rows and seed give the same bytes.

    Args:
        network: the network.
        dataset: the rows it was learned from: the report then has the certificate, and strengths measured on rows,
            both of those without holes, and marginals of all known cells; without, all is what the counts that the
            network keeps can tell.
        law: the ordered network of the same rows: the report then says how much it explains, how far it is from the
            rows, and compares its marginals with theirs; without it, those of the network's chain.
        title: of the page.
        penalty: the one that the network was learned with.
        drawn: how many rows are drawn to stand for the law.
        sampled: or these, which were drawn already.
        nodes: decision graphs that are drawn, of the nodes that know most of their variables.
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
    graph = dependency_graph(network, whole, found=found)
    law = network if law is None and network.order is not None else law
    both = [network] if law is None or law is network else [law, network]  # the law first: answers are its
    certificates = [] if whole is None else [certificate(one, whole, penalty=penalty) for one in both]
    rows = _draw(network if law is None else law, dataset, drawn, seed, sampled)
    plain = "".join(line(f"{text[0].upper()}{text[1:]}.") for text in plain_figures(law, rows.near))
    picture = _frame(to_svg(graph)) + note(
        "An arrow points to the variable that is predicted; lines are as wide as the link is strong. Frames are communities."
    )
    sections = {
        "Summary": plain + _summary(network, dataset, graph, certificates, rows.near),
        "Who predicts whom": picture,
        "Strongest links": _links(network, found),
        "Data against the model": _against(rows),
    }
    if certificates:
        sections["Certificate"] = "".join(_wide(each._repr_html_()) for each in certificates)
    sections["Decision graphs"] = _decisions(network, found, nodes)
    about = "How the columns of a table depend on each other, learned from its rows"
    return _page(labels.line(title), about, sections)


def _page(title: str, subtitle: str, sections: Mapping[str, str]) -> str:
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


def _wide(inside: str) -> str:
    """What scrolls by itself where the page is narrow."""
    return f'<div class="wide">{inside}</div>\n'


def _frame(svg: str) -> str:
    """A picture, whose letters stay large enough to be read."""
    size = re.search(r' width="(\d+)"', svg)
    least = f' style="min-width:{0.7 * int(size[1]):.0f}px"' if size else ""
    return _wide(svg.replace("<svg ", f"<svg{least} ", 1))


def _draw(network: Network, dataset: Holed | None, drawn: int, seed: int, sampled: Dataset | None) -> _Drawn:
    chains: int | Literal["auto"] = DRAWING_CHAINS if network.order is None else "auto"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rng = np.random.default_rng(seed)
            rows = sample(network, drawn, chains=chains, rng=rng) if sampled is None else sampled
        except (ReducibleError, ConvergenceError) as error:
            return _Drawn(said=(f"No rows were drawn: {error}",))
    said = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    data = network.counts if dataset is None or not dataset.total else MarginalCounts.of(dataset)
    if data is None or not data.total:
        return _Drawn(rows, said=said)
    return _Drawn(rows, data, nearness(rows, data), said)


def _summary(
    network: Network,
    dataset: Holed | None,
    graph: DependencyGraph,
    certificates: Sequence[Certificate],
    near: Nearness | None,
) -> str:
    plain = [node for node in network.nodes if not node.boosted]
    numbers = {
        "variables": len(network.domain),
        "links": sum(len(node.inputs) for node in network.nodes),
        "leaves": sum(node.source.size for node in plain) or None,
        "parameters": sum(node.source.size * (node.states - 1) for node in plain) if plain else None,
        "boosted nodes": len(network) - len(plain) or None,
        "rows learned from": count_rows(network) if dataset is None else dataset.total,
    }
    found = [(f"{number:,}", what) for what, number in numbers.items() if number is not None]
    found += map(_describe_proof, certificates)
    if near is not None:
        found.append((f"{near.one_way:.4f}", "mean 1-way distance, data to model"))
    both = sum(tie.both for tie in graph.ties)
    tiles = [*found, (f"{both:,} of {len(graph.ties):,}", "ties go both ways")]
    inside = "".join(
        f'<div class="tile"><b>{xml(value)}</b><span>{xml(what)}</span></div>' for value, what in tiles
    )
    return f'<div class="tiles">{inside}</div>\n'


def _describe_proof(proven: Certificate) -> tuple[str, str]:
    """What a certificate proves, in one number, and what the number is."""
    nothing = proven.one_leaf_limit
    if proven.kind == "law":
        said = f"bits a row from data to law (KL); {nothing / BIT:.4g} independent columns"
        return f"{proven.kl / BIT:.4g}", said
    if proven.no_bound is not None:
        return "none", f"FC-limit: Theorem 3 does not apply; {nothing:.4g} knowing nothing"
    return f"{proven.fc_limit:.4g}", f"FC-limit, nats; {nothing:.4g} knowing nothing"


def _against(drawn: _Drawn) -> str:
    """The shares of each variable's states in the data and in drawn rows, the furthest apart first."""
    said = "".join(note(text) for text in drawn.said)
    if drawn.rows is None:
        return said
    if drawn.data is None or drawn.near is None:
        return said + line(
            "The network keeps no 1-way counts of its data, and no rows were given to compare with."
        )
    lines = [
        [f"{ways} marginals", f"{mean:.4f}", f"{worst:.4f}", f"{floor:.4f}"]
        for ways, mean, worst, floor in drawn.near.by_ways()
    ]
    said += _wide(table(["total variation", "mean", "worst", "mean of as many rows of the data"], lines))
    said += note(f"The data against {drawn.near.rows:,} rows drawn from the model, the furthest apart first:")
    theirs, apart = MarginalCounts.of(drawn.rows, 0).singles, drawn.near.singles
    tables = []
    for i in np.argsort(-apart, kind="stable")[:MOST_CARDS].tolist():
        data, model = (counts[i] / counts[i].sum() for counts in (drawn.data.singles, theirs))
        head = f"{short(drawn.near.names[i], NAME)}: {apart[i]:.4f} apart"
        states = drawn.rows.domain.variables[i].states
        tables.append(table([head, "data", "", "model", ""], _shares(list(map(str, states)), data, model)))
    more = tables[CARDS:]
    rest = fold(f"{plural(len(more), 'variable')} nearer to the data", beside(*more)) if more else ""
    return said + beside(*tables[:CARDS]) + rest


def _shares(states: list[str], data: FloatArray, model: FloatArray) -> list[list[Cell]]:
    """The most frequent states in their own order, and the rest together, with both shares and their bars."""
    order = np.argsort(-np.maximum(data, model), kind="stable")
    kept = np.sort(order if len(order) <= STATES else order[: STATES - 1])
    rows = [(states[s], float(data[s]), float(model[s])) for s in kept]
    if len(kept) < len(order):
        rest = order[STATES - 1 :]
        rows.append((f"{len(rest)} other states", float(data[rest].sum()), float(model[rest].sum())))
    most = max(max(a, b) for _, a, b in rows)  # of many states, the others together may be the most
    return [[short(name, NAME), f"{a:.3f}", Bar(a / most), f"{b:.3f}", Bar(b / most)] for name, a, b in rows]


def _links(network: Network, found: Sequence[Link]) -> str:
    """The strongest links, and those that go one way only."""
    if not found:
        return line("No node reads any other: the variables were learned as independent.")
    strongest = max(found[0].strength, 1e-300)
    rows: list[list[Cell]] = []
    for link in found[:LINKS]:
        known = (link.mutual_information, link.conditional_information)
        names = [short(link.source, NAME), short(link.target, NAME)]
        bits: list[Cell] = [f"{link.strength:.4f}", Bar(link.strength / strongest)]
        rows.append([*names, *bits, *("–" if x is None else f"{x:.4f}" for x in known)])
    more = f" The {LINKS} strongest of {len(found):,}." if len(found) > LINKS else ""
    gained = " Links of a boosted node: what each input gained while it was learned."
    said = note(
        f"Bits per row. A node's links add up to all that its source knows; alone: mutual information; given the rest: "
        f"conditional mutual information given the node's other inputs, where the rows suffice to tell."
        f"{gained if any(node.boosted for node in network.nodes) else ''}{more}"
    )
    heads = ["predicts", "variable", "bits", "", "alone", "given the rest"]
    return _wide(table(heads, rows, left=2)) + said + _one_sided(network)


def _one_sided(network: Network) -> str:
    found = one_sided_links(network) if len(network.domain) <= MOST_ONE_SIDED else ()
    if not found:
        return ""
    cut = [x for x in found if not x.carried] or list(found)
    items = "".join(f"<li>{xml(short(x, 4 * NAME))}</li>" for x in cut[:ONE_SIDED])
    more = f"<li>and {len(cut) - ONE_SIDED:,} more</li>" if len(cut) > ONE_SIDED else ""
    summary = f"{plural(len(found), 'link')} one way only: what evidence does not reach"
    return fold(summary, f"<ul>{items}{more}</ul>\n")


def _decisions(network: Network, found: Sequence[Link], nodes: int) -> str:
    """The decision graphs of the `nodes` that know most of their variables, and what boosted ones read."""
    bits = np.zeros(len(network))
    for link in found:
        bits[link.node] += link.strength
    order = np.argsort(-bits, kind="stable").tolist()
    order = [k for k in order if network.nodes[k].boosted or network.nodes[k].source.size > 1]
    order = [k for k in order if network.nodes[k].inputs][: max(nodes, 0)]
    if not order:
        return line("Every node has one leaf: there is nothing to decide.")
    said = note(
        f"The {plural(len(order), 'node')} that know most of their variables. Bars are θ(· | leaf); a leaf with several "
        "ways in was merged."
    )
    if any(network.nodes[k].boosted for k in order):
        said += note("A boosted node sums many graphs: of it, what it reads, and what each input gained.")
    for k in order:
        node = network.nodes[k]
        size = "boosted" if node.boosted else f"{node.source.size:,} leaves"
        summary = f"{node_name(network, k)}: {bits[k]:.4f} bits known, {size}"
        said += fold(summary, _decision(network, k), opened=k == order[0])
    return said


def _decision(network: Network, number: int) -> str:
    if network.nodes[number].boosted:
        said = boosted(network, number)
        first = "" if said.first is None else fold("Its first graph, before the stages", _graph(said.first))
        return _frame(boosted_svg(said)) + first
    try:
        return _graph(decision(network, number))
    except ModelError as error:
        return note(str(error))


def _graph(graph: Decision) -> str:
    leaves = sum(isinstance(v, Leaf) for v in graph.vertices)
    if leaves <= DRAWN_LEAVES and len(graph.vertices) <= 4 * DRAWN_LEAVES:
        return _frame(decision_svg(graph))
    return f"<pre>{xml(decision_text(graph))}</pre>\n"
