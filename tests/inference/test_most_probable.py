"""The mode of the exact law, and what annealing finds instead of it."""

import numpy as np
import pytest
from hypothesis import given

from depnet import Network, most_probable
from depnet.errors import EvidenceError
from depnet.exact import stationary
from depnet.inference import most_probable as _  # noqa: F401  # the function shadows its module
from tests.inference.cases import random_evidence, random_scan
from tests.strategies import networks, seeds


@given(networks(max_states=100), seeds)
def test_the_mode_of_the_exact_law(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence, scan = random_evidence(rng, network), random_scan(rng, network)
    found = most_probable(network, evidence, scan=scan)
    law = stationary(network, scan, evidence)
    assert found.method == "exact"
    assert found.probability == pytest.approx(law.max(), abs=1e-9)
    assert law[tuple(int(x) for x in found.states.values())] == pytest.approx(law.max(), abs=1e-9)


def test_annealing_finds_the_mode_of_a_peaked_law(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys.modules["depnet.inference.most_probable"], "EXACT_STATES", 0)
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(64, 0.3)).reshape((2,) * 6)
    p.flat[17] += 2.0
    network = Network.from_joint(p / p.sum())
    found = most_probable(network, rng=np.random.default_rng(0))
    assert found.method == "annealed"
    assert found.probability is None
    assert tuple(found.states.values()) == np.unravel_index(17, p.shape)
    assert "not proven" in str(found)
    clamped = most_probable(network, {"X5": 1 - int(found.states["X5"])}, rng=np.random.default_rng(0))
    assert clamped.states["X5"] != found.states["X5"]


def test_nothing_left_to_complete_is_an_error() -> None:
    network = Network.from_joint(np.full((2, 2), 0.25))
    with pytest.raises(EvidenceError, match="every variable"):
        most_probable(network, {"X0": 0, "X1": 1})
