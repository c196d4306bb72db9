"""The nodes of a network boosted: with settings that are given, or chosen by held-out rows."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from depnet._native import boost as native
from depnet.data.table.dataset import Dataset
from depnet.learning.boost.choose import GRAPH, Chooser, TrialPart, trial_node
from depnet.learning.boost.in_turn import in_turn
from depnet.learning.boost.kept import CollectedStages, KeptStages
from depnet.learning.boost.node import averaged, boosted
from depnet.learning.boost.rows import BoostRows
from depnet.learning.boost.settings import AutoBoost, Boost, candidates_for
from depnet.learning.boost.splits import all_tests
from depnet.learning.options import Limits, Progress
from depnet.model.held_out import HeldOut
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.threads import threads_of

TRIALS_SHARE = 0.75
"""Of the time that there is, what trials take at most."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What boosting may take: seconds, threads; who is told of its progress; and what an earlier run has left behind."""

    max_seconds: float | None = None
    n_jobs: int | None = 1
    progress: Progress | None = None
    kept: KeptStages | None = None

    @property
    def jobs(self) -> int:
        """A number of threads."""
        return threads_of(self.n_jobs)


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
    effort: Effort,
    limits: Limits,
) -> Network:
    """The nodes of `readable` boosted with these settings; after `max_seconds` nodes stay as they are."""
    rows = BoostRows.of(dataset, all_tests(dataset))
    settings = dict.fromkeys(readable, within(boost, limits))
    told = Told(effort.progress, len(network), len(readable))
    nodes = _refitted(Refit(rows, network, readable, settings, _ends(effort.max_seconds)), effort, told)
    told.end()
    return _with_nodes(network, nodes)


def chosen_boost(
    dataset: Dataset,
    network: Network,
    parts: Sequence[tuple[Dataset, Dataset, Network]],
    readable: Mapping[int, Sequence[int]],
    auto: AutoBoost,
    effort: Effort,
    limits: Limits,
) -> ChosenBoost:
    """The nodes of `readable` boosted where held-out rows say so.

    `parts` are rows to learn from, rows to score on, and the network learned from the first. Where the rows to learn
    from are all of the dataset's, the trials' own stages are taken.
    """
    ends = _ends(effort.max_seconds)
    until = ends if math.isinf(ends) else time.time() + TRIALS_SHARE * (ends - time.time())
    tests = all_tests(dataset)
    trial_parts = [
        TrialPart(BoostRows.of(learned, tests, f"part {k}"), BoostRows.of(held, tests), graphs)
        for k, (learned, held, graphs) in enumerate(parts)
    ]
    given = candidates_for(dataset.total) if auto.candidates is None else auto.candidates
    candidates = [within(each, limits) for each in given]
    told = Told(effort.progress, len(network), 2 * len(readable) + min(auto.pilots, len(readable)))
    chooser = Chooser(trial_parts, readable, auto, candidates, effort.jobs, until, effort.kept, told)
    chosen = chooser.choose()
    settings = {
        i: replace(candidates[candidate], stages=trials.best_stages(candidate)[0], runs=auto.runs)
        for i, (candidate, trials) in chosen.items()
        if candidate != GRAPH and trials.best_stages(candidate)[0] > 0
    }
    tried = tuple(
        _with_nodes(
            part.network,
            {i: trial_node(chosen[i][1], chosen[i][0], k, part.network.nodes[i]) for i in settings},
        )
        for k, part in enumerate(trial_parts)
    )
    if len(parts) == 1 and parts[0][0] is dataset:
        nodes = {i: tried[0].nodes[i] for i in settings}
    else:
        rows = BoostRows.of(dataset, tests)
        some = {i: readable[i] for i in settings}
        nodes = _refitted(Refit(rows, network, some, settings, ends), effort, told)
    told.end()
    gained = sum(
        trials.score(candidate) - trials.graph_score
        for i, (candidate, trials) in chosen.items()
        if i in nodes
    )
    return ChosenBoost(_told(_with_nodes(network, nodes), gained), tried)


def within(boost: Boost, limits: Limits) -> Boost:
    """The settings within limits on leaves. A row has a curvature of at most 1/4: so a leaf has rows enough."""
    leaves = boost.leaves if limits.max_leaves is None else max(min(boost.leaves, limits.max_leaves), 1)
    return replace(boost, leaves=leaves, least_curvature=max(boost.least_curvature, limits.min_leaf_rows / 4))


def _ends(seconds: float | None) -> float:
    return math.inf if seconds is None else time.time() + seconds  # which all processes have


@dataclass(frozen=True, slots=True, eq=False)
class Refit:
    """Nodes boosted from all rows, each with its own settings; None is what the time did not suffice for."""

    rows: BoostRows
    network: Network
    readable: Mapping[int, Sequence[int]]
    settings: Mapping[int, Boost]
    ends: float

    @property
    def cells(self) -> int:
        """Rows times columns that it goes through."""
        return self.rows.dataset.codes.size

    def __call__(self, i: int, stop: native.Stop, kept: KeptStages | CollectedStages | None) -> Node | None:
        """Node i."""
        node, readable, settings = self.network.nodes[i], self.readable[i], self.settings[i]
        grown = []
        for run in range(settings.runs):
            left = None if math.isinf(self.ends) else self.ends - time.time()
            if left is not None and left <= 0:
                return None
            one = boosted(self.rows, node, readable, settings, run=run, seconds=left, stop=stop, kept=kept)
            if not (one.complete and len(one.stages)):
                return None
            grown.append(one)
        return averaged(grown).node()


def _refitted(work: Refit, effort: Effort, told: Told) -> dict[int, Node]:
    """The nodes by their numbers; those that the time did not suffice for are not there."""
    nodes = list(work.readable)
    found = in_turn(work, nodes, effort.jobs, effort.kept, told)
    return {i: node for i, node in zip(nodes, found, strict=True) if node is not None}


def _with_nodes(network: Network, nodes: Mapping[int, Node]) -> Network:
    return replace(network, nodes=tuple(nodes.get(i, node) for i, node in enumerate(network.nodes)))


def _told(network: Network, gained: float) -> Network:
    """The network, whose held-out score says what boosting gained: the sum over rows, in nats."""
    told: HeldOut | None = network.held_out
    if told is None:
        return network
    return replace(network, held_out=replace(told, score=told.score + gained / told.rows))
