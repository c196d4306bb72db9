"""Weighted rows are learned from as the same rows repeated, whichever of both the native learner is given."""

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Dataset
from depnet.learning.rows import some_rows
from tests.cluster.tables import assert_same_network
from tests.strategies import datasets


@given(datasets(max_rows=60, weighted=True))
def test_weighted_rows_give_the_network_of_repeated_rows(dataset: Dataset) -> None:
    weights = np.ones(dataset.rows, dtype=np.int64) if dataset.weights is None else dataset.weights
    again = Dataset.from_codes(np.repeat(dataset.codes, weights, axis=0), domain=dataset.domain)
    expected = depnet.learn(again, smoothing=0.5)
    assert_same_network(depnet.learn(dataset, smoothing=0.5), expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(some_rows, "MOST_BYTES", -1)
        assert some_rows.repeated(dataset) is dataset
        assert_same_network(depnet.learn(dataset, smoothing=0.5), expected)


def test_rows_of_large_weights_are_not_repeated() -> None:
    dataset = Dataset.from_codes([[0, 1], [1, 0]], [2, 2], weights=[10**9, 3])
    assert some_rows.repeated(dataset) is dataset
    light = Dataset.from_codes([[0, 1], [1, 0]], [2, 2], weights=[0, 3])
    assert some_rows.repeated(light).codes.tolist() == [[1, 0]] * 3
    assert some_rows.repeated(light).weights is None
