"""Drift of marginals: equal to its definition, at its floor for a perfect network, above it for a wrong one."""

import itertools

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Dataset, Network, learn, marginal_drift
from depnet.errors import DataError, ModelError
from depnet.inference.drift import distance
from depnet.model.marginals import MarginalCounts
from tests.strategies import datasets, networks, random_joint, seeds


def slow_distance(first: Dataset, second: Dataset, variables: tuple[int, ...]) -> float:
    """Half the sum over states of the difference of relative frequencies, by loops over rows."""
    share: dict[tuple[int, ...], list[float]] = {}
    for side, table in enumerate((first, second)):
        weights = np.ones(table.rows) if table.weights is None else table.weights
        for row, weight in zip(table.codes.tolist(), weights.tolist(), strict=True):
            share.setdefault(tuple(row[i] for i in variables), [0.0, 0.0])[side] += weight / table.total
    return sum(abs(a - b) for a, b in share.values()) / 2


@given(datasets(weighted=True), seeds)
def test_distances_are_total_variation(table: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, table.domain.cardinalities, size=(30, len(table.domain)))
    other = Dataset.from_codes(codes, domain=table.domain)
    found = distance(MarginalCounts.of(table), MarginalCounts.of(other), table.domain.names)
    n = len(table.domain)
    np.testing.assert_allclose(
        found.singles, [slow_distance(table, other, (i,)) for i in range(n)], rtol=0, atol=1e-12
    )
    assert found.pairs is not None
    np.testing.assert_allclose(
        found.pairs,
        [slow_distance(table, other, pair) for pair in itertools.combinations(range(n), 2)],
        rtol=0,
        atol=1e-12,
    )


def drawn_from(p: np.ndarray, rows: int, rng: np.random.Generator) -> Dataset:
    states = rng.choice(p.size, size=rows, p=p.ravel())
    return Dataset.from_codes(np.column_stack(np.unravel_index(states, p.shape)), p.shape)


def assert_at_its_floor(network: Network, table: Dataset) -> None:
    found = marginal_drift(network, table, rows=20_000, rng=np.random.default_rng(1))
    assert found.floor is not None
    assert found.pair_mean < 2.5 * found.floor.pair_mean


def test_a_perfect_network_is_at_its_floor_and_a_wrong_one_is_not() -> None:
    rng = np.random.default_rng(0)
    p = random_joint(rng, (2, 3, 2))
    table = drawn_from(p, 200_000, rng)
    assert_at_its_floor(Network.from_joint(p), table)
    with pytest.raises(AssertionError):
        assert_at_its_floor(Network.from_joint(0.9 * p + 0.1 / p.size), table)


@given(networks(max_variables=3, max_states=30, blocks=True), seeds)
def test_drift_of_blocks_is_that_of_their_law(network: Network, seed: int) -> None:
    """Against the exact law, for overlapping blocks: within what 4,000 rows resolve."""
    rng = np.random.default_rng(seed)
    table = drawn_from(random_joint(rng, network.domain.cardinalities), 500, rng)
    pi = depnet.stationary(network, depnet.RandomScan())
    found = marginal_drift(network, table, rows=4_000, burn_in=200, thin=50, rng=rng)
    data = MarginalCounts.of(table)
    for i, value in enumerate(found.singles):
        law = pi.sum(axis=tuple(j for j in range(pi.ndim) if j != i))
        assert value == pytest.approx(np.abs(law - data.singles[i] / 500).sum() / 2, abs=0.12)


def test_it_prints_itself_and_refuses_what_it_cannot_compare() -> None:
    table = depnet.titanic()
    network = learn(table, smoothing=0.5)
    shown = str(marginal_drift(network, table, rows=2_000, rng=np.random.default_rng(0)))
    assert "1-way: mean" in shown
    assert "2-way: mean" in shown
    assert "floor" in shown
    with pytest.raises(ModelError, match="marginal_drift"):
        marginal_drift(network, Dataset.from_codes([[0]], [2]))
    with pytest.raises(DataError, match="no rows"):
        marginal_drift(network, Dataset.from_codes(np.zeros((0, 4), dtype=np.uint8), domain=table.domain))


def test_a_report_shows_every_network_and_says_which_is_nearest() -> None:
    rng = np.random.default_rng(4)
    p = random_joint(rng, (2, 3, 2))
    table = drawn_from(p, 50_000, rng)
    wrong = Network.from_joint(np.full((2, 3, 2), 1 / 12))
    report = depnet.drift_report(
        {"wrong": wrong, "right": Network.from_joint(p)}, table, rows=20_000, rng=rng
    )
    assert report.nearest == "right"
    assert report.halved("right", "wrong")
    assert not report.halved("wrong", "right")
    lines = str(report).splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["wrong", "right", "floor"]
    assert f"{report.drifts['wrong'].pair_mean:.4f}" in lines[2]
    assert lines[-1] == "nearest to the data: right"
    with pytest.raises(DataError, match="no network"):
        depnet.drift_report({}, table)
