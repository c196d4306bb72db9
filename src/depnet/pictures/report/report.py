"""The report: rows drawn from the model against the data's, and all sections together."""

import warnings
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from depnet.data.table.dataset import Dataset, Holed
from depnet.errors import ConvergenceError, ReducibleError
from depnet.fitting.explained import plain_figures
from depnet.fitting.summary import rows_learned
from depnet.inference.judge.marginals import Nearness, nearness
from depnet.learning.certificate import Certificate, certificate
from depnet.learning.links.links import links
from depnet.learning.penalty import Mdl, PenaltyLike
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.pictures.compared import Marginal, marginals
from depnet.pictures.graph.dependency import DependencyGraph, dependency_graph
from depnet.pictures.labels import short, xml
from depnet.pictures.report.page import folded, note, page, paragraph, table, tiles
from depnet.pictures.report.sections import (
    certificate_section,
    decisions_section,
    graph_section,
    links_section,
    proven_tile,
)
from depnet.sampling import sample
from depnet.wording import counted

CARDS = 12
MOST_CARDS = 60
STATES = 8
DRAWING_CHAINS = 500


class _Drawn(NamedTuple):
    """Rows drawn from the network, what they are compared with, and how near they are; or why there are none."""

    rows: Dataset | None = None
    data: Dataset | Holed | MarginalCounts | None = None
    near: Nearness | None = None
    said: tuple[str, ...] = ()


def html_report(
    network: Network,
    dataset: Dataset | Holed | None = None,
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
    whole = dataset.whole_rows() if isinstance(dataset, Holed) else dataset
    whole = None if isinstance(dataset, Holed) and whole is not None and not whole.rows else whole
    found = links(network, whole)
    graph = dependency_graph(network, whole, found=found)
    law = network if law is None and network.order is not None else law
    both = [network] if law is None or law is network else [law, network]  # the law first: answers are its
    certificates = [] if whole is None else [certificate(one, whole, penalty=penalty) for one in both]
    rows = _draw(network if law is None else law, dataset, drawn, seed, sampled)
    plain = "".join(paragraph(f"{text[0].upper()}{text[1:]}.") for text in plain_figures(law, rows.near))
    sections = {
        "Summary": plain + _summary(network, dataset, graph, certificates, rows.near),
        "Who predicts whom": graph_section(graph),
        "Strongest links": links_section(network, found),
        "Data against the model": _against(rows),
    }
    if certificates:
        sections["Certificate"] = "".join(map(certificate_section, certificates))
    sections["Decision graphs"] = decisions_section(network, found, nodes, whole)
    about = (
        "a probabilistic dependency network: one conditional distribution for each node, joined by pseudo-Gibbs sampling"
        if law is None
        else "a probabilistic dependency network, and the ordered law of the same rows, which answers and samples are of"
    )
    return page(title, about, sections)


def _draw(
    network: Network, dataset: Dataset | Holed | None, drawn: int, seed: int, sampled: Dataset | None
) -> _Drawn:
    chains: int | Literal["auto"] = DRAWING_CHAINS if network.order is None else "auto"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rng = np.random.default_rng(seed)
            rows = sample(network, drawn, chains=chains, rng=rng) if sampled is None else sampled
        except (ReducibleError, ConvergenceError) as error:
            return _Drawn(said=(f"No rows were drawn: {error}",))
    data = dataset if dataset is not None and dataset.total else network.counts
    said = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    if data is None or not data.total:
        return _Drawn(rows, said=said)
    return _Drawn(rows, data, nearness(rows, data), said)


def _summary(
    network: Network,
    dataset: Dataset | Holed | None,
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
        "rows learned from": rows_learned(network) if dataset is None else dataset.total,
    }
    found = [(f"{number:,}", what) for what, number in numbers.items() if number is not None]
    found += map(proven_tile, certificates)
    if near is not None:
        found.append((f"{near.one_way:.4f}", "mean 1-way distance, data to model"))
    both = sum(tie.both for tie in graph.ties)
    return tiles([*found, (f"{both:,} of {len(graph.ties):,}", "ties go both ways")])


def _against(drawn: _Drawn) -> str:
    said = "".join(note(text) for text in drawn.said)
    if drawn.rows is None:
        return said
    if drawn.data is None or drawn.near is None:
        return said + paragraph(
            "The network keeps no 1-way counts of its data, and no rows were given to compare with."
        )
    near = drawn.near
    numbers = ("mean", "worst", "mean of as many rows of the data")
    columns = {"total variation": "name", **dict.fromkeys(numbers, "number")}
    lines = [
        (f"{ways} marginals", f"{mean:.4f}", f"{worst:.4f}", f"{floor:.4f}")
        for ways, mean, worst, floor in near.by_ways()
    ]
    found = marginals(drawn.data, drawn.rows)
    key = (
        '<p class="key soft"><span><i style="background:var(--data)"></i>data</span>'
        f'<span><i style="background:var(--model)"></i>{near.rows:,} rows drawn from the model</span></p>\n'
    )
    more = found[CARDS:MOST_CARDS]
    rest = folded(f"{counted(len(more), 'variable')} nearer to the data", _cards(more)) if more else ""
    return said + table(columns, lines) + key + _cards(found[:CARDS]) + rest


def _cards(found: Sequence[Marginal]) -> str:
    cards = []
    for one in found:
        shown = one.shown(STATES)
        most = max(max(a, b) for _, a, b in shown)  # of many states, the others together may be the most
        states = "".join(
            f'<div class="state"><span title="{xml(short(state, 200))}">{xml(short(state, 40))}</span><span>'
            f'<span class="bar" style="width:{100 * a / most:.1f}%;background:var(--data)"></span>'
            f'<span class="bar" style="width:{100 * b / most:.1f}%;background:var(--model)"></span></span>'
            f"<span>{a:.3f}<br>{b:.3f}</span></div>"
            for state, a, b in shown
        )
        cards.append(
            f'<div class="card"><h3>{xml(short(one.name, 60))} <span class="soft">{one.apart:.4f}</span></h3>{states}</div>'
        )
    return f'<div class="cards">{"".join(cards)}</div>\n'
