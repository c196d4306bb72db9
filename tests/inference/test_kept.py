"""Cells that are filled break no constraint with what their row knows."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from depnet import DependencyNetwork
from tests.sampling.test_kept import broken, orders_frame


def with_holes(frame: pd.DataFrame, seed: int = 1, share: float = 0.25) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return frame.mask(rng.random(frame.shape) < share)


@pytest.fixture(scope="module")
def model() -> Any:
    return DependencyNetwork(random_state=0, penalty="mdl").fit(orders_frame())


@pytest.mark.parametrize("method", ["mode", "draw"])
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_no_filled_row_breaks_one_and_what_was_known_stays(model: Any, method: str, kind: str) -> None:
    table = with_holes(orders_frame())
    if kind == "polars":
        pl = pytest.importorskip("polars")
        given = pl.from_pandas(table)
        filled = model.impute(given, method=method).to_pandas()
    else:
        filled = model.impute(table, method=method)
    assert broken(filled) == 0
    for name in table:
        known = table[name].notna()
        assert (filled[name][known] == table[name][known]).all()
        assert filled[name].notna().all() or name == "high"


def test_without_constraints_many_rows_break_one(model: Any) -> None:
    free = DependencyNetwork(random_state=0, penalty="mdl", constraints=None).fit(orders_frame())
    for method in ("mode", "draw"):
        assert broken(free.impute(with_holes(orders_frame()), method=method)) > 200  # the mutant


def test_what_follows_from_the_rest_is_computed(model: Any) -> None:
    rows = orders_frame()[:4].copy()
    rows.loc[0, "total"] = np.nan
    rows.loc[1, "tax"] = np.nan
    rows["boys"] = rows["boys"].astype(float)
    rows.loc[2, "boys"] = np.nan
    filled = model.impute(rows)
    assert filled.loc[0, "total"] == orders_frame().loc[0, "total"]
    assert filled.loc[1, "tax"] == pytest.approx(orders_frame().loc[1, "tax"], abs=1e-9)
    assert filled.loc[2, "boys"] == orders_frame().loc[2, "boys"]


def test_a_row_that_breaks_one_itself_stays(model: Any) -> None:
    rows = orders_frame()[:2].copy()
    rows.loc[0, ["boys", "girls", "children", "net"]] = [3, 4, 20, np.nan]
    filled = model.impute(rows)
    assert filled.loc[0, ["boys", "girls", "children"]].tolist() == [3, 4, 20]
    assert filled.loc[0, "total"] == pytest.approx(filled.loc[0, "net"] + filled.loc[0, "tax"], abs=1e-9)


def test_where_the_table_has_no_value_between_a_number_goes_halfway(model: Any) -> None:
    """Two numbers that are closer than any two of the table."""
    rows = orders_frame()[:1].copy()
    rows.loc[0, ["low", "middle", "high"]] = [10.123456, np.nan, 10.123457]
    for method in ("mode", "draw"):
        filled = model.impute(rows, method=method)
        assert 10.123456 < filled.loc[0, "middle"] < 10.123457


def test_below_all_numbers_of_the_table_is_below(model: Any) -> None:
    rows = orders_frame()[:1].copy()
    rows.loc[0, ["low", "middle", "high"]] = [np.nan, -500.0, np.nan]
    for method in ("mode", "draw"):
        assert model.impute(rows, method=method).loc[0, "low"] < -500.0


def test_rows_of_the_doors_too(model: Any) -> None:
    from depnet.doors.rows import RowModel
    from depnet.model.model import Model

    table = with_holes(orders_frame()[:200])
    asked = RowModel(Model(model.network_, model.law_))
    filled = asked.fill(table, model.layout_)
    assert broken(filled) == 0
    assert broken(asked.draw(200, {"children": 20}, model.layout_, np.random.default_rng(0))) == 0
