"""Log-probabilities are the exact law's, and refused where it is too large."""

import numpy as np
import pytest

from depnet import Dataset, Network, RandomScan, SequentialScan, log_probability
from depnet.errors import DataError, DomainTooLargeError
from depnet.exact import stationary
from tests.inference.cases import coupled
from tests.reference.inference import joint_states


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
    with pytest.raises(DataError, match="another domain"):
        log_probability(network, Dataset.from_codes([[0]], [2]))
    monkeypatch.setattr("depnet.inference.ask.states.EXACT_STATES", 1)
    with pytest.raises(DomainTooLargeError, match='order="auto"'):
        log_probability(network, all_rows(network))
