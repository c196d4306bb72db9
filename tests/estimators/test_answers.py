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


def test_drawn_rows_have_the_tables_shares(model: DependencyNetwork, table: pd.DataFrame) -> None:
    drawn = model.sample(20_000)
    for name in ("service", "copy", "extra0", "size", "same size"):
        shares = drawn[name].value_counts(normalize=True)
        expected = table[name].value_counts(normalize=True)
        assert (shares - expected).abs().max() < 0.02
    assert (drawn["service"] == drawn["copy"]).mean() > 0.99
    assert (drawn["size"] == drawn["same size"]).mean() > 0.99
    given = model.sample(5000, {"extra2": "no service"})
    assert (given["service"] == "none").mean() > 0.98


def test_clamped_answers_are_of_the_network_and_lose_evidence(model: DependencyNetwork) -> None:
    """A mutant of the test above: each of the two sizes reads its copy, none the weight, and clamping it is in vain."""
    clamped = model.query("size", {"weight": 5600.0}, method="clamped")
    assert clamped.scan is not None
    assert law_of(clamped)[clamped.states[0].index("large")] < 0.6
    assert any("clamping it has no effect" in text for text in clamped.warnings)


@pytest.mark.parametrize("seed", range(3))
def test_the_titanic(seed: int) -> None:
    table = people(2000)
    model = DependencyNetwork(random_state=seed).fit(table)
    for evidence in ({"sex": "female"}, {"sex": "male", "class": "Crew"}, {"class": "1st"}):
        match = matching(table, evidence)
        frequency = float((table["survived"][match] == "Yes").mean())
        answer = model.query("survived", evidence)
        # Two standard errors of the 300 rows that match the rarest of these.
        assert law_of(answer)[1] == pytest.approx(frequency, abs=0.06)
        assert np.asarray(answer.combined)[1] == pytest.approx(frequency, abs=0.02)


def test_rows_with_holes_are_of_the_law(model: DependencyNetwork, table: pd.DataFrame) -> None:
    rows = pd.DataFrame({"copy": ["none", "dsl"], "size": [None, "large"]})
    found = model.predict_proba(rows, "service")
    states = model.domain_.variables[model.domain_.index("service")].states
    assert found[0, states.index("none")] > 0.97
    assert found[1, states.index("dsl")] > 0.97
    holed = with_holes(table[:40])
    assert np.isfinite(model.score_samples(holed)).all()
    pattern = holed.isna().sum(axis=1).to_numpy() * np.log(0.5 / (len(table) + 1))  # no hole was seen
    assert (model.score_samples(holed) - pattern > model.score_samples(table[:40])).mean() > 0.9
    filled = model.impute(holed)
    hidden = holed["service"].isna() & holed["copy"].notna()
    assert (filled["service"][hidden] == table["service"][:40][hidden]).all()


def test_a_question_ends_in_time_unless_it_may_take_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def hear(*arguments: Any, **options: Any) -> QueryResult:
        limits.append(options["max_seconds"])
        return query(*arguments, **options)

    model = DependencyNetwork(penalty="mdl").fit(titanic())
    monkeypatch.setattr("depnet.estimators.network.query", hear)
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


def test_without_a_seed_answers_are_the_same_each_time_and_rows_are_fresh() -> None:
    model = DependencyNetwork().fit(titanic())
    first, again = (model.query("survived", {"sex": "female"}, method="sample") for _ in range(2))
    assert first.method != "exact"
    assert np.array_equal(law_of(first), law_of(again))
    rows, others = (model.sample(200) for _ in range(2))
    assert not np.array_equal(rows.codes, others.codes)
