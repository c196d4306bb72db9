"""Both networks of one table: what they share, and that sharing changes nothing."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from depnet import Dataset, Network
from depnet.data.table.dataset import Holed
from depnet.fitting.fit import FitOptions, Fitted, fit, fit_law
from depnet.learning.boost import AutoBoost
from depnet.learning.cost import LADDER
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import LearnOptions
from depnet.threads import Work
from tests.estimators.tables import people
from tests.mixed import boosts_asked
from tests.narrowed import there

ROWS = Dataset.from_frame(people())


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    return fit(ROWS, FitOptions(), np.random.default_rng(0))


@pytest.fixture(scope="module")
def alone() -> Network:
    """The law by itself, with the whole ladder of penalties."""
    return fit_law(ROWS, FitOptions())


def test_the_law_is_that_of_the_whole_ladder(fitted: Fitted, alone: Network) -> None:
    assert fitted.law.nodes == alone.nodes
    assert fitted.law.held_out == alone.held_out
    assert fitted.law.order == alone.order
    assert fitted.dataset.codes.tolist() == ROWS.codes.tolist()
    assert fitted.network.counts is fitted.law.counts
    assert fitted.completion.network is fitted.network


def test_a_law_whose_best_is_the_first_rung_tried_climbs_the_whole_ladder(
    alone: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, choice = learn_with_choice(ROWS, LearnOptions(penalty="auto", smoothing=0.5))
    far = replace(there(choice), pooled=(LADDER[-1], 0.5))
    monkeypatch.setattr("depnet.fitting.fit.BEFORE", 0)
    tried: list[int] = []

    def counted(rows: Dataset, options: LearnOptions, work: Work) -> object:
        if options.auto is not None:
            tried.append(len(options.auto.penalties))
        return learn_with_choice(rows, options, work)

    monkeypatch.setattr("depnet.fitting.fit.learn_with_choice", counted)
    assert fit_law(ROWS, FitOptions(), beside=far).nodes == alone.nodes
    assert tried == [1, len(LADDER)]
    tried.clear()
    fit_law(ROWS, FitOptions(max_seconds=60), beside=far)
    assert tried == [1]  # there is a time to keep


def test_progress_counts_rounds_and_the_nodes_of_both() -> None:
    rng = np.random.default_rng(0)
    hidden = np.asfortranarray(rng.random(ROWS.codes.shape) < 0.1)
    seen = Dataset.from_codes(np.where(hidden, 0, ROWS.codes), domain=ROWS.domain).codes
    for holed in (ROWS, Holed(ROWS.domain, seen, hidden)):
        options = FitOptions(penalty="mdl", rounds=3)
        told: list[int] = []
        fit(holed, options, np.random.default_rng(0), told.append)
        assert told == sorted(told)
        assert told[-1] == options.steps(holed) == 10 + (0 if holed.complete else 3)


def test_what_a_law_is_worth_is_judged_by_rows_it_has_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, Any]] = []

    def judged(laws: Any, parts: Any) -> float:
        seen.append((laws, parts))
        return 12.5

    monkeypatch.setattr("depnet.fitting.fit.chosen_worth", judged)
    law = fit_law(ROWS, FitOptions())
    assert law.held_out is not None
    assert law.held_out.worth == 12.5
    ((laws, parts),) = seen
    assert len(laws) == len(parts) > 0
    for tried, (learned, held) in zip(laws, parts, strict=True):
        assert tried.order == law.order
        assert learned.total + held.total == ROWS.total
        assert tried.nodes[0].table.counts.sum() == learned.total
    assert sum(held.total for _, held in parts) == law.held_out.rows
    assert fit_law(ROWS, FitOptions(penalty="mdl")).held_out is None


def test_boost_is_passed_on_where_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """To both networks, and not to the rounds of completion."""
    asked = boosts_asked(monkeypatch)
    hidden = np.zeros(ROWS.codes.shape, dtype=bool)
    hidden[0, 0] = True
    holed = Holed(ROWS.domain, np.where(hidden, 0, ROWS.codes).astype(np.uint8), hidden)
    fit(holed, FitOptions(penalty="mdl", rounds=1, boost="auto"), np.random.default_rng(0))
    assert asked[-2:] == [AutoBoost(), AutoBoost()]
    assert set(asked[:-2]) == {None}
    asked.clear()
    fit(ROWS, FitOptions(penalty="mdl"), np.random.default_rng(0))
    assert set(asked) == {None}
