"""Rows of an ordered law given evidence follow its conditional, in whatever pieces they are asked for."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import depnet
from depnet import Network, Sampler
from depnet.errors import EvidenceError, MixingWarning
from depnet.law import draw, limits
from depnet.law.draw import sharpen
from depnet.law.elimination import log_largest_weight
from depnet.model import Given
from depnet.model.boosted import BoostedNode
from depnet.model.stages import UNIT
from tests.boosted import tabulated, with_boosted_nodes
from tests.law.cases import given_tables
from tests.laws import assert_same_law, joint_counts
from tests.reference import ordered
from tests.strategies import random_ordered_network

CARDS = (2, 3, 2, 2)
NETWORK = random_ordered_network(np.random.default_rng(21), CARDS, (2, 0, 3, 1))
GIVEN: Given = {"X1": {1, 2}, "X3": {0: 1.0, 1: 0.25}}
WEIGHTS = {1: (0.0, 1.0, 1.0), 3: (1.0, 0.25)}
DETECTS = 0.06


def counts_of(network: Network, rows: int, **options: object) -> NDArray[np.int64]:
    codes = depnet.sample(network, rows, rng=np.random.default_rng(4), **options).codes  # type: ignore[arg-type]
    return joint_counts(codes, network.domain.cardinalities)


@pytest.fixture(params=["exact", "accepted", "resampled"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param != "exact":
        monkeypatch.setattr(limits, "MOST_CELLS", 0)
    if request.param == "resampled":
        monkeypatch.setattr(draw, "log_largest_weight", lambda *_: 1e3)  # which accepts nothing
    return str(request.param)


def test_rows_without_evidence_follow_q() -> None:
    law = ordered.law(NETWORK)
    counts = counts_of(NETWORK, 150_000)
    assert_same_law(counts, law, detects_l1=DETECTS)
    with pytest.raises(AssertionError):  # mutant: the law of the random scan
        assert_same_law(counts, depnet.stationary(NETWORK, depnet.RandomScan()), detects_l1=DETECTS)


def test_rows_given_evidence_follow_the_conditional(way: str) -> None:
    law = ordered.condition(ordered.law(NETWORK), WEIGHTS)
    counts = counts_of(NETWORK, 150_000, evidence=GIVEN)
    assert_same_law(counts, law, detects_l1=DETECTS)
    tilted = ordered.condition(ordered.law(NETWORK), {1: WEIGHTS[1]})
    with pytest.raises(AssertionError):  # mutant: one of the two is not weighed
        assert_same_law(counts, tilted, detects_l1=DETECTS)
    clamped = depnet.stationary(NETWORK, depnet.RandomScan(), evidence=GIVEN)
    with pytest.raises(AssertionError):  # mutant: chains of the tables, which do not weigh the draw
        assert_same_law(counts, clamped, detects_l1=DETECTS)


@pytest.mark.parametrize("share", [0.5, 1.0], ids=["mixed", "boosted"])
def test_boosted_nodes_draw_the_rows_of_their_tables(
    way: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same seed, stages summed one by one; a score that is off by a tenth of a nat, the mutant, draws others."""
    monkeypatch.setattr("depnet.model.sources.limits.TABLE_STATES", 0)
    rng = np.random.default_rng(12)
    network = random_ordered_network(rng, (2, 3, 2, 4, 3, 2), (3, 0, 5, 2, 1, 4))
    network = with_boosted_nodes(rng, network, share)
    assert any(not node.boosted for node in network.nodes) == (share < 1)
    last = network.nodes[4]
    assert isinstance(last, BoostedNode)
    more = last.start_scores + np.eye(3, dtype=int)[0] * round(0.1 / UNIT)
    wrong = BoostedNode(4, last.start, more, last.stages, last.gains)
    mutant = replace(network, nodes=(*network.nodes[:4], wrong, *network.nodes[5:]))
    given: Given = {"X5": 1, "X1": {0, 2}, "X3": {0: 1.0, 1: 0.25, 2: 0.5}}
    found, expected, other = (
        depnet.sample(each, 3000, evidence=given, rng=np.random.default_rng(3)).codes
        for each in (network, tabulated(network), mutant)
    )
    np.testing.assert_array_equal(found, expected)
    assert (other != expected).any()


def test_rare_evidence_with_two_modes(way: str) -> None:
    """One cause of ten known effects, which speak against what the cause mostly is."""
    effects = [([0], [[0.8, 0.2], [0.3, 0.7]])] * 10
    network = given_tables(([], [[0.95, 0.05]]), *effects, ([0], [[0.5, 0.5]] * 2))
    given = {f"X{i}": int(i < 7) for i in range(1, 11)}
    codes = depnet.sample(network, 20_000, evidence=given, rng=np.random.default_rng(6)).codes
    mass = np.array([0.95 * 0.2**6 * 0.8**4, 0.05 * 0.7**6 * 0.3**4])
    counts = np.bincount(codes[:, 0], minlength=2)
    assert_same_law(counts, mass / mass.sum(), detects_l1=0.1)
    with pytest.raises(AssertionError):  # mutant: the evidence has no weight
        assert_same_law(counts, [0.95, 0.05], detects_l1=0.1)
    assert all((codes[:, i] == given[f"X{i}"]).all() for i in range(1, 11))


def test_the_same_rows_in_whatever_pieces(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 2 * draw.PIECE + 100

    def sampler(n_jobs: int = 1) -> Sampler:
        return Sampler(NETWORK, evidence=GIVEN, rng=np.random.default_rng(8), n_jobs=n_jobs)

    whole = sampler().draw(rows).codes
    np.testing.assert_array_equal(sampler(n_jobs=2).draw(rows).codes, whole)
    pieces = sampler()
    parts = [pieces.draw(n).codes for n in (1, draw.PIECE - 1, 700, rows - draw.PIECE - 700)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    without = Sampler(NETWORK, rng=np.random.default_rng(8))
    blocks = [block.codes for block in without.blocks(1000, 300)]
    again = depnet.sample(NETWORK, 1000, rng=np.random.default_rng(8), n_jobs=2).codes
    np.testing.assert_array_equal(np.concatenate(blocks), again)


def test_impossible_evidence_is_an_error(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PIECE_DRAWS", 1 << 14)
    network = given_tables(([], [[1.0, 0.0]]), ([0], [[0.5, 0.5], [0.5, 0.5]]), ([0, 1], [[0.5, 0.5]] * 4))
    with pytest.raises(EvidenceError, match="probability 0"):
        depnet.sample(network, 10, evidence={"X0": 1, "X2": 1}, rng=np.random.default_rng(0))


def test_a_bound_that_is_none_is_another_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: weights above the bound are accepted as often as those at it."""
    monkeypatch.setattr(limits, "MOST_CELLS", 0)
    right = log_largest_weight
    monkeypatch.setattr(draw, "log_largest_weight", lambda *given: right(*given) - 3.0)
    law = ordered.condition(ordered.law(NETWORK), WEIGHTS)
    counts = counts_of(NETWORK, 150_000, evidence=GIVEN)
    with pytest.raises(AssertionError):
        assert_same_law(counts, law, detects_l1=DETECTS)


def test_few_effective_passes_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CELLS", 0)
    monkeypatch.setattr(limits, "PIECE_DRAWS", 1 << 13)
    network = given_tables(([], [[0.999, 0.001]]), *[([0], [[0.999, 0.001], [0.1, 0.9]])] * 4)
    with pytest.warns(MixingWarning, match="rare"):
        depnet.sample(network, 10, evidence={f"X{i}": 1 for i in range(1, 5)}, rng=np.random.default_rng(0))


def test_it_ends_at_the_most_or_where_it_is_over() -> None:
    drawn: list[int] = []
    assert not sharpen(drawn.append, lambda: math.inf, 0.1, first=10, most=1000)
    assert 1000 <= sum(drawn) <= 3000
    drawn.clear()
    assert not sharpen(drawn.append, lambda: 1.0, 0.1, first=10, over=lambda: len(drawn) == 3)
    assert len(drawn) == 3


def test_no_more_is_drawn_than_about_what_is_needed() -> None:
    assert sharpen(lambda count: None, lambda: 0.0, 0.1, over=lambda: True), (
        "good enough, even where it is over"
    )
    drawn: list[int] = []
    assert sharpen(drawn.append, lambda: 1 / math.sqrt(sum(drawn)), 0.001, first=1000)
    assert 1_000_000 <= sum(drawn) <= 1_700_000
    assert all(more <= 3 * sum(drawn[:k]) for k, more in enumerate(drawn) if k)
