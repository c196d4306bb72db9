"""Ordered networks on random tables, for the theory of ordered laws (ours, beyond the paper)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from depnet import (
    Dataset,
    Domain,
    InformationSource,
    LosslessSource,
    Network,
    TableNode,
    learn_parameters,
    learn_with,
)
from depnet.learning.cost import Penalty
from depnet.learning.framework import Candidate, NodeData, SplitMerge
from tests.strategies import random_order, random_source, random_table


def before(order: Sequence[int], i: int) -> tuple[int, ...]:
    """The variables before X_i in the order, ascending."""
    return tuple(sorted(order[: list(order).index(i)]))


def everything_read(rng: np.random.Generator, cards: Sequence[int], order: tuple[int, ...]) -> Network:
    """Random positive tables over all the variables before each: for mutants, which need something to be wrong about."""
    nodes = []
    for i, k in enumerate(cards):
        inputs = before(order, i)
        source = LosslessSource(inputs, tuple(cards[j] for j in inputs))
        nodes.append(TableNode(i, source, random_table(rng, source.size, k)))
    return Network(Domain.from_cardinalities(cards), tuple(nodes), order=order)


def with_random_sources(dataset: Dataset, seed: int, smoothing: float = 0.0) -> Network:
    """Random sources in a random order, with the data's own tables, or smoothed ones."""
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    order = random_order(rng, len(cards))
    sources = [random_source(rng, cards, order[order.index(i) :]) for i in range(len(cards))]
    return replace(learn_parameters(dataset, sources, smoothing=smoothing), order=order)


def lossless_parameters(cards: Sequence[int], order: Sequence[int], i: int) -> int:
    """k_i of the source that keeps all variables before X_i."""
    k = cards[i] - 1
    for j in before(order, i):
        k *= cards[j]
    return k


@dataclass(frozen=True)
class Earlier:
    """Split and merge with earlier variables only; where it is asked for, all of them at once is a candidate, too."""

    order: tuple[int, ...]
    lossless: bool

    def candidates(
        self, source: InformationSource, data: NodeData
    ) -> Iterable[Candidate | InformationSource]:
        i = data.variable
        allowed = before(self.order, i)
        for candidate in SplitMerge().candidates(source, data):
            assert isinstance(candidate, Candidate)
            if set(candidate.source.inputs) <= set(allowed):
                yield candidate
        if self.lossless:
            cards = data.dataset.domain.cardinalities
            yield LosslessSource(allowed, tuple(cards[j] for j in allowed))


def learned_in_order(
    dataset: Dataset, order: tuple[int, ...], penalty: Penalty, lossless: bool = True
) -> Network:
    """Algorithm 3 with earlier variables only."""
    return replace(learn_with(dataset, Earlier(order, lossless), penalty=penalty), order=order)
