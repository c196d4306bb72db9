"""Default answers beside a groupby, as a user would check them: on the Titanic, and where columns are copies."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from depnet import DependencyNetwork, QueryResult, query, titanic
from depnet.inference.answer.question import SECONDS
from tests.estimators.tables import law_of, people, with_holes


def mixed(rows: int = 3000) -> pd.DataFrame:
    """Columns in which pseudo-Gibbs chains get lost: a copied column, one spelled out in others, and a rare state."""
    rng = np.random.default_rng(5)
    service = rng.choice(["fiber", "dsl", "none"], size=rows, p=[0.44, 0.34, 0.22])
    extra = {
        f"extra{k}": np.where(service == "none", "no service", rng.choice(["yes", "no"], size=rows))
        for k in range(4)
    }
    size = rng.choice(["small", "large"], size=rows, p=[0.6, 0.4])
    weight = np.where(size == "large", 5500, 3500) + rng.normal(0, 400, rows)
    return pd.DataFrame(
        {"service": service, "copy": service, **extra, "size": size, "same size": size, "weight": weight}
    )


def matching(table: pd.DataFrame, evidence: dict[str, str]) -> Any:
    return np.logical_and.reduce(
        [np.ones(len(table), dtype=bool), *(table[n] == v for n, v in evidence.items())]
    )


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed()


@pytest.fixture(scope="module")
def model(table: pd.DataFrame) -> DependencyNetwork:
    return DependencyNetwork(random_state=0).fit(table)


@pytest.mark.parametrize(
    ("target", "state", "evidence"),
    [
        ("service", "none", {}),
        ("service", "none", {"copy": "none"}),
        ("copy", "none", {"extra0": "no service", "extra3": "no service"}),
        ("extra1", "no service", {"service": "none"}),
        ("extra2", "yes", {"copy": "dsl"}),
        ("size", "large", {}),
        ("size", "large", {"same size": "large"}),
        ("same size", "large", {"extra0": "yes"}),
    ],
)
def test_answers_agree_with_a_groupby(
    model: DependencyNetwork, table: pd.DataFrame, target: str, state: str, evidence: dict[str, str]
) -> None:
    """Some hundred rows match or more: a standard error of .02 at most."""
    match = matching(table, evidence)
    assert match.sum() > 400
    frequency = float((table[target][match] == state).mean())
    answer = model.query(target, evidence)
    at = answer.states[0].index(state)
    assert law_of(answer)[at] == pytest.approx(frequency, abs=0.03)
    assert answer.matching == match.sum()
    assert np.asarray(answer.observed)[at] == pytest.approx(frequency, abs=1e-12)
    assert isinstance(answer.combined, np.ndarray)
    assert min(law_of(answer)[at], frequency) - 1e-12 <= answer.combined[at]
    assert answer.combined[at] <= max(law_of(answer)[at], frequency) + 1e-12


def test_a_number_that_only_one_state_has_tells_it(model: DependencyNetwork) -> None:
    answer = model.query("size", {"weight": 5600.0})
    assert law_of(answer)[answer.states[0].index("large")] > 0.95


def test_clamped_answers_are_of_the_network_and_lose_evidence(model: DependencyNetwork) -> None:
    """A mutant of the test above: each of the two sizes reads its copy, none the weight, and clamping it is in vain."""
    clamped = model.query("size", {"weight": 5600.0}, method="clamped")
    assert clamped.scan is not None
    assert law_of(clamped)[clamped.states[0].index("large")] < 0.6
    assert any("clamping it has no effect" in text for text in clamped.warnings)


def test_a_question_ends_in_time_unless_it_may_take_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def hear(*arguments: Any, **options: Any) -> QueryResult:
        limits.append(options["max_seconds"])
        return query(*arguments, **options)

    model = DependencyNetwork(penalty="mdl").fit(titanic())
    monkeypatch.setattr("depnet.estimators.asked.query", hear)
    model.query("survived")
    model.query("survived", max_seconds=None)
    found = model.query("survived", method="sample", tolerance=1e-7, max_seconds=0.05)
    assert limits == [SECONDS, None, 0.05]
    assert not found.converged
    assert "stopped by the time limit" in str(found)


def test_a_draw_has_a_seed_of_its_own() -> None:
    model = DependencyNetwork(penalty="mdl", random_state=0).fit(titanic())
    own = model.sample(200)
    first, again, other = (model.sample(200, random_state=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.codes, again.codes)
    assert not np.array_equal(first.codes, other.codes)
    assert not np.array_equal(first.codes, own.codes)
    rng = np.random.default_rng(0)
    assert not np.array_equal(*(model.sample(200, random_state=rng).codes for _ in range(2)))
    assert np.array_equal(model.sample(200, random_state=0).codes, own.codes)


def test_without_a_seed_models_and_answers_are_the_same_each_time_and_rows_are_fresh() -> None:
    holed = with_holes(people(80))
    one, two = (DependencyNetwork().fit(holed) for _ in range(2))
    assert (one.network_, one.law_) == (two.network_, two.law_)
    model = DependencyNetwork().fit(titanic())
    first, again = (model.query("survived", {"sex": "female"}, method="sample") for _ in range(2))
    assert first.method != "exact"
    assert np.array_equal(law_of(first), law_of(again))
    rows, others = (model.sample(200) for _ in range(2))
    assert not np.array_equal(rows.codes, others.codes)
