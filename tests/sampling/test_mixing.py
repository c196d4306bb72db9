"""The pilot run: its memory does not grow with the states of a variable, and groups of states still show what is slow."""

import numpy as np
import pytest

from depnet import RandomScan, sample
from depnet.law import limits
from depnet.sampling import mixing
from depnet.sampling.mixing import estimate_mixing, group_states
from depnet.sampling.plan import chain_plan
from tests.wide import most_memory, of_constants, of_two_blocks


def test_a_variable_of_very_many_states_takes_little_memory() -> None:
    network = of_constants([5000, 5000])
    taken = most_memory(lambda: sample(network, 3, rng=np.random.default_rng(0)))
    assert taken < 60e6, f"{taken / 1e6:.0f} MB"


def test_many_variables_take_fewer_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "MOST_CELLS", 2**18)
    found = estimate_mixing(chain_plan(of_constants([2] * 64), RandomScan()), 1)
    assert found.chains == 2**18 // (limits.ROUNDS * limits.FIRST_SWEEPS * 64)


def test_groups_are_of_neighbours_and_drawn_about_equally_often() -> None:
    codes = np.minimum(np.random.default_rng(1).geometric(0.004, size=(8, 4000)), 4999).astype(np.uint16)
    found = group_states(codes, 5000)
    assert found.max() < limits.MOST_GROUPS
    order = np.argsort(codes, axis=None, kind="stable")
    assert (np.diff(found.reshape(-1)[order]) >= 0).all()
    assert np.bincount(found.reshape(-1)).max() < 2 * codes.size / limits.MOST_GROUPS


def test_groups_show_a_slow_variable_of_many_states() -> None:
    slow = estimate_mixing(chain_plan(of_two_blocks(100, leave=0.05), RandomScan()), 1)
    quick = estimate_mixing(chain_plan(of_two_blocks(100, leave=0.5), RandomScan()), 1)
    assert slow.time > 3 * quick.time
