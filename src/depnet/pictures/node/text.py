"""A node as text, for a terminal: a line for each branch, a bar and the states' probabilities at the leaves.

The bar is theta_i(. | y) from end to end, a shade for each of the node's four most frequent states and one for the
rest, so that leaves can be compared at a glance.
"""

from collections import Counter

from depnet.model.network import Network
from depnet.pictures.labels import join, short
from depnet.pictures.node.boosted import Boosted, boosted
from depnet.pictures.node.decision import (
    Decision,
    DecisionTest,
    Leaf,
    decision,
    frequent_states,
    named_states,
    node_of,
)
from depnet.wording import plural, shown_width

MOST_LINES = 200
MOST_STATES = 4
BAR, GAIN, NAME = 16, 24, 24
SHADES = "█▓▒░"
REST = "·"


def node_text(
    network: Network, node: int | str, *, most_lines: int = MOST_LINES, theory: bool = False
) -> str:
    """The decision graph of a node as a tree of tests.

    A leaf that several branches lead to is one leaf: it is marked "shared". Tests that several branches lead to are
    written out once, with a letter, and referred to by it. Of a boosted node: what it reads, and what each input gained.

    Args:
        network: the network.
        node: the number of the node, or the name of its variable.
        most_lines: the rest is left out, and said to be.
        theory: number the leaves, and use the words of the theory.

    Returns:
        The text.

    >>> from depnet import learn, titanic
    >>> node_text(learn(titanic()), "age").splitlines()[0]
    'age (adult, child): predicted from class, sex, survived, which split 2,201 rows into 4 groups'
    """
    if network.nodes[node_of(network, node)].boosted:
        return boosted_text(boosted(network, node), theory=theory)
    return decision_text(decision(network, node), most_lines=most_lines, theory=theory)


def decision_text(graph: Decision, *, most_lines: int = MOST_LINES, theory: bool = False) -> str:
    """The text of `node_text`, of a decision graph that is there already; without `theory` in plain words."""
    frequent = frequent_states(graph, len(SHADES))
    lines = [_heading(graph, theory), _legend(graph.states, frequent)]
    shared = _shared_tests(graph)
    named: dict[int, str] = {}
    # a vertex, what leads to it, and the rules before its own line and before those below
    waiting = [(0, "", "", "")]
    left = 0
    while waiting:
        v, label, own, below = waiting.pop()
        vertex = graph.vertices[v]
        if len(lines) > most_lines:
            left += 1
            continue
        if isinstance(vertex, Leaf):
            lines.append(f"{own}{label}{_leaf(graph, vertex, frequent, theory)}")
            continue
        if v in named:
            lines.append(f"{own}{label}→ {named[v]} above")
            continue
        mark = ""
        if v in shared:
            named[v] = f"[{_letters(len(named))}]"
            mark = f"{named[v]} "
        if label:
            lines.append(f"{own}{label}{mark}".rstrip())
        for k, branch in reversed(list(enumerate(vertex.branches))):
            last = k == len(vertex.branches) - 1
            text = f"{short(vertex.variable, 32)} = {join(branch.states, 40)}  "
            waiting.append(
                (branch.to, text, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
            )
    if left:
        lines.append(f"… and {left:,} more branches")
    return "\n".join(lines)


def boosted_text(said: Boosted, *, theory: bool = False) -> str:
    """What a boosted node reads, how much each input gained, and its first graph."""
    size = said.size if theory else f"predicted by {plural(said.stages, 'small tree')} that add up"
    lines = [f"{short(said.name, 48)} ({join(said.states, 60)})", f"  {size}"]
    if said.inputs:
        lines += [
            "",
            "What its inputs gained, bits a row" if theory else "What each column adds, in bits per row",
        ]
    for one, share in said.shares:
        name = short(one.name, NAME)
        padded = f"  {name}{' ' * (NAME - shown_width(name))}"
        lines.append(f"{padded} {one.bits:8.4f}  {'█' * round(share * GAIN)}".rstrip())
    if said.rest:
        lines.append(f"  {said.rest}")
    if said.first is not None:
        heading = "its first graph, before the stages" if theory else "the rules that the trees start from"
        lines += ["", heading, decision_text(said.first, theory=theory)]
    return "\n".join(lines)


def _heading(graph: Decision, theory: bool) -> str:
    name = f"{short(graph.name, 48)} ({join(graph.states, 60)})"
    if not theory:
        rows = "rows" if graph.rows is None else plural(graph.rows, "row")
        groups = plural(graph.leaves, "group")
        split = "split" if len(graph.inputs) > 1 else "splits"
        read = f"predicted from {join(graph.inputs, 80)}, which {split} {rows} into {groups}"
        return f"{name}: {read if graph.inputs else 'predicted from no other column'}"
    rows = "" if graph.rows is None else f", {plural(graph.rows, 'row')}"
    reads = f"reads {join(graph.inputs, 80)}" if graph.inputs else "reads nothing"
    return f"{name}{rows}: {plural(graph.leaves, 'leaf', 'leaves')}, {reads}"


def _legend(states: tuple[str, ...], frequent: list[int]) -> str:
    named = [f"{shade} {short(states[s], 20)}" for s, shade in zip(frequent, SHADES, strict=False)]
    return "  ".join([*named, *([f"{REST} other states"] if len(frequent) < len(states) else [])])


def _leaf(graph: Decision, leaf: Leaf, frequent: list[int], theory: bool) -> str:
    shared = f", shared by {leaf.ways} branches" if leaf.ways > 1 else ""
    said = _shares(graph.states, leaf.probabilities, frequent)
    about = (f"leaf {leaf.number}" if theory else "") + leaf.rows_said + shared
    return f"{said}  ({about.removeprefix(', ')})" if about else said


def _shares(states: tuple[str, ...], probabilities: tuple[float, ...], frequent: list[int]) -> str:
    named, rest = named_states(probabilities, MOST_STATES)
    said = "  ".join(f"{short(states[s], 20)} {probabilities[s]:.3f}" for s in named)
    more = f"  +{plural(rest, 'state')}" if rest else ""
    return f"{_bar(probabilities, frequent)} {said}{more}"


def _bar(probabilities: tuple[float, ...], frequent: list[int]) -> str:
    bar, reached = "", 0.0
    for s, shade in zip(frequent, SHADES, strict=False):
        reached += probabilities[s]
        bar += shade * (round(reached * BAR) - len(bar))
    return bar + REST * (BAR - len(bar))


def _shared_tests(graph: Decision) -> set[int]:
    ways = Counter(branch.to for vertex in graph.vertices for branch in vertex.branches)
    return {v for v, times in ways.items() if times > 1 and isinstance(graph.vertices[v], DecisionTest)}


def _letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
