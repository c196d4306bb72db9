"""Odd cells: the parts of a row's score, the most surprising first, beside what the node expects there."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset, Network, score_samples
from depnet.errors import ModelError
from depnet.inference.judge.odd_cells import odd_cells
from tests.strategies import networks, seeds


def rows_for(network: Network, seed: int, count: int = 5) -> Dataset:
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    return Dataset.from_codes(
        np.stack([rng.integers(0, k, count) for k in cards], axis=1), domain=network.domain
    )


@given(networks(), seeds)
def test_all_cells_together_are_the_score(network: Network, seed: int) -> None:
    rows = rows_for(network, seed)
    for score, cells in zip(
        score_samples(network, rows), odd_cells(network, rows, most=len(network)), strict=True
    ):
        assert math.isclose(-sum(cell.surprise for cell in cells), score, rel_tol=1e-9, abs_tol=1e-9)


@given(networks(), seeds, st.integers(1, 3))
def test_each_cell_is_what_its_node_says(network: Network, seed: int, most: int) -> None:
    rows = rows_for(network, seed)
    numbers = {tuple(network.domain.names[i] for i in node.variables): node for node in network.nodes}
    for r, cells in enumerate(odd_cells(network, rows, most)):
        assert len(cells) == min(most, len(network))
        surprises = [cell.surprise for cell in cells]
        assert surprises == sorted(surprises, reverse=True)
        for cell in cells:
            node = numbers[cell.variables]
            shape = [network.domain.cardinalities[i] for i in node.variables]
            theta = node.table.probabilities[int(node.source(rows.codes)[r])].reshape(shape)
            codes = tuple(int(rows.codes[r, i]) for i in node.variables)
            assert cell.states == tuple(
                network.domain.variables[i].states[code]
                for i, code in zip(node.variables, codes, strict=True)
            )
            assert cell.probability == theta[codes]
            assert cell.expected_probability == theta.max()
            expected = tuple(
                network.domain.variables[i].code(state)
                for i, state in zip(node.variables, cell.expected, strict=True)
            )
            assert theta[expected] == theta.max()


def test_rows_of_another_domain_are_refused() -> None:
    network = Network.from_joint([[0.4, 0.1], [0.2, 0.3]])
    with pytest.raises(ModelError, match="1 variables, the network 2"):
        odd_cells(network, Dataset.from_codes([[0]], [2]))
