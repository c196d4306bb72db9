"""The mode of the exact law, and what a search finds instead of it.

Log-probabilities are the exact law's, and refused where it is too large.
"""

import numpy as np
import pytest
from hypothesis import given

from depnet import (
    Dataset,
    Network,
    RandomScan,
    SequentialScan,
    learn,
    log_probability,
    most_probable,
    query,
    score_samples,
    titanic,
)
from depnet.errors import DataError, DomainTooLargeError, EvidenceError
from depnet.exact import stationary
from depnet.law.mode import searched_state
from depnet.model import Evidence
from tests.inference.cases import coupled, random_evidence, random_scan
from tests.reference.inference import joint_states
from tests.refusals import refuses
from tests.strategies import networks, ordered_networks, random_ordered_network, seeds


@given(networks(max_states=100), seeds)
def test_the_mode_of_the_exact_law(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence, scan = random_evidence(rng, network), random_scan(rng, network)
    found = most_probable(network, evidence, scan=scan)
    law = stationary(network, scan, evidence)
    assert found.method == "exact"
    assert found.probability == pytest.approx(law.max(), abs=1e-9)
    assert law[tuple(int(x) for x in found.states.values())] == pytest.approx(law.max(), abs=1e-9)


def test_a_law_of_a_chain_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("depnet.inference.ask.states.MODE_STATES", 3)
    network = Network.from_joint(np.full((2, 2), 0.25))
    refuses(DomainTooLargeError, 'order="auto"', lambda: most_probable(network))
    assert most_probable(network, {"X0": 1}).states["X0"] == 1


def test_nothing_left_to_complete_is_an_error() -> None:
    network = Network.from_joint(np.full((2, 2), 0.25))
    refuses(EvidenceError, "every variable", lambda: most_probable(network, {"X0": 0, "X1": 1}))


@given(ordered_networks(max_states=200, boosted=True), seeds)
def test_the_mode_of_an_ordered_law(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, network)
    found = most_probable(network, evidence, rng=rng)
    law = stationary(network, evidence=evidence)
    assert found.method == "exact"
    assert found.scan is None
    assert found.probability == pytest.approx(law.max(), rel=1e-9)
    assert law[tuple(int(x) for x in found.states.values())] == pytest.approx(law.max(), rel=1e-9)


def test_each_variable_at_its_own_mode_is_another_state() -> None:
    """A mutant: where sums stand in the place of maxima, the state is not the most probable one."""
    p = np.array([[0.3, 0.3, 0.0], [0.0, 0.0, 0.4]])
    law = learn(
        Dataset.from_codes(np.argwhere(p > 0), [2, 3], weights=(10 * p[p > 0]).astype(int)),
        order=["X0", "X1"],
        penalty="none",
    )
    found = most_probable(law)
    assert found.states == {"X0": 1, "X1": 2}
    assert found.probability == pytest.approx(0.4)
    marginal = np.asarray(query(law, "X0").probabilities)
    assert marginal.argmax() == 0


@given(ordered_networks(max_states=60, boosted=True), seeds)
def test_a_search_finds_the_mode_of_a_small_law(network: Network, seed: int) -> None:
    """Of 16,384 passes those of a law of at most 60 states hold every state but very improbable ones."""
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, network)
    found = searched_state(network, evidence, seed)
    law = stationary(network, evidence=evidence)
    assert law[tuple(found)] == pytest.approx(law.max(), rel=1e-9)


def test_a_search_ends_when_it_is_over() -> None:
    network = random_ordered_network(np.random.default_rng(5), (3,) * 12, range(12))
    asked: list[bool] = []

    def over() -> bool:
        asked.append(True)
        return len(asked) > 3

    nothing = Evidence({}, {})
    early, late = (searched_state(network, nothing, 1, each) for each in (over, lambda: False))
    assert len(asked) <= 2 * 12  # the sweep in which it was over, and one more that changes nothing
    scores = score_samples(network, Dataset.from_codes(np.stack([early, late]), domain=network.domain))
    assert scores[0] <= scores[1]


def test_a_search_of_a_law_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("depnet.law.elimination.LARGEST", 2)
    people = titanic()
    law = learn(people, order="auto", smoothing=0.5)
    found = most_probable(law, {"sex": "female"}, rng=np.random.default_rng(0))
    assert found.method == "searched"
    assert found.probability is None
    assert found.states["sex"] == "female"
    assert "not proven" in str(found)
    monkeypatch.undo()
    exact = most_probable(law, {"sex": "female"})
    assert exact.states == found.states
    assert exact.pseudo_log_likelihood == pytest.approx(found.pseudo_log_likelihood)
    assert most_probable(law, {"sex": "female"}, scan=RandomScan()).scan == RandomScan()


def test_evidence_of_probability_0_is_an_error() -> None:
    rows = Dataset.from_codes([[0, 0, 0], [1, 1, 0]], [2, 2, 2])
    law = learn(rows, order=["X0", "X1", "X2"], penalty="none")
    refuses(EvidenceError, "probability 0", lambda: most_probable(law, {"X0": 0, "X1": 1}))


def all_rows(network: Network) -> Dataset:
    return Dataset.from_codes(
        np.array(list(joint_states(network.domain.cardinalities))), domain=network.domain
    )


def test_small_domains_are_exact() -> None:
    network = coupled()
    for scan, law in ((None, "pi"), (RandomScan(), "pi"), (SequentialScan(), "centroid")):
        found = log_probability(network, all_rows(network), scan=scan)
        expected = stationary(network, scan or RandomScan()).ravel()
        np.testing.assert_allclose(np.exp(found.values), expected, atol=1e-12)
        assert found.law == law
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(np.exp(found.values), stationary(network, RandomScan()).ravel(), atol=1e-6)


def test_bad_input_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    network = coupled()
    refuses(DataError, "another domain", lambda: log_probability(network, Dataset.from_codes([[0]], [2])))
    monkeypatch.setattr("depnet.inference.ask.states.EXACT_STATES", 1)
    refuses(DomainTooLargeError, 'order="auto"', lambda: log_probability(network, all_rows(network)))
