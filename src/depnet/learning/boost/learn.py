"""The nodes of a network boosted: with settings that are given, or chosen by held-out rows."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from depnet._native import boost as native
from depnet.data.table.dataset import Dataset
from depnet.learning.boost.choose import GRAPH, Chooser, TrialPart, trial_node
from depnet.learning.boost.digits import SETTINGS, DigitGrower, DigitTrial, has_digits, tree_of
from depnet.learning.boost.node import averaged, boosted
from depnet.learning.boost.rows import BoostRows
from depnet.learning.boost.settings import AutoBoost, Boost, candidates_for
from depnet.learning.boost.splits import all_tests
from depnet.learning.rows.work import Limits, Progress, Work
from depnet.model.held_out import HeldOut
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.threads import results_in_threads

TRIALS_SHARE = 0.75
"""Of the time that there is, what trials take at most."""


class Told:
    """Counts steps, of which there are `steps`, and tells `progress` of them as if they were nodes."""

    def __init__(self, progress: Progress | None, nodes: int, steps: int) -> None:
        self._progress, self._nodes, self._steps, self._done = progress, nodes, max(steps, 1), 0

    def __call__(self) -> None:
        """One step more is done."""
        self._done += 1
        if self._progress is not None:
            self._progress(min(self._done * self._nodes // self._steps, self._nodes), self._nodes)

    def end(self) -> None:
        """All is done."""
        if self._progress is not None:
            self._progress(self._nodes, self._nodes)


@dataclass(frozen=True, slots=True, eq=False)
class ChosenBoost:
    """A network whose nodes are boosted where that is better, and the same as learned without each part held out."""

    network: Network
    tried: tuple[Network, ...]


def boosted_network(
    dataset: Dataset,
    network: Network,
    readable: Mapping[int, Sequence[int]],
    boost: Boost,
    work: Work,
    limits: Limits,
) -> Network:
    """The nodes of `readable` boosted with these settings; after `max_seconds` nodes stay as they are."""
    rows = BoostRows.of(dataset, all_tests(dataset))
    settings = dict.fromkeys(readable, within(boost, limits))
    told = Told(work.progress, len(network), len(readable))
    nodes = _refitted(Refit(rows, network, readable, settings, work.ends), work.threads, told)
    told.end()
    return _with_nodes(network, nodes)


def chosen_boost(
    dataset: Dataset,
    network: Network,
    parts: Sequence[tuple[Dataset, Dataset, Network]],
    readable: Mapping[int, Sequence[int]],
    auto: AutoBoost,
    work: Work,
    limits: Limits,
) -> ChosenBoost:
    """The nodes of `readable` boosted where held-out rows say so.

    `parts` are rows to learn from, rows to score on, and the network learned from the first. Where the rows to learn
    from are all of the dataset's, the trials' own stages are taken.
    """
    tests = all_tests(dataset)
    trial_parts = [
        TrialPart(BoostRows.of(learned, tests), BoostRows.of(held, tests), graphs)
        for learned, held, graphs in parts
    ]
    given = candidates_for(dataset.total) if auto.candidates is None else auto.candidates
    candidates = [within(each, limits) for each in given]
    until = work.share(TRIALS_SHARE).ends
    numbers = [i for i in readable if has_digits(dataset.domain.variables[i])]
    others = {i: readable[i] for i in readable if i not in numbers}
    steps = len(numbers) + 2 * len(others) + min(auto.pilots, len(others))
    told = Told(work.progress, len(network), steps)
    alone = len(parts) == 1 and parts[0][0] is dataset
    rows = trial_parts[0].rows if alone else BoostRows.of(dataset, tests)
    trial = DigitTrial(rows, trial_parts, readable, within(SETTINGS, limits), until)
    stop = native.Stop()
    found = results_in_threads(lambda i: trial(i, stop), numbers, work.threads, told=told, stop=stop.set)
    words = dict(zip(numbers, found, strict=True))
    chooser = Chooser(trial_parts, others, auto, candidates, work.threads, until, told)
    chosen = chooser.choose() if others else {}
    settings = {
        i: replace(candidates[candidate], stages=trials.best_stages(candidate)[0], runs=auto.runs)
        for i, (candidate, trials) in chosen.items()
        if candidate != GRAPH and trials.best_stages(candidate)[0] > 0
    }
    tried = tuple(
        _with_nodes(
            part.network,
            {i: trial_node(chosen[i][1], chosen[i][0], k, part.network.nodes[i]) for i in settings}
            | {i: word.tried[k] for i, word in words.items() if word is not None},
        )
        for k, part in enumerate(trial_parts)
    )
    if alone:
        nodes = {i: tried[0].nodes[i] for i in settings}
    else:
        some = {i: readable[i] for i in settings}
        nodes = _refitted(Refit(rows, network, some, settings, work.ends), work.threads, told)
    told.end()
    gained = sum(
        trials.score(candidate) - trials.graph_score
        for i, (candidate, trials) in chosen.items()
        if i in nodes
    )
    for i, word in words.items():
        if word is not None:
            nodes[i] = word.node
            gained += word.gained
    return ChosenBoost(_told(_with_nodes(network, nodes), gained), tried)


def within(boost: Boost, limits: Limits) -> Boost:
    """The settings within limits on leaves. A row has a curvature of at most 1/4: so a leaf has rows enough."""
    leaves = boost.leaves if limits.max_leaves is None else max(min(boost.leaves, limits.max_leaves), 1)
    return replace(boost, leaves=leaves, least_curvature=max(boost.least_curvature, limits.min_leaf_rows / 4))


@dataclass(frozen=True, slots=True, eq=False)
class Refit:
    """Nodes boosted from all rows, each with its own settings; None is what the time did not suffice for."""

    rows: BoostRows
    network: Network
    readable: Mapping[int, Sequence[int]]
    settings: Mapping[int, Boost]
    ends: float

    def __call__(self, i: int, stop: native.Stop) -> Node | None:
        """Node i."""
        node, readable, settings = self.network.nodes[i], self.readable[i], self.settings[i]
        if has_digits(self.rows.dataset.domain.variables[i]):
            tree = tree_of(self.rows, i)
            word = DigitGrower(self.rows, i, tree, readable, settings, self.ends, stop)
            return word.node([settings.stages] * len(tree.vertices))
        grown = []
        for run in range(settings.runs):
            left = None if math.isinf(self.ends) else self.ends - time.monotonic()
            if left is not None and left <= 0:
                return None
            one = boosted(self.rows, node, readable, settings, run=run, seconds=left, stop=stop)
            if not (one.complete and len(one.stages)):
                return None
            grown.append(one)
        return averaged(grown).node()


def _refitted(refit: Refit, threads: int, told: Told) -> dict[int, Node]:
    """The nodes by their numbers; those that the time did not suffice for are not there."""
    nodes = list(refit.readable)
    stop = native.Stop()
    found = results_in_threads(lambda i: refit(i, stop), nodes, threads, told=told, stop=stop.set)
    return {i: node for i, node in zip(nodes, found, strict=True) if node is not None}


def _with_nodes(network: Network, nodes: Mapping[int, Node]) -> Network:
    return replace(network, nodes=tuple(nodes.get(i, node) for i, node in enumerate(network.nodes)))


def _told(network: Network, gained: float) -> Network:
    """The network, whose held-out score says what boosting gained: the sum over rows, in nats."""
    told: HeldOut | None = network.held_out
    if told is None:
        return network
    return replace(network, held_out=replace(told, score=told.score + gained / told.rows))
