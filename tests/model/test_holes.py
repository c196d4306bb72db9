"""Holes that are no states: their rates in scores and among drawn rows."""

import math

import numpy as np
import pytest

from depnet import Dataset, Domain, Network, Variable, learn
from depnet.data.table.dataset import Holed
from depnet.model.evidence import Evidence, all_known, drawn_holes
from depnet.model.marginals import MarginalCounts
from depnet.model.score import log_pattern

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
        holes = drawn_holes(network, evidence, 20_000, np.random.default_rng(0))
        return None if holes is None else holes.mean(axis=0).tolist()

    assert drawn(None) == pytest.approx([1 / 3, 0, 0], abs=0.02)
    assert drawn({"a": 1}) is None
    assert drawn({"a": "is known"}) is None
    assert drawn({"c": 1}) == pytest.approx([1 / 3, 0, 0], abs=0.02)
    assert drawn({"a": None}) == [1, 0, 0]


def test_all_known_leaves_what_is_said(network: Network) -> None:
    assert all_known(network, Evidence({}, {})).tilts[1].tolist() == [1, 1, 0]
    assert all_known(network, Evidence({1: 2}, {})).tilts == {}
