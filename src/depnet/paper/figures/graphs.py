"""Fig. node and Fig. split_merge, from a node that was learned: its decision graph, and its leaves growing."""

import math
from collections.abc import Sequence

from depnet.data import Dataset, Domain, titanic
from depnet.learning.learn import learn
from depnet.model import DecisionGraph, Network, Split
from depnet.model.sources.enumerate import JointStates
from depnet.paper.figures.diagram import Arrow, Box, Diagram, Frame
from depnet.pictures.canvas import COLORS
from depnet.pictures.node.decision import Decision, Leaf, decision
from depnet.pictures.node.layout import places

TARGET = "survived"
PAPER_WHITE, TEST = "#ffffff", "#eef2f7"


def learned() -> tuple[Dataset, Network]:
    """The network learned from the Titanic table with the paper's MDL."""
    data = titanic()
    return data, learn(data)


def node_figure() -> Diagram:
    """Fig. node: variable X_i, its information source as a decision graph, its conditional table in the leaves."""
    data, network = learned()
    graph = decision(network, TARGET)
    at = {v: (x, -1.25 * layer) for v, (x, layer) in places(graph, leaf=1.45, test=1.7).items()}
    arrows: list[Arrow] = []
    boxes: list[Box] = []
    for v, (x, y) in at.items():
        vertex = graph.vertices[v]
        if isinstance(vertex, Leaf):
            boxes.append(_leaf(graph, vertex, x, y))
            continue
        boxes.append(Box(x, y, 1.5, 0.42, vertex.variable, TEST, f"tests {vertex.variable}"))
        for branch in vertex.branches:
            half = 0.36 if isinstance(graph.vertices[branch.to], Leaf) else 0.21
            end = (at[branch.to][0], at[branch.to][1] + half)
            arrows.append(Arrow((x, y - 0.21), end, ", ".join(map(str, branch.states))))
    return Diagram(
        f"A node: X = {graph.name}, its information source Y and its table θ",
        f"Learned from {data.total:,} rows. Y is a decision graph of {graph.leaves} leaves (leaves that were merged have "
        f"several ways in); the bars are θ({graph.name} | leaf), its states being {' and '.join(graph.states)}.",
        (Frame("", tuple(boxes), tuple(arrows)),),
        1,
    )


def split_merge_figure() -> Diagram:
    """Fig. split_merge: the leaves L_y as a partition of the other variables' states, operation by operation."""
    data, network = learned()
    target = data.domain.index(TARGET)
    graph = network.nodes[target].source
    assert isinstance(graph, DecisionGraph)
    names = data.domain.names
    others = [j for j in range(len(names)) if j != target]
    titles = ["Y = 0: one leaf"]
    for t, step in enumerate(graph.operations, start=1):
        said = (
            f"Split({step.leaf}, {names[step.variable]})"
            if isinstance(step, Split)
            else f"Merge({step[0]}, {step[1]})"
        )
        titles.append(f"{t}. {said}")
    prefixes = [DecisionGraph(graph.operations[:t], graph.cardinalities) for t in range(len(titles))]
    frames = [
        Frame(title, _partition(data.domain, others, prefix))
        for title, prefix in zip(titles, prefixes, strict=True)
    ]
    return Diagram(
        "Split and merge: the leaves of Y grow",
        f"Each cell is a joint state of the variables other than {TARGET} (down: {names[others[0]]}; across: "
        f"{' and '.join(names[j] for j in others[1:])}); its colour and number are its leaf L_y in the "
        "paper's numbering. The operations are those that learning recorded.",
        tuple(frames),
    )


def _partition(domain: Domain, others: Sequence[int], graph: DecisionGraph) -> tuple[Box, ...]:
    """A cell for each joint state of the other variables, the first of them down, the rest across."""
    across = math.prod(domain.cardinalities[j] for j in others[1:])
    cells = JointStates(domain.cardinalities, others).codes()
    boxes = []
    for cell, (codes, leaf) in enumerate(zip(cells, graph(cells).tolist(), strict=True)):
        tip = ", ".join(f"{domain.names[j]}={domain.variables[j].states[codes[j]]}" for j in others)
        row, column = divmod(cell, across)
        boxes.append(Box(column, -row, 1.0, 1.0, str(leaf), COLORS[leaf % len(COLORS)] + "66", tip))
    return tuple(boxes)


def _leaf(graph: Decision, leaf: Leaf, x: float, y: float) -> Box:
    states = ", ".join(f"{s} {p:.3f}" for s, p in zip(graph.states, leaf.probabilities, strict=True))
    tip = f"leaf {leaf.number}, {leaf.rows} rows: {states}"
    return Box(x, y, 1.2, 0.72, f"y = {leaf.number}\n{leaf.rows} rows", PAPER_WHITE, tip, leaf.probabilities)
