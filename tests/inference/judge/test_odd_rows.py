"""Odd rows: the lowest scores first, equal rows together, a page at a time."""

import numpy as np
import pytest

import depnet
from depnet import Dataset, Network
from depnet.inference.judge.odd_rows import odd_rows, row_scores


@pytest.fixture(scope="module")
def law() -> Network:
    return depnet.learn(depnet.titanic(), smoothing=0.5, order="auto")


def test_the_most_surprising_rows_come_first_and_equal_ones_together(law: Network) -> None:
    people = depnet.titanic()
    scores = row_scores(law, people, 10**9)
    assert np.array_equal(scores.each, depnet.score_samples(law, people))
    distinct, counts = np.unique(people.codes, axis=0, return_counts=True)
    expected = depnet.score_samples(law, Dataset.from_codes(distinct, domain=people.domain))
    rows = odd_rows(law, people, scores, 0, 10)
    assert [row.score for row in rows] == sorted(expected)[:10]
    for row in rows:
        (kind,) = np.flatnonzero((distinct == people.codes[row.number]).all(axis=1))
        assert row.alike == counts[kind]
    assert odd_rows(law, people, scores, 4, 3) == rows[4:7]
    assert scores.kinds == len(distinct)
    assert sum(row.alike for row in odd_rows(law, people, scores, 0, scores.kinds)) == people.rows
    assert odd_rows(law, people, scores, scores.kinds, 10) == []


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
