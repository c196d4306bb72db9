"""One road for tables: whatever a table is in, it has the same domain, codes, holes and numbers, also for a model."""

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import read
from depnet.data import Domain, Holed, Variable, describe, encode
from depnet.data.files.read import read_for
from depnet.errors import DataError, UnknownStatesWarning
from tests.data.strategies import FORMATS, LABELS, write
from tests.narrowed import there
from tests.refusals import refuses

DAY = dt.date(2020, 1, 1)
SHORT = [20_000, 0]
"""Rows of a table that is fetched: all of them, and none."""
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "label": LABELS,
    "word": st.sampled_from(["a", "b", "c", "none of these", None]),
    "few": st.one_of(st.integers(0, 3), st.none()),
    "many": st.one_of(st.integers(-1000, 1000), st.none()),
    "real": st.one_of(st.floats(-1, 1).map(lambda x: round(x, 3) + 0.0), st.none()),
    "day": st.one_of(st.integers(0, 2000).map(lambda d: DAY + dt.timedelta(days=d)), st.none()),
    "when": st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2050, 1, 1)),
    "flag": st.booleans(),
}
KNOWN = {
    "label": "x",
    "word": "a",
    "few": 1,
    "many": 500,
    "real": 0.5,
    "day": DAY,
    "when": dt.datetime(2020, 1, 1),
    "flag": True,
}


@st.composite
def frames(draw: st.DrawFn, least: int, most: int) -> pl.DataFrame:
    """Rows with holes, and a last one without: no column is empty."""
    count = draw(st.integers(least, most))
    rows = [{name: draw(cell) for name, cell in CELLS.items()} for _ in range(count)]
    return pl.DataFrame([*rows, KNOWN], infer_schema_length=None)


def assert_equal(got: Holed, wanted: Holed) -> None:
    assert got.domain == wanted.domain
    assert np.array_equal(got.codes, wanted.codes)
    assert np.array_equal(got.hidden, wanted.hidden)
    assert (got.values is None) == (wanted.values is None)
    for i in wanted.values or ():
        known = ~wanted.hidden[:, i]
        assert np.array_equal(there(got.numbers(i))[known], there(wanted.numbers(i))[known])


@pytest.mark.parametrize("short", SHORT)
@settings(max_examples=2 * settings().max_examples)
@given(old=frames(10, 40), new=frames(0, 8), ending=st.sampled_from(FORMATS))
@pytest.mark.filterwarnings("ignore::depnet.errors.UnknownStatesWarning")
def test_frames_and_files_are_read_alike(
    tmp_path_factory: pytest.TempPathFactory, short: int, old: pl.DataFrame, new: pl.DataFrame, ending: str
) -> None:
    folder = tmp_path_factory.mktemp("road")
    domain, _ = describe(old, keep="all")
    wanted, later = encode(old, domain), encode(new, domain, handle_unknown="missing")
    pandas = old.to_pandas(date_as_object=True)
    assert_equal(encode(pandas, describe(pandas, keep="all")[0]), wanted)
    assert_equal(encode(new.to_pandas(date_as_object=True), domain, handle_unknown="missing"), later)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("depnet.data.table.limits.SHORT_ROWS", short)
        assert_equal(read(write(old, folder / f"old.{ending}"), keep="all"), wanted)
        table, unknown = read_for(write(new, folder / f"new.{ending}"), domain, handle_unknown="missing")
        assert_equal(table, later)
        empty = {i: new[name].is_null().to_numpy() for i, name in enumerate(domain.names)}
        for i, rows in unknown.items():
            assert not empty[i][rows].any()
        strange = {i: np.flatnonzero(later.hidden[:, i] & ~empty[i]).tolist() for i in empty}
        assert {i: rows.tolist() for i, rows in unknown.items()} == {i: r for i, r in strange.items() if r}


@pytest.fixture(params=SHORT)
def path(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("depnet.data.table.limits.SHORT_ROWS", request.param)
    return tmp_path / "t.csv"


def test_a_state_that_is_not_there_is_an_error_that_offers_the_nearest(path: Path) -> None:
    path.write_text("sex,age\nmale,1\n,2\nmael,3\n")
    domain = Domain((Variable("sex", ("female", "male")),))
    said = r"t\.csv: column 'sex', row 2: the model has no state 'mael'\. Did you mean 'male'"
    refuses(DataError, said, read_for, path, domain)
    with pytest.warns(UnknownStatesWarning, match="1 of 'sex', such as 'mael'. They count as missing"):
        table, unknown = read_for(path, domain, handle_unknown="missing")
    assert table.hidden.tolist() == [[False], [True], [True]]
    assert {i: rows.tolist() for i, rows in unknown.items()} == {0: [2]}
    refuses(DataError, "has no column 'rank'", read_for, path, Domain((Variable("rank", (1, 2)),)))
    found, _ = read_for(path, Domain((Variable("rank", (1, 2)), Variable("age", (1, 2, 3)))), optional=True)
    assert found.domain.names == ("age",)


def test_words_of_dates_and_all_others(path: Path) -> None:
    days = [{"x": DAY + dt.timedelta(days=d)} for d in range(50)]
    domain, _ = describe(days)
    path.write_text("x\n2020-01-03\nsoon\n2020-02-10\n")
    with pytest.warns(UnknownStatesWarning, match="1 of 'x', such as 'soon'"):
        table, _ = read_for(path, domain, handle_unknown="missing")
    frame = pd.DataFrame({"x": ["2020-01-03", None, "2020-02-10"]})
    assert np.array_equal(table.codes, encode(frame, domain).codes)
    path.write_text("x\na\nq\nb\n")
    others = Domain((Variable("x", ("a", "b", "other", "(missing)"), other="other", missing="(missing)"),))
    assert read_for(path, others)[0].codes[:, 0].tolist() == [0, 2, 1]
