"""Ours: what (n observed + s law) / (n + s) is, and that it is no joint distribution.

It is the posterior mean of the target's distribution given the evidence, of n matching rows under a Dirichlet prior
with s pseudo-rows whose mean is the law's answer. With s Q(x_C) pseudo-rows in place of s all answers were conditionals
of one law, (N p^D + s Q) / (N + s); with the same s for every evidence they are not.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from scipy.special import gammaln

from depnet import Dataset, empirical
from depnet.arrays import FloatArray
from tests.reference.ordered import combined, law
from tests.strategies import datasets, random_order, random_ordered_network, seeds


def log_evidence(counts: Sequence[float], alpha: Sequence[float]) -> float:
    """The log-probability of a sequence of rows with these counts, its distribution being Dirichlet(alpha)."""
    n, a = np.asarray(counts, dtype=np.float64), np.asarray(alpha)
    return float(gammaln(a.sum()) - gammaln(a.sum() + n.sum()) + (gammaln(a + n) - gammaln(a)).sum())


def assert_posterior_mean(found: Sequence[float], counts: Sequence[float], prior: Sequence[float]) -> None:
    """The posterior mean of a state is the probability that the next row has it: a ratio of evidences."""
    for x in range(len(prior)):
        following = [c + (state == x) for state, c in enumerate(counts)]
        ratio = np.exp(log_evidence(following, prior) - log_evidence(counts, prior))
        assert found[x] == pytest.approx(float(ratio), rel=1e-9)


@given(seeds)
def test_it_is_a_posterior_mean(seed: int) -> None:
    rng = np.random.default_rng(seed)
    answer = (rng.dirichlet(np.ones(int(rng.integers(2, 6)))) * 0.99 + 0.01 / 5).tolist()
    answer = [q / sum(answer) for q in answer]
    counts, s = rng.integers(0, 40, size=len(answer)).tolist(), float(rng.uniform(0.5, 100))
    found = combined(counts, answer, s)
    assert sum(found) == pytest.approx(1.0)
    assert_posterior_mean(found, counts, [s * q for q in answer])


@given(seeds)
def test_no_rows_leave_the_law_and_many_rows_leave_the_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    answer = rng.dirichlet(np.ones(3)).tolist()
    assert combined([0, 0, 0], answer, 50.0) == pytest.approx(answer)
    many = (1e12 * rng.dirichlet(np.ones(3))).tolist()
    assert combined(many, answer, 50.0) == pytest.approx([m / sum(many) for m in many], abs=1e-9)


def of(joint: FloatArray, known: int | None) -> list[float]:
    """X_1 given X_0 = known, or X_1 with nothing known: the masses, not normalised."""
    masses = joint.sum(axis=0) if known is None else joint[known]
    return [float(m) for m in masses]


def answers(
    table: FloatArray, q: FloatArray, s: float, known: int | None, spread: bool = False
) -> list[float]:
    """The combined answer of X_1; `spread`: with s Q(x_C) pseudo-rows in place of s."""
    mass = sum(of(q, known))
    return combined(of(table, known), [m / mass for m in of(q, known)], s * mass if spread else s)


def assert_one_law(table: FloatArray, q: FloatArray, s: float, spread: bool) -> None:
    """The law of total probability among the answers: sum over x_0 of c(x_0) c(x_1 | x_0) = c(x_1)."""
    first = combined(table.sum(axis=1).tolist(), q.sum(axis=1).tolist(), s)
    summed = [
        sum(c * answers(table, q, s, x, spread)[state] for x, c in enumerate(first))
        for state in range(q.shape[1])
    ]
    assert summed == pytest.approx(answers(table, q, s, None, spread), abs=1e-12)


@given(datasets(min_variables=2, max_variables=2), seeds)
def test_spread_over_evidence_the_pseudo_rows_make_one_law(dataset: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    q = law(random_ordered_network(rng, cards, random_order(rng, 2)))
    N, s = dataset.total, float(rng.uniform(1, 80))
    table = empirical(dataset) * N
    assert_one_law(table, q, s, spread=True)
    joint = (table + s * q) / (N + s)
    for x in range(cards[0]):
        conditional = joint[x] / joint[x].sum()
        assert answers(table, q, s, x, spread=True) == pytest.approx(conditional.tolist(), abs=1e-12)


def test_mutants() -> None:
    """The same s for every evidence: the answers belong to no joint law. And the mean of the two is no posterior."""
    table = np.array([[30.0, 0.0], [1.0, 1.0]])
    q = np.array([[0.5, 0.1], [0.1, 0.3]])
    assert_one_law(table, q, 50.0, spread=True)
    with pytest.raises(AssertionError):
        assert_one_law(table, q, 50.0, spread=False)
    with pytest.raises(AssertionError):
        assert_posterior_mean([0.5 * (0.9 + 0.4), 0.5 * (0.1 + 0.6)], [9, 1], [50 * 0.4, 50 * 0.6])
