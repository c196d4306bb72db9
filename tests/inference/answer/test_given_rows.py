"""Rows by labels and conditions: each is answered as a question with the same evidence."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet.errors import DataError, EvidenceError, ModelError
from depnet.model.evidence import Evidence
from tests.refusals import refuses
from tests.strategies import random_ordered_network

LAW = depnet.learn(depnet.titanic(), order="auto", smoothing=0.5)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_a_row_is_answered_as_a_question(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = (3, 4, 2, 3, 4)
    network = random_ordered_network(rng, cards, rng.permutation(5).tolist())

    def cell(i: int) -> Any:
        way = rng.integers(4)
        if way == 0:
            return None
        if way == 1:
            return int(rng.integers(cards[i]))
        if way == 2:
            return f">={rng.integers(1, cards[i])}"
        return {int(k) for k in rng.choice(cards[i], 2, replace=False)}

    rows = [{f"X{i}": cell(i) for i in range(4)} for _ in range(8)]
    found = depnet.query_rows(network, rows, targets=["X4"])
    wrong = depnet.query_rows(network, [{}] * 8, targets=["X4"]).probabilities["X4"]
    apart = 0.0
    for r, row in enumerate(rows):
        own = depnet.query(network, "X4", {name: value for name, value in row.items() if value is not None})
        np.testing.assert_allclose(found.probabilities["X4"][r], np.asarray(own.probabilities), atol=1e-10)
        apart = max(apart, float(np.abs(wrong[r] - np.asarray(own.probabilities)).max()))
    known = Evidence.parse(network.domain, {"X0": {0, 1}})
    assert known.tilts
    if any(value is not None for row in rows for value in row.values()) and apart > 1e-6:
        with pytest.raises(AssertionError):  # a mutant: nothing is known
            np.testing.assert_allclose(found.probabilities["X4"], wrong, atol=1e-10)


def test_frames_and_what_is_known_of_all_rows() -> None:
    frame = pd.DataFrame(
        {"sex": ["female", None, "male"], "class": ["1st|2nd", "Crew", "!=Crew"], "id": [1, 2, 3]}
    )
    found = depnet.query_rows(LAW, frame, evidence={"age": "adult"}).probabilities["survived"]
    asked: list[dict[str, Any]] = [
        {"sex": "female", "class": {"1st", "2nd"}},
        {"class": "Crew"},
        {"sex": "male", "class": "!=Crew"},
    ]
    for row, known in zip(found, asked, strict=True):
        own = depnet.query(LAW, "survived", {**known, "age": "adult"})
        np.testing.assert_allclose(row, np.asarray(own.probabilities), atol=1e-10)
    coded = depnet.query_rows(LAW, [[-1, 0, -1, -1]], evidence={"class": {"1st", "2nd"}}).probabilities[
        "survived"
    ]
    own = depnet.query(LAW, "survived", {"sex": "female", "class": {"1st", "2nd"}})
    np.testing.assert_allclose(coded[0], np.asarray(own.probabilities), atol=1e-10)


def test_bad_rows_are_refused() -> None:
    refuses(DataError, "row 1: ", lambda: depnet.query_rows(LAW, [{"sex": "male"}, {"sex": "mole"}]))
    refuses(EvidenceError, "clas", lambda: depnet.query_rows(LAW, [{"clas": "1st"}]))
    twice = [{"sex": "male"}]
    refuses(
        EvidenceError,
        "one of the two places",
        lambda: depnet.query_rows(LAW, twice, evidence={"sex": "male"}),
    )
    plain = depnet.learn(depnet.titanic())
    refuses(ModelError, "order", lambda: depnet.query_rows(plain, [{"class": "1st|2nd"}]))
