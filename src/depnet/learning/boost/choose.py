"""`boost="auto"`: for each node one decision graph or stages, by held-out rows.

One graph is not always worse than many: where few variables act together in a high order, stages of small graphs need
many splits for what one graph says at once. So the rows that a network was not learned from choose. Candidates are the
graph that the node has, and stages of few or of more leaves, added to base rates or to the graph; how many stages,
the held-out rows say, too.

All candidates are tried on some nodes first, and on all nodes only those that won often. Then one of them is best for all
nodes together, and a node leaves it only where its own best is surely better (`AutoBoost`): the rule by which
penalties are chosen.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from depnet._native import boost as native
from depnet.arrays import FloatArray
from depnet.learning.boost.node import Boosted, Until, boosted, log_theta
from depnet.learning.boost.rows import BoostRows
from depnet.learning.boost.settings import AutoBoost, Boost
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.threads import results_in_threads

GRAPH = -1
"""The number of the candidate that is the node's one decision graph; the others are numbered from 0."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialPart:
    """Rows learned from, rows held out, and the network of decision graphs that was learned without these."""

    rows: BoostRows
    held: BoostRows
    network: Network


@dataclass(frozen=True, slots=True, eq=False)
class NodeTrials:
    """One node by every candidate that was tried, on every part."""

    graph_score: float
    """The sum over held-out rows of log theta."""
    grown: Mapping[int, Sequence[Boosted]]
    """By the candidate's number, for each part."""

    def best_stages(self, candidate: int) -> tuple[int, float]:
        """How many stages score best on all parts together, and the sum of log theta then."""
        curves = [one.held_scores for one in self.grown[candidate]]
        longest = max(map(len, curves))
        total: FloatArray = np.sum(
            [np.pad(curve, (0, longest - len(curve)), "edge") for curve in curves], axis=0
        )
        stages = int(np.argmax(total))
        return stages, float(total[stages])

    def score(self, candidate: int) -> float:
        """The sum over held-out rows of log theta."""
        return self.graph_score if candidate == GRAPH else self.best_stages(candidate)[1]


MOST_TURNS = 5
"""By how much the patience with a node of many states is longer, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What is tried: some `candidates` by their numbers, on some parts, until `ends`, a time of `time.monotonic`.

    What was tried before, on the first part, is not tried again.
    """

    parts: Sequence[TrialPart]
    readable: Mapping[int, Sequence[int]]
    auto: AutoBoost
    settings: Sequence[Boost]
    candidates: Sequence[int]
    before: Mapping[int, NodeTrials]
    ends: float

    def __call__(self, i: int, stop: native.Stop) -> NodeTrials | None:
        """The candidates on node i; None where the time does not suffice."""
        grown: dict[int, list[Boosted]] = {c: [] for c in self.candidates}
        graph = 0.0
        for k, part in enumerate(self.parts):
            rival = float(part.network.nodes[i].log_theta(part.held.dataset).sum())
            graph += rival
            for candidate in self.candidates:
                had = self.before[i].grown.get(candidate, ()) if i in self.before else ()
                left = None if math.isinf(self.ends) else self.ends - time.monotonic()
                if k < len(had):
                    grown[candidate].append(had[k])
                elif left is not None and left <= 0:
                    return None
                else:
                    until = self._until(i, candidate, part, rival)
                    grown[candidate].append(
                        boosted(
                            part.rows,
                            part.network.nodes[i],
                            self.readable[i],
                            self.settings[candidate],
                            held=part.held,
                            until=until,
                            seconds=left,
                            stop=stop,
                        )
                    )
                if not grown[candidate][-1].complete:
                    return None
                rival = max(rival, self._at_look(candidate, grown[candidate][-1]))
        return NodeTrials(graph, grown)

    def _look(self, candidate: int) -> int:
        return max(round(self.auto.look / self.settings[candidate].rate), 1)

    def _at_look(self, candidate: int, trial: Boosted) -> float:
        """How well a trial had done by where the next one will be looked at: both have made as many steps then."""
        return float(trial.held_scores[: self._look(candidate) + 1].max())

    def _until(self, i: int, candidate: int, part: TrialPart, rival: float) -> Until:
        # Of many states each is looked at in turn, and held-out rows hear of a stage's own set above all.
        turns = min(part.network.domain.cardinalities[i] - 1, MOST_TURNS)
        patience = max(round(turns * self.auto.patience / self.settings[candidate].rate), 1)
        return Until(patience, self._look(candidate), rival)


@dataclass(eq=False)
class Chooser:
    """Tries candidates on nodes, on some threads, until `ends`, a time of `time.monotonic`."""

    parts: Sequence[TrialPart]
    readable: Mapping[int, Sequence[int]]
    """What each node that is boosted may read."""
    auto: AutoBoost
    candidates: Sequence[Boost]
    jobs: int = 1
    ends: float = math.inf
    told: Callable[[], object] = lambda: None
    """Called after each trial of a node."""

    def choose(self) -> dict[int, tuple[int, NodeTrials]]:
        """For each node the candidate that is chosen, and its trials; not of nodes that the time did not suffice for."""
        nodes = list(self.readable)
        step = max(len(nodes) / self.auto.pilots, 1.0)
        pilots = [nodes[int(k * step)] for k in range(math.ceil(len(nodes) / step))]
        everything = list(range(len(self.candidates)))
        first = self._tried(pilots, everything, self.parts[:1], {})
        kept = self._kept(first)
        trials = self._tried(nodes, kept, self.parts, first)
        return self._chosen(trials, [GRAPH, *kept]) if trials else {}

    def _tried(
        self,
        nodes: Sequence[int],
        candidates: Sequence[int],
        parts: Sequence[TrialPart],
        before: Mapping[int, NodeTrials],
    ) -> dict[int, NodeTrials]:
        """The candidates on these nodes; what was tried before, on the first part, is not tried again."""
        work = Trial(parts, self.readable, self.auto, self.candidates, candidates, before, self.ends)
        stop = native.Stop()
        found = results_in_threads(lambda i: work(i, stop), nodes, self.jobs, told=self.told, stop=stop.set)
        return {i: trials for i, trials in zip(nodes, found, strict=True) if trials is not None}

    def _kept(self, pilots: Mapping[int, NodeTrials]) -> list[int]:
        """The candidate that is best on all pilots together, and those that are best on many of them."""
        candidates = range(len(self.candidates))
        scores = np.array([[trials.score(c) for c in candidates] for trials in pilots.values()])
        if not len(scores):
            return [0]
        wins = np.bincount(np.argmax(scores, axis=1), minlength=len(candidates))
        best = int(np.argmax(scores.sum(axis=0)))
        return [c for c in candidates if c == best or wins[c] >= self.auto.many * len(scores)]

    def _chosen(
        self, trials: Mapping[int, NodeTrials], candidates: Sequence[int]
    ) -> dict[int, tuple[int, NodeTrials]]:
        """The candidate that is best for all nodes together, or a node's own best where that is surely better."""
        scores = {i: [each.score(c) for c in candidates] for i, each in trials.items()}
        pooled = candidates[int(np.argmax(np.sum(list(scores.values()), axis=0)))]
        chosen = {}
        for i, each in trials.items():
            own = candidates[int(np.argmax(scores[i]))]
            sure = own != pooled and self._surely_better(i, each, own, pooled)
            chosen[i] = (own if sure else pooled, each)
        return chosen

    def _surely_better(self, i: int, trials: NodeTrials, one: int, other: int) -> bool:
        """Does one candidate gain more than some standard errors of the paired differences over held-out rows?"""
        gains = np.concatenate(
            [
                self._log_theta(i, trials, one, part) - self._log_theta(i, trials, other, part)
                for part in range(len(self.parts))
            ]
        )
        error = float(gains.std()) * math.sqrt(len(gains))
        return float(gains.sum()) > self.auto.standard_errors * error

    def _log_theta(self, i: int, trials: NodeTrials, candidate: int, part: int) -> FloatArray:
        held = self.parts[part].held
        if candidate == GRAPH:
            return self.parts[part].network.nodes[i].log_theta(held.dataset)
        stages = trials.best_stages(candidate)[0]
        one = trials.grown[candidate][part]
        return log_theta(one, min(stages, len(one.stages)), held)


def trial_node(trials: NodeTrials, candidate: int, part: int, graph: Node) -> Node:
    """The node as it was learned without a part: its graph, or the stages that were chosen."""
    if candidate == GRAPH:
        return graph
    stages, _ = trials.best_stages(candidate)
    one = trials.grown[candidate][part]
    return one.node(min(stages, len(one.stages)))
