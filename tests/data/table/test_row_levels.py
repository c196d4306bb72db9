"""The levels of some rows, beside their codes: of frames and files alike."""

import io
from typing import Any

import numpy as np
import pytest

from depnet import Dataset, read
from depnet.data import describe, encode
from depnet.data.binning.levels import Levels
from depnet.data.table import row_levels
from depnet.data.table.dataset import Holed
from depnet.data.table.row_levels import RowLevels


def _levels(table: Holed) -> RowLevels:
    assert table.values is not None
    return RowLevels.of(table.domain, table.codes, table.values)


def test_a_frame_and_its_file_have_the_same_levels() -> None:
    rng = np.random.default_rng(0)
    pairs = zip(rng.random(300).tolist(), rng.integers(0, 90, 300).tolist(), strict=True)
    rows: list[dict[str, Any]] = [{"x": x, "n": n} for x, n in pairs]
    rows[5]["x"] = None
    text = "x,n\n" + "".join(f"{'' if r['x'] is None else r['x']},{r['n']}\n" for r in rows)
    table = read(io.StringIO(text))
    again = encode(rows, table.domain, values=True)
    own, other = _levels(table), _levels(again)
    assert own.rows.tolist() == list(range(300))
    seen = ~np.asarray(table.hidden)
    assert np.array_equal(own.levels[seen], other.levels[seen])
    bins = table.domain.variables[1].bins
    assert bins is not None
    values = Levels.of(bins).values[own.levels[:, 1]]
    assert np.abs(values - np.array([r["n"] for r in rows])).max() <= 90 / len(bins)


def test_a_complete_file_keeps_them_on_the_way_to_a_fit() -> None:
    table = read(io.StringIO("x\n" + "\n".join(map(str, range(100)))), keep="all")
    assert isinstance(table, Dataset)
    assert table.values is not None
    assert table.values[0].tolist() == list(range(100))
    assert encode([{"x": 1.0}], table.domain, values=False).values is None


def test_dates_as_text_have_levels_and_a_variable_without_bins_has_none() -> None:
    days = [{"day": f"20{20 + k % 5}-0{1 + k % 9}-1{k % 7}", "word": "ab"[k % 2]} for k in range(400)]
    domain, _ = describe(days)
    found = _levels(encode(days, domain, values=True))
    bins = domain.variables[0].bins
    assert bins is not None
    codes = bins.locate(Levels.of(bins).values[found.levels[:, 0]])
    assert np.array_equal(codes, encode(days, domain).codes[:, 0])
    assert (found.levels[:, 1] == -1).all()


def test_of_many_rows_some_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_levels, "MOST_ROWS", 50)
    values = np.random.default_rng(0).random((400, 1))
    domain, _ = describe(values)
    found = _levels(encode(values, domain, values=True))
    assert len(found.rows) == len(set(found.rows.tolist())) == 50
    again = _levels(encode(values[found.rows], domain, values=True))
    assert np.array_equal(found.levels, again.levels)
