"""The answer at once: exact where little is relevant, else mean field; chains where mean field cannot."""

import numpy as np
import pytest

import depnet
from depnet import Dataset, LosslessSource, Network, Node, query
from depnet.errors import DomainTooLargeError
from depnet.inference import at_once as module
from depnet.inference.at_once import LADDER, at_once, is_exact
from depnet.inference.mean_field import is_quick
from depnet.inference.query import TOLERANCE
from tests.strategies import random_table


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


def test_a_wide_one_is_answered_by_mean_field(wide: Network) -> None:
    found = at_once(wide, wide.domain.names)
    assert is_quick(wide)
    assert found.method == "mean-field"
    assert not is_exact(found)


def test_a_large_graph_is_not_quick_and_chains_are_run() -> None:
    rng = np.random.default_rng(0)
    inputs = [tuple(j for j in range(15) if j != i) for i in range(15)]
    network = Network(
        Dataset.from_codes([[0] * 15], [3] * 15).domain,
        tuple(
            Node((i,), LosslessSource(inputs[i][:9], (3,) * 9), random_table(rng, 3**9, 3)) for i in range(15)
        ),
    )
    assert not is_quick(network)
    assert is_quick(network, 10**6)
    assert at_once(network, network.domain.names).method == "sample"


def test_where_mean_field_cannot_chains_are_run(wide: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*args: object, method: str = "auto", **options: object) -> object:
        if method == "mean-field":
            raise DomainTooLargeError("a graph with too many vertices.")
        return query(*args, method=method, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "query", refusing)
    found = at_once(wide, wide.domain.names)
    assert found.method == "sample"
    assert not is_exact(found)


def test_the_ladder_ends_at_the_tolerance_of_a_query() -> None:
    assert list(LADDER) == sorted(LADDER, reverse=True)
    assert LADDER[-1] == TOLERANCE
