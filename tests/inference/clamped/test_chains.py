"""What clamped chains estimate is how often their states occur, and follows the exact law; what tells whether they agree."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from depnet import Network, RandomScan, SequentialScan
from depnet.arrays import FloatArray
from depnet.inference.clamped.answer import exact_law, marginal
from depnet.inference.clamped.chains import ClampedChains, drift, split_r_hat, start_states
from depnet.inference.clamped.relevance import reduce
from depnet.law import limits
from depnet.model import Evidence, Scan
from depnet.sampling.chains import ChainProgram, Order
from depnet.sampling.plan import chain_plan
from tests.inference.cases import random_evidence, random_targets, slightly_wrong, uneven
from tests.law.cases import given_tables
from tests.narrowed import there
from tests.reference.inference import query_law
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
    made = ChainProgram(network, evidence)
    return ClampedChains(made, Order.of(scan, free), codes, rng, threads, estimators=estimators)


@given(networks(max_states=200) | mixed_networks(max_states=200), seeds)
def test_counts_are_those_of_the_states_after_each_sweep(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, network)
    estimators = [random_targets(rng, network), random_targets(rng, network, 1)]
    counted, stepped = (
        started(network, evidence, RandomScan(), estimators, np.random.default_rng(seed)) for _ in range(2)
    )
    for chains in (counted, stepped):
        chains.run(2, record=False)
    counted.run(3, record=True)
    expected: list[dict[tuple[int, ...], int]] = [{} for _ in counted.codes]
    for _ in range(3):
        stepped.run(1, record=False)
        for c, row in enumerate(stepped.codes.tolist()):
            for e, targets in enumerate(estimators):
                cell = (e, *(row[i] for i in targets))
                expected[c][cell] = expected[c].get(cell, 0) + 1
    cards = network.domain.cardinalities
    cells = [(e, *x) for e, vs in enumerate(estimators) for x in np.ndindex(*(cards[i] for i in vs))]
    assert counted.rounds[0].tolist() == [[own.get(cell, 0) for cell in cells] for own in expected]
    assert counted.codes.tolist() == stepped.codes.tolist()


SCANS: list[Scan] = [RandomScan((0.6, 0.1, 0.3)), SequentialScan((0, 2, 1))]


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
    averages = chains.rounds[0] / 4
    law = query_law(network, targets, evidence, scan)
    wrong = query_law(slightly_wrong(network), targets, evidence, scan)
    assert abs(averages.sum(axis=1) - 1).max() < 1e-9
    assert_mean(averages, law, detects=0.03)
    with pytest.raises(AssertionError):
        assert_mean(averages, wrong, detects=0.03)


def test_states_of_a_part_of_the_network_follow_the_full_centroid() -> None:
    """X3 is not relevant, and its place in the order counts for the state that stands then; mutant: all places alike."""
    reads = [[0.9, 0.1], [0.2, 0.8]]
    tables = ([2], reads), ([0], reads), ([1], [[0.1, 0.9], [0.7, 0.3]]), ([0], reads)
    network, scan = given_tables(*tables, in_order=False), SequentialScan((0, 3, 1, 2))
    reduced = reduce(network, (0, 1), Evidence({}, {}), scan)
    phases = there(reduced.phases)
    assert phases.tolist() == [0.25, 0.5, 0.25]
    law = marginal(exact_law(reduced), (0, 1))
    every, rng = np.ones((1, 3), dtype=bool), np.random.default_rng(2)
    codes = start_states(chain_plan(reduced.network, reduced.scan), 120_000, rng)
    means = []
    for own in (phases, None):
        order, program = Order.of(reduced.scan, every), ChainProgram(reduced.network)
        chains = ClampedChains(program, order, codes, rng, 2, estimators=[(0, 1)], phases=own)
        chains.run(30, record=False)
        chains.run(2, record=True)
        means.append(chains.rounds[0] / 2)
    assert_mean(means[0], law, detects=0.03)
    with pytest.raises(AssertionError):
        assert_mean(means[1], law, detects=0.03)


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
        answers.append((chains.codes.tolist(), chains.rounds[0].tolist()))
    assert answers[0] == answers[1]


def test_drift_sees_what_moves_all_chains_alike() -> None:
    """A common slope too small for R-hat, which looks at chains one by one, stands out in their mean."""
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(12, 64, 2))
    slope = np.where(np.arange(12) < 6, -0.2, 0.2)[:, None, None]
    assert drift(noise) < 4.5  # normal: passed once in 10^5
    assert drift(noise + slope) > 4.5
    r_hat = split_r_hat(noise + slope, np.array([0, 0]))
    assert r_hat.max() < 1.05
    assert drift(np.zeros((12, 64, 2))) == 0
