"""Rows like a row: as the slow twin orders them, rows of its own leaf first; equal rows once; the row itself left out."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import Network
from depnet.data import Holed
from depnet.errors import DataError, DepnetError, EvidenceError
from tests.model.test_score import rows_for
from tests.reference.nearest import key
from tests.refusals import refuses
from tests.strategies import mixed_networks, networks, seeds


def with_holes(table: Any, seed: int) -> Holed:
    hidden = np.random.default_rng(seed).random(table.codes.shape) < 0.15
    return Holed(table.domain, np.where(hidden, 0, table.codes), hidden)


@given(networks() | mixed_networks(), seeds, st.booleans())
def test_the_order_is_that_of_the_slow_twin(network: Network, seed: int, targeted: bool) -> None:
    table = with_holes(rows_for(network, seed, 12, weighted=False), seed)
    rng = np.random.default_rng(seed)
    row = [int(rng.integers(k)) for k in network.domain.cardinalities]
    target = int(rng.integers(len(row))) if targeted and len(row) > 1 else None
    names = network.domain.names
    values = {v.name: v.states[x] for v, x in zip(network.domain.variables, row, strict=True)}
    found = depnet.nearest(network, table, values, None if target is None else names[target], n=12)
    known = [j != target for j in range(len(row))]
    keys = {r: key(network, table, r, row, known, target) for r in range(table.rows)}
    listed = [keys[r] for r in found.rows.tolist()]
    assert np.allclose(listed, sorted(listed), atol=2e-6)
    assert found.copies.sum() == table.rows
    equal = {tuple(np.where(table.hidden[r], -1, table.codes[r])) for r in range(table.rows)}
    assert len(found.rows) == len(equal)
    assert np.allclose(1 - found.alike, [apart for apart, _, _ in listed], atol=2e-6)
    assert np.allclose(1 - found.equal, [cells for _, cells, _ in listed], atol=2e-6)


def two_groups() -> pd.DataFrame:
    """y follows x; noise follows nothing."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 600)
    y = np.where(rng.random(600) < 0.9, x, 1 - x)
    return pd.DataFrame({"x": x, "y": y, "noise": rng.integers(0, 50, 600), "when": rng.integers(0, 9, 600)})


@pytest.fixture(scope="module")
def model() -> depnet.DependencyNetwork:
    return depnet.DependencyNetwork(random_state=0).fit(two_groups())


def test_what_matters_to_the_target_comes_first(model: depnet.DependencyNetwork) -> None:
    """Not what does not: the mutant that counts all cells alike would find the row with the same noise."""
    table = two_groups()
    found = model.nearest({"x": 1, "noise": 3, "when": 4}, "y", n=20)
    assert (table.loc[found.rows, "x"] == 1).all()
    assert (found.alike == 1).all()
    assert (np.diff(found.equal) <= 0).all()
    assert set(table.loc[found.rows, "y"]) == {0, 1}, "the target is not looked at"
    frame = found.frame()
    assert frame["noise"].tolist() == table.loc[found.rows, "noise"].tolist()
    assert frame["row"].tolist() == (found.rows + 1).tolist()


def test_a_row_of_the_table_is_not_like_itself(model: depnet.DependencyNetwork) -> None:
    assert 7 not in model.nearest(7, n=600).rows
    by_values = model.nearest(two_groups().iloc[7])
    assert by_values.rows[0] == 7 or by_values.alike[0] == 1


def test_what_is_unknown_is_likely(model: depnet.DependencyNetwork) -> None:
    some, nan = {"y": 1}, {"y": 1, "x": float("nan"), "when": None}
    assert (two_groups().loc[model.nearest(some).rows, "x"] == 1).all()
    assert model.nearest(some).rows.tolist() == model.nearest(nan).rows.tolist()


@pytest.mark.parametrize(
    ("row", "options", "error", "said"),
    [
        ({}, {}, EvidenceError, "Give at least one value"),
        ({"y": 1}, {"target": "y"}, EvidenceError, "Give at least one value"),
        ({"x": {0, 1}}, {}, EvidenceError, "one value of each column; got x"),
        ({"z": 1}, {}, DepnetError, "'z'"),
        (600, {}, EvidenceError, "from 0 to 599; got 600"),
        ([1, 2], {}, EvidenceError, "a row is a mapping"),
        ({"x": 1}, {"n": 0}, EvidenceError, "at least 1; got 0"),
        ({"x": 1}, {"target": "noize"}, DepnetError, "noise"),
    ],
)
def test_bad_rows_are_refused(
    model: depnet.DependencyNetwork, row: Any, options: Any, error: type[Exception], said: str
) -> None:
    refuses(error, said, model.nearest, row, **options)


def test_a_model_without_rows_asks_for_them(model: depnet.DependencyNetwork, tmp_path: Any) -> None:
    model.save(tmp_path / "m.json")
    loaded = depnet.DependencyNetwork.load(tmp_path / "m.json")
    refuses(DataError, "give data=", loaded.nearest, {"x": 1})
    assert loaded.nearest({"x": 1}, data=two_groups()).rows.tolist() == model.nearest({"x": 1}).rows.tolist()
