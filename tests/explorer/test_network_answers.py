"""Joint tables, as plain values."""

import numpy as np

import depnet
from depnet.data import Variable
from depnet.explorer.network_answers import MOST_STATES, joint_table
from depnet.inference.judge.pair import Pair, pair

MANY = Variable("many", tuple(f"s{k:02d}" for k in range(40)))


def test_a_joint_table_keeps_the_most_probable_states() -> None:
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, 40, 500), rng.integers(0, 2, 500)], axis=1).astype(np.uint8)
    domain = depnet.Domain((MANY, Variable("few", ("a", "b"))))
    data = depnet.Dataset.from_codes(codes, domain=domain)
    found: Pair = pair(depnet.learn(data, order="auto"), "many", "few", data=data)
    shown = joint_table(found)
    assert len(shown["rows"]) == MOST_STATES
    assert shown["left"] == 40 - MOST_STATES
    assert len(shown["tables"]["joint"]) == MOST_STATES
    assert all(abs(sum(row) - 1.0) < 1e-4 for row in shown["tables"]["second"])
    assert shown["counts"] is not None
    assert shown["exact"]
