"""What a standard error promises, however chains mix; chains that hardly leave a mode have not converged."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import depnet
from depnet import (
    ConditionalTable,
    Dataset,
    Domain,
    LosslessSource,
    Network,
    RandomScan,
    TableNode,
    impute,
    query,
)
from depnet.inference.clamped import answer, chains
from depnet.inference.clamped.chains import Estimate, estimate, start_states
from depnet.law import limits
from depnet.model import Evidence
from depnet.sampling.plan import ChainPlan, chain_plan
from tests.law.cases import given_tables
from tests.strategies import random_joint

SIDE = 8
UP = 0.22


def neighbours(i: int) -> tuple[int, ...]:
    row, column = divmod(i, SIDE)
    around = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
    return tuple(r * SIDE + c for r, c in around if 0 <= r < SIDE and 0 <= c < SIDE)


def spins() -> Network:
    """The full conditionals of the Ising model, coupling 1 and a field of -.01: theta(1 | m) = 1 / (1 + e^(-2 (m - .01))).

    Its two modes weigh about .78 and .22, and a chain does not go from one to the other in a lifetime.
    """
    nodes = []
    for i in range(SIDE**2):
        around = neighbours(i)
        source = LosslessSource(around, (2,) * len(around))
        states = np.array(list(np.ndindex(*source.input_cardinalities)))
        codes = np.zeros((len(states), SIDE**2), dtype=np.uint8)
        codes[:, around] = states
        up = 1 / (1 + np.exp(-2 * ((2 * states - 1).sum(axis=1) - 0.01)))
        theta = np.zeros((source.size, 2))
        theta[source(codes)] = np.column_stack([1 - up, up])
        nodes.append(TableNode(i, source, ConditionalTable.from_probabilities(theta)))
    return Network(Domain.from_cardinalities([2] * SIDE**2), tuple(nodes))


@pytest.fixture(scope="module")
def network() -> Network:
    return spins()


@pytest.fixture(scope="module")
def table(network: Network) -> Dataset:
    """Rows of both modes, in their shares."""
    rng = np.random.default_rng(0)
    up = rng.random((1000, 1)) < UP
    return Dataset.from_codes(
        (up ^ (rng.random((1000, SIDE**2)) < 0.001)).astype(np.uint8), domain=network.domain
    )


@pytest.mark.parametrize("with_rows", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_two_modes_that_do_not_mix_are_not_called_converged(
    network: Network, table: Dataset, with_rows: bool, seed: int
) -> None:
    """Eight of the 64 chains start with all spins up and eight with all down: either mode is seen, whatever the seed."""
    rng = np.random.default_rng(seed)
    found = query(network, "X0", tolerance=0.01, data=table if with_rows else None, rng=rng)
    assert not found.converged
    assert any("do not mix" in text for text in found.warnings)


def test_mutant_chains_from_the_product_of_the_marginals_agree_on_one_mode(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    """.22 up in every place is no state of either mode: all chains (but one, of few seeds) fall into the other.

    And they agree."""

    def product(
        plan: ChainPlan, chains: int, rng: np.random.Generator, rows: object = None
    ) -> NDArray[np.uint16]:
        return (rng.random((chains, plan.variables)) < UP).astype(np.uint16)

    monkeypatch.setattr(chains, "start_states", product)
    found = query(network, "X0", tolerance=0.01, rng=np.random.default_rng(1))
    assert found.converged
    assert np.asarray(found.probabilities)[1] < 0.1, "where it is .232"


def test_an_answer_in_no_time_is_not_called_converged(network: Network) -> None:
    found = query(network, "X0", tolerance=0.5, max_seconds=1e-9)
    assert not found.converged
    assert np.isnan(found.r_hat or 0.0)


def test_starts_are_far_apart_and_as_the_evidence_allows() -> None:
    alone = given_tables(*[([], [[1 / k] * k]) for k in (2, 3, 4)], in_order=False)
    evidence = Evidence({0: 1}, {2: np.array([0.0, 1.0, 0.5, 0.0])})
    rows = np.array([[0, 2, 2], [1, 0, 3]], dtype=np.uint16)
    starts = start_states(chain_plan(alone, RandomScan(), evidence), 400, np.random.default_rng(0), rows)
    assert (starts[:, 0] == 1).all()
    assert set(starts[:, 2].tolist()) == {1, 2}
    assert starts[0].tolist() == [1, 2, 2]
    assert starts[1, 1] == 0
    assert {tuple(row) for row in starts[300:].tolist()} == {(1, 0, 1), (1, 2, 2)}
    counts = np.bincount(starts[2:300, 1], minlength=3)
    assert (np.abs(counts - 298 / 3) < 6 * np.sqrt(298 * 2 / 9)).all(), "six deviations: once in 5e8"


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
    with pytest.raises(AssertionError, match="within two standard errors"):
        assert_covered(covered(SELDOM, "X0", 0.02))


def assert_drawn_from_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """X0 = X1 = 1 has .2, and a chain stays there for hundreds of sweeps: 400 draws resolve .12 at six deviations."""
    network = sticky(0.2, 0.005)
    law = depnet.stationary(network, depnet.RandomScan())
    monkeypatch.setattr(limits, "ROW_STATES", 0)  # by chains
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
