r"""One boosted node, ready to be drawn: what it reads and how much, and what the states of each input do.

Many graphs are summed, and no single one can be drawn. What can be said is what each input told while the node was learned
(its gain), and its *effect*: with X_j set to z in every row of a reference set, and all else as it is,

.. math:: \mathrm{effect}(z, x) = \mathrm{mean}_{r} \, \theta_i(x \mid r \text{ with } X_j = z).

The reference set are rows of the data where there are some. Else it is made: each variable has the frequencies of the 1-way
counts that the network keeps, or where it keeps none all states alike, and is independent of the others. `measured` says
which.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from depnet.arrays import CodeArray, FloatArray
from depnet.data.table.dataset import Dataset, code_type
from depnet.errors import ModelError
from depnet.model.boosted import BoostedNode
from depnet.model.counting import check_same_domain
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.table import ConditionalTable
from depnet.pictures.labels import listed, short
from depnet.pictures.node.decision import Decision, decision_of, node_of
from depnet.wording import counted

MOST_ROWS = 2000
"""Rows of a reference set."""

MOST_INPUTS = 8
"""Inputs whose effects are told, those that gained most."""

MOST_GAINS = 20
MOST_INPUT_STATES = 12


@dataclass(frozen=True, slots=True)
class Input:
    """A variable that the node reads, and what it told about the node's, in bits a row."""

    variable: int
    name: str
    bits: float


@dataclass(frozen=True, slots=True)
class Effect:
    """theta_i on average, with the input set to each of its states."""

    name: str
    """Of the input."""
    states: tuple[str, ...]
    """Of the input."""
    means: tuple[tuple[float, ...], ...]
    """One distribution over the node's states for each state of the input."""


@dataclass(frozen=True, slots=True)
class Boosted:
    """What a boosted node says. Make one with `boosted`."""

    name: str
    states: tuple[str, ...]
    inputs: tuple[Input, ...]
    """All that it reads, those that gained most first."""
    stages: int
    leaves: int
    """Of all stages together."""
    effects: tuple[Effect, ...]
    """Of the first inputs."""
    measured: str
    """What effects are means over, in words."""
    mean: tuple[float, ...]
    """theta_i on average over the reference set as it is."""
    first: Decision | None
    """The first graph, which stages are added to; None where it has one leaf."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """Rows that effects are means over, with their weights, and what they are in words."""

    codes: CodeArray
    weights: FloatArray
    said: str

    def mean(self, node: Node) -> tuple[float, ...]:
        """theta_i on average."""
        return tuple((self.weights @ node.probabilities(self.codes)).tolist())

    def effect(self, network: Network, node: Node, j: int) -> Effect:
        variable = network.domain.variables[j]
        rows: CodeArray = np.array(self.codes, order="F")  # type: ignore[assignment]  # of the same type
        means = []
        for z in range(variable.cardinality):
            rows[:, j] = z
            means.append(Reference(rows, self.weights, self.said).mean(node))
        return Effect(variable.name, tuple(map(str, variable.states)), tuple(means))


def reference(network: Network, dataset: Dataset | None = None) -> Reference:
    """The rows that effects are means over: of the data, or made from what the network keeps of them."""
    if dataset is not None and dataset.total:
        check_same_domain("effects", network.domain, dataset)
        weights = np.ones(dataset.rows) if dataset.weights is None else dataset.weights.astype(np.float64)
        there, said = np.flatnonzero(weights), f"the table's {counted(dataset.total, 'row')}"
        if len(there) > MOST_ROWS:  # some, at equal distances
            there, said = there[np.arange(MOST_ROWS) * len(there) // MOST_ROWS], f"{MOST_ROWS:,} of {said}"
        return Reference(dataset.codes[there], weights[there] / weights[there].sum(), said)
    counts = network.counts if network.counts is not None and network.counts.total else None
    singles = [np.ones(k) for k in network.domain.cardinalities] if counts is None else counts.singles
    columns = []
    for j, single in enumerate(singles):  # in an order that has nothing to do with other columns
        states = np.searchsorted(np.cumsum(single) / single.sum(), (np.arange(MOST_ROWS) + 0.5) / MOST_ROWS)
        columns.append(np.random.default_rng(j).permutation(np.minimum(states, len(single) - 1)))
    codes: CodeArray = np.array(columns, dtype=code_type(network.domain)).T  # type: ignore[assignment]  # codes
    how = "all states alike" if counts is None else "the frequencies that the model keeps"
    said = f"{counted(MOST_ROWS, 'row')} made for it: every variable by itself, {how}"
    return Reference(codes, np.full(MOST_ROWS, 1 / MOST_ROWS), said)


def boosted(
    network: Network, node: int | str, dataset: Dataset | None = None, *, most: int = MOST_INPUTS
) -> Boosted:
    """What a boosted node says: what it reads, how much each input gained, and the effects of the first.

    Args:
        network: the network.
        node: the number of the node, or the name of its variable.
        dataset: rows that effects are means over; None: rows made from the frequencies that the network keeps.
        most: how many inputs are shown, those that gained most first.

    Returns:
        A `Boosted`, which `boosted_text` and `boosted_svg` show.
    """
    chosen, names = boosted_node(network, node), network.domain.names
    gains = zip(chosen.inputs, chosen.gains.tolist(), strict=True)
    inputs = [Input(j, names[j], gain / math.log(2)) for j, gain in gains]
    inputs.sort(key=lambda one: (-one.bits, one.variable))
    rows = reference(network, dataset)
    return Boosted(
        names[chosen.variable],
        tuple(map(str, network.domain.variables[chosen.variable].states)),
        tuple(inputs),
        len(chosen.stages),
        len(chosen.stages.scores),
        tuple(rows.effect(network, chosen, one.variable) for one in inputs[: max(most, 0)]),
        rows.said,
        rows.mean(chosen),
        _first_graph(network, chosen),
    )


def boosted_node(network: Network, node: int | str) -> BoostedNode:
    chosen = network.nodes[node_of(network, node)]
    if not isinstance(chosen, BoostedNode):
        name = network.domain.names[chosen.variable]
        raise ModelError(
            f"the node of {name!r} is not boosted: decision(network, node) is its decision graph."
        )
    return chosen


def _first_graph(network: Network, node: BoostedNode) -> Decision | None:
    """The decision graph of the first source, with theta as it is before any stage; None where it has one leaf."""
    if node.start.size == 1:
        return None
    table = ConditionalTable.from_probabilities(node.theta(node.start_scores))
    try:
        return decision_of(network.domain, TableNode(node.variable, node.start, table))
    except ModelError:  # a source that is no graph, and too large to be written out as one
        return None


class Line(NamedTuple):
    """One line of what is said of a boosted node, whatever draws it: text, or an input's gain, or a distribution."""

    kind: Literal["title", "heading", "note", "gain", "legend", "input", "shares"]
    label: str = ""
    value: tuple[float, ...] = ()


def lines_of(said: Boosted) -> Iterator[Line]:
    """What it reads, how much each input gained, and the effects of the first ones."""
    names = [one.name for one in said.inputs]
    first = "" if said.first is None else f", after a graph of {counted(said.first.leaves, 'leaf', 'leaves')}"
    yield Line("title", f"{short(said.name, 48)} ({listed(said.states, 60)})")
    yield Line(
        "note",
        f"boosted: {counted(said.stages, 'stage')} of {counted(said.leaves, 'leaf', 'leaves')} together{first}, "
        + (f"reads {listed(names, 60)}" if names else "reads nothing"),
    )
    if names:
        yield Line("heading", "What its inputs gained, bits a row")
    for one in said.inputs[:MOST_GAINS]:
        yield Line("gain", one.name, (one.bits, max(one.bits, 0.0) / max(said.inputs[0].bits, 1e-12)))
    rest = said.inputs[MOST_GAINS:]
    if rest:
        together = f"{sum(one.bits for one in rest):.4f} together"
        yield Line("note", f"and {counted(len(rest), 'input')} more, {together}")
    if not said.effects:
        return
    yield Line("heading", "Effects: with one input set to each of its states")
    yield Line("note", f"Means over {said.measured}")
    yield Line("legend")
    yield Line("shares", "as it is", said.mean)
    for effect in said.effects:
        yield Line("input", short(effect.name, 48))
        pairs = list(zip(effect.states, effect.means, strict=True))
        yield from (Line("shares", state, mean) for state, mean in pairs[:MOST_INPUT_STATES])
        if len(pairs) > MOST_INPUT_STATES:
            yield Line("note", f"and {len(pairs) - MOST_INPUT_STATES:,} more states")
