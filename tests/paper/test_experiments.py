"""The other experiments, at small size; every claim they check holds, and fails on a mutant."""

import itertools

import numpy as np
import pytest

from depnet import Network, RandomScan, SequentialScan, WithLossless, learn, learn_with
from depnet.exact import stationary, stationary_cycle
from depnet.geometry import fc_limit, m_projection, manifolds
from depnet.paper.chains import (
    Turn,
    compare_scans,
    cycle_sum,
    is_nash,
    perturbation,
    play,
    scans,
    sticky_pair,
    transition_change,
)
from depnet.paper.laws import ising, sample
from depnet.paper.learned import by_evidence, convergence, rare, with_lossless
from depnet.paper.report import ExperimentError
from tests.refusals import refuses


@pytest.fixture(scope="module")
def network() -> Network:
    return learn(sample("RB5-7", 300, 1).dataset, smoothing=0.5)


def test_scans_differ_and_the_cycle_sum_is_the_fc_limit(network: Network) -> None:
    report = scans("RB5-7", 300, 1, orders=4)
    assert report.holds
    assert len(report.rows) == 5
    assert report.rows[1]["tv_random"] > 0
    p = np.full((2,) * 5, 1 / 32)
    order = (3, 1, 4, 0, 2)
    cycle = stationary_cycle(network, SequentialScan(order))
    assert np.isclose(cycle_sum(p, cycle, order), fc_limit(p, network), rtol=1e-8, atol=0)
    shifted = (*cycle[2:], *cycle[:2])
    with pytest.raises(AssertionError):
        assert np.isclose(cycle_sum(p, shifted, order), fc_limit(p, network), rtol=1e-8, atol=0)


def test_consistent_tables_have_one_law_for_every_scan() -> None:
    p = ising(2, 2, 0.4)
    report = compare_scans(Network.from_joint(p), p, [(0, 1, 2, 3), (3, 2, 1, 0)])
    assert all(r["tv_random"] < 1e-9 and r["fc"] < 1e-9 for r in report.rows)


@pytest.mark.parametrize("simultaneous", [False, True])
def test_the_game_ends_at_the_stationary_law(network: Network, simultaneous: bool) -> None:
    start = np.zeros((2,) * 5)
    start[(0,) * 5] = 1.0
    report = play(network, start, 1000, simultaneous=simultaneous)
    assert report.holds
    assert report.records[-1]["tv"] < 1e-6
    assert np.isclose(report.records[-1]["cost_players"], report.rows[-1]["cost_players"], rtol=1e-4, atol=0)
    steps = [r["kl"] for r in report.records]
    assert all(b <= a + 1e-12 for a, b in itertools.pairwise(steps))


def test_moving_all_players_at_once_is_the_chain_at_half_pace(network: Network) -> None:
    start = np.full((2,) * 5, 1 / 32)
    text, display = (play(network, start, 10, simultaneous=s).series("tv") for s in (False, True))
    assert np.allclose(display[1::2], text[1:6], rtol=1e-12, atol=0)
    assert np.allclose(display[2::2], text[1:6], rtol=1e-12, atol=0)


def test_another_law_is_no_equilibrium(network: Network) -> None:
    pi, spaces = stationary(network, RandomScan()), manifolds(network)
    assert is_nash(Turn(pi, [m_projection(pi, space) for space in spaces]), spaces)
    other = 0.99 * pi + 0.01 / 32
    assert not is_nash(Turn(other, [m_projection(other, space) for space in spaces]), spaces)
    assert not is_nash(Turn(pi, [m_projection(other, space) for space in spaces]), spaces)


def test_a_game_needs_a_step(network: Network) -> None:
    refuses(ExperimentError, "at least 1 step", play, network, np.full((2,) * 5, 1 / 32), 0)


def test_the_change_of_the_transition_matrix_is_that_of_the_literal_matrices() -> None:
    before, after = sticky_pair(0.3, 0.2), sticky_pair(0.25, 0.4)
    literal = max(
        np.abs(_row(before, state) - _row(after, state)).sum() / 2
        for state in itertools.product((0, 1), repeat=2)
    )
    assert np.isclose(transition_change(before, after), literal, rtol=1e-12, atol=0)


def _row(network: Network, state: tuple[int, ...]) -> np.ndarray:
    """K(x, .) of the random scan, to the letter."""
    row = np.zeros(network.domain.cardinalities)
    for node in network.nodes:
        leaf = node.source([state])[0]
        for x, probability in enumerate(node.table.probabilities[leaf]):
            moved = list(state)
            moved[node.variable] = x
            row[tuple(moved)] += probability / len(network)
    return row


def test_small_changes_move_a_sticky_law_far() -> None:
    report = perturbation(stickiness=(0.1, 1e-4), couplings=(0.0, 1.0), height=2, width=2)
    assert report.holds
    first, last = report.series("tv", model="sticky pair")
    assert min(first, last) > 0.4  # it goes on moving as far,
    small, smaller = report.series("change", model="sticky pair")
    assert smaller < small / 900  # though the change has all but gone
    weak, strong = report.series("amplification", model="Ising2x2, field 0.01")
    assert strong > 2 * weak


def test_rare_evidence_is_inferred_worse() -> None:
    report = rare("RB8-12", 3000, 0, clamped=3, sets=6)
    assert report.holds
    assert all(r["inconsistency"] > 0 for r in report.records)  # Sec. 5.1: no joint in common
    rarity = np.array(report.series("probability"))
    error = np.array(report.series("kl"))
    assert error[rarity < np.median(rarity)].mean() > 1.5 * error[rarity > np.median(rarity)].mean()
    refuses(ExperimentError, r"1\.\.7 of 8 variables", rare, "RB8-12", 100, 0, clamped=8)


def test_consistent_tables_have_one_joint_for_every_evidence() -> None:
    p = ising(2, 3, 0.4)
    report = by_evidence(Network.from_joint(p), p, [(0, 4)])
    assert report.holds
    assert max(r["inconsistency"] for r in report.records) < 1e-9
    assert max(r["kl"] for r in report.records) < 1e-9


def test_the_model_goes_to_the_true_law() -> None:
    report = convergence(
        0, families=["Ising2x2", "RB4-4"], sizes=[100, 3_000, 100_000, 10_000_000], smoothing=0.5
    )
    assert report.holds
    for family in ("Ising2x2", "RB4-4"):
        for learner in ("greedy", "with lossless"):
            for key in ("ideal_cost", "fc_true", "kl_true", "pointwise"):
                values = report.series(key, family=family, learner=learner)
                assert values[-1] < 1e-3
                assert values[-1] < values[0] / 10


@pytest.mark.parametrize("rows", [30, 1_000, 100_000])
def test_admitting_the_lossless_source_is_algorithm_3(rows: int) -> None:
    data = sample("RB5-7", rows, 2).dataset
    network, bounded = with_lossless(learn(data), data)
    assert bounded
    assert network.nodes == learn_with(data, WithLossless()).nodes
