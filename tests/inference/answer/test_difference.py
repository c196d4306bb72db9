"""A warning where law and table differ, beyond chance or beyond the interval of the answer; and hardly ever else."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import depnet
from depnet import query
from depnet.inference.answer.difference import FALSE_ALARM, chances


def alarms(law: np.ndarray, truth: np.ndarray, rows: int, rng: np.random.Generator, times: int) -> int:
    """How often counts of `truth` are said to differ from `law`."""
    drawn = rng.multinomial(rows, truth, size=times) / rows
    least = (chances(law, np.zeros_like(law), q, rows).min() for q in drawn)
    return sum(each < FALSE_ALARM / 2 / len(law) for each in least)


@pytest.mark.parametrize("rows", [3, 30, 3000])
def test_the_true_law_hardly_ever_differs(rows: int) -> None:
    """At most 1 in 1,000: more than 20 of 4,000 happens once in 2e8."""
    rng = np.random.default_rng(rows)
    law = np.array([0.6, 0.3, 0.09, 0.01])
    assert alarms(law, law, rows, rng, 4000) <= 20
    with pytest.raises(AssertionError):  # the mutant: another truth
        assert alarms(law, np.array([0.0, 0.1, 0.2, 0.7]), rows, rng, 4000) <= 20


def test_a_law_that_is_uncertain_is_given_its_errors() -> None:
    law, table = np.array([0.5, 0.5]), np.array([0.6, 0.4])
    assert chances(law, np.zeros(2), table, 10_000).max() < FALSE_ALARM / 4
    assert chances(law, np.full(2, 0.03), table, 10_000).min() > FALSE_ALARM
    assert (chances(law, np.zeros(2), np.array([0.505, 0.495]), 10**7) == 1).all(), "too little for a word"
    assert chances(np.array([1.0, 0.0]), np.zeros(2), np.array([0.5, 0.5]), 4).tolist() == [0.0, 0.0]


def test_a_wrong_model_is_told_of() -> None:
    people = depnet.titanic()
    wrong = depnet.learn(people, smoothing=0.5, max_leaves=1)
    result = query(wrong, "survived", {"sex": "female"}, data=people)
    assert any("survived" in text and "more than chance allows" in text for text in result.warnings)
    right = query(
        depnet.learn(people, smoothing=0.5), "survived", {"sex": "female", "class": "1st"}, data=people
    )
    assert not any("chance" in text for text in right.warnings)


def people(rng: np.random.Generator, rows: int, share: float = 0.3, mean: float = 50.0) -> pd.DataFrame:
    yes = np.where(rng.random(rows) < share, "yes", "no")
    return pd.DataFrame({"smokes": yes, "age": rng.normal(mean, 10, rows)})


@pytest.fixture(scope="module")
def model() -> depnet.DependencyNetwork:
    return depnet.DependencyNetwork(random_state=0).fit(people(np.random.default_rng(0), 50_000))


def warned(
    model: depnet.DependencyNetwork, target: str, rng: np.random.Generator, **other: float
) -> list[Any]:
    """The warnings of 100 tables of 100 rows, those that warn."""
    tables = (people(rng, 100, **other) for _ in range(100))
    results = (model.query(target, data=table) for table in tables)
    return [found for found in results if found.warnings]


@pytest.mark.parametrize("target", ["smokes", "age"])
def test_a_table_outside_the_interval_is_told_of_and_others_hardly_ever(
    model: depnet.DependencyNetwork, target: str
) -> None:
    """At most 1 in 20: more than 16 of 100 happens once in 1e5. Four standard errors of a table are found in 95 of 100."""
    assert model.query("age", data=people(np.random.default_rng(1), 100)).worth > 50
    rng = np.random.default_rng(2)
    assert len(warned(model, target, rng)) <= 16
    other = warned(model, target, rng, share=0.5, mean=45.0)
    assert len(other) >= 75  # what is 2 from it at least
    for found in other:
        (text,) = found.warnings
        assert text.kind == "difference"
        assert "of 100 matching rows: " in text
        if "outside the interval of the answer" in text:
            summary = found.summary("age") if target == "age" else None
            own = np.asarray(found.observed)[1] if summary is None else found.summary("age", "observed").mean
            low, high = np.asarray(found.interval)[1] if summary is None else summary.interval
            assert not low <= own <= high
        assert (
            "more than chance allows (one answer in" in text
            or "than chance allows (one answer in 20)" in text
        )


def test_few_rows_warn_by_themselves_and_say_nothing_of_means(model: depnet.DependencyNetwork) -> None:
    found = model.query("age", "smokes = yes", data=people(np.random.default_rng(3), 40, mean=20.0))
    assert [text.kind for text in found.warnings if "mean" in text] == []
