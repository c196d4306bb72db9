"""What the report says of a network without drawing rows from it: links, certificate, decision graphs."""

from collections.abc import Sequence

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.errors import ModelError
from depnet.learning.certificate import BIT, Certificate, NodeCertificate
from depnet.learning.links import Link
from depnet.model.links import one_sided_links
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.pictures import colours
from depnet.pictures.graph.dependency import DependencyGraph
from depnet.pictures.graph.svg import to_svg
from depnet.pictures.labels import short, xml
from depnet.pictures.node.decision import Decision, Leaf, decision, node_name
from depnet.pictures.node.effects import boosted as boosted_of
from depnet.pictures.node.svg import boosted_svg, decision_svg
from depnet.pictures.node.text import decision_text
from depnet.pictures.report.page import bar, folded, framed, note, paragraph, table
from depnet.wording import counted

LINKS = 25
NODES = 25
NAME = 40
ONE_SIDED = 12
MOST_ONE_SIDED = 400
"""The most variables whose links are looked through for those that go one way only."""

DRAWN_LEAVES = 40
"""A decision graph of more leaves is written, not drawn."""


def graph_section(graph: DependencyGraph) -> str:
    return framed(to_svg(graph)) + note(
        "An arrow points to the variable that is predicted; lines are as wide as the link is strong. Frames are communities."
    )


def links_section(network: Network, found: Sequence[Link]) -> str:
    """The strongest links, and those that go one way only."""
    if not found:
        return paragraph("No node reads any other: the variables were learned as independent.")
    strongest = max(found[0].strength, 1e-300)
    rows = [
        (
            short(link.source, NAME),
            short(link.target, NAME),
            f"{link.strength:.4f}",
            bar(link.strength / strongest, colours.BLUE),
            _or_dash(link.mutual_information),
            _or_dash(link.conditional_information),
        )
        for link in found[:LINKS]
    ]
    columns = {"predicts": "name", "variable": "name", "bits": "number", "": "bars"}
    columns |= {"alone": "number", "given the rest": "number"}
    more = f" The {LINKS} strongest of {len(found):,}." if len(found) > LINKS else ""
    gained = " Links of a boosted node: what each input gained while it was learned."
    boosted = gained if any(node.boosted for node in network.nodes) else ""
    said = note(
        f"Bits per row. A node's links add up to all that its source knows; alone: mutual information; given the rest: "
        f"conditional mutual information given the node's other inputs, where the rows suffice to tell.{boosted}{more}"
    )
    return table(columns, rows) + said + _one_sided(network)


def _one_sided(network: Network) -> str:
    found = one_sided_links(network) if len(network.domain) <= MOST_ONE_SIDED else ()
    if not found:
        return ""
    cut = [x for x in found if not x.carried] or list(found)
    items = "".join(f"<li>{xml(short(x, 4 * NAME))}</li>" for x in cut[:ONE_SIDED])
    more = f"<li>and {len(cut) - ONE_SIDED:,} more</li>" if len(cut) > ONE_SIDED else ""
    summary = f"{counted(len(found), 'link')} one way only: what evidence does not reach"
    return folded(summary, f"<ul>{items}{more}</ul>\n")


def proven_tile(proven: Certificate) -> tuple[str, str]:
    """What a certificate proves, in one number, and what the number is."""
    nothing = proven.one_leaf_limit
    if proven.kind == "law":
        said = f"bits a row from data to law (KL); {nothing / BIT:.4g} independent columns"
        return f"{proven.kl / BIT:.4g}", said
    if proven.no_bound is not None:
        return "none", f"FC-limit: Theorem 3 does not apply; {nothing:.4g} knowing nothing"
    return f"{proven.fc_limit:.4g}", f"FC-limit, nats; {nothing:.4g} knowing nothing"


def certificate_section(proven: Certificate) -> str:
    """What a certificate proves, and its terms node by node, those furthest from the data first."""
    law = proven.kind == "law"
    full = "H(X|before)" if law else "H(X|rest)"
    nodes = sorted(proven.nodes, key=lambda node: -node.kl)
    finite = [node.kl for node in nodes if np.isfinite(node.kl)]
    largest = max([node.one_leaf_kl for node in nodes] + finite + [1e-300])

    def row(node: NodeCertificate) -> tuple[str, ...]:
        both = bar(node.kl / largest, colours.VERMILLION) + bar(node.one_leaf_kl / largest, colours.REST)
        terms = (node.entropy, node.source_entropy, node.full_entropy, node.kl)
        texts = [f"{term:.4f}" for term in terms]
        return (
            short(node.name, NAME),
            "boosted" if node.boosted else f"{node.leaves:,}",
            *texts,
            both,
            f"{node.penalty:.4f}",
        )

    columns = {"node": "name", **dict.fromkeys(("leaves", "H(X)", "H(X|Y)", full, "KL"), "number")}
    columns |= {"KL, and of one leaf": "bars", "R": "number"}
    told = (
        "the node's part of KL(data ‖ law): what its table is away from the data, given the variables before it."
        if law
        else "KL(data ‖ E(θ)), what the node's table is away from the data's own full conditional."
    )
    said = note(
        f"KL is {told} On wide tables nearly every row is distinct, {full} is near 0 and the number says little: compare "
        "it with that of one leaf."
    )
    if any(node.boosted for node in nodes):
        said += note("Of a boosted node H(X|Y) is the cross-entropy, the mean of -log θ, and there is no R.")
    rest = nodes[NODES:]
    summary = f"{counted(len(rest), 'node')} nearer to the data"
    more = folded(summary, table(columns, map(row, rest[:1000]))) if rest else ""
    return paragraph(_proof(proven)) + table(columns, map(row, nodes[:NODES])) + said + more


def _proof(proven: Certificate) -> str:
    if proven.kind == "law":
        return (
            f"KL(data ‖ law) = {proven.kl:.6g} nats per row, {proven.kl / BIT:.4g} bits; independent columns, one leaf a "
            f"node, would have {proven.one_leaf_limit:.6g}. FC(data ‖ law) is no more."
        )
    if proven.no_bound is None:
        return (
            f"FC(data ‖ model) ≤ {proven.fc_limit:.6g} nats per row (Theorem 3, random scan); knowing nothing, one leaf a "
            f"node, would have {proven.one_leaf_limit:.6g}."
        )
    return f"FC(data ‖ model) has no bound: {proven.no_bound}"


def decisions_section(
    network: Network, found: Sequence[Link], nodes: int, dataset: Dataset | None = None
) -> str:
    """The decision graphs of the `nodes` that know most of their variables, and what boosted ones read."""
    bits = np.zeros(len(network))
    for link in found:
        bits[link.node] += link.strength
    order = [k for k in np.argsort(-bits, kind="stable").tolist() if _knows(network.nodes[k])]
    order = order[: max(nodes, 0)]
    if not order:
        return paragraph("Every node has one leaf: there is nothing to decide.")
    said = note(
        f"The {counted(len(order), 'node')} that know most of their variables. Bars are θ(· | leaf); a leaf with several "
        "ways in was merged."
    )
    if any(network.nodes[k].boosted for k in order):
        said += note(
            "A boosted node sums many graphs: of it, what it reads, and what each state of its inputs does."
        )
    for k in order:
        node = network.nodes[k]
        size = "boosted" if node.boosted else f"{node.source.size:,} leaves"
        summary = f"{node_name(network, k)}: {bits[k]:.4f} bits known, {size}"
        said += folded(summary, _decision(network, k, dataset), opened=k == order[0])
    return said


def _knows(node: Node) -> bool:
    return bool(node.inputs) if node.boosted else node.source.size > 1


def _decision(network: Network, number: int, dataset: Dataset | None) -> str:
    if network.nodes[number].boosted:
        said = boosted_of(network, number, dataset)
        first = "" if said.first is None else folded("Its first graph, before the stages", _drawn(said.first))
        return framed(boosted_svg(said)) + first
    try:
        graph = decision(network, number)
    except ModelError as error:
        return note(str(error))
    return _drawn(graph)


def _drawn(graph: Decision) -> str:
    leaves = sum(isinstance(v, Leaf) for v in graph.vertices)
    if leaves <= DRAWN_LEAVES and len(graph.vertices) <= 4 * DRAWN_LEAVES:
        return framed(decision_svg(graph))
    return f"<pre>{xml(decision_text(graph))}</pre>\n"


def _or_dash(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
