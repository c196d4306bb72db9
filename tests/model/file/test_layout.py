"""The layout in a model file: a loaded estimator's frames are like those it was fitted on."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import depnet
from depnet.data import Layout
from depnet.errors import ModelFileError
from depnet.model.file import load_model
from tests.data.frames.test_frames import FRAMES, pandas_frame, polars_frame
from tests.refusals import refuses

ROWS = 60


@pytest.mark.parametrize("kind", FRAMES)
def test_a_loaded_estimator_gives_the_frames_of_the_fitted_one(kind: str, tmp_path: Path) -> None:
    model = depnet.DependencyNetwork(penalty="mdl", random_state=0).fit(FRAMES[kind])
    model.save(tmp_path / "model.json")
    again = depnet.DependencyNetwork.load(tmp_path / "model.json", random_state=0)
    ours, theirs = again.sample(20), model.sample(20)
    assert type(ours) is type(theirs)
    if kind == "pandas":
        pd.testing.assert_frame_equal(ours, theirs)
    elif kind in ("polars", "pyarrow"):
        assert ours.schema == theirs.schema
        assert ours.equals(theirs)
    elif kind in ("floats", "objects"):
        assert ours.dtype == theirs.dtype
        pd.testing.assert_frame_equal(pd.DataFrame(ours), pd.DataFrame(theirs))
    else:
        assert ours == theirs
    assert depnet.load(tmp_path / "model.json") == model.network_


def test_a_file_without_a_layout_gives_pandas_and_one_of_a_missing_library_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = depnet.DependencyNetwork(penalty="mdl").fit(polars_frame())
    depnet.save(model.network_, tmp_path / "plain.json")
    assert load_model(tmp_path / "plain.json").layout is None
    plain = depnet.DependencyNetwork.load(tmp_path / "plain.json", random_state=0)
    with pytest.warns(UserWarning, match="no ordered law"):
        assert isinstance(plain.sample(2), pd.DataFrame)
    model.save(tmp_path / "model.json")
    monkeypatch.setattr("depnet.model.file.fields.available", lambda kind: False)
    assert isinstance(depnet.DependencyNetwork.load(tmp_path / "model.json").sample(2), pd.DataFrame)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_dates_that_were_text_are_text_again(kind: str, tmp_path: Path) -> None:
    days = [str(dt.date(2020, 1, 1) + dt.timedelta(days=d)) if d % 5 else None for d in range(ROWS)]
    columns = {"day": days, "x": [d % 2 for d in range(ROWS)]}
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[kind](columns)
    model = depnet.DependencyNetwork(penalty="mdl", random_state=0, missing="state").fit(frame)
    assert model.domain_.variables[0].bins is not None
    model.save(tmp_path / "model.json")
    again = depnet.DependencyNetwork.load(tmp_path / "model.json", random_state=0)
    drawn = again.sample(20)["day"]
    values = {v if isinstance(v, str) else None for v in (drawn.to_pylist() if kind == "pyarrow" else drawn)}
    assert None in values
    assert all(dt.date.fromisoformat(value).year == 2020 for value in values if value is not None)


def test_dates_and_durations_that_may_be_missing_are_held_by_every_kind_of_frame(tmp_path: Path) -> None:
    frame = pandas_frame()[["moment", "wait", "flag"]]
    frame.loc[::4, ["moment", "wait"]] = None
    depnet.DependencyNetwork(penalty="mdl", missing="state").fit(frame).save(tmp_path / "model.json")
    for kind in ("pandas", "polars", "pyarrow", "numpy", "dicts"):
        drawn = depnet.DependencyNetwork.load(tmp_path / "model.json", frame=kind, random_state=0).sample(50)
        assert len(drawn) == 50
    array = depnet.DependencyNetwork.load(tmp_path / "model.json", frame="numpy", random_state=0).sample(50)
    assert {type(value) for value in array[:, 0]} == {dt.datetime, type(None)}
    assert {type(value) for value in array[:, 1]} == {dt.timedelta, type(None)}


@pytest.mark.parametrize("key", [0, ""])
def test_named_fields_of_an_array_have_names(key: object, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    depnet.DependencyNetwork(penalty="mdl").fit(np.array([[0, 1], [1, 0]] * 20)).save(path)
    document = json.loads(path.read_text())
    del document["checksum"]
    columns = [
        {**column, "key": name} for column, name in zip(document["layout"]["columns"], "ab", strict=True)
    ]
    document["layout"] |= {"structured": True, "columns": columns}
    path.write_text(json.dumps(document))
    assert depnet.DependencyNetwork.load(path).sample(3).dtype.names == ("a", "b")
    columns[1]["key"] = key
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match=r"layout.columns\[1\].key: expected the name of a field"):
        depnet.DependencyNetwork.load(path)


def test_types_that_cannot_be_kept_are_the_usual_ones(tmp_path: Path) -> None:
    frame = pd.DataFrame({"part": pd.cut(np.arange(60.0), 3), "x": np.arange(60) % 2})
    model = depnet.DependencyNetwork(penalty="mdl", random_state=0).fit(frame)
    model.save(tmp_path / "model.json")
    layout = load_model(tmp_path / "model.json").layout
    assert isinstance(layout, Layout)
    assert layout.columns[0].dtype is None
    sampled = depnet.DependencyNetwork.load(tmp_path / "model.json").sample(3)
    assert set(sampled["part"]) <= set(map(str, frame["part"].cat.categories))


@pytest.mark.parametrize(
    ("frame", "dtype"),
    [
        ("pandas", "category"),
        ("pandas", "period[D]"),
        ("pandas", "interval[int64]"),
        ("pandas", "datetime64[ns, Europe/Paris]"),
        ("pandas", "<i8"),
        ("pandas", "Int8"),
        ("pandas", {"categories": "<i8", "ordered": False, "index": None}),
        ("polars", "Int8"),
        ("polars", "Date"),
        ("polars", {"time": "us", "zone": "Europe/Paris"}),
        ("polars", {"time": "us", "zone": "Mars/Olympus"}),
        ("pyarrow", "int8"),
        ("pyarrow", {"time": "us", "zone": "Mars/Olympus"}),
        ("pyarrow", {"categories": "int8", "ordered": False, "index": "int8"}),
        ("numpy", "<i8"),
        ("numpy", "<M8[D]"),
    ],
    ids=str,
)
def test_a_type_that_does_not_hold_the_states_is_refused_at_once(
    frame: str, dtype: Any, tmp_path: Path
) -> None:
    path = tmp_path / "model.json"
    depnet.DependencyNetwork(penalty="mdl").fit(
        pd.DataFrame({"a": ["x", "y"] * 20, "b": ["v", "v", "w", "w"] * 10})
    ).save(path)
    document = json.loads(path.read_text())
    del document["checksum"]
    columns = [{"key": key, "kind": "label", "dtype": dtype} for key in "ab"]
    document["layout"] = {"frame": frame, "structured": False, "columns": columns}
    path.write_text(json.dumps(document))
    refuses(ModelFileError, r"columns\[0\]\.dtype", depnet.DependencyNetwork.load, path)


def test_update_keeps_the_layout(tmp_path: Path) -> None:
    from tests.cli.entry import depnet as command

    frame = pd.DataFrame({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10}, dtype="int16")
    depnet.DependencyNetwork(penalty="mdl").fit(frame).save(tmp_path / "model.json")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    command("update", tmp_path / "model.json", tmp_path / "rows.csv", "-o", tmp_path / "newer.json")
    assert (depnet.DependencyNetwork.load(tmp_path / "newer.json").sample(3).dtypes == "int16").all()
