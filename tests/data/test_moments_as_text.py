"""Moments that came as text are written as they came: drawn and imputed, of frames and files, from a loaded model too."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet.data import Bins, decode, describe, encode, fill
from depnet.data.binning.times import form_of, microseconds_of, texts_in
from depnet.errors import DataError
from tests.cli.entry import real
from tests.refusals import refuses

FORMS = [
    f"%Y-%m-%d{between}%H:%M{exact}{zone}"
    for between in " T"
    for exact in ("", ":%S", ":%S.%3f", ":%S.%6f")
    for zone in ("", "Z", "+02:00", "-03:30", "+05")
]
START = dt.datetime(2024, 2, 28, 22, 10)


def column(form: str, rows: int, step: float = 3_600.0) -> list[str]:
    """Different moments in this form, midnight among them."""
    moments = [microseconds_of(START + dt.timedelta(seconds=step * k)) for k in range(rows)]
    return list(texts_in(np.array(moments), form))


@pytest.mark.parametrize("form", FORMS)
def test_frames_give_text_back_in_its_form(form: str) -> None:
    texts = column(form, 60)
    frame = pd.DataFrame({"at": [None, *texts]})
    domain, layout = describe(frame, keep="all")
    (at,) = domain.variables
    assert at.bins is not None
    assert at.bins.form == form
    codes = np.array(encode(frame, domain).codes, dtype=np.int64)
    drawn = decode(codes, domain, layout, rng=np.random.default_rng(0))
    assert set(drawn["at"]) <= set(texts)
    assert set(fill(frame, codes, domain, layout)["at"]) <= set(texts)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_files_are_written_in_the_form_that_was_read(form: str, ending: str, tmp_path: Path) -> None:
    texts = column(form, 60)
    path, drawn = tmp_path / f"t.{ending}", tmp_path / f"drawn.{ending}"
    frame = pd.DataFrame({"at": texts, "x": range(60)})
    write = frame.to_csv if ending == "csv" else frame.to_json
    write(path, **({"index": False} if ending == "csv" else {"orient": "records", "lines": True}))
    table = depnet.read(path, keep="all")
    for domain in (table.domain, describe(frame, keep="all")[0]):
        bins = domain.variables[0].bins
        assert bins is not None
        assert bins.form == form
    depnet.write(table, drawn, rng=np.random.default_rng(0))
    lines = drawn.read_text().splitlines()
    cells = (
        [line.split(",")[0] for line in lines[1:]]
        if ending == "csv"
        else [json.loads(x)["at"] for x in lines]
    )
    assert set(cells) <= set(texts)


@given(
    moments=st.lists(st.datetimes(dt.datetime(1000, 1, 2), dt.datetime(9999, 12, 30)), min_size=1),
    form=st.sampled_from(FORMS),
)
def test_a_form_is_found_in_its_texts_and_loses_only_what_it_does_not_say(
    moments: list[dt.datetime], form: str
) -> None:
    numbers = np.array([microseconds_of(moment) for moment in moments])
    texts = texts_in(numbers, form)
    assert form_of(texts, [1] * len(texts)) == form
    back = np.array([microseconds_of(text) for text in texts])
    unit = next(
        unit for name, unit in {"6f": 1, "3f": 1000, "S": 10**6, "M": 60 * 10**6}.items() if name in form
    )
    assert ((back <= numbers) & (numbers < back + unit)).all()


def test_where_cells_differ_most_of_them_decide_and_no_digit_is_lost() -> None:
    texts = ["2024-02-29", "2024-02-29T10:00Z", "2024-02-29T10:00:01Z", "2024-02-29 10:00+01:00"]
    assert form_of(texts, [9, 1, 1, 1]) == "%Y-%m-%dT%H:%M:%SZ"
    assert form_of(texts[:1], [9]) is None
    assert form_of(texts[1:], [1, 1, 3]) == "%Y-%m-%d %H:%M:%S+01:00"


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%Y-%m-%d", 3, "%Y-%m-%d %H:%M:%S.%0f"])
def test_what_is_no_form(form: Any) -> None:
    refuses(DataError, "the form of text", Bins, (0, 1), ((0,),), "datetime", form)
    refuses(DataError, "the form of text", Bins, (0, 1), ((0,),), "float", "%Y-%m-%d %H:%M")


def test_the_command_samples_and_imputes_in_the_form_of_the_table(tmp_path: Path) -> None:
    texts = column("%Y-%m-%dT%H:%M:%S-03:00", 60)
    cells = ["" if k % 9 == 4 else text for k, text in enumerate(texts)]
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    pd.DataFrame({"at": cells, "x": [k % 7 for k in range(60)]}).to_csv(table, index=False)
    real("fit", table, "-o", model, "--keep", "at")
    drawn, full = tmp_path / "drawn.csv", tmp_path / "full.csv"
    real("sample", model, "-n", 40, "-o", drawn)
    real("impute", model, table, "-o", full)
    for path in (drawn, full):
        found = {line.split(",")[0] for line in path.read_text().splitlines()[1:]}
        assert found - {""} <= set(texts)
