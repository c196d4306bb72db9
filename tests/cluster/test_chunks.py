"""Rows that are read a chunk at a time by this process: all of them, or a sample that gives the structure."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import depnet
from depnet import (
    Boost,
    ConstantSource,
    Dataset,
    LosslessSource,
    Mdl,
    Network,
    StructuralMdl,
    learn_parameters,
)
from depnet.cluster import learn
from depnet.cluster.table import TableRequest, Where, open_chunks
from depnet.data.table.encode import encode
from depnet.data.table.variables import StateOptions
from depnet.errors import DataError, LearningError
from depnet.learning.cost import Auto
from tests.cluster.clusters import SMALL, room_for
from tests.cluster.tables import assert_same_network, mixed_table, write_parts
from tests.narrowed import there
from tests.refusals import refuses


def sampled(frame: Any, share: float) -> Any:
    """The rows whose own random number is below the share."""
    return frame[np.random.Generator(np.random.PCG64(0)).random(len(frame)) < share]


def counted_over(frame: Any, network: Network) -> Network:
    """The tables of a network counted over all rows of a frame, which has its domain."""
    rows = Dataset.from_frame(frame)
    return learn_parameters(rows, [node.source for node in network.nodes], smoothing=0.5, order=network.order)


@pytest.mark.parametrize("parts", [1, 3])
def test_rows_that_fit_give_the_networks_of_rows_in_memory(tmp_path: Path, parts: int) -> None:
    frame = mixed_table(900, seed=1)
    write_parts(frame, tmp_path, parts)
    data = Dataset.from_frame(frame)
    done: list[tuple[int, int]] = []
    options: dict[str, Any] = {"smoothing": 0.5, "boost": Boost(stages=5), "cuts": True}
    for order in (None, "auto"):
        found = learn(
            tmp_path, chunk_rows=200, order=order, progress=lambda *told: done.append(told), **options
        )
        assert found == depnet.learn(data, order=order, **options)
        assert done[-1] == (6, 6)


@pytest.mark.parametrize("chunk_rows", [100, 700, 10**6])
def test_the_structure_of_a_sample_and_the_tables_of_all_rows(
    tmp_path: Path, chunk_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sample is the same whatever the chunks are."""
    frame = mixed_table(3000, seed=1)
    write_parts(frame, tmp_path, 3, row_group=100)
    room_for(10_000, monkeypatch)
    domain = Dataset.from_frame(frame).domain
    some = encode(sampled(frame, 10_000 / 18_000), domain).dataset()
    assert 1400 < some.rows < 1950
    options: dict[str, Any] = {"smoothing": 0.5, "penalty": "auto", "cuts": True}
    for order in (None, "auto"):
        found = learn(tmp_path, memory=SMALL, chunk_rows=chunk_rows, order=order, **options)
        expected = depnet.learn(some, order=order, **options)
        assert [node.source for node in found.nodes] == [node.source for node in expected.nodes]
        assert found.held_out == expected.held_out
        for node, one in zip(found.nodes, expected.nodes, strict=True):
            assert node.table.smoothing == one.table.smoothing
        whole = counted_over(frame, found)
        assert_same_network(found.smoothed(0.5), replace(whole, held_out=found.held_out))
        assert there(found.counts).total == 3000


def test_options_are_those_of_learn(tmp_path: Path) -> None:
    frame = mixed_table(2000, seed=2)
    write_parts(frame, tmp_path, 2)
    options: dict[str, Any] = {
        "penalty": Auto((StructuralMdl(), Mdl()), (0.5, 2.0)),
        "smoothing": 0.5,
        "max_leaves": 5,
        "roles": {"alive": "target"},
        "forbidden": [("port", "fare")],
        "order": "auto",
    }
    expected = depnet.learn(Dataset.from_frame(frame, bins={"fare": [-20, 0, 5, 30]}), **options)
    found = learn(str(tmp_path / "*.parquet"), bins={"fare": [-20, 0, 5, 30]}, **options)
    assert_same_network(found, expected)


def test_columns_are_chosen_and_missing_values_may_be_a_state(tmp_path: Path) -> None:
    frame = mixed_table(500, seed=3)
    frame.loc[[3, 77], "port"] = None
    write_parts(frame, tmp_path, 2)
    refuses(DataError, "column 'port', row 3: the value is missing", learn, tmp_path)
    chosen = ["port", "class"]
    expected = depnet.learn(Dataset.from_frame(frame[chosen], missing="state"))
    assert_same_network(learn(tmp_path, columns=chosen, missing="state"), expected)


def test_a_row_with_a_hole_is_left_out_of_the_nodes_that_read_it(tmp_path: Path) -> None:
    """And a leaf that no whole row comes to keeps the counts that it had."""
    frame = mixed_table(400, seed=4)[["class", "alive", "port"]]
    data = Dataset.from_frame(frame)
    sources: list[Any] = [LosslessSource((2,), (3,)), LosslessSource((0, 2), (3, 3)), ConstantSource()]
    network = learn_parameters(data, sources, smoothing=0.5)
    holes = frame.copy()
    hidden = np.random.default_rng(0).random(frame.shape) < 0.1
    holes = holes.mask(hidden)
    third = frame["port"] == "b"
    holes.loc[third, "class"] = None
    write_parts(holes, tmp_path, 2)
    table = open_chunks(TableRequest(tmp_path, states=StateOptions(missing="keep")), Where())
    (found,) = table.count([network])
    kept = 0
    for node, before in zip(found.nodes, network.nodes, strict=True):
        read = [node.variable, *node.inputs]
        whole = np.flatnonzero(~holes.iloc[:, read].isna().any(axis=1).to_numpy())
        counts = np.zeros_like(node.table.counts)
        leaves = before.source(data.codes)
        np.add.at(counts, (leaves[whole], data.codes[whole, node.variable]), 1)
        empty = counts.sum(axis=1) == 0
        kept += int(empty.sum())
        counts[empty] = before.table.counts[empty]  # type: ignore[index]
        assert np.array_equal(node.table.counts, counts)  # type: ignore[arg-type]
    assert kept, "no leaf of these tables is without whole rows"
    assert there(found.counts).holes.tolist() == holes.isna().sum().tolist()


def test_more_different_numbers_than_fit_are_cut_by_some_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=6000), "y": np.arange(6000) % 3})
    write_parts(frame, tmp_path, 3)
    room_for(1000, monkeypatch)
    monkeypatch.setattr("depnet.cluster.table.VALUE_BYTES", 10**6)
    found = open_chunks(TableRequest(tmp_path, chunk_rows=500), Where(memory=SMALL)).domain.variables[0]
    shares = np.bincount(found.bins.locate(frame["x"]), minlength=16) / 6000  # type: ignore[union-attr]
    assert np.abs(shares - 1 / 16).max() < 0.01


def test_boosting_a_table_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room_for(100, monkeypatch)
    write_parts(mixed_table(50, seed=1), tmp_path, 1)
    monkeypatch.setattr("depnet.cluster.places.LocalPlace.each", None)  # the first pass, which is not begun
    said = r"boosting: 50 rows of 6 columns need about .* Learn without it"
    refuses(LearningError, said, learn, tmp_path, memory=SMALL, boost="auto")


def test_bad_calls_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = r"cluster\.learn has no option 'penalti'\. Did you mean 'penalty'"
    refuses(TypeError, said, learn, tmp_path, penalti="mdl")
    write_parts(mixed_table(50, seed=5), tmp_path, 1)
    refuses(LearningError, "order is None", learn, tmp_path, order="names")
    refuses(ValueError, r"more than 0\.3GB", learn, tmp_path, memory="100MB")
    monkeypatch.setattr("depnet.cluster.table.CELL_BYTES", 10**9)
    refuses(LearningError, "not one of", learn, tmp_path, memory=SMALL)
