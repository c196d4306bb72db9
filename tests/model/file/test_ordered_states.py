"""Which variables have ordered labels, in a model file: by a section of its own, that may be absent."""

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import depnet
from depnet.data import describe
from depnet.errors import ModelFileError

SIZES = ["small", "medium", "large"]
CHOSEN = ["small", "large", "medium", "small"]


@pytest.mark.parametrize(
    ("column", "ordered"),
    [
        (pd.Series(pd.Categorical(CHOSEN, SIZES, ordered=True)), True),
        (pd.Series(pd.Categorical(CHOSEN, SIZES)), False),
        (pd.Series(CHOSEN), False),
        (pl.Series(CHOSEN, dtype=pl.Enum(SIZES)), True),
        (pl.Series(CHOSEN, dtype=pl.Categorical), False),
        (pa.DictionaryArray.from_arrays([0, 2, 1, 0], SIZES, ordered=True), True),
        (pa.DictionaryArray.from_arrays([0, 2, 1, 0], SIZES), False),
    ],
)
def test_a_frame_says_whether_its_categories_are_ordered(column: object, ordered: bool) -> None:
    kinds = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}
    frame = kinds.get(type(column), pa.table)({"size": column})
    assert describe(frame)[0].variables[0].ordered is ordered


def test_a_file_keeps_it(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"size": pd.Categorical(CHOSEN * 5, SIZES, ordered=True), "x": ["a", "b", "b", "a"] * 5}
    )
    network = depnet.learn(depnet.Dataset.from_frame(frame), smoothing=0.5)
    path = tmp_path / "m.json"
    depnet.save(network, path)
    assert json.loads(path.read_text())["ordered"] == [0]
    loaded = depnet.load(path)
    assert [variable.ordered for variable in loaded.domain.variables] == [True, False]
    both = [depnet.query(each, "x", {"size": ">small"}).probabilities for each in (network, loaded)]
    assert both[0].tolist() == both[1].tolist()  # type: ignore[union-attr]  # of one target
    document = json.loads(path.read_text())
    del document["checksum"]
    for value, message in (
        ([7], r"ordered\[0\]: expected a variable's number, below 2; got 7"),
        (3, "ordered"),
    ):
        path.write_text(json.dumps({**document, "ordered": value}))
        with pytest.raises(ModelFileError, match=message):
            depnet.load(path)
