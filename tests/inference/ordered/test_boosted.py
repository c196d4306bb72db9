"""Every engine gives a network with boosted nodes the answers of the same network with tables.

Both are asked with the same seed: what draws, draws the same states. Boosted nodes are summed stage by stage here, however
small they are.
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
    impute,
    log_probability,
    most_probable,
    query,
    query_rows,
    sample,
    score_samples,
)
from depnet.arrays import FloatArray
from depnet.inference.holes import score_holed
from depnet.inference.ordered import answer
from depnet.inference.ordered.weighted import moved
from depnet.law import draw, limits
from depnet.law.program import Conditional
from depnet.model import Evidence
from tests.boosted import tabulated, with_boosted_nodes
from tests.narrowed import there
from tests.strategies import random_ordered_network

CARDS = (2, 3, 2, 4, 3, 2)
GIVEN = {"X5": 1, "X1": {0, 2}, "X3": {0: 1.0, 1: 0.25, 2: 0.5}}
EVIDENCE = Evidence({5: 1}, {1: np.array([1.0, 0.0, 1.0]), 3: np.array([1.0, 0.25, 0.5, 0.0])})
CLOSE = 1e-12
"""Of what is computed exactly."""
DRAWN = 1e-9
"""Of means over the same draws."""


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


@pytest.mark.parametrize("method", ["auto", "exact", "bayes", "sample"])
@pytest.mark.parametrize("joint", [False, True])
def test_questions(pair: tuple[Network, Network], method: str, joint: bool) -> None:
    def ask(network: Network) -> FloatArray:
        asked = {"method": method, "joint": joint, "tolerance": 0.01}
        found = query(network, ["X0", "X4"], GIVEN, rng=rng(), **asked).probabilities  # type: ignore[arg-type]
        return np.concatenate([np.ravel(p) for p in (found.values() if isinstance(found, dict) else [found])])

    same(pair, ask, DRAWN if method == "sample" else CLOSE)


@pytest.mark.parametrize("tables", [((0,), (4,)), ((0, 4),)])
def test_passes_that_are_moved(pair: tuple[Network, Network], tables: tuple[tuple[int, ...], ...]) -> None:
    def ask(network: Network) -> FloatArray:
        found = there(moved(Conditional(network, EVIDENCE, tables), 0.02, 5, math.inf, lambda: False))
        return np.concatenate(found.sums.laws())

    same(pair, ask, DRAWN)


def test_modes(pair: tuple[Network, Network]) -> None:
    found, expected = (most_probable(network, GIVEN) for network in pair)  # type: ignore[arg-type]
    assert found.states == expected.states
    assert abs(found.probability - expected.probability) < CLOSE


def test_log_probabilities(pair: tuple[Network, Network], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = sample(pair[1], 50, rng=rng())
    same(pair, lambda network: score_samples(network, rows), CLOSE)
    exact = same(pair, lambda network: log_probability(network, GIVEN).values, CLOSE)  # type: ignore[arg-type]
    monkeypatch.setattr(answer, "_worth", lambda *_: 0)
    drawn = same(pair, lambda network: log_probability(network, GIVEN, rng=rng()).values, DRAWN)  # type: ignore[arg-type]
    assert 0 < abs(drawn[0] - exact[0]) < 0.02


@pytest.mark.parametrize("way", ["exact", "accepted", "resampled"])
def test_rows(pair: tuple[Network, Network], way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way != "exact":
        monkeypatch.setattr(limits, "MOST_CELLS", 0)
    if way == "resampled":
        monkeypatch.setattr(draw, "log_largest_weight", lambda *_: 1e3)  # which accepts nothing
    same(pair, lambda network: sample(network, 3000, evidence=GIVEN, rng=rng()).codes, 0)  # type: ignore[arg-type]


def holed(seed: int, rows: int = 12) -> tuple[np.ndarray, np.ndarray]:
    made = rng(seed)
    codes = np.stack([made.integers(0, k, size=rows) for k in CARDS], axis=1)
    return codes, made.random(codes.shape) < 0.5


@pytest.mark.parametrize("how", ["sums", "elimination", "moves"])
def test_rows_with_holes(pair: tuple[Network, Network], how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how != "sums":
        monkeypatch.setattr(limits, "ROW_STATES", 1)
    if how == "moves":
        monkeypatch.setattr(limits, "QUICK_CELLS", 1)
    codes, hidden = holed(8)

    def laws(network: Network) -> FloatArray:
        found = query_rows(network, codes, hidden, tolerance=0.05, rng=rng())
        return np.concatenate([np.ravel(p) for p in found.probabilities.values()])

    same(pair, laws, DRAWN if how == "moves" else CLOSE)
    same(
        pair,
        lambda network: score_holed(network, codes, hidden, rng=rng()),
        DRAWN if how == "moves" else 1e-11,
    )
    for method in ("mode", "draw"):
        options = {"method": method, "tolerance": 0.05}
        same(pair, lambda network: impute(network, codes, hidden, rng=rng(), **options).codes, 0)  # type: ignore[arg-type] # noqa: B023


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
        same((network, wrong), lambda each: np.asarray(query(each, "X4", {"X5": 1}).probabilities), DRAWN)
