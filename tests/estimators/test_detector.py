"""`DependencyNetworkDetector`: mistakes, and rows apart from all others, are odd, of any frame, and it says why."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from depnet import DependencyNetworkDetector
from tests.estimators.tables import as_kind, people, with_holes


@pytest.fixture(scope="module")
def detector() -> DependencyNetworkDetector:
    return DependencyNetworkDetector(random_state=0).fit(people())


def spoiled() -> pd.DataFrame:
    """Ordinary rows, and after them a mistake in one cell, and a fare beyond all others."""
    frame = people(200)
    crew = frame.iloc[:1].assign(**{"class": "Crew", "sex": "male", "age": "child"})
    rich = frame.iloc[1:2].assign(fare=40_000.0)
    found = pd.concat([frame, crew, rich], ignore_index=True)
    return found.assign(
        **{"class": pd.Categorical(found["class"], frame["class"].cat.categories, ordered=True)}
    )


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_mistakes_are_the_oddest_rows_of_any_frame(detector: DependencyNetworkDetector, kind: str) -> None:
    found = detector.score_samples(as_kind(spoiled(), kind))
    assert set(np.argsort(found)[:3].tolist()) >= {200, 201}  # one fare of the ordinary rows is far out, too
    predicted = detector.predict(as_kind(spoiled(), kind))
    assert predicted[200:].tolist() == [-1, -1]
    assert (predicted[:200] == 1).mean() > 0.95


def test_it_is_the_harmonic_mean_of_cells_and_distance(detector: DependencyNetworkDetector) -> None:
    frame = spoiled()
    cells = detector.model_.oddness(frame).row_tails
    reasons = pd.DataFrame(detector.reasons(frame, n=len(frame))).drop_duplicates("row").set_index("row")
    own = np.exp(detector.score_samples(frame))[reasons.index - 1]
    expected = 2 / (1 / cells[reasons.index - 1] + 1 / reasons["apart_tail"])
    np.testing.assert_allclose(own, expected, rtol=1e-9)
    np.testing.assert_allclose(own, reasons["row_tail"], rtol=1e-9)


def test_reasons_name_the_wrong_cells(detector: DependencyNetworkDetector) -> None:
    first, second = (
        one for one in detector.reasons(spoiled(), n=3) if one["row"] > 200 and one["tail"] < 0.01
    )
    assert {first["column"], second["column"]} == {"age", "fare"}
    assert {first["row"], second["row"]} == {201, 202}
    assert {first["value"], second["value"]} == {"child", "40000"}


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_contamination_is_the_share_of_odd_rows(share: float) -> None:
    frame = people().assign(fare=lambda own: own["fare"] + np.linspace(0, 1e-3, len(own)))
    found = DependencyNetworkDetector(contamination=share, random_state=0).fit_predict(frame)
    assert (found == -1).mean() == pytest.approx(share, abs=0.03)


def test_holes_are_taken_as_they_come_and_are_not_odd() -> None:
    frame = with_holes(people(400))
    detector = DependencyNetworkDetector(random_state=0).fit(frame)
    assert (detector.predict(frame) == 1).mean() > 0.9
    nothing = frame.iloc[:1].assign(**dict.fromkeys(frame.columns))
    assert np.exp(detector.score_samples(nothing))[0] > 0.3


@pytest.mark.parametrize("share", [0, -0.1, 0.6, "most", None])
def test_what_contamination_is_not(share: Any) -> None:
    with pytest.raises(ValueError, match="contamination"):
        DependencyNetworkDetector(contamination=share).fit(people(50))


def test_it_is_fitted_first_and_the_same_each_time(detector: DependencyNetworkDetector) -> None:
    with pytest.raises(NotFittedError):
        DependencyNetworkDetector().predict(people(10))
    again = clone(detector).fit(people())
    np.testing.assert_array_equal(again.score_samples(spoiled()), detector.score_samples(spoiled()))


def test_numbers_as_large_as_floats_are_are_odd_and_no_error() -> None:
    frame = people(200).assign(
        fare=lambda own: own["fare"].where(own.index != 7, 1e308).where(own.index != 9, -1e308)
    )
    detector = DependencyNetworkDetector(random_state=0).fit(frame)
    found = detector.score_samples(frame)
    assert np.isfinite(found).all()
    assert {7, 9} == set(np.argsort(found)[:2].tolist())
