"""Bad and odd values of evidence: each is one clear line, or an answer that says what was done."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import depnet as library
from depnet.errors import BeyondDataWarning
from tests.cli.entry import answer, depnet, refused
from tests.narrowed import by_name

ROWS = 300


def table() -> pd.DataFrame:
    """Numbers, dates, whole numbers, words, and labels that look like comparisons."""
    rng = np.random.default_rng(3)
    mass = np.round(rng.normal(4200, 600, ROWS)).astype(int)
    return pd.DataFrame(
        {
            "mass": mass,
            "length": rng.normal(200, 10, ROWS) + mass / 100,
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 200, ROWS), "D"),
            "visits": rng.integers(1, 6, ROWS),
            "kind": np.where(mass > 4500, "big", np.where(rng.random(ROWS) < 0.5, "small, thin", "a=b")),
            "income": np.where(mass + rng.normal(0, 300, ROWS) > 4300, ">50K", "<=50K"),
        }
    )


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("odd") / "model.json"
    rows = library.Dataset.from_frame(table())
    library.save(library.learn(rows, smoothing=0.5, order="auto").with_counts(rows), path)
    return path


BAD = {
    "mass>9000": "no value of the data meets mass > 9000: 'mass' goes from",
    "length>inf": "no value of the data meets length > inf: 'length' goes from",
    "mass=-1e999": "no value of the data meets mass = -1e999: 'mass' goes from",
    "mass=>4000": "sign after the equals sign. Write mass>4000",
    "kind=bigg": "has no state 'bigg'. Did you mean 'big'",
    "kind=big,kind=a=b": "no value of the data meets (kind=big and kind=a=b)",
    "kind=big,mas>3": "there is no variable 'mas'. Did you mean 'mass'",
    "4000": "is not a condition",
}
"""What the command's own parser refuses, and some of what conditions do (tests/model/test_conditions.py has them all)."""


@pytest.mark.parametrize("text", BAD)
def test_what_cannot_be_is_one_clear_line(odd: Path, text: str) -> None:
    assert BAD[text] in refused("query", odd, "kind", "--given", text)
    assert BAD[text] in refused("sample", odd, "--given", text)


@pytest.mark.parametrize(
    ("text", "share"), [("length > inf", 0), ("mass >= 1e999", 0), ("length = inf", 0), ("length > -inf", 1)]
)
def test_no_value_is_infinite(odd: Path, text: str, share: float) -> None:
    law = library.load(odd, law=True)
    asked = f"SELECT depnet_probability('{text}') AS p"
    assert np.asarray(library.query(law, text).probabilities).tolist() == [1 - share, share]
    assert answer("query", odd, text)["probabilities"][text] == [1 - share, share]
    assert answer("sql", odd, asked)["table"] == [{"p": share}]


@pytest.mark.parametrize("text", ["length>=nan", "mass = nan"])
def test_not_a_number_is_none(odd: Path, text: str) -> None:
    said = "expected a number; got 'nan'"
    assert said in refused("query", odd, text)
    assert said in refused("sql", odd, f"SELECT depnet_probability('{text}')")


GOOD: list[tuple[str, dict[str, Any]]] = [
    ("mass>=4500,visits<3", {"mass": ">=4500", "visits": slice(None, 3)}),
    ("mass=4000..4499", {"mass": slice(4000, 4500)}),
    ("mass=3500|5000", {"mass": [3500, np.int64(5000)]}),
    ("day=2024-02-29", {"day": np.datetime64("2024-02-29")}),
    ("kind=small, thin,mass<4000", {"kind": "small, thin", "mass": "<4000"}),
    ("income>50K", {"income": ">50K"}),
]


@pytest.mark.parametrize(("text", "given"), GOOD)
def test_command_and_python_mean_the_same(odd: Path, text: str, given: dict[str, Any]) -> None:
    found = answer("query", odd, "mass", "income", "--given", text)["probabilities"]
    law = library.load(odd, law=True)
    expected = by_name(library.query(law, ["mass", "income"], given).probabilities)
    assert {name: list(values) for name, values in found.items()} == {
        name: pytest.approx(values.tolist()) for name, values in expected.items()
    }


def test_values_beyond_the_data_are_answered_and_said(odd: Path) -> None:
    law = library.load(odd, law=True)
    said = "'mass' = 99999 is beyond the data"
    (warning, *_) = library.query(law, "kind", {"mass": 99999}).warnings
    assert said in warning
    assert said in depnet("query", odd, "kind", "--given", "mass=99999").stdout.decode()
    assert any(said in text for text in answer("query", odd, "kind", "--given", "mass=99999")["warnings"])
    assert said in depnet("sample", odd, "--given", "mass=99999").stderr.decode()
    with pytest.warns(BeyondDataWarning, match=said):
        library.sample(law, 3, evidence={"mass": 99999})


def test_rows_of_a_cut_bin_are_counted_by_their_values(odd: Path, tmp_path: Path) -> None:
    rows = table()
    path = tmp_path / "t.csv"
    rows.to_csv(path, index=False)
    found = answer("query", odd, "kind", "--given", "mass=4010..4090", "--data", path)
    true = int(rows["mass"].between(4010, 4090).sum())
    assert found["support"]["rows"] == true
    assert found["support"]["exact"]
    assert found["matching"] == found["support"]["rows"]
    assert json.dumps(found["evidence"]) == '{"mass": "4010..4090"}'
