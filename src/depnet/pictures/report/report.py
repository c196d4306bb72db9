"""What the report says, section by section."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.errors import ConvergenceError, ModelError, ReducibleError
from depnet.fitting.explained import plain_figures
from depnet.inference.judge.marginals import Nearness, nearness
from depnet.learning.certificate import BIT, Certificate, NodeCertificate, certificate
from depnet.learning.links.links import Link, links
from depnet.learning.penalty import Mdl, PenaltyLike
from depnet.model.links import one_sided_links
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.pictures import colours
from depnet.pictures.compared import Marginal, marginals
from depnet.pictures.graph.dependency import DependencyGraph, dependency_graph
from depnet.pictures.graph.svg import to_svg
from depnet.pictures.labels import short, xml
from depnet.pictures.node.decision import Leaf, decision, node_name
from depnet.pictures.node.svg import decision_svg
from depnet.pictures.node.text import decision_text
from depnet.pictures.report.page import (
    Column,
    Section,
    bar,
    folded,
    framed,
    note,
    page,
    paragraph,
    table,
    tiles,
)
from depnet.sampling import sample
from depnet.wording import counted

LINKS = 25
NODES = 25
CARDS = 12
MOST_CARDS = 60
STATES = 8
NAME = 40
CHAINS = 500
DRAWN_LEAVES = 40
"""A decision graph of more leaves is written, not drawn."""

ONE_SIDED = 12


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Rows drawn from the network, or why there are none."""

    rows: Dataset | None
    near: Nearness | None
    said: tuple[str, ...]


def html_report(
    network: Network,
    dataset: Dataset | None = None,
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

    With `dataset`, the rows it was learned from, the report has the certificate (with the `penalty` it was learned
    with) and strengths measured on rows; without, both are what the counts that the network keeps can tell. `law` is
    the ordered network of the same rows: the report then says how much it explains, how far it is from the rows, and
    compares its marginals with theirs; without it, those of the network's chain. `drawn` rows stand for that law, or those
    that are `sampled` already; `nodes` decision graphs are drawn, of the nodes that know most of their variables.

    >>> from depnet import learn, titanic
    >>> html_report(learn(titanic(), smoothing=0.5), titanic(), title="Titanic", drawn=1000)[:15]
    '<!doctype html>'
    """
    found = links(network, dataset)
    graph = dependency_graph(network, dataset, found=found)
    law = network if law is None and network.order is not None else law
    certificates = []
    if dataset is not None:
        certificates = [certificate(one, dataset, penalty=penalty) for one in _both(network, law)]
    rows = _draw(network if law is None else law, dataset, drawn, seed, sampled)
    sections = [
        Section("Summary", _plain(law, rows) + _summary(network, dataset, graph, certificates, rows)),
        Section("Who predicts whom", _picture(graph)),
        Section("Strongest links", _links(network, found)),
        Section("Data against the model", _against(network, dataset, rows)),
        *([Section("Certificate", "".join(map(_certificate, certificates)))] if certificates else []),
        Section("Decision graphs", _decisions(network, found, nodes)),
    ]
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
    said = [] if law is None else plain_figures(law)
    if rows.near is not None:
        said.append(rows.near.said)
    return "".join(paragraph(f"{text[0].upper()}{text[1:]}.") for text in said)


def _draw(
    network: Network, dataset: Dataset | None, drawn: int, seed: int, sampled: Dataset | None
) -> _Drawn:
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            ordered = network.order is not None
            rows = (
                sample(network, drawn, chains="auto" if ordered else CHAINS, rng=rng)
                if sampled is None
                else sampled
            )
        except (ReducibleError, ConvergenceError) as error:
            return _Drawn(None, None, (f"No rows were drawn: {error}",))
    said = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    if dataset is not None and dataset.total:
        return _Drawn(rows, nearness(rows, dataset), said)
    if network.counts is not None and network.counts.total:
        return _Drawn(rows, nearness(rows, network.counts), said)
    return _Drawn(rows, None, said)


def _summary(
    network: Network,
    dataset: Dataset | None,
    graph: DependencyGraph,
    certificates: Sequence[Certificate],
    rows: _Drawn,
) -> str:
    leaves = sum(node.source.size for node in network.nodes)
    parameters = sum(node.source.size * (node.table.states - 1) for node in network.nodes)
    total = _rows_of(network, dataset)
    found = [
        (f"{len(network.domain):,}", "variables"),
        (f"{sum(len(node.source.inputs) for node in network.nodes):,}", "links"),
        (f"{leaves:,}", "leaves"),
        (f"{parameters:,}", "parameters"),
        *([(f"{total:,}", "rows learned from")] if total is not None else []),
    ]
    found += map(_proven_tile, certificates)
    if rows.near is not None:
        found.append((f"{rows.near.one_way:.4f}", "mean 1-way distance, data to model"))
    ties = graph.ties
    two_sided = sum(t.forward is not None and t.backward is not None for t in ties)
    found.append((f"{two_sided:,} of {len(ties):,}", "ties go both ways"))
    return tiles(found)


def _proven_tile(proven: Certificate) -> tuple[str, str]:
    nothing = proven.one_leaf_limit
    if proven.kind == "law":
        return (
            f"{proven.kl / BIT:.4g}",
            f"bits a row from data to law (KL); {nothing / BIT:.4g} independent columns",
        )
    if proven.no_bound is not None:
        return ("none", f"FC-limit: Theorem 3 does not apply; {nothing:.4g} knowing nothing")
    return (f"{proven.fc_limit:.4g}", f"FC-limit, nats; {nothing:.4g} knowing nothing")


def _rows_of(network: Network, dataset: Dataset | None) -> int | None:
    if dataset is not None:
        return dataset.total
    if network.counts is not None:
        return network.counts.total
    counts = network.nodes[0].table.counts
    return None if counts is None else int(counts.sum())


def _picture(graph: DependencyGraph) -> str:
    said = note(
        "An arrow points to the variable that is predicted; lines are as wide as the link is strong. Frames are communities."
    )
    return framed(to_svg(graph)) + said


def _links(network: Network, found: Sequence[Link]) -> str:
    if not found:
        return paragraph("No node reads any other: the variables were learned as independent.")
    strongest = max(found[0].strength, 1e-300)
    rows = [
        (
            short(link.source, NAME),
            short(" x ".join(link.targets), NAME),
            f"{link.strength:.4f}",
            bar(link.strength / strongest, colours.BLUE),
            _or_dash(link.mutual_information),
            _or_dash(link.conditional_information),
        )
        for link in found[:LINKS]
    ]
    columns = (
        Column("predicts"),
        Column("variable"),
        Column("bits", "number"),
        Column("", "bars"),
        Column("alone", "number"),
        Column("given the rest", "number"),
    )
    more = f" The {LINKS} strongest of {len(found):,}." if len(found) > LINKS else ""
    said = note(
        f"Bits per row. A node's links add up to all that its source knows; alone: mutual information; given the rest: "
        f"conditional mutual information given the node's other inputs, where the rows suffice to tell.{more}"
    )
    return table(columns, rows) + said + _one_sided(network)


def _one_sided(network: Network) -> str:
    if len(network.domain) > 400:
        return ""
    found = one_sided_links(network)
    if not found:
        return ""
    cut = [x for x in found if not x.carried] or list(found)
    items = "".join(f"<li>{xml(short(x, 4 * NAME))}</li>" for x in cut[:ONE_SIDED])
    more = f"<li>and {len(cut) - ONE_SIDED:,} more</li>" if len(cut) > ONE_SIDED else ""
    return folded(
        f"{counted(len(found), 'link')} one way only: what evidence does not reach",
        f"<ul>{items}{more}</ul>\n",
    )


def _certificate(proven: Certificate) -> str:
    law = proven.kind == "law"
    full = "H(X|before)" if law else "H(X|rest)"
    ordered = sorted(proven.nodes, key=lambda node: -node.kl)
    largest = max(
        [node.one_leaf_kl for node in ordered]
        + [node.kl for node in ordered if np.isfinite(node.kl)]
        + [1e-300]
    )

    def row(node: NodeCertificate) -> tuple[str, ...]:
        both = bar(node.kl / largest, colours.VERMILLION) + bar(node.one_leaf_kl / largest, colours.REST)
        return (
            short(node.name, NAME), f"{node.leaves:,}", f"{node.entropy:.4f}", f"{node.source_entropy:.4f}",
            f"{node.full_entropy:.4f}", f"{node.kl:.4f}", both, f"{node.penalty:.4f}",
        )  # fmt: skip

    columns = (
        Column("node"), Column("leaves", "number"), Column("H(X)", "number"), Column("H(X|Y)", "number"),
        Column(full, "number"), Column("KL", "number"), Column("KL, and of one leaf", "bars"), Column("R", "number"),
    )  # fmt: skip
    if law:
        proof = paragraph(
            f"KL(data ‖ law) = {proven.kl:.6g} nats per row, {proven.kl / BIT:.4g} bits; independent columns, one leaf a "
            f"node, would have {proven.one_leaf_limit:.6g}. FC(data ‖ law) is no more."
        )
    elif proven.no_bound is None:
        proof = paragraph(
            f"FC(data ‖ model) ≤ {proven.fc_limit:.6g} nats per row (Theorem 3, random scan); knowing nothing, one leaf a "
            f"node, would have {proven.one_leaf_limit:.6g}."
        )
    else:
        proof = paragraph(f"FC(data ‖ model) has no bound: {proven.no_bound}")
    said = note(
        (
            "KL is the node's part of KL(data ‖ law): what its table is away from the data, given the variables before it. "
            if law
            else "KL is KL(data ‖ E(θ)), what the node's table is away from the data's own full conditional. "
        )
        + f"On wide tables nearly every row is distinct, {full} is near 0 and the number says little: compare it with that "
        "of one leaf."
    )
    rest = ordered[NODES:]
    more = (
        folded(f"{counted(len(rest), 'node')} nearer to the data", table(columns, map(row, rest[:1000])))
        if rest
        else ""
    )
    return proof + table(columns, map(row, ordered[:NODES])) + said + more


def _against(network: Network, dataset: Dataset | None, rows: _Drawn) -> str:
    said = "".join(note(text) for text in rows.said)
    if rows.rows is None:
        return said
    data: Dataset | MarginalCounts | None = (
        dataset if dataset is not None and dataset.total else network.counts
    )
    if data is None or data.total == 0 or rows.near is None:
        return said + paragraph(
            "The network keeps no 1-way counts of its data, and no rows were given to compare with."
        )
    near = rows.near
    columns = (
        Column("total variation"),
        Column("mean", "number"),
        Column("worst", "number"),
        Column("mean of as many rows of the data", "number"),
    )
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
        most = max(float(one.data.max()), float(one.drawn.max()))
        states = "".join(
            f'<div class="state"><span title="{xml(short(state, 200))}">{xml(short(state, 40))}</span><span>'
            f'<span class="bar" style="width:{100 * a / most:.1f}%;background:var(--data)"></span>'
            f'<span class="bar" style="width:{100 * b / most:.1f}%;background:var(--model)"></span></span>'
            f"<span>{a:.3f}<br>{b:.3f}</span></div>"
            for state, a, b in one.shown(STATES)
        )
        cards.append(
            f'<div class="card"><h3>{xml(short(one.name, 60))} <span class="soft">{one.apart:.4f}</span></h3>{states}</div>'
        )
    return f'<div class="cards">{"".join(cards)}</div>\n'


def _decisions(network: Network, found: Sequence[Link], nodes: int) -> str:
    known = np.zeros(len(network))
    for link in found:
        known[link.node] += link.strength
    order = [k for k in np.argsort(-known, kind="stable").tolist() if network.nodes[k].source.size > 1][
        : max(nodes, 0)
    ]
    if not order:
        return paragraph("Every node has one leaf: there is nothing to decide.")
    parts = []
    for place, number in enumerate(order):
        size = network.nodes[number].source.size
        summary = f"{node_name(network, number)}: {known[number]:.4f} bits known, {size:,} leaves"
        parts.append(folded(summary, _decision(network, number), opened=place == 0))
    said = note(
        f"The {counted(len(order), 'node')} that know most of their variables. Bars are θ(· | leaf); a leaf with several "
        "ways in was merged."
    )
    return said + "".join(parts)


def _decision(network: Network, number: int) -> str:
    try:
        graph = decision(network, number)
    except ModelError as error:
        return note(str(error))
    if (
        sum(isinstance(v, Leaf) for v in graph.vertices) <= DRAWN_LEAVES
        and len(graph.vertices) <= 4 * DRAWN_LEAVES
    ):
        return framed(decision_svg(graph))
    return f"<pre>{xml(decision_text(graph))}</pre>\n"


def _or_dash(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
