"""Rows drawn from a network with boosted nodes are those of the same network with tables, with the same seed.

Boosted nodes are summed stage by stage here, however small they are; tests/law/test_boosted.py has passes and moves, and the
other tests of this folder ask networks with and without boosted nodes.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from depnet import (
    ConditionalTable,
    Network,
    TableNode,
    query,
    sample,
)
from depnet.law import draw, limits
from tests.boosted import tabulated, with_boosted_nodes
from tests.strategies import random_ordered_network

CARDS = (2, 3, 2, 4, 3, 2)
GIVEN = {"X5": 1, "X1": {0, 2}, "X3": {0: 1.0, 1: 0.25, 2: 0.5}}


def random_law(share: float) -> Network:
    rng = np.random.default_rng(12)
    return with_boosted_nodes(rng, random_ordered_network(rng, CARDS, (3, 0, 5, 2, 1, 4)), share)


@pytest.fixture(params=[0.5, 1.0], ids=["mixed", "boosted"])
def pair(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[Network, Network]:
    """A network with boosted nodes, and the same with tables."""
    monkeypatch.setattr("depnet.model.node.TABLE_STATES", 0)
    network = random_law(request.param)
    assert any(node.boosted for node in network.nodes)
    assert any(not node.boosted for node in network.nodes) == (request.param < 1)
    return network, tabulated(network)


def rng(seed: int = 3) -> np.random.Generator:
    return np.random.default_rng(seed)


def same(
    pair: tuple[Network, Network], ask: Callable[[Network], NDArray[Any]], within: float
) -> NDArray[Any]:
    found, expected = (np.asarray(ask(network)) for network in pair)
    np.testing.assert_allclose(found, expected, rtol=0, atol=within)
    return found


@pytest.mark.parametrize("way", ["exact", "accepted", "resampled"])
def test_rows(pair: tuple[Network, Network], way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way != "exact":
        monkeypatch.setattr(limits, "MOST_CELLS", 0)
    if way == "resampled":
        monkeypatch.setattr(draw, "log_largest_weight", lambda *_: 1e3)  # which accepts nothing
    same(pair, lambda network: sample(network, 3000, evidence=GIVEN, rng=rng()).codes, 0)  # type: ignore[arg-type]


def test_mutant_another_score_is_another_answer() -> None:
    """The same assertion notices a network one of whose scores differs by a tenth of a nat."""
    network = random_law(1.0)
    wrong = tabulated(network)
    node = wrong.nodes[4]
    rows = np.array(node.table.probabilities)
    rows[:, 0] *= math.exp(0.1)
    changed = TableNode(
        4, node.source, ConditionalTable.from_probabilities(rows / rows.sum(axis=1, keepdims=True))
    )
    wrong = Network(wrong.domain, (*wrong.nodes[:4], changed, *wrong.nodes[5:]), order=wrong.order)
    with pytest.raises(AssertionError):
        same((network, wrong), lambda each: np.asarray(query(each, "X4", {"X5": 1}).probabilities), 1e-9)
