"""Rows follow the exact law of the network under its scan.

Every row is the last state of a chain of its own, all within one seed, so rows are independent draws of
the law after `burn_in` sweeps; the networks mix in a few sweeps, so that this is the stationary law to
far below what the draws resolve. Each test has a mutant: the same rows against a slightly other law.
"""

import numpy as np
import pytest

import depnet
from depnet import DecisionGraph, LosslessSource, Network, RandomScan, SequentialScan, sample, stationary
from depnet.model import Given, Scan
from depnet.model.boosted import BoostedNode
from tests.boosted import random_boosted_network
from tests.laws import assert_same_law, joint_counts
from tests.refusals import refuses

DRAWS = 30_000
DETECTS = 0.1  # L1; the false-alarm rate is 1e-9


def counts_of(dataset: depnet.Dataset) -> np.ndarray:
    return joint_counts(dataset.codes, dataset.domain.cardinalities)


def inconsistent(cards: tuple[int, ...], seed: int = 2) -> Network:
    """Tables that no joint distribution has, so that scans and orders have different laws."""
    rng = np.random.default_rng(seed)
    n = len(cards)
    nodes = []
    for i, states in enumerate(cards):
        source: LosslessSource | DecisionGraph = LosslessSource.of_all_but(i, cards)
        if i == 0:
            source = DecisionGraph((depnet.Split(0, n - 1),), cards)
        rows = rng.dirichlet(np.full(states, 0.5), size=source.size) * 0.9 + 0.1 / states
        nodes.append(depnet.TableNode(i, source, depnet.ConditionalTable.from_probabilities(rows)))
    return Network(depnet.Domain.from_cardinalities(cards), tuple(nodes))


BINARY = inconsistent((2, 2, 2))
CATEGORICAL = inconsistent((3, 2, 2))
NETWORKS = {"binary": BINARY, "categorical": CATEGORICAL}
SCANS: dict[str, Scan] = {
    "random": RandomScan(),
    "weighted": RandomScan((0.6, 0.3, 0.1)),
    "sequential": SequentialScan(),
    "reversed": SequentialScan((2, 1, 0)),
}
EVIDENCE: dict[str, Given | None] = {"none": None, "clamped": {"X1": 0}, "soft": {"X0": {0: 1.0, 1: 0.2}}}


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("scan", ["weighted", "reversed"])
@pytest.mark.parametrize("given", EVIDENCE)
def test_rows_follow_the_exact_law(network: str, scan: str, given: str) -> None:
    sampler = depnet.Sampler(
        NETWORKS[network],
        scan=SCANS[scan],
        evidence=EVIDENCE[given],
        burn_in=25,
        thin=1,
        chains=DRAWS,
        rng=np.random.default_rng(1),
    )
    law = stationary(NETWORKS[network], SCANS[scan], EVIDENCE[given])
    assert_same_law(counts_of(sampler.draw(DRAWS)), law, detects_l1=DETECTS)


@pytest.mark.parametrize("scan", ["weighted", "reversed"])
@pytest.mark.parametrize("given", EVIDENCE)
def test_boosted_nodes_whose_theta_is_computed_at_every_update(
    scan: str, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutant is the law of the same nodes without their last stages."""
    monkeypatch.setattr("depnet.model.sources.limits.TABLE_STATES", 0)
    network = random_boosted_network(4, [3, 2, 2], stages=6)
    options = {"scan": SCANS[scan], "evidence": EVIDENCE[given], "burn_in": 25, "thin": 1, "chains": DRAWS}
    sampler = depnet.Sampler(network, rng=np.random.default_rng(1), **options)  # type: ignore[arg-type]
    counts = counts_of(sampler.draw(DRAWS))
    assert_same_law(counts, stationary(network, SCANS[scan], EVIDENCE[given]), detects_l1=DETECTS)
    nodes = []
    for node in network.nodes:
        assert isinstance(node, BoostedNode)
        nodes.append(BoostedNode(node.variable, node.start, node.start_scores, node.stages.first(2)))
    wrong = Network(network.domain, tuple(nodes))
    with pytest.raises(AssertionError, match="L1 distance"):
        assert_same_law(counts, stationary(wrong, SCANS[scan], EVIDENCE[given]), detects_l1=DETECTS)


def test_chains_start_far_apart() -> None:
    """All states alike, and no product of marginals, which would hide modes."""
    rows = sample(CATEGORICAL, DRAWS, burn_in=0, chains=DRAWS, rng=np.random.default_rng(1))
    counts = counts_of(rows)
    assert_same_law(counts, np.full(counts.shape, 1 / counts.size), detects_l1=DETECTS)
    marginals = [node.table.probabilities.mean(axis=0) for node in CATEGORICAL.nodes]
    for law in (np.einsum("i,j,k->ijk", *marginals), stationary(CATEGORICAL, RandomScan())):
        refuses(AssertionError, "L1 distance", assert_same_law, counts, law, detects_l1=DETECTS)


def test_thinned_rows_of_few_chains_follow_the_law_too() -> None:
    """64 chains, rows 8 sweeps apart: nearly independent on a network that mixes in a few sweeps."""
    for scan in (RandomScan(), SequentialScan()):
        rows = sample(BINARY, DRAWS, scan=scan, burn_in=25, thin=8, chains=64, rng=np.random.default_rng(3))
        assert_same_law(counts_of(rows), stationary(BINARY, scan), detects_l1=DETECTS)


@pytest.mark.parametrize("network", NETWORKS)
def test_the_laws_of_other_scans_and_evidence_are_noticed(network: str) -> None:
    made = NETWORKS[network]
    rows = sample(made, DRAWS, burn_in=25, chains=DRAWS, rng=np.random.default_rng(1))
    counts = counts_of(rows)
    assert_same_law(counts, stationary(made, RandomScan()), detects_l1=DETECTS)
    for law in (
        stationary(made, SequentialScan()),
        stationary(made, SCANS["weighted"]),
        stationary(made, RandomScan(), EVIDENCE["soft"]),
    ):
        refuses(AssertionError, "L1 distance", assert_same_law, counts, law, detects_l1=DETECTS)


def test_trace_at_place_i_follows_pi_i_and_all_together_the_centroid() -> None:
    """Independent traces: X^t at t = 3 * 30 + i is a draw of pi^i; a mutant takes the place next to it."""
    rng = np.random.default_rng(2)
    cycle = depnet.stationary_cycle(BINARY, SequentialScan())
    traces, sweeps = 200, 200
    places = np.zeros((3, 2, 2, 2))
    for _ in range(traces):
        codes = depnet.trace(BINARY, 3 * sweeps, scan=SequentialScan(), start=[0, 0, 0], rng=rng).codes
        kept = codes.reshape(sweeps, 3, 3)[20::4]  # sweeps 4 apart are nearly independent here
        for i in range(3):
            np.add.at(places[i], tuple(kept[:, i].T.astype(np.int64)), 1)
    for i in range(3):
        assert_same_law(places[i], cycle[i], detects_l1=0.2)
        refuses(AssertionError, "L1 distance", assert_same_law, places[i], cycle[(i + 1) % 3], detects_l1=0.2)
    assert_same_law(places.sum(axis=0), stationary(BINARY, SequentialScan()), detects_l1=0.12)
    with pytest.raises(AssertionError, match="L1 distance"):
        assert_same_law(places.sum(axis=0), stationary(BINARY, RandomScan()), detects_l1=0.12)
