"""Which holes become states: none that are chance, all that mean something, and blocks of them together."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from depnet import Dataset, Domain
from depnet.data.table.dataset import Holed
from depnet.fitting.choose_missing import (
    FALSE_ALARM,
    HoleGains,
    hole_gains,
    make_holes_states,
    with_hole_states,
)
from depnet.fitting.fit import FitOptions, fit
from tests.fitting.holes import ROWS, drawn_rows, holed_of, holes

Bools = NDArray[np.bool_]


def made(rng: np.random.Generator, rows: int = 2000) -> NDArray[np.int64]:
    """Three columns, the second and third noisy copies of the first, which has four states."""
    first = rng.integers(4, size=rows)
    copies = [np.where(rng.random(rows) < 0.7, first, rng.integers(4, size=rows)) for _ in range(2)]
    return np.stack([first, *copies], axis=1)


def holed(codes: NDArray[np.int64], hidden: Bools) -> Holed:
    seen = Dataset.from_codes(np.where(hidden, 0, codes), cardinalities=[4] * codes.shape[1])
    return Holed(seen.domain, seen.codes, np.asfortranarray(hidden))


def test_holes_at_random_are_never_states() -> None:
    """100 tables of 3 columns each, a fifth of the cells hidden: no more than 2 of them may switch any, and none does."""
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        codes = made(rng, 400)
        alarms += make_holes_states(holed(codes, rng.random(codes.shape) < 0.2)).domain != holed_domain()
    assert alarms == 0


def holed_domain() -> Domain:
    return Domain.from_cardinalities([4, 4, 4])


def test_structural_holes_are_states_and_others_beside_them_are_not() -> None:
    rng = np.random.default_rng(0)
    codes = made(rng)
    hidden = np.stack([np.zeros(len(codes), bool), codes[:, 0] < 2, rng.random(len(codes)) < 0.2], axis=1)
    table = make_holes_states(holed(codes, hidden))
    assert [variable.missing for variable in table.domain.variables] == [None, "(missing)", None]
    assert (table.codes[hidden[:, 1], 1] == 4).all()
    assert (table.codes[~hidden[:, 1], 1] == codes[~hidden[:, 1], 1]).all()
    assert table.hidden.tolist() == (hidden & [False, False, True]).tolist()


def test_blocks_of_holes_are_switched_together_and_weak_ties_are_not_worth_a_state() -> None:
    rng = np.random.default_rng(0)
    codes = made(rng, 20_000)
    together = rng.random(len(codes)) < 0.1
    block = np.stack([np.zeros(len(codes), bool), together, together], axis=1)
    assert hole_gains(holed(codes, block)).telling == (1, 2)
    weak = rng.random(codes.shape) < np.where(codes[:, :1] < 2, 0.17, 0.23)
    weak[:, 0] = False
    gains = hole_gains(holed(codes, weak))
    assert (np.logaddexp.reduce(gains.parts, axis=0) > math.log(100 / FALSE_ALARM)).all()  # surely no chance
    assert gains.telling == ()


def test_holes_that_depend_on_what_is_known_are_states_where_others_tell_enough_of_them() -> None:
    rng = np.random.default_rng(1)
    codes = drawn_rows(rng)
    assert hole_gains(holed_of(codes, holes("MCAR", codes, rng))).telling == ()
    assert hole_gains(holed_of(codes, holes("MAR", codes, rng))).telling == (1, 2, 3)
    assert len(codes) == ROWS


def test_rows_in_any_order_and_weights_give_the_same() -> None:
    rng = np.random.default_rng(2)
    codes = made(rng, 300)
    hidden = rng.random(codes.shape) < np.where(codes[:, :1] < 2, 0.1, 0.5)
    table = holed(codes, hidden)
    found = hole_gains(table)
    order = rng.permutation(300)
    again = hole_gains(holed(codes[order], hidden[order]))
    np.testing.assert_allclose(again.parts, found.parts)
    times = np.arange(300) % 3
    weighted = Holed(table.domain, table.codes, table.hidden, times)
    repeated = holed(np.repeat(codes, times, axis=0), np.repeat(hidden, times, axis=0))
    np.testing.assert_allclose(hole_gains(weighted).parts, hole_gains(repeated).parts)


@given(st.data())
def test_the_evidence_of_a_graph_that_says_nothing_is_none(data: st.DataObject) -> None:
    """The best rate of the rows held out is at least as good as any other: a graph of one leaf gains nothing."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    hidden = rng.random((50, 1)) < data.draw(st.floats(0.02, 0.98))
    if hidden.any():
        gains = hole_gains(holed(np.ones((50, 1), dtype=np.int64), hidden))
        assert (gains.parts <= 1e-9).all()
        assert gains.telling == ()


def test_columns_and_tables_without_anything_to_tell() -> None:
    empty = holed(np.zeros((30, 2), dtype=np.int64), np.array([[False, True]] * 30))
    assert (
        make_holes_states(empty).domain.variables[1].missing == "(missing)"
    )  # nothing says what could be there
    assert make_holes_states(holed(np.zeros((1, 2), dtype=np.int64), np.array([[False, True]]))).complete
    whole = holed(np.zeros((3, 2), dtype=np.int64), np.zeros((3, 2), dtype=bool))
    assert make_holes_states(whole) is whole
    assert with_hole_states(whole, [0, 1]) is whole
    assert HoleGains((), np.zeros((1, 0)), np.zeros(0)).telling == ()


@pytest.mark.parametrize(("missing", "states"), [("auto", [1]), ("state", [1, 2]), ("complete", [])])
def test_a_fit_learns_the_states_that_are_chosen(missing: str, states: list[int]) -> None:
    rng = np.random.default_rng(0)
    codes = made(rng, 500)
    hidden = np.stack([np.zeros(500, bool), codes[:, 0] < 2, rng.random(500) < 0.2], axis=1)
    table = holed(codes, hidden)
    told: list[int] = []
    options = FitOptions(missing=missing, penalty="mdl", rounds=3)
    found = fit(table, options, np.random.default_rng(0), told.append)
    assert [i for i, each in enumerate(found.law.domain.variables) if each.missing is not None] == states
    assert found.table.domain == found.law.domain == found.network.domain == found.dataset.domain
    assert found.table.hidden.any(axis=0).tolist() == [i not in states and i > 0 for i in range(3)]
    assert told == sorted(told)
    assert told[-1] == options.steps(table)
