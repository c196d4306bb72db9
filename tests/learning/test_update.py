"""Network.updated: new rows add counts, structure kept."""

import numpy as np
import pytest
from hypothesis import given

from depnet import ConstantSource, Dataset, Network, learn_parameters
from depnet.errors import ModelError
from tests.refusals import refuses
from tests.strategies import datasets, random_source, seeds


@given(datasets(weighted=True), seeds)
def test_updating_in_parts_equals_learning_from_all_rows(dataset: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    sources = [random_source(rng, cards, (i,)) for i in range(len(cards))]
    cut = int(rng.integers(1, dataset.rows + 1))
    first, second = part(dataset, slice(0, cut)), part(dataset, slice(cut, None))
    network = learn_parameters(first, sources, smoothing=0.5)
    together = learn_parameters(dataset, sources, smoothing=0.5)
    assert network.updated(second) == together
    assert network.with_counts(first).updated(second) == together.with_counts(dataset)


def part(dataset: Dataset, rows: slice) -> Dataset:
    weights = None if dataset.weights is None else dataset.weights[rows]
    return Dataset.from_codes(dataset.codes[rows], weights=weights, domain=dataset.domain)


def test_a_table_without_counts_cannot_be_updated() -> None:
    network = Network.from_joint(np.full((2, 2), 0.25))
    refuses(ModelError, "node 0 has no counts", network.updated, Dataset.from_codes([[0, 0]], [2, 2]))


def test_other_states_are_refused() -> None:
    dataset = Dataset.from_codes([[0, 0]], [2, 2])
    network = learn_parameters(dataset, [ConstantSource()] * 2)
    with pytest.raises(ModelError, match=r"Network\.updated: variable 'X1' has other states"):
        network.updated(Dataset.from_codes([[0, 0]], [2, 3]))
