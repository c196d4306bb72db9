"""Scores of rows, and the rates of holes that are no states."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset, Domain, Network, Variable, learn
from depnet.data.table.dataset import Holed
from depnet.errors import ModelError
from depnet.model.evidence import Evidence, draw_holes, with_all_known
from depnet.model.marginals import MarginalCounts
from depnet.model.score import log_pattern, node_scores, score, score_samples
from tests.reference.counting import network_scores
from tests.refusals import refuses
from tests.strategies import networks, seeds


def rows_for(network: Network, seed: int, rows: int, weighted: bool) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, network.domain.cardinalities, size=(rows, len(network.domain)))
    weights = rng.integers(0, 3, size=rows) + (np.arange(rows) == 0) if weighted else None
    return Dataset.from_codes(codes, weights=weights, domain=network.domain)


@given(networks(zeros=0.1), seeds, st.integers(1, 20), st.booleans())
def test_scores_equal_the_slow_twin(network: Network, seed: int, rows: int, weighted: bool) -> None:
    dataset = rows_for(network, seed, rows, weighted)
    expected = network_scores(network, dataset)
    np.testing.assert_allclose(node_scores(network, dataset), expected, rtol=1e-12)
    np.testing.assert_allclose(score(network, dataset), sum(expected), rtol=1e-12)
    each = np.stack([node.log_theta(dataset) for node in network.nodes], axis=1)
    np.testing.assert_allclose(score_samples(network, dataset), each.sum(axis=1), rtol=1e-12)
    if not weighted:
        np.testing.assert_allclose(each.mean(axis=0), expected, rtol=1e-12)


def test_rows_of_another_domain_are_refused() -> None:
    network = Network.from_joint(np.full((2, 3), 1 / 6))
    with pytest.raises(ModelError, match="variable 'X1' has other states"):
        score(network, Dataset.from_codes([[0, 0]], [2, 2]))
    refuses(ModelError, "1 variables, the network 2", score, network, Dataset.from_codes([[0]], [2]))


DOMAIN = Domain(
    (Variable("a", (0, 1)), Variable("b", (0, 1, "(missing)"), missing="(missing)"), Variable("c", (0, 1)))
)


@pytest.fixture(scope="module")
def network() -> Network:
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(99, 3)).astype(np.uint8)
    codes[::3, 1] = 2
    hidden = np.zeros(codes.shape, dtype=bool, order="F")
    hidden[:33, 0] = True
    codes[hidden] = 0
    table = Holed(DOMAIN, np.asfortranarray(codes), hidden)
    counts = MarginalCounts.of(table)
    return Network(DOMAIN, learn(Dataset.from_codes(codes, domain=DOMAIN), smoothing=0.5).nodes, counts)


def test_the_pattern_has_the_rates_of_the_columns_that_had_holes(network: Network) -> None:
    hidden = np.array([[False, False, False], [True, False, False], [False, False, True]])
    there, gone = math.log(66.5 / 100), math.log(33.5 / 100)
    expected = [there, gone, there + math.log(0.5 / 100)]
    assert log_pattern(network, hidden).tolist() == pytest.approx(expected)
    assert log_pattern(Network(DOMAIN, network.nodes), hidden).tolist() == [0, 0, 0]


def test_holes_are_drawn_at_their_rates_but_where_evidence_says_otherwise(network: Network) -> None:
    def drawn(given: dict[str, object] | None) -> list[float] | None:
        evidence = Evidence.parse(DOMAIN, given)  # type: ignore[arg-type]
        holes = draw_holes(network, evidence, 20_000, np.random.default_rng(0))
        return None if holes is None else holes.mean(axis=0).tolist()

    assert drawn(None) == pytest.approx([1 / 3, 0, 0], abs=0.02)
    assert drawn({"a": 1}) is None
    assert drawn({"a": "is known"}) is None
    assert drawn({"c": 1}) == pytest.approx([1 / 3, 0, 0], abs=0.02)
    assert drawn({"a": None}) == [1, 0, 0]


def test_all_known_leaves_what_is_said(network: Network) -> None:
    assert with_all_known(network, Evidence({}, {})).tilts[1].tolist() == [1, 1, 0]
    assert with_all_known(network, Evidence({1: 2}, {})).tilts == {}
