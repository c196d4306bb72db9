"""The mode of an ordered law is that of the exact law; what cannot be answered is refused."""

import numpy as np
import pytest
from hypothesis import given

from depnet import Dataset, Network, learn, log_probability, most_probable, query
from depnet.errors import DataError, DomainTooLargeError, EvidenceError, ModelError
from depnet.exact import stationary
from tests.inference.cases import coupled, random_evidence
from tests.refusals import refuses
from tests.strategies import ordered_networks, random_ordered_network, seeds


@given(ordered_networks(max_states=200, boosted=True), seeds)
def test_the_mode_of_an_ordered_law(network: Network, seed: int) -> None:
    evidence = random_evidence(np.random.default_rng(seed), network)
    found = most_probable(network, evidence)
    law = stationary(network, evidence=evidence)
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


def test_what_has_no_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Dataset.from_codes([[0, 0, 0], [1, 1, 0]], [2, 2, 2])
    law = learn(rows, order=["X0", "X1", "X2"], penalty="none")
    refuses(EvidenceError, "probability 0", lambda: most_probable(law, {"X0": 0, "X1": 1}))
    refuses(EvidenceError, "every variable", lambda: most_probable(law, {"X0": 0, "X1": 0, "X2": 0}))
    refuses(DataError, "another domain", lambda: log_probability(law, Dataset.from_codes([[0]], [2])))
    for ask in (most_probable, log_probability):
        refuses(ModelError, "depnet.stationary", lambda ask=ask: ask(coupled(), {"X0": 0}))
    monkeypatch.setattr("depnet.law.elimination.LARGEST", 2)
    wide = random_ordered_network(np.random.default_rng(5), (3,) * 12, range(12))
    refuses(DomainTooLargeError, "more evidence", lambda: most_probable(wide))
