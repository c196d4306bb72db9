"""What a report has for readers of the theory: certificates, sizes and decision graphs."""

import re
from collections.abc import Sequence

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.errors import ModelError
from depnet.learning.certificate import certificate
from depnet.learning.cost import PenaltyLike
from depnet.learning.links import Link
from depnet.model.network import Network
from depnet.notebook import fold, line, note
from depnet.pictures.labels import xml
from depnet.pictures.node.boosted import boosted
from depnet.pictures.node.decision import Decision, Leaf, decision, node_name
from depnet.pictures.node.svg import boosted_svg, decision_svg
from depnet.pictures.node.text import decision_text
from depnet.wording import plural

NAME = 40
DRAWN_LEAVES = 40
"""A decision graph of more leaves is written, not drawn."""


def theory_of(
    networks: Sequence[Network],
    whole: Dataset | None,
    penalty: PenaltyLike,
    found: Sequence[Link],
    nodes: int,
) -> str:
    """All of it; `networks` are those that are certified on complete rows, the last of them the dependency network."""
    network = networks[-1]
    proven = [] if whole is None else [certificate(each, whole, penalty=penalty) for each in networks]
    said = "".join(scroll(each._repr_html_()) for each in proven)
    return said + _sizes(network) + _decisions(network, found, nodes)


def scroll(inside: str) -> str:
    """What scrolls by itself where the page is narrow."""
    return f'<div class="wide">{inside}</div>\n'


def frame(svg: str) -> str:
    """A picture, whose letters stay large enough to be read."""
    size = re.search(r' width="(\d+)"', svg)
    least = f' style="min-width:{0.7 * int(size[1]):.0f}px"' if size else ""
    return scroll(svg.replace("<svg ", f"<svg{least} ", 1))


def _sizes(network: Network) -> str:
    plain = [node for node in network.nodes if not node.boosted]
    numbers = {
        "links": sum(len(node.inputs) for node in network.nodes),
        "leaves": sum(node.source.size for node in plain),
        "parameters": sum(node.source.size * (node.states - 1) for node in plain),
        "boosted nodes": len(network) - len(plain),
    }
    return line(", ".join(f"{number:,} {what}" for what, number in numbers.items() if number))


def _decisions(network: Network, found: Sequence[Link], nodes: int) -> str:
    """The decision graphs of the `nodes` that know most of their variables, and what boosted ones read."""
    bits = np.zeros(len(network))
    for link in found:
        bits[link.node] += link.strength
    order = np.argsort(-bits, kind="stable").tolist()
    order = [k for k in order if network.nodes[k].boosted or network.nodes[k].source.size > 1]
    order = [k for k in order if network.nodes[k].inputs][: max(nodes, 0)]
    if not order:
        return line("Every node has one leaf: there are no decision graphs to show.")
    said = note(
        f"The {plural(len(order), 'node')} that know most of their variables. Bars are θ(· | leaf); a leaf with several "
        "ways in was merged."
    )
    if any(network.nodes[k].boosted for k in order):
        said += note("A boosted node sums many graphs: shown are its inputs, and what each gained.")
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
        return frame(boosted_svg(said)) + first
    try:
        return _graph(decision(network, number))
    except ModelError as error:
        return note(str(error))


def _graph(graph: Decision) -> str:
    leaves = sum(isinstance(v, Leaf) for v in graph.vertices)
    if leaves <= DRAWN_LEAVES and len(graph.vertices) <= 4 * DRAWN_LEAVES:
        return frame(decision_svg(graph))
    return f"<pre>{xml(decision_text(graph, theory=True))}</pre>\n"
