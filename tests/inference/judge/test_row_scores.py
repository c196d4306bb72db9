"""Scores of rows: the lowest first, equal rows together."""

import itertools

import numpy as np
import pytest

import depnet
from depnet import Network
from depnet.inference.judge.cells import cell_laws
from depnet.inference.judge.rows import row_scores


@pytest.fixture(scope="module")
def law() -> Network:
    return depnet.learn(depnet.titanic(), smoothing=0.5, order="auto")


def test_the_most_surprising_rows_come_first_and_equal_ones_together(law: Network) -> None:
    people = depnet.titanic()
    scores = row_scores(law, people, 10**9)
    np.testing.assert_allclose(np.exp(scores.each), cell_laws(law, people).row_tails)
    assert np.array_equal(scores.each[scores.order], np.sort(scores.each))
    distinct = np.unique(people.codes, axis=0)
    assert scores.kinds == len(distinct)
    for first, last in itertools.pairwise(scores.begins.tolist()):
        assert len(np.unique(people.codes[scores.order[first:last]], axis=0)) == 1


def test_work_is_bounded_and_what_progress_raises_ends_it(law: Network) -> None:
    people = depnet.titanic()
    told: list[float] = []
    scores = row_scores(law, people, 400, told.append)
    assert told == [0.0, 1.0]
    assert (len(scores.each), scores.rows) == (100, people.rows)

    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        row_scores(law, people, 400, stop)
