"""The Titanic's network with one boosted node among plain ones: what faces must be able to show."""

from dataclasses import replace

import numpy as np
import pytest

import depnet
from depnet import Dataset, DecisionGraph, Network, Split
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import LearnOptions
from depnet.model.boosted import BoostedNode
from depnet.model.stages import UNIT, on_grid
from depnet.model.stages import Test as Interval
from depnet.threads import Work
from tests.boosted import stages_of

NAMES = ("class", "sex", "age", "survived")


def nats(*rows: tuple[float, float]) -> list[list[int]]:
    return [[round(x / UNIT) for x in row] for row in rows]


def boosted_survived() -> BoostedNode:
    """Whoever is female (sex) or in first class survives more; it starts from a graph that splits by sex."""
    people = depnet.titanic()
    assert people.domain.names == NAMES
    start = DecisionGraph((Split(0, 1),), people.domain.cardinalities)
    stages = stages_of(
        [
            ([(0, Interval(0, 0, 0))], nats((0.2, -0.2), (-0.6, 0.6))),
            ([(0, Interval(2, 1, 1)), (1, Interval(0, 2, 3))], nats((0.0, 0.0), (-0.5, 0.5), (0.4, -0.4))),
            ([(0, Interval(0, 2, 2))], nats((-0.1, 0.1), (0.3, -0.3))),
        ],
        2,
    )
    return BoostedNode(3, start, on_grid(np.log([[0.27, 0.73], [0.79, 0.21]])), stages, [0.04, 0.1, 0.003])


def mixed_titanic() -> Network:
    """Learned, with 1- and 2-way counts; survived is boosted."""
    people = depnet.titanic()
    learned = depnet.learn(people, smoothing=0.5).with_counts(people)
    return replace(learned, nodes=(*learned.nodes[:3], boosted_survived()))


def boosts_asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What a fit asks of boosting from now on, one entry for each network; nothing is boosted."""
    asked: list[object] = []

    def learn(rows: Dataset, options: LearnOptions, work: Work) -> object:
        asked.append(options.boost)
        return learn_with_choice(rows, replace(options, boost=None), work)

    monkeypatch.setattr("depnet.fitting.fit.learn_with_choice", learn)
    return asked
