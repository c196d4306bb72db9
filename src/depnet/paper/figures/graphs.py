"""Fig. node and Fig. split_merge, from a node that was learned: its decision graph, and its leaves growing."""

import itertools
from typing import Any

import numpy as np

from depnet.data import Dataset, titanic
from depnet.learning.learn import learn
from depnet.model import DecisionGraph, Node, Split
from depnet.paper.canvas import COLORS
from depnet.paper.figures.scene import Arrow, Box, Diagram, Frame

TARGET = "survived"
PAPER_WHITE, TEST, STATE = "#ffffff", "#eef2f7", "#dfe8fb"


def learned_node() -> tuple[Dataset, Node]:
    """The node of `survived` in the network learned from the Titanic table with the paper's MDL."""
    data = titanic()
    return data, learn(data).nodes[data.domain.index(TARGET)]


def node_figure() -> Diagram:
    """Fig. node: variable X_i, its information source as a decision graph, its conditional table in the leaves."""
    data, node = learned_node()
    graph = node.source
    assert isinstance(graph, DecisionGraph)
    depth, children = _layers(graph)
    bottom = max(depth.values())
    leaves = {v for v in depth if graph.compiled.variable[v] < 0}
    level = {v: bottom if v in leaves else depth[v] for v in depth}
    at = _places(level, children)
    arrows: list[Arrow] = []
    boxes: list[Box] = []
    for v, (x, y) in at.items():
        j = int(graph.compiled.variable[v])
        if j < 0:
            boxes.append(_leaf(data, node, int(graph.compiled.begin[v]), x, y))
            continue
        variable = data.domain.variables[j]
        boxes.append(Box(x, y, 1.5, 0.42, variable.name, TEST, f"tests {variable.name}"))
        merged: dict[int, list[str]] = {}
        for child, state in zip(children[v], variable.states, strict=True):
            merged.setdefault(child, []).append(str(state))
        arrows += [
            Arrow(
                (x, y - 0.21),
                (at[child][0], at[child][1] + (0.36 if child in leaves else 0.21)),
                ", ".join(states),
            )
            for child, states in merged.items()
        ]
    name, states = (
        data.domain.variables[node.variables[0]].name,
        data.domain.variables[node.variables[0]].states,
    )
    return Diagram(
        f"A node: X = {name}, its information source Y and its table θ",
        f"Learned from {data.total:,} rows. Y is a decision graph of {graph.size} leaves (leaves that were merged have "
        f"several ways in); the bars are θ({name} | leaf), its states being {' and '.join(map(str, states))}.",
        (Frame("", tuple(boxes), tuple(arrows)),),
        1,
    )


def split_merge_figure() -> Diagram:
    """Fig. split_merge: the leaves L_y as a partition of the other variables' states, operation by operation."""
    data, node = learned_node()
    graph = node.source
    assert isinstance(graph, DecisionGraph)
    names = data.domain.names
    others = [name for name in names if name != TARGET]
    frames = []
    for t in range(len(graph.operations) + 1):
        prefix = DecisionGraph(graph.operations[:t], graph.cardinalities)
        if t == 0:
            title = "Y = 0: one leaf"
        else:
            operation = graph.operations[t - 1]
            title = (
                f"Split({operation.leaf}, {names[operation.variable]})"
                if isinstance(operation, Split)
                else f"Merge({operation.first}, {operation.second})"
            )
        frames.append(Frame(f"{t}. {title}" if t else title, _partition(data, node, prefix)))
    return Diagram(
        "Split and merge: the leaves of Y grow",
        f"Each cell is a joint state of the variables other than {TARGET} (down: {others[0]}; across: "
        f"{' and '.join(others[1:])}); its colour and number are its leaf L_y in the "
        "paper's numbering. The operations are those that learning recorded.",
        tuple(frames),
    )


def _partition(data: Dataset, node: Node, graph: DecisionGraph) -> tuple[Box, ...]:
    others = [j for j in range(len(data.domain)) if j not in node.variables]
    sizes = [data.domain.cardinalities[j] for j in others]
    down = sizes[0]
    across = int(np.prod(sizes[1:]))
    boxes = []
    for cell in range(down * across):
        codes = np.zeros((1, len(data.domain)), dtype=np.int64)
        codes[0, others] = np.unravel_index(cell, sizes)
        leaf = int(graph(codes)[0])
        tip = ", ".join(
            f"{data.domain.variables[j].name}={data.domain.variables[j].states[codes[0, j]]}" for j in others
        )
        row, column = divmod(cell, across)
        boxes.append(Box(column, -row, 1.0, 1.0, str(leaf), COLORS[leaf % len(COLORS)] + "66", tip))
    return tuple(boxes)


def _leaf(data: Dataset, node: Node, leaf: int, x: float, y: float) -> Box:
    probabilities = tuple(float(p) for p in node.table.probabilities[leaf])
    counts: Any = node.table.counts
    rows = int(counts[leaf].sum()) if counts is not None else 0
    states = data.domain.variables[node.variables[0]].states
    tip = f"leaf {leaf}, {rows} rows: " + ", ".join(
        f"{s} {p:.3f}" for s, p in zip(states, probabilities, strict=True)
    )
    return Box(x, y, 1.2, 0.72, f"y = {leaf}\n{rows} rows", PAPER_WHITE, tip, probabilities)


def _layers(graph: DecisionGraph) -> tuple[dict[int, int], dict[int, list[int]]]:
    """The depth of every vertex, longest way from the root, and its children."""
    compiled = graph.compiled
    depth = {0: 0}
    children: dict[int, list[int]] = {}
    waiting = [0]
    while waiting:
        v = waiting.pop()
        j = int(compiled.variable[v])
        if j < 0:
            continue
        begin = int(compiled.begin[v])
        children[v] = [int(c) for c in compiled.children[begin : begin + graph.cardinalities[j]]]
        for child in children[v]:
            if depth.get(child, -1) < depth[v] + 1:
                depth[child] = depth[v] + 1
                waiting.append(child)
    return depth, children


def _places(level: dict[int, int], children: dict[int, list[int]]) -> dict[int, tuple[float, float]]:
    """Leaves side by side in the order of a walk from the root; a test above those it reaches first."""
    x: dict[int, float] = {}

    def walk(v: int) -> None:
        if v in x:
            return
        if v not in children:
            x[v] = 1.45 * sum(u not in children for u in x)
            return
        new = [child for child in dict.fromkeys(children[v]) if child not in x]
        for child in new:
            walk(child)
        x[v] = float(np.mean([x[child] for child in new])) if new else max(x[child] for child in children[v])

    walk(0)
    for depth in range(max(level.values())):  # tests of one layer do not touch
        row = sorted((v for v in x if v in children and level[v] == depth), key=lambda v: x[v])
        for left, right in itertools.pairwise(row):
            x[right] = max(x[right], x[left] + 1.7)
    return {v: (x[v], -1.25 * level[v]) for v in x}
