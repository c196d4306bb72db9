"""Scores of rows with holes: exact in consistent networks, by the identity that the module states."""

import math

import numpy as np
import pytest

from depnet import Dataset, Network, score_samples
from depnet.arrays import FloatArray
from depnet.inference.rows import query as module
from depnet.inference.rows.query import score_holed


def joint() -> FloatArray:
    return np.random.default_rng(1).dirichlet(np.ones(24)).reshape(2, 3, 4)


def literal(p: FloatArray, row: tuple[int, ...], hidden: tuple[bool, ...]) -> float:
    """Sum over observed i of log p(x_i | the other observed cells), from the joint distribution."""
    holes = tuple(i for i, hole in enumerate(hidden) if hole)
    seen = [x for x, hole in zip(row, hidden, strict=True) if not hole]
    q = p.sum(axis=holes)
    return sum(
        math.log(q[tuple(seen)] / q.sum(axis=i)[tuple(seen[:i] + seen[i + 1 :])]) for i in range(len(seen))
    )


CASES = [
    ((0, 1, 2), (False, True, False)),
    ((1, 2, 0), (True, False, False)),
    ((1, 0, 3), (False, True, True)),
]


@pytest.mark.parametrize(("row", "hidden"), CASES)
def test_score_is_that_of_the_joint(row: tuple[int, ...], hidden: tuple[bool, ...]) -> None:
    """40,000 completions: the spread over 100 seeds is below 0.015 nats, so 0.08 is beyond five of its deviations."""
    network = Network.from_joint(joint())
    found = score_holed(
        network, np.array([row]), np.array([hidden]), completions=40_000, rng=np.random.default_rng(0)
    )
    assert abs(found[0] - literal(joint(), row, hidden)) < 0.08


def test_mutant_with_the_arithmetic_mean_is_noticed() -> None:
    """E[theta] instead of 1 / E[1 / theta]: what a row knows of x_i would be used to predict it."""
    row, hidden = CASES[0]
    network = Network.from_joint(joint())
    p = joint()[0, :, 2]
    given = p / p.sum()
    naive = sum(
        math.log(float(given @ full))
        for full in (
            joint()[0, :, 2] / joint()[:, :, 2].sum(axis=0),
            joint()[0, :, 2] / joint()[0].sum(axis=1),
        )
    )
    assert abs(naive - literal(joint(), row, hidden)) > 0.16
    found = score_holed(
        network, np.array([row]), np.array([hidden]), completions=40_000, rng=np.random.default_rng(0)
    )
    assert abs(found[0] - naive) > 0.08


def test_complete_rows_have_their_pseudo_log_likelihood() -> None:
    network = Network.from_joint(joint())
    codes = np.array([[0, 1, 2], [1, 2, 3]])
    found = score_holed(network, codes, np.zeros((2, 3), dtype=bool))
    expected = score_samples(network, Dataset.from_codes(codes, domain=network.domain))
    assert np.array_equal(found, expected)


def test_a_row_that_knows_nothing_scores_zero() -> None:
    network = Network.from_joint(joint())
    assert score_holed(network, np.zeros((1, 3), dtype=int), np.ones((1, 3), dtype=bool)).tolist() == [0.0]


def test_rows_in_many_chunks_are_all_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of 50 rows of 400 completions each: 20,000 in all, so 0.08 is beyond five deviations here too."""
    network = Network.from_joint(joint())
    codes = np.tile([[0, 1, 2]], (50, 1))
    hidden = np.tile([[True, False, True]], (50, 1))
    monkeypatch.setattr(module, "PIECE_CELLS", 24 * 7)
    found = score_holed(network, codes, hidden, completions=400, rng=np.random.default_rng(0))
    assert (found < 0).all()
    assert abs(found.mean() - literal(joint(), (0, 1, 2), (True, False, True))) < 0.08
