"""One node's decision graph, ready to be drawn: tests, branches, and leaves with their distributions.

Vertices are those of the compiled graph: leaves that were merged are one vertex with several ways in, and tests that
decide nothing are gone. A source that is no decision graph (lossless, tabulated, a function) is written out as one,
its inputs tested in order and equal parts joined.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from depnet.arrays import FloatArray
from depnet.data.table.variable import Domain, Label, Variable
from depnet.errors import ModelError, brief, is_whole
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import InformationSource, JointStates, how_many_joint_states, product_within
from depnet.pictures import colours
from depnet.pictures.labels import short
from depnet.wording import plural

MOST_WRITTEN_OUT = 4096
"""The most joint states of the inputs of a source that is no decision graph, to write it out as one."""

LETTERS = 24
NO_MASS = 0.0005
"""A probability under this is 0.000 where it is said with three digits."""

Step: TypeAlias = tuple[int, tuple[int, ...]]
"""A vertex in numbers: a variable and the vertices its codes lead to, or -1 and a leaf."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The states of the tested variable that lead to vertex `to`."""

    states: tuple[Label, ...]
    to: int
    run: str = ""
    """The states by their ends, as "below 18", where they are neighbours in an order."""


@dataclass(frozen=True, slots=True)
class DecisionTest:
    variable: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf y: theta_i(. | y), the rows behind it where counts are kept, and how many branches lead to it."""

    number: int
    probabilities: tuple[float, ...]
    rows: int | None
    ways: int

    branches: ClassVar[tuple[Branch, ...]] = ()

    @property
    def rows_said(self) -> str:
        """The rows to be said after something else, as ", 12 rows"; nothing where they are not known."""
        return "" if self.rows is None else f", {plural(self.rows, 'row')}"


Vertex: TypeAlias = DecisionTest | Leaf


@dataclass(frozen=True, slots=True)
class Decision:
    """A node's decision graph: `vertices[0]` is the root. Make one with `decision`."""

    name: str
    """The name of the variable that the node updates."""
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    vertices: tuple[Vertex, ...]
    leaves: int
    """|Y|; leaves that no row can reach are among them, and not drawn."""
    in_order: tuple[int, ...] = ()
    """The states that stand in an order, where they are numbers, bins or ordered words; else none."""

    @property
    def rows(self) -> int | None:
        """The rows behind all leaves, where counts are kept."""
        rows = [v.rows for v in self.vertices if isinstance(v, Leaf)]
        return None if None in rows else sum(r for r in rows if r is not None)

    def _repr_svg_(self) -> str:
        from depnet.pictures.node.svg import decision_svg

        return decision_svg(self)


def node_of(network: Network, node: int | str) -> int:
    """The number of a node given by its number, or by the name of its variable."""
    if isinstance(node, str):
        return network.domain.index(node)
    if not is_whole(node) or not 0 <= node < len(network):
        raise ModelError(
            f"a node is a variable's name or a number from 0 to {len(network) - 1}; got {brief(node)}."
        )
    return int(node)


def node_name(network: Network, number: int) -> str:
    return network.domain.names[network.nodes[number].variable]


def decision(network: Network, node: int | str) -> Decision:
    """The decision graph of a node, as a value.

    Args:
        network: the network.
        node: the number of the node, or the name of its variable.

    Returns:
        A `Decision`: tests and leaves, from the root on.

    >>> from depnet import learn, titanic
    >>> decision(learn(titanic()), "survived").inputs
    ('class', 'sex', 'age')
    """
    chosen = network.nodes[node_of(network, node)]
    if chosen.boosted:
        raise ModelError(
            f"the node of {network.domain.names[chosen.variable]!r} is boosted: it sums many small decision graphs, and has "
            "no single one. depnet.pictures.boosted(network, node) says what it reads."
        )
    return decision_of(network.domain, chosen)


def decision_of(domain: Domain, chosen: Node) -> Decision:
    """The decision graph of a node that need not be a network's."""
    variables = domain.variables
    steps = _steps(chosen.source, domain.cardinalities)
    ways = Counter(to for j, children in steps if j >= 0 for to in set(children))
    counts = chosen.table.counts

    def vertex(v: int, j: int, children: tuple[int, ...]) -> Vertex:
        if j < 0:
            (y,) = children
            rows = None if counts is None else int(counts[y].sum())
            return Leaf(y, tuple(chosen.table.probabilities[y].tolist()), rows, ways[v])
        reached: dict[int, list[int]] = {}
        for code, to in enumerate(children):
            reached.setdefault(to, []).append(code)
        states = variables[j].states
        branches = [
            Branch(tuple(states[code] for code in codes), to, describe_run(variables[j], codes))
            for to, codes in reached.items()
        ]
        return DecisionTest(variables[j].name, tuple(branches))

    return Decision(
        variables[chosen.variable].name,
        tuple(map(str, variables[chosen.variable].states)),
        tuple(variables[j].name for j in chosen.source.inputs),
        tuple(vertex(v, *step) for v, step in enumerate(steps)),
        chosen.source.size,
        states_in_order(variables[chosen.variable]),
    )


def _steps(source: InformationSource, cardinalities: tuple[int, ...]) -> list[Step]:
    """The vertices of any source, the root first."""
    if isinstance(source, DecisionGraph):
        variable, begin, children = (part.tolist() for part in source.compiled)
        return [
            (j, (first,)) if j < 0 else (j, tuple(children[first : first + cardinalities[j]]))
            for j, first in zip(variable, begin, strict=True)
        ]
    cards = [cardinalities[j] for j in source.inputs]
    if not product_within(cards, MOST_WRITTEN_OUT):
        raise ModelError(
            f"a source over {len(cards)} inputs, with {how_many_joint_states(cards)} joint states, is too large to be "
            f"drawn; at most {MOST_WRITTEN_OUT:,} are written out. Draw a node whose source is a DecisionGraph."
        )
    leaves = JointStates(cardinalities, source.inputs).leaves(source)
    return _written_out(leaves.tolist(), source.inputs, cards)


def _written_out(leaves: list[int], inputs: Sequence[int], cards: Sequence[int]) -> list[Step]:
    """The diagram of a function given by its values, row-major: equal parts are one vertex, the root is 0."""
    place: dict[Step, int] = {}  # children before parents, so that the root is the last
    row = [place.setdefault((-1, (leaf,)), len(place)) for leaf in leaves]
    for j, k in zip(reversed(inputs), reversed(cards), strict=True):
        parts = [tuple(row[at : at + k]) for at in range(0, len(row), k)]
        row = [p[0] if len(set(p)) == 1 else place.setdefault((j, p), len(place)) for p in parts]
    last = len(place) - 1
    return [(j, c if j < 0 else tuple(last - child for child in c)) for j, c in reversed(place)]


def frequent_states(graph: Decision, most: int) -> list[int]:
    """The states that get a colour or a shade of their own: at most `most`, the node's most frequent, in their order."""
    weights = [0.0] * len(graph.states)
    counted_rows = graph.rows is not None
    for leaf in graph.vertices:
        if isinstance(leaf, Leaf):
            for s, p in enumerate(leaf.probabilities):
                weights[s] += p * ((leaf.rows or 0) if counted_rows else 1)
    return most_likely(tuple(weights), most)


def most_likely(probabilities: FloatArray | tuple[float, ...], most: int) -> list[int]:
    """The states of a leaf that are named: at most `most`, the most likely ones, in their own order."""
    order = sorted(range(len(probabilities)), key=lambda s: (-probabilities[s], s))[:most]
    return sorted(order)


def named_states(probabilities: tuple[float, ...], most: int) -> tuple[list[int], int]:
    """The states of a leaf that are named, none whose probability would be 0.000, and how many others share what is left.

    >>> named_states((0.0001, 0.6, 0.3, 0.09, 0.0099), 2), named_states((0.0, 0.9999, 0.0001), 2)
    (([1, 2], 3), ([1], 0))
    """
    named = [s for s in most_likely(probabilities, most) if probabilities[s] >= NO_MASS]
    left = 1 - sum(probabilities[s] for s in named)
    others = sum(p > 0 for s, p in enumerate(probabilities) if s not in named)
    return named, others if left >= NO_MASS else 0


def states_in_order(variable: Variable) -> tuple[int, ...]:
    """The codes of the states that stand in an order, the missing and the other ones not among them; none of two states.

    >>> states_in_order(Variable("size", (1, 2, 5))), states_in_order(Variable("sex", ("female", "male")))
    ((0, 1, 2), ())
    """
    states = variable.present_states if variable.other is None else variable.present_states[:-1]
    return tuple(range(len(states))) if len(states) > 2 and variable.has_order else ()


def state_colours(graph: Decision) -> dict[int, str]:
    """States that stand in an order from light to dark; else the node's most frequent. The rest share `colours.REST`."""
    if graph.in_order:
        return colour_in_order(graph.in_order)
    return {s: colours.of(k) for k, s in enumerate(frequent_states(graph, len(colours.CYCLE)))}


def colour_in_order(codes: Sequence[int]) -> dict[int, str]:
    return {s: colours.ramp(k, len(codes)) for k, s in enumerate(codes)}


def legend(states: Sequence[str], colour: dict[int, str]) -> list[tuple[str, str]]:
    """(state, colour), of many states some at equal distances, and that of the other states where there are any."""
    coded = list(colour.items())
    most = len(colours.CYCLE)
    if len(coded) > most:
        coded = [coded[k * (len(coded) - 1) // (most - 1)] for k in range(most)]
    named = [(states[s], c) for s, c in coded]
    return [*named, ("other states", colours.REST)] if len(colour) < len(states) else named


def shares(probabilities: Sequence[float], colour: dict[int, str]) -> list[tuple[str, float]]:
    """A distribution's bar from end to end: (colour, probability), the rest last."""
    named = [(c, probabilities[s]) for s, c in colour.items()]
    return [*named, (colours.REST, max(1 - sum(p for _, p in named), 0.0))]


def describe_run(variable: Variable, codes: Sequence[int]) -> str:
    """A run of neighbours by its ends; nothing where they are none, or one word, or all there are.

    >>> describe_run(Variable("kids", (0, 1, 2, 3)), [0, 1]), describe_run(Variable("class", ("1st", "2nd", "3rd")), [0, 1])
    ('at most 1', '')
    """
    last = len(variable.present_states) - (1 if variable.other is None else 2)
    if last < 2 or not codes or not variable.has_order or codes[-1] > last:
        return ""
    low, high = codes[0], codes[-1]
    if high - low != len(codes) - 1 or (low, high) == (0, last):
        return ""
    if low == high and (
        variable.bins is None
        or str(variable.states[low]) == variable.bins.text(variable.bins.quantiles[low][0])
    ):
        return ""
    if variable.bins is not None:
        least, below = (variable.bins.text(variable.bins.edges[k]) for k in (low, high + 1))
        if low == 0:
            return f"below {below}"
        return f"at least {least}" if high == last else f"at least {least} and below {below}"
    first, end = (short(variable.states[code], LETTERS) for code in (low, high))
    if low == 0:
        return f"at most {end}"
    return f"at least {first}" if high == last else f"from {first} to {end}"
