"""Small bars and joint tables, as plain values."""

import numpy as np

import depnet
from depnet.data import Variable
from depnet.explorer.network_answers import BARS, MOST_STATES, bars, joint_table
from depnet.inference.judge.shifts import Pair, pair
from tests.explorer.cases import shift_of

MANY = Variable("many", tuple(f"s{k:02d}" for k in range(40)))


def test_the_most_probable_states_have_bars_and_the_rest_one_together() -> None:
    prior = np.arange(1.0, 41.0) / np.arange(1.0, 41.0).sum()
    shown = bars(MANY, shift_of(MANY, prior, prior[::-1]), None, None)
    assert len(shown["bars"]) == BARS
    assert shown["bars"][-1]["label"] == f"{40 - BARS + 1} others"
    codes = [bar["code"] for bar in shown["bars"][:-1]]
    assert codes == sorted(codes)
    assert {0, 39} <= set(codes)  # likely before or after
    for what in ("prior", "posterior"):
        assert abs(sum(bar[what] for bar in shown["bars"]) - 1.0) < 1e-4
    assert len(shown["choices"]) == 40
    assert shown["moved"] == round(np.abs(prior - prior[::-1]).sum() / 2, 4)


def test_a_variable_that_is_known_is_as_what_is_known_says() -> None:
    sex = Variable("sex", ("female", "male"))
    shown = bars(sex, None, np.array([0.2, 0.8]), ("female",))
    assert [(bar["prior"], bar["posterior"], bar["held"]) for bar in shown["bars"]] == [
        (0.2, 1.0, True),
        (0.8, 0.0, False),
    ]
    assert shown["moved"] is None
    assert [bar["prior"] for bar in bars(sex, None, None, ("female",))["bars"]] == [1.0, 0.0]


def test_missing_has_the_last_bar_and_can_be_known() -> None:
    sex, law = Variable("sex", ("female", "male")), np.array([0.3, 0.7])
    shift = shift_of(sex, law, law, missing=(0.2, 0.2))
    asked = bars(sex, shift, None, None, missing=0.1)["bars"][-1]
    assert asked == {
        "code": 2,
        "label": "missing",
        "missing": True,
        "held": False,
        "prior": 0.1,
        "posterior": 0.2,
    }
    gone = bars(sex, None, law, "is missing", missing=0.1)["bars"]
    assert [(bar["posterior"], bar["held"]) for bar in gone] == [(0.0, False), (0.0, False), (1.0, True)]
    assert "missing" not in [bar["label"] for bar in bars(sex, shift, None, None)["bars"]]


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
