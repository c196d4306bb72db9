"""Ours: the curvature K/(K-1) theta (1 - theta) of one score a state, and where a stage learned to its end arrives."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset, learn_parameters, score
from depnet.arrays import FloatArray
from depnet.model import ConstantSource, DecisionGraph, Network
from depnet.model.boosted import BoostedNode
from depnet.model.stages import UNIT, on_grid
from tests.boosted import random_boosted_node, stages_of
from tests.strategies import datasets, random_operations, seeds


def random_theta(rng: np.random.Generator, rows: int, states: int) -> FloatArray:
    return rng.dirichlet(np.full(states, 1.0), size=rows) * 0.98 + 0.02 / states


def gradient(theta: FloatArray, own: np.ndarray) -> FloatArray:
    """g(x) = sum over rows of 1[x_i = x] - theta(x | row)."""
    return np.asarray((np.eye(theta.shape[1])[own] - theta).sum(axis=0))


def curvature(theta: FloatArray) -> FloatArray:
    """h(x), one number a state."""
    k = theta.shape[1]
    return np.asarray(k / (k - 1) * (theta * (1 - theta)).sum(axis=0))


def true_curvature(theta: FloatArray) -> FloatArray:
    """The matrix: sum over rows of diag(theta) - theta theta^T."""
    return np.asarray(np.diag(theta.sum(axis=0)) - theta.T @ theta)


def assert_true_on_mean_zero(theta: FloatArray, h: FloatArray, rng: np.random.Generator) -> None:
    """On scores of mean zero the matrix is multiplication by h."""
    s = rng.standard_normal(theta.shape[1:])
    s -= s.mean()
    np.testing.assert_allclose(true_curvature(theta) @ s, h * s, rtol=1e-9, atol=1e-12)


@given(seeds, st.integers(1, 30))
def test_for_two_states_it_is_the_true_curvature_and_the_step_that_of_one_logit(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    theta, own = random_theta(rng, rows, 2), rng.integers(0, 2, size=rows)
    assert_true_on_mean_zero(theta, curvature(theta), rng)
    step = gradient(theta, own) / curvature(theta)
    p = theta[:, 1]
    logit = (own - p).sum() / (p * (1 - p)).sum()  # Newton for the logit of state 1
    assert step[1] - step[0] == pytest.approx(logit, rel=1e-9)
    assert step.sum() == pytest.approx(0, abs=1e-9 * abs(step[0]) + 1e-12)


@given(seeds, st.integers(2, 9), st.integers(1, 30))
def test_where_theta_is_uniform_it_is_the_true_curvature(seed: int, states: int, rows: int) -> None:
    theta = np.full((rows, states), 1 / states)
    assert_true_on_mean_zero(theta, curvature(theta), np.random.default_rng(seed))


def test_mutant_without_the_factor() -> None:
    rng = np.random.default_rng(0)
    for states in (2, 3):
        theta = np.full((5, states), 1 / states)
        with pytest.raises(AssertionError):
            assert_true_on_mean_zero(theta, (theta * (1 - theta)).sum(axis=0), rng)


def log_likelihood(sums: FloatArray, own: np.ndarray) -> float:
    top = sums.max(axis=1, keepdims=True)
    logs = sums - top - np.log(np.exp(sums - top).sum(axis=1, keepdims=True))
    return float(logs[np.arange(len(own)), own].sum())


@given(seeds, st.integers(2, 6), st.integers(1, 30))
def test_a_short_step_leads_uphill(seed: int, states: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    sums, own = rng.standard_normal((rows, states)), rng.integers(0, states, size=rows)
    theta = np.exp(sums) / np.exp(sums).sum(axis=1, keepdims=True)
    step = gradient(theta, own) / curvature(theta)
    before = log_likelihood(sums, own)
    assert log_likelihood(sums + 1e-3 * step, own) >= before
    if np.abs(step).max() > 1e-3:
        assert log_likelihood(sums - 1e-3 * step, own) < before


@given(seeds)
def test_the_log_likelihood_is_concave_in_the_scores(seed: int) -> None:
    """Along any line of scores, with the graphs of a node as they are."""
    rng = np.random.default_rng(seed)
    cards = [3, 2, 4]
    node = random_boosted_node(rng, 0, [1, 2], cards)
    codes = rng.integers(0, cards, size=(40, 3)).astype(np.uint8)
    along = rng.integers(-(2**20), 2**20, size=node.stages.scores.shape)

    def at(t: int) -> float:
        moved = replace(node.stages, scores=node.stages.scores + t * along)
        sums = BoostedNode(0, node.start, node.start_scores, moved).scores(codes)
        return log_likelihood(sums.astype(np.float64) * UNIT, codes[:, 0])

    assert at(0) >= (at(-1) + at(1)) / 2 - 1e-9


@given(datasets(min_variables=2, max_variables=3, max_cardinality=2, max_rows=40), seeds)
def test_one_stage_learned_to_its_end_is_the_table_of_theorem_4(dataset: Dataset, seed: int) -> None:
    """Newton's steps on one graph, from the base rates on, arrive where counting (a little smoothed) is at once."""
    cards = dataset.domain.cardinalities
    graph = DecisionGraph(random_operations(np.random.default_rng(seed), cards, (0,), 3), cards)
    smooth = 0.5  # pseudo-counts, so that the best scores are finite
    best = learn_parameters(dataset, [graph, *[ConstantSource()] * (len(cards) - 1)], smoothing=smooth)
    counts = best.nodes[0].table.counts
    assert counts is not None
    leaves, states = counts.shape
    if states < 2:
        return
    scores = np.zeros((leaves, states))
    for y, seen in enumerate(counts + smooth):
        for _ in range(60):
            theta = np.exp(scores[y]) / np.exp(scores[y]).sum()
            gain, h = seen - seen.sum() * theta, seen.sum() * 2 * theta * (1 - theta)
            scores[y] += np.clip(gain / h, -1, 1)
    boosted = BoostedNode(0, graph, on_grid(scores), stages_of([], states))
    codes = dataset.codes
    np.testing.assert_allclose(
        boosted.probabilities(codes), best.nodes[0].probabilities(codes), atol=4 * UNIT
    )
    network = Network(dataset.domain, (boosted, *best.nodes[1:]))
    assert score(network, dataset) == pytest.approx(score(best, dataset), abs=1e-5)
