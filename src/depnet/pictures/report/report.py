"""The report: rows drawn from the model against the data's, and all sections together."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from depnet.data.table.dataset import Dataset, Holed
from depnet.errors import ConvergenceError, ReducibleError
from depnet.fitting.explained import plain_figures
from depnet.fitting.summary import rows_learned
from depnet.inference.judge.marginals import Nearness, nearness
from depnet.learning.certificate import Certificate, certificate
from depnet.learning.links import links
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


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Rows drawn from the network, or why there are none."""

    rows: Dataset | None
    near: Nearness | None
    said: tuple[str, ...]


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
    certificates = []
    if whole is not None:
        certificates = [certificate(one, whole, penalty=penalty) for one in _both(network, law)]
    rows = _draw(network if law is None else law, dataset, drawn, seed, sampled)
    sections = {
        "Summary": _plain(law, rows) + _summary(network, dataset, graph, certificates, rows),
        "Who predicts whom": graph_section(graph),
        "Strongest links": links_section(network, found),
        "Data against the model": _against(network, dataset, rows),
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


def _both(network: Network, law: Network | None) -> list[Network]:
    """The law first: it is what answers are of."""
    return [network] if law is None or law is network else [law, network]


def _plain(law: Network | None, rows: _Drawn) -> str:
    """What the model is worth, in sentences for a person."""
    said = plain_figures(law, rows.near)
    return "".join(paragraph(f"{text[0].upper()}{text[1:]}.") for text in said)


def _draw(
    network: Network, dataset: Dataset | Holed | None, drawn: int, seed: int, sampled: Dataset | None
) -> _Drawn:
    chains: int | Literal["auto"] = DRAWING_CHAINS if network.order is None else "auto"
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rows = sample(network, drawn, chains=chains, rng=rng) if sampled is None else sampled
        except (ReducibleError, ConvergenceError) as error:
            return _Drawn(None, None, (f"No rows were drawn: {error}",))
    data = _data(network, dataset)
    said = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    return _Drawn(rows, None if data is None else nearness(rows, data), said)


def _data(network: Network, dataset: Dataset | Holed | None) -> Dataset | Holed | MarginalCounts | None:
    """What rows are compared with: the data, or the counts that the network keeps of it, where there are any rows."""
    data = dataset if dataset is not None and dataset.total else network.counts
    return data if data is not None and data.total else None


def _summary(
    network: Network,
    dataset: Dataset | Holed | None,
    graph: DependencyGraph,
    certificates: Sequence[Certificate],
    rows: _Drawn,
) -> str:
    plain = [node for node in network.nodes if not node.boosted]
    leaves = sum(node.source.size for node in plain)
    parameters = sum(node.source.size * (node.states - 1) for node in plain)
    total = _rows_of(network, dataset)
    found = [
        (f"{len(network.domain):,}", "variables"),
        (f"{sum(len(node.inputs) for node in network.nodes):,}", "links"),
        *([(f"{leaves:,}", "leaves"), (f"{parameters:,}", "parameters")] if plain else []),
        *([(f"{len(network) - len(plain):,}", "boosted nodes")] if len(plain) < len(network) else []),
        *([(f"{total:,}", "rows learned from")] if total is not None else []),
    ]
    found += map(proven_tile, certificates)
    if rows.near is not None:
        found.append((f"{rows.near.one_way:.4f}", "mean 1-way distance, data to model"))
    ties = graph.ties
    found.append((f"{sum(tie.both for tie in ties):,} of {len(ties):,}", "ties go both ways"))
    return tiles(found)


def _rows_of(network: Network, dataset: Dataset | Holed | None) -> int | None:
    if dataset is not None:
        return dataset.total
    return rows_learned(network)


def _against(network: Network, dataset: Dataset | Holed | None, rows: _Drawn) -> str:
    said = "".join(note(text) for text in rows.said)
    if rows.rows is None:
        return said
    data = _data(network, dataset)
    if data is None or rows.near is None:
        return said + paragraph(
            "The network keeps no 1-way counts of its data, and no rows were given to compare with."
        )
    near = rows.near
    numbers = ("mean", "worst", "mean of as many rows of the data")
    columns = {"total variation": "name", **dict.fromkeys(numbers, "number")}
    lines = [
        (f"{ways} marginals", f"{mean:.4f}", f"{worst:.4f}", f"{floor:.4f}")
        for ways, mean, worst, floor in near.by_ways()
    ]
    found = marginals(data, rows.rows)
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
