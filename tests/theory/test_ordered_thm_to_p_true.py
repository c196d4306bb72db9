"""Ours: Theorem 6 for ordered networks. Q(N) -> p* at every x, also where p*(x) = 0, and in any order.

The order may change with N and be chosen from the data: at every N the total variation of p^D(N) and Q(N) is at most
sqrt(R(|X| - 1, N) / 2), whatever the order (Pinsker), and p^D(N) -> p*.
"""

import math

import numpy as np
import pytest

from depnet import Dataset, Mdl, Network, RandomScan, empirical, stationary
from depnet.arrays import FloatArray
from depnet.errors import DepnetError
from depnet.geometry import conditional_entropy, entropy, total_variation
from tests.reference.ordered import law
from tests.strategies import random_joint
from tests.theory.drawing import parity
from tests.theory.learned import growing_samples
from tests.theory.ordered import learned_in_order
from tests.theory.test_thm_to_p_true import assert_converges


def most_tied_first(dataset: Dataset) -> tuple[int, ...]:
    """An order chosen from the rows: by the information that each variable has of all the others."""
    p = empirical(dataset)
    others = [tuple(j for j in range(p.ndim) if j != i) for i in range(p.ndim)]
    tied = [entropy(p.sum(axis=rest)) - conditional_entropy(p, i) for i, rest in enumerate(others)]
    return tuple(sorted(range(p.ndim), key=lambda i: (-tied[i], i)))


def errors(p: FloatArray, seed: int, lossless: bool = True) -> list[float]:
    """The greatest |Q(N)(x) - p*(x)| along N; at every N, the bound on the way to the limit."""
    found = []
    for dataset in growing_samples(p, seed):
        q = law(learned_in_order(dataset, most_tied_first(dataset), Mdl(), lossless))
        found.append(float(np.abs(q - p).max()))
        bound = math.sqrt(Mdl()(p.size - 1, dataset.total) / 2)
        if lossless:
            assert total_variation(empirical(dataset), q) <= bound + 1e-9
    return found


@pytest.mark.parametrize("zeros", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_the_learned_law_converges_to_the_true_one(seed: int, zeros: float) -> None:
    assert_converges(errors(random_joint(np.random.default_rng(seed), (2, 3, 2), zeros), seed))


def test_where_states_are_impossible_the_random_scan_has_no_law_to_converge() -> None:
    """Two variables that are always equal: the tables of the paper's network never leave the state they are in."""
    copies = np.array([[0.3, 0.0], [0.0, 0.7]])
    assert_converges(errors(copies, 0))
    with pytest.raises(DepnetError, match="recurrent"):
        stationary(Network.from_joint(copies), RandomScan())


def test_mutant() -> None:
    """Split and merge alone does not fulfil the first condition, and does not converge on a parity: no first split pays."""
    assert_converges(errors(parity(0.0), 0))
    with pytest.raises(AssertionError):
        assert_converges(errors(parity(0.0), 0, lossless=False))
