"""Rows as they are listed, against the same said with plain lists.

Scores of rows: the lowest first, equal rows together.
"""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import Dataset
from depnet.inference.judge.cells import Order, cell_laws, matching_rows, row_list, row_scores
from depnet.model.evidence import Evidence

PEOPLE = depnet.titanic()
SOME = Dataset.from_codes(PEOPLE.codes[::37], domain=PEOPLE.domain)
SCORES = row_scores(depnet.learn(PEOPLE, smoothing=0.5), SOME, 10**9)


def expected(by: Order, down: bool, once: bool, sex: int | None, text: str) -> list[int]:
    """Row by row: those that match, in a stable order, and of equal ones the first."""
    variables, codes = SOME.domain.variables, SOME.codes.tolist()
    labels = [[str(v.states[code]) for v, code in zip(variables, row, strict=True)] for row in codes]
    rows = [
        r
        for r in range(SOME.rows)
        if (sex is None or codes[r][1] == sex)
        and (not text or any(text in label.lower() for label in labels[r]))
    ]

    def key(r: int) -> Any:
        return r if by == "row" else SCORES.each[r] if by == "score" else codes[r][by]

    first = {tuple(codes[r]): r for r in reversed(rows)}
    kept = [r for r in rows if not once or first[tuple(codes[r])] == r]
    return sorted(kept, key=lambda r: -key(r) if down else key(r))


@given(
    st.sampled_from(["score", "row", 0, 3]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 0, 1]),
    st.sampled_from(["", "crew", "CHILD", "nobody has this"]),
)
def test_rows_are_listed_as_one_would_by_hand(
    by: Order, down: bool, once: bool, sex: int | None, text: str
) -> None:
    known = None if sex is None else Evidence.parse(SOME.domain, {"sex": ("female", "male")[sex]})
    found = row_list(SOME, SCORES, by=by, down=down, once=once, evidence=known, text=text)
    assert found.rows.tolist() == expected(by, down, once, sex, text.lower())
    assert found.alike.sum() == found.matching == matching_rows(SOME, known, text).sum()


LAW = depnet.learn(PEOPLE, smoothing=0.5, order="auto")


def test_the_most_surprising_rows_come_first_and_equal_ones_together() -> None:
    scores = row_scores(LAW, PEOPLE, 10**9)
    np.testing.assert_allclose(np.exp(scores.each), cell_laws(LAW, PEOPLE).row_tails)
    assert np.array_equal(scores.each[scores.order], np.sort(scores.each))
    assert scores.kinds == len(np.unique(PEOPLE.codes, axis=0))
    for first, last in itertools.pairwise(scores.begins.tolist()):
        assert len(np.unique(PEOPLE.codes[scores.order[first:last]], axis=0)) == 1


def test_work_is_bounded_and_what_progress_raises_ends_it() -> None:
    told: list[float] = []
    scores = row_scores(LAW, PEOPLE, 400, told.append)
    assert told == [0.0, 1.0]
    assert (len(scores.each), scores.rows) == (100, PEOPLE.rows)

    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        row_scores(LAW, PEOPLE, 400, stop)
