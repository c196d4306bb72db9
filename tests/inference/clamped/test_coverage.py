"""What a standard error promises: the exact answer within two of them, 19 times of 20, however chains mix."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import depnet
from depnet import Network, impute, query
from depnet.inference.clamped import answer, chains
from depnet.inference.clamped.chains import Estimate, estimate
from tests.strategies import random_joint

SEEDS = 250
PROMISED, FALSE_ALARM = 0.95, 1e-6
DETECTED, MISSED = 0.75, 3e-6


def assert_covered(hits: int) -> None:
    """A coverage of `PROMISED` fails with probability `FALSE_ALARM` at most; one of `DETECTED` passes with `MISSED`."""
    least = int(stats.binom.ppf(FALSE_ALARM, SEEDS, PROMISED))
    assert stats.binom.sf(least - 1, SEEDS, DETECTED) < MISSED
    assert hits >= least, f"{hits} of {SEEDS} within two standard errors, expected at least {least}"


def sticky(rare: float, slip: float) -> Network:
    """X0 and X1 copy each other but for a share `slip`, and are 1 together seldom and for long; X2 follows them."""
    pair = np.array([[1 - rare - slip, slip / 2], [slip / 2, rare]])
    follows = np.array([[0.9, 0.1], [0.2, 0.8]])
    return Network.from_joint(pair[:, :, None] * follows[:, None, :])


def covered(network: Network, target: str, tolerance: float) -> int:
    """How many of `SEEDS` sampled answers have the exact one within two standard errors (of their first state)."""
    exact = np.asarray(query(network, target, method="exact").probabilities)[0]
    hits = 0
    for seed in range(SEEDS):
        answer = query(network, target, method="sample", tolerance=tolerance, rng=np.random.default_rng(seed))
        assert answer.converged
        error = abs(np.asarray(answer.probabilities)[0] - exact)
        hits += bool(error <= 2 * np.asarray(answer.standard_errors)[0])
    return hits


FAST = Network.from_joint(random_joint(np.random.default_rng(3), (2, 3, 2)))
SELDOM = sticky(0.003, 0.0005)


@pytest.mark.parametrize(
    ("network", "target", "tolerance"),
    [
        (FAST, "X1", 0.003),
        (sticky(0.05, 0.002), "X0", 0.02),
        (sticky(0.01, 0.001), "X2", 0.02),
        (SELDOM, "X0", 0.02),
    ],
    ids=["fast", "sticky", "rare", "seldom"],
)
def test_two_standard_errors_cover_the_exact_answer(network: Network, target: str, tolerance: float) -> None:
    assert_covered(covered(network, target, tolerance))


def test_the_spread_of_the_chains_alone_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: the error of a mean over chains, of runs that may end as soon as it is small."""

    def plain(chains: Any) -> Estimate:
        return estimate(chains, one_more=False)

    monkeypatch.setattr(chains, "estimate", plain)
    monkeypatch.setattr(chains, "RESOLUTION", 0.0)
    monkeypatch.setattr(chains, "FIRST_SWEEPS", 8)
    with pytest.raises(AssertionError, match="within two standard errors"):
        assert_covered(covered(SELDOM, "X0", 0.02))


def assert_drawn_from_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """X0 = X1 = 1 has .2, and a chain stays there for hundreds of sweeps: 400 draws resolve .12 at six deviations."""
    network = sticky(0.2, 0.005)
    law = depnet.stationary(network, depnet.RandomScan())
    monkeypatch.setattr(answer, "ROW_STATES", 0)  # by chains
    done = impute(network, np.full((400, 3), -1), method="draw", tolerance=0.05, rng=np.random.default_rng(0))
    assert done.converged
    share = (done.codes[:, :2] == 1).all(axis=1).mean()
    assert abs(share - law[1, 1].sum()) < 6 * np.sqrt(0.2 * 0.8 / 400)


def test_draws_of_holes_are_of_the_law_where_chains_mix_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_drawn_from_the_law(monkeypatch)


def test_mutant_draws_of_chains_that_have_not_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsettled(chains: Any, count: int, **_: Any) -> Any:
        return np.zeros((count, 3), dtype=int)

    monkeypatch.setattr(answer, "_states_of", unsettled)
    with pytest.raises(AssertionError):
        assert_drawn_from_the_law(monkeypatch)
