"""The native chains are the slow twin's, word for word; each Rao-Blackwell formula is the exact law.

What tells whether chains agree.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from depnet import Network, RandomScan, SequentialScan
from depnet.arrays import FloatArray
from depnet.inference.clamped.chains import ClampedChains, drift, estimate, split_r_hat, start_states
from depnet.law import limits
from depnet.model import Evidence, Scan
from depnet.sampling.chains import ChainProgram, Order
from depnet.sampling.plan import chain_plan
from tests.exact.drawing import any_scan
from tests.inference.cases import random_evidence, random_question, random_targets, slightly_wrong, uneven
from tests.reference.inference import clamped_chain, query_law, rao_blackwell_random, rao_blackwell_sequential
from tests.strategies import mixed_networks, networks, seeds


def started(
    network: Network,
    evidence: Evidence,
    scan: Scan,
    estimators: list[list[int]],
    rng: np.random.Generator,
    per_row: int = 3,
    threads: int = 1,
) -> ClampedChains:
    free = np.array([[i not in evidence.clamped for i in range(len(network))]])
    codes = start_states(chain_plan(network, RandomScan(), evidence), per_row, rng)
    made = ChainProgram(network, estimators, evidence)
    return ClampedChains(made, Order.of(scan, free), codes, rng, threads)


@given(networks(max_states=200, zeros=0.2) | mixed_networks(max_states=200), seeds)
@pytest.mark.parametrize("table_states", [0, 1 << 12])
def test_the_kernel_equals_the_slow_twin(table_states: int, network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence, scan = random_evidence(rng, network), any_scan(rng, network)
    estimators = [random_targets(rng, network), random_targets(rng, network, 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "depnet.model.sources.limits.TABLE_STATES", table_states
        )  # walk graphs and stages, or look them up
        chains = started(replace(network), evidence, scan, estimators, rng)
    starts = chains.codes.copy()
    assert chains.run(2, record=False)
    assert chains.run(3, record=True)
    sums, weights = chains.rounds[0]
    for c in range(len(starts)):
        key = int(chains.keys[c])
        middle, early, early_weights = clamped_chain(network, evidence, scan, starts[c], key, 2, estimators)
        last, late, late_weights = clamped_chain(network, evidence, scan, starts[c], key, 5, estimators)
        assert len(middle) == len(last)
        assert chains.codes[c].tolist() == last
        at = 0
        for e, targets in enumerate(estimators):
            shape = [network.domain.cardinalities[i] for i in targets]
            size = math.prod(shape)
            expected = np.zeros(shape)
            for cell in np.ndindex(*shape):
                expected[cell] = late[e].get(cell, 0.0) - early[e].get(cell, 0.0)
            np.testing.assert_allclose(sums[c, at : at + size].reshape(shape), expected, atol=1e-12)
            np.testing.assert_allclose(weights[c, e], late_weights[e] - early_weights[e], atol=1e-12)
            at += size


@given(networks(max_variables=4, max_states=40) | mixed_networks(max_variables=4, max_states=40), seeds)
def test_rao_blackwell_formulas_are_the_exact_law(network: Network, seed: int) -> None:
    evidence, scan, targets = random_question(network, seed)
    if not targets:
        return
    law = query_law(network, targets, evidence, scan)
    if isinstance(scan, RandomScan):
        formula = rao_blackwell_random(network, targets, evidence, scan)
    else:
        formula = rao_blackwell_sequential(network, targets, evidence, scan)
    np.testing.assert_allclose(formula, law, atol=1e-9)


SCANS: list[Scan] = [RandomScan((0.6, 0.1, 0.3)), SequentialScan((0, 2, 1))]


@pytest.mark.parametrize("scan", SCANS)
def test_one_targets_theta_alone_is_biased_for_a_joint(scan: Scan) -> None:
    network, nothing = uneven(), Evidence({}, {})
    law = query_law(network, [0, 1], nothing, scan)
    if isinstance(scan, RandomScan):
        mutant = rao_blackwell_random(network, [0, 1], nothing, RandomScan((0.3, 0.3, 0.4)))
        weighted = rao_blackwell_random(network, [0, 1], nothing, scan)
    else:
        mutant = rao_blackwell_sequential(network, [0, 1], nothing, SequentialScan((0, 1, 2)))
        weighted = rao_blackwell_sequential(network, [0, 1], nothing, scan)
    np.testing.assert_allclose(weighted, law, atol=1e-10)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(mutant, law, atol=1e-4)


def assert_mean(
    averages: FloatArray, expected: FloatArray, *, detects: float, false_alarm: float = 1e-9
) -> None:
    """Averages of independent chains, each cell in [0, 1], have the mean `expected` (Hoeffding, all cells).

    A right mean fails with probability `false_alarm` at most; one `detects` away passes no more often.
    """
    cells = expected.size
    radius = math.sqrt(math.log(2 * cells / false_alarm) / (2 * len(averages)))
    assert 2 * radius <= detects, f"{len(averages)} chains only resolve {2 * radius:.3g}"
    difference = np.abs(averages.mean(axis=0).ravel() - expected.ravel()).max()
    assert difference < radius, f"differs by {difference:.3g}, expected below {radius:.3g}"


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("clamped", [{}, {1: 1}])
def test_estimates_follow_the_exact_law(scan: Scan, clamped: dict[int, int]) -> None:
    network, evidence, targets = uneven(), Evidence(clamped, {}), [0, 2]
    chains = started(network, evidence, scan, [targets], np.random.default_rng(1), per_row=120_000, threads=2)
    chains.run(60, record=False)
    chains.run(4, record=True)
    sums, weights = chains.rounds[0]
    busy = weights[:, 0] > 0  # under the random scan a chain may have updated no target
    averages = sums[busy] / weights[busy]
    law = query_law(network, targets, evidence, scan)
    wrong = query_law(slightly_wrong(network), targets, evidence, scan)
    pooled = sums.sum(axis=0) / weights.sum(axis=0)
    assert abs(pooled.sum() - 1) < 1e-9
    if isinstance(scan, SequentialScan):  # every chain has the same weight: averages are unbiased
        assert_mean(averages, law, detects=0.03)
        with pytest.raises(AssertionError):
            assert_mean(averages, wrong, detects=0.03)
    else:  # a ratio: the error of the pooled estimate is its own, at 7 of them
        errors = estimate(chains, one_more=False).errors
        assert errors.max() < 1e-3, "resolves 0.014"
        assert (np.abs(pooled - law.ravel()) < 7 * errors).all()
        with pytest.raises(AssertionError):
            assert (np.abs(pooled - wrong.ravel()) < 7 * errors).all()


@settings(max_examples=10)
@given(networks(min_variables=3, max_states=200), seeds)
def test_results_do_not_depend_on_threads_or_pieces(network: Network, seed: int) -> None:
    from depnet.sampling import chains as module

    answers = []
    for threads, pieces, small in ((1, 10**9, 10**9), (3, 50, 0)):
        kept = module.Chains.updates_a_call, limits.THREAD_CELLS
        module.Chains.updates_a_call, limits.THREAD_CELLS = pieces, small
        try:
            rng = np.random.default_rng(seed)
            evidence = random_evidence(rng, network)
            chains = started(network, evidence, RandomScan(), [[0]], rng, per_row=16, threads=threads)
            chains.run(9, record=True)
        finally:
            module.Chains.updates_a_call, limits.THREAD_CELLS = kept
        answers.append((chains.codes.tolist(), *(part.tolist() for part in chains.rounds[0])))
    assert answers[0] == answers[1]


def test_drift_sees_what_moves_all_chains_alike() -> None:
    """A common slope too small for R-hat, which looks at chains one by one, stands out in their mean."""
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(12, 64, 2))
    slope = np.where(np.arange(12) < 6, -0.2, 0.2)[:, None, None]
    assert drift(noise) < 4.5  # normal: passed once in 10^5
    assert drift(noise + slope) > 4.5
    weights, values = np.full((12, 64, 2), 1.0), np.zeros(2)
    r_hat = split_r_hat(noise + slope, weights, values, np.array([0, 0]))
    assert r_hat.max() < 1.05
    assert drift(np.zeros((12, 64, 2))) == 0
