"""The answer at once: exact where little is relevant, else a hurried sample."""

import numpy as np
import pytest

import depnet
from depnet import Dataset, Network, query
from depnet.inference.at_once import LADDER, at_once, is_exact
from depnet.inference.question import TOLERANCE


@pytest.fixture(scope="module")
def wide() -> Network:
    """Twenty variables, each learned from the one before."""
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 3, (400, 1)) + np.cumsum(rng.random((400, 20)) < 0.3, axis=1)
    return depnet.learn(Dataset.from_codes(rows % 3, [3] * 20), smoothing=0.5)


def test_a_small_network_is_answered_exactly() -> None:
    network = depnet.learn(depnet.titanic(), smoothing=0.5)
    found = at_once(network, ["survived", "age"], {"sex": "female"})
    expected = query(network, ["survived", "age"], {"sex": "female"}, method="exact")
    assert is_exact(found)
    assert isinstance(found.probabilities, dict)
    assert isinstance(expected.probabilities, dict)
    for name, values in expected.probabilities.items():
        assert np.array_equal(found.probabilities[name], values)


def test_a_wide_one_is_answered_by_a_hurried_sample(wide: Network) -> None:
    found = at_once(wide, wide.domain.names)
    assert found.method == "sample"
    assert found.diagnostics is not None
    assert not is_exact(found)


def test_the_ladder_ends_at_the_tolerance_of_a_query() -> None:
    assert list(LADDER) == sorted(LADDER, reverse=True)
    assert LADDER[-1] == TOLERANCE
