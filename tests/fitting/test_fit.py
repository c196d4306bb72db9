"""Both networks of one table: what they share, and that sharing changes nothing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import Dataset, DependencyNetwork, Network, query
from depnet.data import describe, encode
from depnet.data.table.dataset import Holed
from depnet.data.table.values import Values
from depnet.fitting.fit import FitOptions, Fitted, fit, fit_law
from depnet.fitting.worth import Sure
from depnet.learning.cost import LADDER
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import AutoBoost, LearnOptions
from depnet.learning.rows import row_order
from depnet.threads import Work
from tests.estimators.tables import people
from tests.mixed import boosts_asked
from tests.narrowed import there
from tests.strategies import seeds

ROWS = Dataset.from_frame(people())


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    return fit(ROWS, FitOptions(), np.random.default_rng(0))


@pytest.fixture(scope="module")
def alone() -> Network:
    """The law by itself, with the whole ladder of penalties."""
    found: Network = fit_law(ROWS, FitOptions())
    return found


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


def test_what_a_law_is_worth_and_how_sure_it_is_are_judged_by_rows_it_has_not_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[Any, Any]] = []

    def judged(laws: Any, parts: Any, worth: float | None = None) -> Any:
        seen.append((laws, parts))
        return 12.5 if worth is None else Sure(worth - 5.5, 3.0)

    monkeypatch.setattr("depnet.fitting.fit.choose_worth", judged)
    monkeypatch.setattr("depnet.fitting.fit.choose_sure", judged)
    law = fit_law(ROWS, FitOptions())
    held_out = there(law.held_out)
    assert (held_out.worth, held_out.sure_shares, held_out.sure_means) == (12.5, 7.0, 3.0)
    (laws, parts), (of_held, both) = seen
    assert len(laws) == len(parts) > 0
    for tried, (learned, held) in zip(laws, parts, strict=True):
        assert tried.order == law.order
        assert learned.total + held.total == ROWS.total
        assert tried.nodes[0].table.counts.sum() == learned.total
    for tried, (judge, held) in zip(of_held, both, strict=True):
        assert tried.order == law.order
        assert tried.nodes[0].table.counts.sum() == held.total < judge.total
    assert sum(held.total for _, held in parts) == held_out.rows
    found = query(law, law.domain.names[0], {})
    assert (found.sure_shares, found.sure_means) == (7.0, 3.0)
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


def random_table(seed: int, rows: int, *, telling: bool, few: bool) -> pd.DataFrame:
    """Numbers, whole numbers, categories and moments with holes, at random or told of by the others; `few`: rows repeat."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=rows).round(0 if few else 9)
    table = pd.DataFrame(
        {
            "x": np.round(z + (0 if few else rng.normal(size=rows)), 2),
            "count": rng.poisson(20 * np.exp(z / 2)),
            "word": np.array(list("abcd"))[np.clip((z + 2).astype(int), 0, 3)],
            "day": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 9 if few else 3000, rows), "h"),
        }
    )
    for name in table:
        rate = 1 / (1 + np.exp(3 - 2 * z)) if telling else np.full(rows, 0.2 * rng.random())
        table[name] = table[name].where(rng.random(rows) >= rate)
    return table


def model_text(table: pd.DataFrame, folder: Path, **options: Any) -> str:
    path = folder / "model.json"
    DependencyNetwork(**options).fit(table).save(path)
    return path.read_text()


@settings(max_examples=settings().max_examples // 2)
@given(seeds, st.booleans(), st.booleans(), st.sampled_from(["auto", "complete", "state"]))
def test_a_shuffled_table_gives_the_same_file(
    tmp_path_factory: pytest.TempPathFactory, seed: int, telling: bool, few: bool, missing: str
) -> None:
    folder = tmp_path_factory.mktemp("models")
    table = random_table(seed, 600, telling=telling, few=few)
    shuffled = table.sample(frac=1, random_state=seed % 2**32)
    with pytest.MonkeyPatch.context() as patch:  # the levels of some rows, as of a large table
        patch.setattr("depnet.learning.limits.WITHIN_ROWS", 400)
        first, second = (model_text(each, folder, missing=missing) for each in (table, shuffled))
    assert first == second


def test_rows_by_place_would_give_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: without an order of their own, holes are drawn, and levels kept, row after row as they come."""
    table = random_table(1, 3000, telling=False, few=False)
    shuffled = table.sample(frac=1, random_state=0)
    monkeypatch.setattr("depnet.fitting.fit.row_order", lambda table: np.arange(table.rows))
    assert model_text(table, tmp_path) != model_text(shuffled, tmp_path)
    monkeypatch.setattr("depnet.learning.limits.WITHIN_ROWS", 1500)
    whole = table.ffill().bfill()
    assert model_text(whole, tmp_path) != model_text(whole.loc[shuffled.index], tmp_path)


def _coded(table: pd.DataFrame) -> Holed:
    return encode(table, describe(table)[0], values=True)


@given(seeds, st.booleans())
def test_rows_are_ordered_by_what_they_say(seed: int, few: bool) -> None:
    table = random_table(seed, 200, telling=False, few=few)
    order = row_order(_coded(table))
    assert sorted(order.tolist()) == list(range(200))
    shuffled = table.sample(frac=1, random_state=seed % 2**32)
    again = row_order(_coded(shuffled))
    pd.testing.assert_frame_equal(
        table.iloc[order].reset_index(drop=True), shuffled.iloc[again].reset_index(drop=True)
    )


def test_what_lies_under_a_hole_is_not_read_and_zero_has_no_sign() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=300).round(1), "y": rng.normal(size=300)})
    table.loc[:99, "x"] = 0.0
    table.loc[200:, "y"] = np.nan
    coded = _coded(table)
    other = _coded(table.assign(x=table["x"].where(table["x"] != 0, -0.0)))
    assert coded.values is not None
    x, y = coded.values[0], coded.values[1]
    under, there = (Values({0: x, 1: np.where(table["y"].isna() == hole, 7.0, y)}) for hole in (True, False))
    assert (
        row_order(replace(coded, values=under)).tolist()
        == row_order(coded).tolist()
        == row_order(other).tolist()
    )
    assert row_order(replace(coded, values=there)).tolist() != row_order(coded).tolist()
