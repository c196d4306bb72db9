"""Two modes that chains hardly leave: what has not mixed is not called converged, wherever the modes' weights come from."""

import numpy as np
import pytest
from numpy.typing import NDArray

from depnet import (
    ConditionalTable,
    ConstantSource,
    Dataset,
    Domain,
    LosslessSource,
    Network,
    TableNode,
    query,
)
from depnet.inference.clamped import chains
from depnet.inference.clamped.chains import start_states
from depnet.model import Evidence

SIDE = 8
UP = 0.22


def neighbours(i: int) -> tuple[int, ...]:
    row, column = divmod(i, SIDE)
    around = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
    return tuple(r * SIDE + c for r, c in around if 0 <= r < SIDE and 0 <= c < SIDE)


def spins() -> Network:
    """The full conditionals of the Ising model, coupling 1 and a field of -.01: theta(1 | m) = 1 / (1 + e^(-2 (m - .01))).

    Its two modes weigh about .78 and .22, and a chain does not go from one to the other in a lifetime.
    """
    nodes = []
    for i in range(SIDE**2):
        around = neighbours(i)
        source = LosslessSource(around, (2,) * len(around))
        states = np.array(list(np.ndindex(*source.input_cardinalities)))
        codes = np.zeros((len(states), SIDE**2), dtype=np.uint8)
        codes[:, around] = states
        up = 1 / (1 + np.exp(-2 * ((2 * states - 1).sum(axis=1) - 0.01)))
        theta = np.zeros((source.size, 2))
        theta[source(codes)] = np.column_stack([1 - up, up])
        nodes.append(TableNode(i, source, ConditionalTable.from_probabilities(theta)))
    return Network(Domain.from_cardinalities([2] * SIDE**2), tuple(nodes))


@pytest.fixture(scope="module")
def network() -> Network:
    return spins()


@pytest.fixture(scope="module")
def table(network: Network) -> Dataset:
    """Rows of both modes, in their shares."""
    rng = np.random.default_rng(0)
    up = rng.random((1000, 1)) < UP
    return Dataset.from_codes(
        (up ^ (rng.random((1000, SIDE**2)) < 0.001)).astype(np.uint8), domain=network.domain
    )


@pytest.mark.parametrize("with_rows", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_two_modes_that_do_not_mix_are_not_called_converged(
    network: Network, table: Dataset, with_rows: bool, seed: int
) -> None:
    """Eight of the 64 chains start with all spins up and eight with all down: either mode is seen, whatever the seed."""
    rng = np.random.default_rng(seed)
    found = query(network, "X0", tolerance=0.01, data=table if with_rows else None, rng=rng)
    assert not found.converged
    assert any("do not mix" in text for text in found.warnings)


def test_mutant_chains_from_the_product_of_the_marginals_agree_on_one_mode(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    """.22 up in every place is no state of either mode: all chains (but one, of few seeds) fall into the other.

    And they agree."""

    def product(
        of: Network, evidence: Evidence, chains: int, rng: np.random.Generator, rows: object = None
    ) -> NDArray[np.uint16]:
        return (rng.random((chains, len(of.domain))) < UP).astype(np.uint16)

    monkeypatch.setattr(chains, "start_states", product)
    found = query(network, "X0", tolerance=0.01, rng=np.random.default_rng(1))
    assert found.converged
    assert np.asarray(found.probabilities)[1] < 0.1, "where it is .232"


def test_an_answer_in_no_time_is_not_called_converged(network: Network) -> None:
    found = query(network, "X0", tolerance=0.5, max_seconds=1e-9)
    assert not found.converged
    assert np.isnan(found.r_hat or 0.0)


def test_starts_are_far_apart_and_as_the_evidence_allows() -> None:
    domain = Domain.from_cardinalities([2, 3, 4])
    table = [ConditionalTable.from_probabilities(np.full((1, k), 1 / k)) for k in (2, 3, 4)]
    alone = Network(domain, tuple(TableNode(i, ConstantSource(), t) for i, t in enumerate(table)))
    evidence = Evidence({0: 1}, {2: np.array([0.0, 1.0, 0.5, 0.0])})
    rows = np.array([[0, 2, 2], [1, 0, 3]], dtype=np.uint16)
    starts = start_states(alone, evidence, 400, np.random.default_rng(0), rows)
    assert (starts[:, 0] == 1).all()
    assert set(starts[:, 2].tolist()) == {1, 2}
    assert starts[0].tolist() == [1, 2, 2]
    assert starts[1, 1] == 0
    assert {tuple(row) for row in starts[300:].tolist()} == {(1, 0, 1), (1, 2, 2)}
    counts = np.bincount(starts[2:300, 1], minlength=3)
    assert (np.abs(counts - 298 / 3) < 6 * np.sqrt(298 * 2 / 9)).all(), "six deviations: once in 5e8"
