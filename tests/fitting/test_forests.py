"""Forests over completed tables, and the answers of holes by networks and forests together."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from depnet import DependencyNetworkImputer
from depnet.fitting import forests as module
from depnet.fitting.forests import Forests, grow_forests, started_values
from depnet.fitting.holes import hole_answers


def table(rows: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    frame = pd.DataFrame(
        {
            "a": x,
            "b": x + 0.2 * rng.normal(size=rows),
            "c": np.where(x > 0, "high", "low"),
            "d": rng.integers(0, 40, rows),
        }
    )
    return frame, rng.random(frame.shape) < 0.15


def fitted(**options: Any) -> tuple[DependencyNetworkImputer, pd.DataFrame, pd.DataFrame]:
    whole, hidden = table()
    holed = whole.mask(hidden)
    return (
        DependencyNetworkImputer(n_networks=4, rounds=2, random_state=0, **options).fit(holed),
        holed,
        whole,
    )


def test_the_table_with_numbers_has_forests() -> None:
    imputer, holed, _ = fitted()
    forests = imputer.forests_
    assert isinstance(forests, Forests)
    assert forests.numbers.tolist() == [True, True, False, True]
    assert sorted(forests.laws) == [0, 1, 3]
    assert forests.codes(0, np.array([-99.0, 99.0])).tolist() == [0, forests.domain.cardinalities[0] - 1]
    words = holed[["c"]].assign(e=holed["c"])
    assert DependencyNetworkImputer(n_networks=2, random_state=0).fit(words).forests_ is None


def test_completed_values_keep_what_was_observed() -> None:
    imputer, holed, _ = fitted()
    forests = imputer.forests_
    assert forests is not None
    rows = imputer._rows(holed)
    values = np.asfortranarray(np.nan_to_num(holed[["a", "b", "d"]].to_numpy(dtype=float))[:, [0, 1, 0, 2]])
    hidden = np.asarray(rows.hidden)
    whole = forests.completed([rows.codes, rows.codes], values, hidden, np.random.default_rng(0))
    for each in whole:
        assert np.array_equal(each[~hidden[:, 1], 1], values[~hidden[:, 1], 1])
        assert np.isin(each[hidden[:, 1], 1], values[~hidden[:, 1], 1]).all()  # draws are values seen
    assert not np.array_equal(whole[0], whole[1])


def test_pieces_and_threads_do_not_matter() -> None:
    imputer, holed, _ = fitted()
    two = fitted(n_jobs=2)[0]
    pd.testing.assert_frame_equal(imputer.transform(holed), two.transform(holed))


def test_the_law_is_the_mean_of_both() -> None:
    imputer, holed, whole = fitted()
    rows = imputer._rows(holed)
    alone, both = imputer.laws(rows)["c"], imputer.laws(holed)["c"]
    hidden = np.asarray(rows.hidden)
    (part,) = hole_answers(
        imputer.networks_, None, rows.codes, hidden, None, tolerance=0.02, rng=np.random.default_rng(0)
    )
    assert np.allclose(
        part.law(2, np.flatnonzero(part.hidden[:, 2]).astype(np.int32)), alone[hidden[:, 2]], atol=0.1
    )
    assert (2 * both >= alone - 0.1).all()
    right = whole["c"].to_numpy() == np.array(imputer.model_.domain_.variables[2].states)[both.argmax(axis=1)]
    assert right.mean() > 0.9


def test_wide_tables_are_read_where_networks_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """12 columns, of which the first copies the last: its trees look at two only, that one among them."""
    monkeypatch.setattr(module, "MOST_READABLE", 2)
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(150, 12))
    wide[:, 0] = wide[:, -1]
    gone = np.zeros(wide.shape, dtype=bool)
    gone[:30, 0] = True
    imputer = DependencyNetworkImputer(n_networks=2, rounds=1, random_state=0).fit(
        np.where(gone, np.nan, wide)
    )
    filled = imputer.transform(np.where(gone, np.nan, wide))
    assert np.corrcoef(filled[:30, 0], wide[:30, 0])[0, 1] > 0.9


def test_many_rows_are_sampled() -> None:
    imputer, holed, _ = fitted()
    rows = imputer._rows(holed)
    forests = imputer.forests_
    assert forests is not None
    hidden = np.asarray(rows.hidden)
    values = np.zeros(hidden.shape, order="F")
    started = started_values(
        rows.domain, forests.numbers, rows.codes, values, hidden, np.random.default_rng(0)
    )
    big, gone = np.asfortranarray(np.repeat(started, 120, axis=0)), np.repeat(hidden, 120, axis=0)
    codes = np.repeat(rows.codes, 120, axis=0).astype(np.uint16)
    again = grow_forests(
        rows.domain, forests.numbers, imputer.networks_, [codes], big, gone, rng=np.random.default_rng(0)
    )
    assert len(again.forests[0].trees) >= 20
