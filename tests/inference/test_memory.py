"""What a small file can ask for is bounded: variables of very many states, in every way of asking."""

import re

import numpy as np
import pytest

from depnet import Dataset, query, query_rows
from depnet.errors import DomainTooLargeError
from depnet.inference.answer import question
from depnet.inference.clamped import chains
from depnet.inference.holes import score_holed
from depnet.inference.judge.cells import cell_laws
from depnet.law import limits
from tests.wide import most_memory, of_constants, of_two_blocks

STATES = 20_000


@pytest.mark.parametrize("ordered", [False, True])
def test_marginals_of_very_many_states(ordered: bool) -> None:
    network = of_constants([STATES] * 2, ordered=ordered)
    taken = most_memory(lambda: query(network, ["X0", "X1"]))
    assert taken < 20e6, f"{taken / 1e6:.0f} MB"


def test_passes_are_summed_few_at_a_time() -> None:
    network = of_constants([STATES, 2], ordered=True)
    taken = most_memory(lambda: query(network, "X0", method="sample", tolerance=0.02))
    assert taken < 250e6, f"{taken / 1e6:.0f} MB"


def test_scores_of_rows_with_holes() -> None:
    network = of_constants([STATES] * 2, ordered=True)
    codes = np.arange(1000)[:, None].repeat(2, axis=1)
    hidden = np.zeros(codes.shape, dtype=bool)
    hidden[:, 0] = True
    taken = most_memory(lambda: score_holed(network, codes, hidden, rng=np.random.default_rng(0)))
    assert taken < 30e6, f"{taken / 1e6:.0f} MB"


def test_cell_laws() -> None:
    network = of_constants([STATES] * 2)
    rows = Dataset.from_codes(np.arange(1000)[:, None].repeat(2, axis=1), domain=network.domain)
    taken = most_memory(lambda: cell_laws(network, rows))
    assert taken < 80e6, f"{taken / 1e6:.0f} MB"


def test_probabilities_of_all_states_in_all_rows_are_forecast() -> None:
    network = of_constants([STATES] * 2)
    with pytest.raises(DomainTooLargeError, match=re.escape("40,000 states in 100,000 rows")):
        query_rows(network, np.full((100_000, 2), -1))


def test_chains_of_a_joint_table_are_forecast() -> None:
    network = of_two_blocks(500, leave=0.5)
    assert question.MAX_JOINT_CELLS >= 500**2
    with pytest.raises(DomainTooLargeError, match="250,000 cells"):
        query(network, ["X0", "X1"], joint=True, method="sample")
    assert 8 * limits.ROUNDS * limits.CHAINS * 500**2 > chains.MOST_BYTES
