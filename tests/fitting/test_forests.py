"""Forests over completed tables, and the answers of holes by network and forests together."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from depnet import DependencyNetworkImputer
from depnet.data.table.dataset import Dataset
from depnet.fitting import forests as module


def table(rows: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    frame = pd.DataFrame(
        {
            "a": x,
            "b": x + 0.2 * rng.normal(size=rows),
            "c": np.where(x > 0, "high", "low"),
            "d": rng.integers(0, 40, rows),
        }
    )
    return frame, rng.random(frame.shape) < 0.15


def fitted(**options: Any) -> tuple[DependencyNetworkImputer, pd.DataFrame, pd.DataFrame]:
    whole, hidden = table()
    holed = whole.mask(hidden)
    return DependencyNetworkImputer(rounds=2, random_state=0, **options).fit(holed), holed, whole


def test_numbers_have_laws_and_codes() -> None:
    forests = fitted()[0].forests_
    assert forests.numbers.tolist() == [True, True, False, True]
    assert sorted(forests.laws) == [0, 1, 3]
    assert forests.codes(0, np.array([-99.0, 99.0])).tolist() == [0, forests.domain.cardinalities[0] - 1]


def test_pieces_and_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    imputer, holed, whole = fitted()
    two = fitted(n_jobs=2)[0]
    pd.testing.assert_frame_equal(imputer.transform(holed), two.transform(holed))
    monkeypatch.setattr(module, "CHUNK_ROWS", 30)
    pieces = imputer.transform(holed)
    gone = holed.isna()["b"]
    assert np.corrcoef(pieces["b"][gone], whole["b"][gone])[0, 1] > 0.8


def test_the_law_of_a_category_is_of_network_and_trees() -> None:
    """Of a row with one hole, a category: nothing else is drawn, so all rounds and tables say the same but for trees."""
    imputer, _, whole = fitted()
    row = whole.head(5).assign(c=[None] * 5)
    rows = imputer._rows(row)
    found = imputer.laws(row)["c"]
    theta = imputer.model_.network_.nodes[2].probabilities(np.asfortranarray(rows.codes))
    values = imputer._values(row, rows)
    (part,) = imputer.forests_.answers(rows.codes, rows.hidden, values, np.random.default_rng(1))
    at = part.tables.places(np.arange(5))
    trees = np.mean(
        [imputer.forests_.forests[2].mean(m, part.tables.inputs_of(2, own)) for m, own in enumerate(at)],
        axis=0,
    )
    np.testing.assert_allclose(found, (theta + 3 * trees) / 4, atol=1e-12)


def test_wide_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """12 columns, of which the first copies the last: splits look at three of them only, and find that one."""
    monkeypatch.setattr("depnet.learning.forest.MOST_READ", 3)
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(150, 12))
    wide[:, 0] = wide[:, -1]
    gone = np.zeros(wide.shape, dtype=bool)
    gone[:30, 0] = True
    holed = np.where(gone, np.nan, wide)
    filled = DependencyNetworkImputer(rounds=1, random_state=0).fit_transform(holed)
    assert np.corrcoef(filled[:30, 0], wide[:30, 0])[0, 1] > 0.9


def test_many_rows_are_sampled_and_weights_are_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 50)
    monkeypatch.setattr(module, "MANY_ROWS", 40)
    forests = fitted()[0].forests_
    assert len(forests.forests[0].trees) == module.FEW_TREES
    weighted = Dataset.from_codes([[0, 0], [1, 1]], cardinalities=[2, 2], weights=[30, 10])
    trees = DependencyNetworkImputer(random_state=0).fit(weighted).forests_.forests[0].trees
    assert 0.1 < np.mean([tree.target.mean() for tree in trees]) < 0.4  # a quarter of the rows
