"""`boost="auto"`: for each node one decision graph or stages, by held-out rows.

One graph is not always worse than many: where few variables act together in a high order, stages of small graphs need
many splits for what one graph says at once. So the rows that a network was not learned from choose: first, on some nodes,
one of the candidates for all; then, for every node, how many stages of it, or its graph.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from depnet._native import boost as native
from depnet.arrays import FloatArray
from depnet.learning.boost.node import Boosted, Until, averaged_node, boosted, seconds_left
from depnet.learning.boost.rows import BoostRows
from depnet.learning.boost.settings import AutoBoost, Boost
from depnet.model.boosted import BoostedNode
from depnet.model.network import Network
from depnet.threads import results_in_threads

MOST_TURNS = 5
"""By how much the patience with a node of many states is longer, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialPart:
    """Rows learned from, rows held out, and the network of decision graphs that was learned without these."""

    rows: BoostRows
    held: BoostRows
    network: Network

    def graph_score(self, i: int) -> float:
        """The sum over held-out rows of log theta by the decision graph of node i."""
        return float(self.network.nodes[i].log_theta(self.held.dataset).sum())


@dataclass(frozen=True, slots=True, eq=False)
class ChosenNode:
    """A boosted node that is better than its decision graph."""

    node: BoostedNode
    tried: Sequence[BoostedNode]
    """The same, learned without each part."""
    gained: float
    """Nats of all held-out rows, beyond the graph's."""


@dataclass(frozen=True, slots=True, eq=False)
class StageTrial:
    """Nodes of stages, of which the held-out rows of all parts choose the number."""

    rows: BoostRows
    parts: Sequence[TrialPart]
    readable: Mapping[int, Sequence[int]]
    settings: Boost
    auto: AutoBoost
    ends: float
    before: Mapping[int, Boosted]
    """What pilots have grown of the first part with these settings."""

    def __call__(self, i: int, stop: native.Stop) -> ChosenNode | None:
        """The node of variable i; None where its graph is better, or the time does not suffice."""
        grown = []
        for k, part in enumerate(self.parts):
            one = self.before.get(i) if k == 0 else None
            one = one or grow_trial(part, i, self.readable[i], self.settings, self.auto, self.ends, stop)
            if one is None:
                return None
            grown.append(one)
        stages, score = best_stages(grown)
        gained = score - sum(part.graph_score(i) for part in self.parts)
        if not stages or gained <= 0:
            return None
        made = [one.node(stages) for one in grown]
        node: BoostedNode | None = made[0]
        if self.rows is not self.parts[0].rows:
            settings = replace(self.settings, stages=stages, runs=self.auto.runs)
            node = averaged_node(self.rows, i, self.readable[i], settings, self.ends, stop)
        return None if node is None else ChosenNode(node, made, gained)


def grow_trial(
    part: TrialPart,
    i: int,
    readable: Sequence[int],
    settings: Boost,
    auto: AutoBoost,
    ends: float,
    stop: native.Stop,
) -> Boosted | None:
    """Stages of node i, until held-out rows say no more for them; None where the time does not suffice."""
    left = seconds_left(ends)
    if left == 0.0:
        return None
    # Of many states each is looked at in turn, and held-out rows hear of a stage's own set above all.
    turns = min(part.network.domain.cardinalities[i] - 1, MOST_TURNS)
    until = Until(
        max(round(turns * auto.patience / settings.rate), 1),
        max(round(auto.look / settings.rate), 1),
        part.graph_score(i),
    )
    one = boosted(part.rows, i, readable, settings, held=part.held, until=until, seconds=left, stop=stop)
    return one if one.grown.complete else None


def choose_candidate(
    part: TrialPart,
    readable: Mapping[int, Sequence[int]],
    candidates: Sequence[Boost],
    auto: AutoBoost,
    *,
    threads: int,
    ends: float,
    stop: native.Stop,
    told: Callable[[], object],
) -> tuple[Boost, dict[int, Boosted]]:
    """The candidate that is best on all pilots together, and what these have grown with it."""
    nodes = list(readable)
    step = max(len(nodes) / auto.pilots, 1.0)
    pilots = [nodes[int(k * step)] for k in range(math.ceil(len(nodes) / step))]

    def work(i: int) -> list[Boosted | None]:
        return [grow_trial(part, i, readable[i], each, auto, ends, stop) for each in candidates]

    found = results_in_threads(work, pilots, threads, told=told, stop=stop.set)
    tried = {
        i: whole
        for i, grown in zip(pilots, found, strict=True)
        if len(whole := [each for each in grown if each is not None]) == len(candidates)
    }
    scores = [sum(best_stages([each[c]])[1] for each in tried.values()) for c in range(len(candidates))]
    best = int(np.argmax(scores))
    return candidates[best], {i: each[best] for i, each in tried.items()}


def best_stages(parts: Sequence[Boosted]) -> tuple[int, float]:
    """How many stages score best on all parts together, and the sum of log theta then."""
    curves = [one.grown.held_scores for one in parts]
    longest = max(map(len, curves))
    total: FloatArray = np.sum([np.pad(curve, (0, longest - len(curve)), "edge") for curve in curves], axis=0)
    stages = int(np.argmax(total))
    return stages, float(total[stages])
