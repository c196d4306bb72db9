"""Money, percentages, dates, moments and times of day as people write them: text in, numbers inside, the same text out."""

import datetime as dt
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet.data import Bins, decode, describe, encode, fill
from depnet.data.binning.forms import find_form, is_form, number_in, texts_in
from depnet.data.binning.times import form_of, microseconds_of
from depnet.errors import DataError, MixedColumnWarning
from tests.cli.entry import depnet as command
from tests.narrowed import there
from tests.refusals import refuses

NUMBER_FORMS = ("$#,##0.00", "0,00", "#.##0,00 €", "0.0%", "#,##0", "US$0", "0.00 USD", "£#,##0.0")
TIME_FORMS = {
    "%-m/%-d/%Y": "date",
    "%d.%m.%Y": "date",
    "%d-%b-%Y": "date",
    "%b %-d, %Y": "date",
    "%-m/%-d/%Y %-H:%M:%S": "datetime",
    "%d/%m/%Y %H:%M": "datetime",
    "%-I:%M %p": "duration",
    "%H:%M:%S": "duration",
}


@given(st.sampled_from(NUMBER_FORMS), st.lists(st.integers(-(10**9), 10**9), min_size=1))
def test_numbers_come_back(form: str, numbers: list[int]) -> None:
    found = there(re.search(r"0(?:[.,](0+))?", form))
    decimals = len(found[1] or "")
    kept = np.round(np.array(numbers) / 10**decimals, decimals)
    texts = texts_in(kept, form)
    assert [number_in(text, form) for text in texts] == pytest.approx(kept.tolist())


@given(st.sampled_from(sorted(TIME_FORMS)), st.datetimes(dt.datetime(1970, 1, 1), dt.datetime(2068, 12, 31)))
def test_times_come_back(form: str, when: dt.datetime) -> None:
    kind = TIME_FORMS[form]
    minute = when.replace(second=0, microsecond=0)
    number = {
        "date": (when - dt.datetime(1970, 1, 1)).days,
        "datetime": (minute - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1),
        "duration": (minute.hour * 60 + minute.minute) * 60_000_000,
    }[kind]
    assert is_form(form, kind)
    assert number_in(texts_in(np.array([number]), form)[0], form) == number


@pytest.mark.parametrize(
    ("texts", "kind", "form"),
    [
        (("$5", "$1,000", "($7)"), "integer", "$#,##0"),
        (("12,50", "3,1", "1.000,25"), "float", "#.##0,00"),
        (("1,234", "999", "12"), "integer", "#,##0"),
        (("84.4%", "3%", "-0.25%"), "float", "0.00%"),
        (("9/30/1990 0:00:00", "12/1/1990 0:00:00", "1/2/1991 0:00:00"), "datetime", "%-m/%-d/%Y %-H:%M:%S"),
        (("30/09/1990", "01/12/1990", "02/01/1991"), "date", "%d/%m/%Y"),
        (("1.2.2020", "28.2.2020", "31.1.2020"), "date", "%-d.%-m.%Y"),
        (("3-Sep-1990", "14-Oct-1990", "1-JAN-1991"), "date", "%-d-%b-%Y"),
        (("14:30", "09:05", "00:00"), "duration", "%H:%M"),
    ],
)
def test_forms_that_are_found(texts: tuple[str, ...], kind: str, form: str) -> None:
    assert find_form(texts) == (kind, form)


@pytest.mark.parametrize(
    "texts",
    [
        ("1", "2", "3"),  # a frame's text of plain numbers is text
        ("$5", "€5", "$6"),  # two currencies are two units
        ("5%", "6", "7%"),
        ("$5", "$6"),  # too few to tell
        ("$5", "$5.0", "$5.00"),  # one number
        ("1,23,456", "1,2", "7"),
        ("31/31/1990", "1/1/1990", "2/2/1990"),
        ("25:00", "14:30", "13:00"),
        ("555-1234", "555-1235", "555-1236"),
        ("10-20", "20-30", "30-40"),
    ],
)
def test_what_has_no_form(texts: tuple[str, ...]) -> None:
    assert find_form(texts) is None


@pytest.fixture(scope="module")
def bills() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    kind = rng.choice(["small", "large"], 600)
    price = np.where(kind == "large", 2000, 20) * np.exp(rng.normal(size=600) / 4)
    when = pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 3000, 600), unit="D")
    return pd.DataFrame(
        {
            "kind": kind,
            "price": [None if k % 50 == 7 else f"${p:,.2f}" for k, p in enumerate(price)],
            "when": [f"{day.month}/{day.day}/{day.year}" for day in when],
        }
    )


def test_a_frame_and_its_file_are_one_table(bills: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "bills.csv"
    bills.to_csv(path, index=False)
    read, (domain, _) = depnet.read(path), describe(bills)
    assert read.domain == domain
    for each in (read.domain, domain):
        forms = [None if variable.bins is None else variable.bins.form for variable in each.variables]
        assert forms == [None, "$#,##0.00", "%-m/%-d/%Y"]
    coded = encode(bills, domain)
    np.testing.assert_array_equal(read.codes[~read.hidden], coded.codes[~coded.hidden])
    np.testing.assert_array_equal(read.hidden, coded.hidden)


def test_answers_are_of_the_numbers_and_rows_have_the_form(bills: pd.DataFrame) -> None:
    model = depnet.DependencyNetwork(distil=False, random_state=0).fit(bills)
    prices = bills["price"].str.replace("[$,]", "", regex=True).astype(float)
    found = model.query("price", {"kind": "large"})
    assert found.summary("price", "observed").mean == pytest.approx(prices[bills["kind"] == "large"].mean())
    dear = model.query("price > $1,000", {"when": ">=1/1/1995"})
    later = pd.to_datetime(bills["when"]) >= "1995-01-01"
    assert dear.observed[1] == pytest.approx((prices[later & prices.notna()] > 1000).mean())
    drawn = model.sample(50, holes=False)
    assert drawn["price"].str.fullmatch(r"\$[0-9,]+\.[0-9]{2}").all()
    assert pd.to_datetime(drawn["when"], format="%m/%d/%Y").notna().all()
    filled = model.impute(bills)
    assert filled["price"].notna().all()
    assert (filled["price"] == bills["price"])[bills["price"].notna()].all()


def test_a_later_row_of_a_long_file_has_its_say(tmp_path: Path) -> None:
    """What the first thousand rows are is asked of all rows."""

    def read_bins(*more: str, **options: Any) -> Any:
        rows = [f"{k % 7},${k % 90}" for k in range(3000)]
        (tmp_path / "long.csv").write_text("\n".join(["k,price", *rows, *more]), encoding="utf-8")
        return depnet.read(tmp_path / "long.csv", **options).domain.variables[1].bins

    assert read_bins().form == "$0"
    later = read_bins("1,$2.75")
    assert (later.form, later.kind) == ("$0.00", "float")
    with pytest.warns(MixedColumnWarning, match="1 of its 3,001 values is not a number: 'none of these'"):
        assert read_bins("1,none of these") is None
    assert read_bins(text=["price"]) is None


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


@pytest.mark.parametrize(("form", "ending"), [*zip(FORMS, itertools.cycle(["csv", "jsonl"]), strict=False)])
def test_frames_and_files_have_text_in_the_form_that_was_read(form: str, ending: str, tmp_path: Path) -> None:
    texts = column(form, 60)
    path, drawn = tmp_path / f"t.{ending}", tmp_path / f"drawn.{ending}"
    frame = pd.DataFrame({"at": texts, "x": range(60)})
    write = frame.to_csv if ending == "csv" else frame.to_json
    write(path, **({"index": False} if ending == "csv" else {"orient": "records", "lines": True}))
    table = depnet.read(path, keep="all")
    domain, layout = describe(frame, keep="all")
    for each in (table.domain, domain):
        assert there(each.variables[0].bins).form == form
    codes = np.array(encode(frame, domain).codes, dtype=np.int64)
    assert set(decode(codes, domain, layout, rng=np.random.default_rng(0))["at"]) <= set(texts)
    assert set(fill(frame.assign(at=None), codes, domain, layout)["at"]) <= set(texts)
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
    command("fit", table, "-o", model, "--keep", "at")
    drawn, full = tmp_path / "drawn.csv", tmp_path / "full.csv"
    command("sample", model, "-n", 40, "-o", drawn)
    command("impute", model, table, "-o", full)
    for path in (drawn, full):
        found = {line.split(",")[0] for line in path.read_text().splitlines()[1:]}
        assert found - {""} <= set(texts)
