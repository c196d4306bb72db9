"""Packed chains: their sums are the formula's on the states of the slow kernel; their estimates follow the law."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings

from depnet import ConditionalTable, Domain, LosslessSource, Network, Node, RandomScan, SequentialScan
from depnet.inference.clamped import packed as module
from depnet.inference.clamped.estimates import estimate
from depnet.inference.clamped.packed import PackedChains
from depnet.inference.clamped.relevance import reduce
from depnet.inference.clamped.starts import start_states
from depnet.model import Evidence
from depnet.sampling.kernels import CallbackKernel, Randomness, Task
from tests.inference.cases import random_evidence, random_scan, random_targets, slightly_wrong, uneven
from tests.reference.inference import query_law, rao_blackwell_state
from tests.strategies import networks, seeds

CHAINS = 3
ZEROS = np.zeros((CHAINS, 3), dtype=np.uint16)


def slow_states(chains: PackedChains, starts: np.ndarray, gaps: list[tuple[int, int]]) -> list[np.ndarray]:
    """For each (gap, records) of a round the states that are seen [record, chain, variable], by the slow kernel."""
    compiled = chains.kernel.plan
    kernel = CallbackKernel(compiled)
    state = kernel.state(np.ascontiguousarray(starts.T.astype(np.uint8)))
    found, sweep = [], 0
    for gap, records in gaps:
        out = np.empty((compiled.variables, records * CHAINS), dtype=compiled.dtype)
        task = Task(0, CHAINS, first_sweep=sweep, lead=gap, gap=gap, records=records, record_stride=CHAINS)
        kernel.run(task, Randomness(chains.seed), state, out)
        found.append(out.T.reshape(records, CHAINS, -1))
        sweep += gap * records
    return found


@settings(max_examples=40)
@given(networks(max_states=60), seeds)
def test_sums_are_the_formula_on_the_states_that_are_seen(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence, scan = random_evidence(rng, network), random_scan(rng, network)
    asked = [random_targets(rng, network), random_targets(rng, network, 1)]
    asked = [[i for i in targets if i not in evidence.clamped] for targets in asked]
    asked = [targets for targets in asked if targets]
    assume(asked and isinstance(scan, RandomScan))
    assert isinstance(scan, RandomScan)
    reduced = reduce(network, sorted({i for targets in asked for i in targets}), evidence, scan)
    estimators = [[reduced.place(i) for i in targets] for targets in asked]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "RECORDS", 4)
        starts = start_states(reduced.network, reduced.evidence, CHAINS, rng)
        chains = PackedChains.of(reduced, estimators, starts, rng)
        assume(chains is not None)
        assert chains is not None
        assert chains.run(2)
        assert chains.run(8)
    assert (chains.sweeps, chains.round_sweeps) == (10, 8)
    assert isinstance(reduced.scan, RandomScan)
    for (sums, weights), (gap, states) in zip(
        chains.rounds, zip((1, 2), slow_states(chains, starts, [(1, 2), (2, 4)]), strict=True), strict=True
    ):
        at = 0
        for e, targets in enumerate(estimators):
            size = math.prod(reduced.network.domain.cardinalities[i] for i in targets)
            for c in range(CHAINS):
                expected = sum(
                    gap * rao_blackwell_state(reduced.network, targets, reduced.evidence, reduced.scan, row)
                    for row in states[:, c].tolist()
                )
                np.testing.assert_allclose(
                    sums[0, c, at : at + size], np.asarray(expected).ravel(), atol=1e-12
                )
                assert weights[0, c, e] == gap * len(states)
            at += size


@pytest.mark.parametrize("clamped", [{}, {1: 1}])
@pytest.mark.parametrize("scan", [RandomScan(), RandomScan((0.6, 0.1, 0.3))])
def test_estimates_follow_the_exact_law(scan: RandomScan, clamped: dict[int, int]) -> None:
    network, evidence, targets = uneven(), Evidence(clamped, {}), [0, 2]
    reduced = reduce(network, targets, evidence, scan)
    places = [reduced.place(i) for i in targets]
    rng = np.random.default_rng(1)
    starts = start_states(reduced.network, reduced.evidence, 60_000, rng)
    chains = PackedChains.of(reduced, [places], starts, rng)
    assert chains is not None
    chains.run(64)  # forgets the start
    chains.rounds.clear()
    chains.run(8)
    found = estimate(chains, [4])
    # Chains are independent: the error is that of a mean of 60,000 of them, and 7 of it are passed once in 4e11 cells.
    assert found.errors.max() < 1e-3, "resolves 0.014"
    law = query_law(network, targets, evidence, scan)
    wrong = query_law(slightly_wrong(network), targets, evidence, scan)
    assert (np.abs(found.values[0] - law.ravel()) < 7 * found.errors[0]).all()
    with pytest.raises(AssertionError):
        assert (np.abs(found.values[0] - wrong.ravel()) < 7 * found.errors[0]).all()


def test_the_general_chains_are_kept_for_what_does_not_fit() -> None:
    rng, nothing = np.random.default_rng(0), Evidence({}, {})
    network = uneven()
    sequential = reduce(network, [0], nothing, SequentialScan())
    assert PackedChains.of(sequential, [[0]], ZEROS, rng) is None
    table = ConditionalTable.from_probabilities(np.full((9, 9), 1 / 9))
    wide = Network(
        Domain.from_cardinalities([9, 9]),
        (Node((0,), LosslessSource((1,), (9,)), table), Node((1,), LosslessSource((0,), (9,)), table)),
    )
    assert PackedChains.of(reduce(wide, [0], nothing, RandomScan()), [[0]], ZEROS[:, :2], rng) is None


def test_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reduced = reduce(uneven(), [0, 2], Evidence({}, {}), RandomScan())
    made = []
    for states in (1 << 18, 7 * CHAINS):
        monkeypatch.setattr(module, "MAX_STATES", states)
        chains = PackedChains.of(reduced, [[0, 2]], ZEROS, np.random.default_rng(2))
        assert chains is not None
        assert chains.run(64)
        made.append(chains)
    whole, pieces = made
    assert (whole.sweeps, whole.state.tolist()) == (pieces.sweeps, pieces.state.tolist())
    np.testing.assert_allclose(pieces.rounds[0][0], whole.rounds[0][0], rtol=1e-12)
    np.testing.assert_allclose(whole.rounds[0][0].sum(), 64 * CHAINS, rtol=1e-12)


def test_time_that_is_up_ends_a_round() -> None:
    chains = PackedChains.of(
        reduce(uneven(), [0], Evidence({}, {}), RandomScan()), [[0]], ZEROS, np.random.default_rng(0)
    )
    assert chains is not None
    assert not chains.run(8, over=lambda: True)
    assert chains.rounds == []
