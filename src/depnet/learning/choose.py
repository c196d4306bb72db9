"""What held-out rows choose of stages: for every node one of the candidates, how many stages of it, or its decision graph.

All candidates are tried on some nodes; those that are not surely worse there than the best are tried on all. The candidate
that is best for all nodes together is taken, and a node's own best only where that is surely better: the rule by which
penalties are chosen, since what the held-out rows of one node say of candidates is mostly chance. How many stages a node
has, and whether any, it says itself.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np

from depnet._native import boost as native
from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset
from depnet.learning import limits
from depnet.learning.boost import BoostRows, Grown, NodeGrower, all_tests, has_digits, tree_of
from depnet.learning.options import Boost
from depnet.model.boosted import BoostedNode
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.stages import DigitTree
from depnet.threads import Work, results_in_threads

Result = TypeVar("Result")
Readable = Mapping[int, Sequence[int]]
"""Of each variable whose node is boosted, those that its stages may split on."""
MORE = 1.1
"""Stages of all rows for each stage of a digit that held-out rows chose: there are more rows then."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialPart:
    """Rows learned from, rows held out, and the network of decision graphs that was learned without these."""

    rows: BoostRows
    held: BoostRows
    network: Network


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """A node as it was grown without each part, with as many stages as are best on the rows of all parts."""

    settings: Boost
    stages: list[int]
    """To be grown from all rows, of each part of the node."""
    growers: list[NodeGrower]
    grown: list[list[Grown]]


def try_node(
    growers: Sequence[NodeGrower],
    parts: Sequence[TrialPart],
    settings: Boost,
    first: list[Grown] | None = None,
    tell: Callable[[], object] = lambda: None,
) -> Tried | None:
    """A node grown from the rows of each part, each by a grower of its own; the rows held out choose how many stages.

    `first` is what was grown from those of the first part already. None where the time does not suffice.
    """
    starts = [part.network.nodes[grower.variable] for part, grower in zip(parts, growers, strict=True)]
    growers = [grower.started(settings, graph) for grower, graph in zip(growers, starts, strict=True)]
    every = [] if first is None else [first]
    for grower, part in list(zip(growers, parts, strict=True))[len(every) :]:
        grown = grower.grow(settings, held=part.held)
        if grown is None:
            return None
        every.append(grown)
        tell()
    tree = growers[0].tree
    best = choose_stages(tree, every)
    kept = [[one.first(m) for one, m in zip(each, best, strict=True)] for each in every]
    more = best if tree is None else [round(MORE * m) for m in best]
    return Tried(settings, more, growers, kept)


Trials: TypeAlias = Mapping[int, Mapping[int, list[Grown]]]
"""By node and candidate: its stages, grown from the rows of the first part."""


def try_candidates(
    growers: Mapping[int, NodeGrower],
    part: TrialPart,
    candidates: Sequence[Boost],
    threads: int,
    stop: native.Stop,
    tell: Callable[[], object],
) -> Trials:
    """All candidates on some nodes, the pilots; on the others those that are not surely worse there than the best.

    Nodes that the time does not suffice for are left out.
    """

    def grow(i: int, numbers: Sequence[int]) -> dict[int, list[Grown]] | None:
        found = {}
        for c in numbers:
            grower = growers[i].started(candidates[c], part.network.nodes[i])
            grown = grower.grow(candidates[c], held=part.held)
            if grown is None:
                return None
            found[c] = grown
            tell()
        return found

    def grow_all(nodes: Sequence[int], numbers: Sequence[int]) -> dict[int, dict[int, list[Grown]]]:
        found = results_in_threads(lambda i: grow(i, numbers), nodes, threads, stop=stop.set)
        return {i: one for i, one in zip(nodes, found, strict=True) if one is not None}

    nodes, numbers = list(growers), list(range(len(candidates)))
    pilots = nodes[:: math.ceil(len(nodes) / limits.PILOTS)] if nodes and len(numbers) > 1 else []
    found = grow_all(pilots, numbers)
    if found:
        scores = np.array([[_best_score(own[c]) for c in numbers] for own in found.values()])
        behind = scores[:, [int(scores.sum(axis=0).argmax())]] - scores
        errors = limits.SURE * behind.std(axis=0) / math.sqrt(len(scores))
        numbers = [c for c in numbers if behind[:, c].mean() <= errors[c]]
    return found | grow_all([i for i in nodes if i not in set(pilots)], numbers)


def choose_candidates(
    growers: Mapping[int, NodeGrower], part: TrialPart, candidates: Sequence[Boost], trials: Trials
) -> dict[int, int]:
    """For each node the candidate that is best for all together, or its own best, where that is surely better.

    It is the rule by which penalties are chosen: what one node's held-out rows say of candidates is mostly chance.
    """
    if not trials:
        return {}
    common = set.intersection(*(set(own) for own in trials.values()))
    pooled = max(sorted(common), key=lambda c: sum(_best_score(own[c]) for own in trials.values()))

    def log_theta(i: int, c: int) -> FloatArray:
        grown = trials[i][c]
        stages = choose_stages(growers[i].tree, [grown])
        grower = growers[i].started(candidates[c], part.network.nodes[i])
        node = grower.node([one.first(m) for one, m in zip(grown, stages, strict=True)])
        return node.log_theta(part.held.dataset)

    chosen = {}
    for i, own in trials.items():
        best = max(sorted(own), key=lambda c: _best_score(own[c]))
        if best != pooled:
            gains = log_theta(i, best) - log_theta(i, pooled)
            if float(gains.mean()) <= limits.SURE * float(gains.std()) / math.sqrt(len(gains)):
                best = pooled
        chosen[i] = best
    return chosen


def _best_score(grown: Sequence[Grown]) -> float:
    return sum(float(one.held_scores.max()) for one in grown)


def choose_stages(tree: DigitTree | None, parts: Sequence[Sequence[Grown]]) -> list[int]:
    """How many stages each part of a node has: as many as score best on the held-out rows of all `parts` of the rows.

    Few held-out rows reach a vertex of a tree, and say little: so the mean of what the vertices at its depth gain is added
    to what it gains itself.
    """
    longest = max(len(one.held_scores) for part in parts for one in part)
    gains = np.zeros((len(parts[0]), longest))
    for part in parts:
        for v, one in enumerate(part):
            curve = one.held_scores - one.held_scores[0]
            gains[v] += np.pad(curve, (0, longest - len(curve)), "edge")
    if tree is None:
        return [int(np.argmax(gains[0]))]
    for depth in np.unique(tree.depths):
        own = tree.depths == depth
        gains[own] += gains[own].mean(axis=0)
    shortest = np.min([[one.stages for one in part] for part in parts], axis=0)
    return [int(count) for count in np.minimum(np.argmax(gains, axis=1), shortest)]


def chosen_boost(
    dataset: Dataset,
    network: Network,
    parts: Sequence[tuple[Dataset, Dataset, Network]],
    readable: Readable,
    candidates: Sequence[Boost],
    digits: Boost,
    runs: int,
    work: Work,
) -> tuple[Network, tuple[Network, ...]]:
    """The nodes of `readable` boosted where held-out rows say so; and the same as learned without each part.

    `parts` are rows to learn from, rows to score on, and the network learned from the first. Where the rows to learn
    from are all of the dataset's, the trials' own stages are taken. Numbers have the settings `digits`.
    """
    tests = all_tests(dataset)
    tried_parts = [
        TrialPart(BoostRows.of(learned, tests), BoostRows.of(held, tests), graphs)
        for learned, held, graphs in parts
    ]
    alone = len(parts) == 1 and parts[0][0] is dataset
    rows = tried_parts[0].rows if alone else BoostRows.of(dataset, tests)
    stop = native.Stop()
    told, steps = itertools.count(1), len(candidates) + len(parts)

    def tell() -> None:
        """Of a network one node of which is boosted; else nodes are told of."""
        if len(readable) == 1 and (progress := work.stage(len(network), 0, 1).progress) is not None:
            progress(next(told), steps)

    def growers_of(i: int) -> list[NodeGrower]:
        """Of all rows, and of each part's."""
        tree = tree_of(rows, i) if has_digits(dataset.domain.variables[i]) else None
        whole = NodeGrower(rows, i, tree, readable[i], work.ends, stop)
        return [whole, *(replace(whole, rows=part.rows) for part in tried_parts)]

    growers = {i: growers_of(i) for i in readable}
    nominal = {i: own[1] for i, own in growers.items() if own[0].tree is None}
    trials = try_candidates(nominal, tried_parts[0], candidates, work.threads, stop, tell)
    chosen_settings = choose_candidates(nominal, tried_parts[0], candidates, trials)

    def choose(i: int) -> tuple[float, list[BoostedNode]] | None:
        """What the node gains over its graph, nats of all held-out rows; and the node, of all rows and without each part."""
        whole, *others = growers[i]
        if whole.tree is not None:
            tried = try_node(others, tried_parts, digits, None, tell)
        elif i in chosen_settings:
            c = chosen_settings[i]
            tried = try_node(others, tried_parts, candidates[c], trials[i][c], tell)
        else:
            return None
        if tried is None:
            return None
        made = [grower.node(each) for grower, each in zip(tried.growers, tried.grown, strict=True)]
        gained = sum(
            float(
                (one.log_theta(part.held.dataset) - part.network.nodes[i].log_theta(part.held.dataset)).sum()
            )
            for one, part in zip(made, tried_parts, strict=True)
        )
        if gained <= 0 or not any(tried.stages):
            return None
        settings = replace(tried.settings, runs=runs)
        last = whole.started(settings, network.nodes[i])
        node = made[0] if alone else last.averaged_node(settings, tried.stages)
        return None if node is None else (gained, [node, *made])

    chosen = grow_nodes(choose, readable, network, work, stop)
    tried = tuple(
        with_nodes(part.network, {i: nodes[k] for i, (_, nodes) in chosen.items()})
        for k, part in enumerate(tried_parts, 1)
    )
    whole = with_nodes(network, {i: nodes[0] for i, (_, nodes) in chosen.items()})
    if whole.held_out is not None:
        gained = sum(each for each, _ in chosen.values()) / whole.held_out.rows
        whole = replace(whole, held_out=replace(whole.held_out, score=whole.held_out.score + gained))
    return whole, tried


def grow_nodes(
    grow: Callable[[int], Result | None], readable: Readable, network: Network, work: Work, stop: native.Stop
) -> dict[int, Result]:
    """What is grown of each variable, where anything is; progress counts to all nodes of the network."""
    done, nodes = itertools.count(1), len(network)

    def tell() -> None:
        work.tell(next(done) * nodes // max(len(readable), 1), nodes)

    found = results_in_threads(grow, list(readable), work.threads, told=tell, stop=stop.set)
    if not readable:
        tell()
    return {i: one for i, one in zip(readable, found, strict=True) if one is not None}


def with_nodes(network: Network, nodes: Mapping[int, Node]) -> Network:
    return replace(network, nodes=tuple(nodes.get(i, node) for i, node in enumerate(network.nodes)))
