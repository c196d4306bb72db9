"""Pilot chains: their law and the distance of marginals, and that blocks which spoil them are refused."""

import itertools

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Dataset, Mdl, learn
from depnet.learning import pilot
from depnet.learning.blocks import BlockTrials, choose_blocks
from depnet.learning.options import Limits
from tests.laws import assert_same_law
from tests.learning.test_blocks import copies
from tests.strategies import datasets


@given(datasets(min_variables=2, max_rows=60))
def test_the_distance_is_its_definition(table: Dataset) -> None:
    second = Dataset.from_codes(table.codes[::2], domain=table.domain)  # every other row, weights dropped
    n, cards = len(table.domain), table.domain.cardinalities

    def marginal(rows: Dataset, variables: tuple[int, ...]) -> np.ndarray:
        counts = np.zeros([cards[i] for i in variables])
        weights = np.ones(rows.rows) if rows.weights is None else rows.weights
        np.add.at(counts, tuple(rows.codes[:, i] for i in variables), weights)
        return np.asarray(counts / counts.sum())

    def apart(variables: tuple[int, ...]) -> float:
        return float(np.abs(marginal(table, variables) - marginal(second, variables)).sum()) / 2

    if table.total == 0 or second.total == 0:
        return
    expected = np.mean([apart((i,)) for i in range(n)]) + np.mean(
        [apart(pair) for pair in itertools.combinations(range(n), 2)]
    )
    assert pilot.apart(table, second) == pytest.approx(expected, abs=1e-12)


def test_pilot_chains_follow_the_stationary_law(monkeypatch: pytest.MonkeyPatch) -> None:
    people = depnet.titanic()
    network = learn(people, blocks=[("class", "sex")], smoothing=0.5)
    monkeypatch.setattr(pilot, "CHAINS", 40_000)
    monkeypatch.setattr(pilot, "BURN_IN", 100)
    monkeypatch.setattr(pilot, "RECORDS", 1)
    drawn = pilot.pilot(network.nodes, pilot.some_rows(people))
    cards = people.domain.cardinalities
    cells = np.ravel_multi_index(tuple(drawn.codes.T.astype(int)), cards)
    counts = np.bincount(cells, minlength=int(np.prod(cards)))
    assert_same_law(counts, depnet.stationary(network, depnet.RandomScan()), detects_l1=0.1)
    other = learn(people, smoothing=0.5, penalty=1e6 * Mdl())
    with pytest.raises(AssertionError):
        assert_same_law(counts, depnet.stationary(other, depnet.RandomScan()), detects_l1=0.1)


def trials() -> BlockTrials:
    table = Dataset.from_codes(copies(5_000, 0.01, np.random.default_rng(0)), [2] * 5)
    return BlockTrials(table, Mdl(), Limits(), 1, float("inf"))


def test_blocks_that_spoil_the_marginals_are_not_near(monkeypatch: pytest.MonkeyPatch) -> None:
    found = trials()
    assert found.near([(0, 1), (2, 3)])
    right = found.nodes([(0, 1)])[0]
    wrong = learn(
        Dataset.from_codes([[1, 1, 0, 0, 0]] * 100, domain=found.rows.domain),
        blocks=[("X0", "X1")],
        smoothing=0.5,
    ).nodes[0]
    assert right.table.states == wrong.table.states
    monkeypatch.setitem(found._nodes, (0, 1), wrong)  # both are nearly always 1
    assert not found.near([(0, 1), (2, 3)])
    assert found.near([(2, 3)])


def test_of_blocks_that_spoil_the_marginals_the_stronger_half_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Dataset.from_codes(copies(5_000, 0.01, np.random.default_rng(0)), [2] * 5)
    whole = choose_blocks(table, Mdl())
    assert len(whole) == 2
    monkeypatch.setattr(BlockTrials, "near", lambda self, pairs: len(pairs) < 2)
    assert choose_blocks(table, Mdl()) == whole[:1]
    monkeypatch.setattr(BlockTrials, "near", lambda self, pairs: False)
    assert choose_blocks(table, Mdl()) == ()
