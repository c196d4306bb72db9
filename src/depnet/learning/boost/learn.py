"""The nodes of a network boosted: with settings that are given, or chosen by held-out rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from depnet._native import boost as native
from depnet.data.table.dataset import Dataset
from depnet.learning.boost.choose import StageTrial, TrialPart, choose_candidate
from depnet.learning.boost.digits import SETTINGS, DigitGrower, DigitTrial, has_digits, tree_of
from depnet.learning.boost.node import averaged_node
from depnet.learning.boost.rows import BoostRows, all_tests
from depnet.learning.boost.settings import AutoBoost, Boost, candidates_for
from depnet.learning.rows.work import Limits, Progress, Work
from depnet.model.marginals import HeldOut
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.threads import results_in_threads


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
    settings = within(boost, limits)
    told = Told(work.progress, len(network), len(readable))
    stop = native.Stop()

    def grow(i: int) -> Node | None:
        if has_digits(dataset.domain.variables[i]):
            tree = tree_of(rows, i)
            word = DigitGrower(rows, i, tree, readable[i], settings, work.ends, stop)
            return word.node([settings.stages] * len(tree.vertices))
        return averaged_node(rows, i, readable[i], settings, work.ends, stop)

    found = results_in_threads(grow, list(readable), work.threads, told=told, stop=stop.set)
    told.end()
    return _with_nodes(
        network, {i: node for i, node in zip(readable, found, strict=True) if node is not None}
    )


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
    alone = len(parts) == 1 and parts[0][0] is dataset
    rows = trial_parts[0].rows if alone else BoostRows.of(dataset, tests)
    words = {i: readable[i] for i in readable if has_digits(dataset.domain.variables[i])}
    others = {i: readable[i] for i in readable if i not in words}
    told = Told(work.progress, len(network), len(readable) + min(auto.pilots, len(others)))
    stop = native.Stop()
    given = candidates_for(dataset.total) if auto.candidates is None else auto.candidates
    settings, before = choose_candidate(
        trial_parts[0],
        others,
        [within(each, limits) for each in given],
        auto,
        threads=work.threads,
        ends=work.ends,
        stop=stop,
        told=told,
    )
    digits = DigitTrial(rows, trial_parts, words, within(SETTINGS, limits), work.ends)
    stages = StageTrial(rows, trial_parts, others, settings, auto, work.ends, before)
    found = results_in_threads(
        lambda i: digits(i, stop) if i in words else stages(i, stop),
        list(readable),
        work.threads,
        told=told,
        stop=stop.set,
    )
    told.end()
    chosen = {i: one for i, one in zip(readable, found, strict=True) if one is not None}
    tried = tuple(
        _with_nodes(part.network, {i: one.tried[k] for i, one in chosen.items()})
        for k, part in enumerate(trial_parts)
    )
    whole = _with_nodes(network, {i: one.node for i, one in chosen.items()})
    return ChosenBoost(_told(whole, sum(one.gained for one in chosen.values())), tried)


def within(boost: Boost, limits: Limits) -> Boost:
    """The settings within limits on leaves. A row has a curvature of at most 1/4: so a leaf has rows enough."""
    leaves = boost.leaves if limits.max_leaves is None else max(min(boost.leaves, limits.max_leaves), 1)
    return replace(boost, leaves=leaves, least_curvature=max(boost.least_curvature, limits.min_leaf_rows / 4))


def _with_nodes(network: Network, nodes: Mapping[int, Node]) -> Network:
    return replace(network, nodes=tuple(nodes.get(i, node) for i, node in enumerate(network.nodes)))


def _told(network: Network, gained: float) -> Network:
    """The network, whose held-out score says what boosting gained: the sum over rows, in nats."""
    told: HeldOut | None = network.held_out
    if told is None:
        return network
    return replace(network, held_out=replace(told, score=told.score + gained / told.rows))
