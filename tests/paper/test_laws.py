"""The true laws and the data drawn from them."""

import itertools
import math

import numpy as np
import pytest

from depnet.geometry import conditional_entropy, empirical
from depnet.paper.laws import draw, growing, ising, random_bayesian_network, sample, true_law
from depnet.paper.report import ExperimentError
from tests.refusals import refuses


def literal_ising(height: int, width: int, coupling: float, field: float) -> dict[tuple[int, ...], float]:
    weights = {}
    for codes in itertools.product((0, 1), repeat=height * width):
        spin = {(r, c): 2 * codes[r * width + c] - 1 for r in range(height) for c in range(width)}
        bonds = sum(
            spin[r, c] * spin.get((r + 1, c), 0) + spin[r, c] * spin.get((r, c + 1), 0) for r, c in spin
        )
        weights[codes] = math.exp(coupling * bonds + field * sum(spin.values()))
    total = sum(weights.values())
    return {codes: w / total for codes, w in weights.items()}


@pytest.mark.parametrize(("height", "width"), [(1, 1), (2, 3), (3, 2)])
def test_ising_is_the_literal_sum_over_neighbours(height: int, width: int) -> None:
    p = ising(height, width, coupling=0.7, field=0.2)
    for codes, probability in literal_ising(height, width, 0.7, 0.2).items():
        assert math.isclose(p[codes], probability, rel_tol=1e-12)
    with pytest.raises(AssertionError):  # a wrapped grid, or another coupling, is another law
        assert math.isclose(ising(2, 2, 0.7)[0, 0, 0, 0], ising(2, 2, 0.8)[0, 0, 0, 0], rel_tol=1e-12)


@pytest.mark.parametrize("cardinality", [2, 3])
def test_a_random_bayesian_network_is_a_law_of_its_graph(cardinality: int) -> None:
    p = random_bayesian_network(np.random.default_rng(1), variables=5, edges=4, cardinality=cardinality)
    assert p.shape == (cardinality,) * 5
    assert math.isclose(p.sum(), 1.0, rel_tol=1e-12)
    assert (p > 0).all()
    # no edges: independent variables
    q = random_bayesian_network(np.random.default_rng(1), variables=3, edges=0, cardinality=cardinality)
    assert math.isclose(conditional_entropy(q, 0), conditional_entropy(q, 0, ()), rel_tol=1e-12)
    q = random_bayesian_network(np.random.default_rng(1), 3, 3, cardinality)
    with pytest.raises(AssertionError):  # all edges: dependent ones
        assert math.isclose(conditional_entropy(q, 0), conditional_entropy(q, 0, ()), rel_tol=1e-6)


def test_the_last_variable_has_the_drawn_conditional_of_its_parents() -> None:
    p = random_bayesian_network(np.random.default_rng(3), variables=4, edges=6)  # every pair is an edge
    assert conditional_entropy(p, 3) < conditional_entropy(p, 3, (0,)) < conditional_entropy(p, 3, ())


def test_data_have_the_rows_asked_for_and_grow_by_prefixes() -> None:
    p = ising(2, 2)
    assert draw(p, 1234, np.random.default_rng(0)).total == 1234
    small, large = growing(p, [100, 10_000], np.random.default_rng(0))
    before, after = empirical(small) * 100, empirical(large) * 10_000
    assert (before <= after + 1e-9).all()
    assert np.abs(empirical(large) - p).max() < 0.03
    assert draw(p, 10**7, np.random.default_rng(0)).rows <= 16


def test_what_cannot_be_made_is_refused_with_the_reason() -> None:
    refuses(ExperimentError, "there is no family 'Potts'", true_law, "Potts", 0)
    refuses(ExperimentError, r"0\.\.3 edges; got 4", true_law, "RB3-4", 0)
    refuses(ExperimentError, "at least 1 row", sample, "RB3-2", 0, 0)
    refuses(ExperimentError, "ascending", list, growing(ising(1, 2), [10, 10], np.random.default_rng(0)))
    refuses(ExperimentError, "at least 1 x 1", ising, 0, 3)
    assert sample("Ising2x2", 1000, 0).name == "Ising2x2S"
