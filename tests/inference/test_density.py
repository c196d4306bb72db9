"""Log-probabilities: the exact law's, and the sweep density's estimate of pi^0."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from depnet import Dataset, Network, RandomScan, SequentialScan, log_probability, sweep_density
from depnet.errors import DataError, DomainTooLargeError
from depnet.exact import stationary, stationary_cycle
from tests.inference.test_rows import coupled
from tests.reference.inference import joint_states
from tests.reference.inference import sweep_density as literal
from tests.strategies import networks, seeds


def all_rows(network: Network) -> Dataset:
    return Dataset.from_codes(
        np.array(list(joint_states(network.domain.cardinalities))), domain=network.domain
    )


@settings(max_examples=20)
@given(networks(max_variables=4, max_states=30), seeds)
def test_the_sweep_density_is_pi_0(network: Network, seed: int) -> None:
    order = tuple(int(i) for i in np.random.default_rng(seed).permutation(len(network)))
    scan = SequentialScan(order)
    before = stationary_cycle(network, scan)[0]
    for x in joint_states(before.shape):
        assert math.isclose(literal(network, x, scan), before[x], abs_tol=1e-9)


@settings(max_examples=20)
@given(networks(max_variables=4, max_states=24, blocks=True), seeds)
def test_estimates_are_within_their_errors(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scan = SequentialScan(tuple(int(i) for i in rng.permutation(len(network))))
    found = sweep_density(network, all_rows(network), scan=scan, draws=4000, rng=rng)
    before = stationary_cycle(network, scan)[0].ravel()
    density = np.exp(found.values)
    # Where a few draws carry the mean, its error is underestimated: 9 of them, and Chebyshev's 1e-2 besides.
    assert (np.abs(density - before) <= 9 * density * found.standard_errors + 0.03 * before + 1e-6).all()
    assert found.estimated


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_another_order_is_another_law(order: tuple[int, ...]) -> None:
    network, scan = coupled(), SequentialScan(order)
    found = np.exp(
        sweep_density(
            network, all_rows(network), scan=scan, draws=20_000, rng=np.random.default_rng(0)
        ).values
    )
    right = stationary_cycle(network, scan)[0].ravel()
    wrong = stationary_cycle(network, SequentialScan((1, 2, 0)))[0].ravel()
    np.testing.assert_allclose(found, right, atol=0.01)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(found, wrong, atol=0.01)


def test_small_domains_are_exact() -> None:
    network = coupled()
    for scan, law in ((RandomScan(), "pi"), (SequentialScan(), "centroid")):
        found = log_probability(network, all_rows(network), scan=scan)
        np.testing.assert_allclose(np.exp(found.values), stationary(network, scan).ravel(), atol=1e-12)
        assert (found.law, found.estimated) == (law, False)


def test_bad_input_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("depnet.inference.density.EXACT_STATES", 1)
    network = coupled()
    with pytest.raises(DomainTooLargeError, match=r"SequentialScan\(\)"):
        log_probability(network, all_rows(network))
    assert log_probability(network, all_rows(network), scan=SequentialScan(), draws=50).law == "pi^0"
    with pytest.raises(DataError, match="another domain"):
        log_probability(network, Dataset.from_codes([[0]], [2]))
    with pytest.raises(ValueError, match="draws is a whole number of at least 2; got 1"):
        sweep_density(network, all_rows(network), draws=1)
