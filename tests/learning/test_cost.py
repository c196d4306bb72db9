"""Penalties are values: what they charge, how they are written, and what is refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.errors import LearningError
from depnet.learning.cost import (
    NAMED,
    Aic,
    Mdl,
    NoPenalty,
    Penalty,
    PenaltyLike,
    Scaled,
    StructuralMdl,
    checked_penalty,
    penalty_value,
    per_parameter,
)
from tests.refusals import refuses

factors = st.floats(0, 4, allow_subnormal=False)
simple = st.sampled_from([Mdl(), Aic(), NoPenalty()])
scaled = st.builds(Scaled, factors, simple)
penalties = st.one_of(simple, scaled, st.builds(StructuralMdl, factors, factors, st.one_of(simple, scaled)))


@pytest.mark.parametrize(
    ("penalty", "expected"),
    [
        (Mdl(), 6 * math.log(500) / 1000),
        (Aic(), 6 / 500),
        (NoPenalty(), 0.0),
        (0.25 * Mdl(), 6 * math.log(500) / 4000),
        (StructuralMdl(), 6 * math.log(500) / 1000),
        (2 * StructuralMdl(parameters=Aic()), 12 / 500),
    ],
)
def test_nats_per_row(penalty: Penalty, expected: float) -> None:
    assert math.isclose(penalty(6, 500), expected, rel_tol=1e-14)


def test_naming_an_operation_takes_the_log_of_the_choices() -> None:
    penalty = StructuralMdl(split_factor=1.0, merge_factor=0.5)
    assert math.isclose(penalty.split_name(3, 7, 100), math.log(21) / 100)
    assert math.isclose(penalty.merge_name(4, 100), 0.5 * math.log(6) / 100)
    assert penalty.merge_name(2, 100) == 0.0, "one pair needs no name"
    assert math.isclose((2 * penalty).split_name(3, 7, 100), 2 * math.log(21) / 100)


@given(penalties)
def test_repr_round_trips(penalty: Penalty) -> None:
    assert eval(repr(penalty)) == penalty
    assert checked_penalty(penalty) == penalty


@given(penalties, st.integers(0, 10**6), st.integers(1, 10**9))
def test_linear_penalties_know_the_price_of_one_parameter(penalty: Penalty, k: int, rows: int) -> None:
    one = per_parameter(penalty, rows)
    assert one is not None
    assert math.isclose(k * one, penalty_value(penalty, k, rows), rel_tol=1e-12)


def test_a_function_is_a_penalty_and_its_price_is_not_taken_to_be_linear() -> None:
    def square(parameters: int, rows: int) -> float:
        return parameters**2 / rows

    assert checked_penalty(square) is square
    assert per_parameter(square, 10) is None
    assert per_parameter(Scaled(0.5, square), 10) is None
    assert Scaled(0.5, square)(4, 10) == 0.8


def test_names() -> None:
    assert {name: checked_penalty(name) for name in NAMED} == {
        "mdl": Mdl(),
        "structural-mdl": StructuralMdl(),
        "aic": Aic(),
        "none": NoPenalty(),
    }


@pytest.mark.parametrize(
    ("penalty", "message"),
    [
        ("bic", r"no penalty 'bic'.*'mdl'.*'auto'"),
        (3.0, r"got 3\.0"),
        (None, "got None"),
        (Mdl, r"Did you mean Mdl\(\)\?"),
    ],
)
def test_what_is_no_penalty_is_named(penalty: PenaltyLike, message: str) -> None:
    refuses(LearningError, message, checked_penalty, penalty)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e-9, "much", None])
def test_a_penalty_that_is_no_finite_positive_number_is_named(value: float) -> None:
    def bad(parameters: int, rows: int) -> float:
        return value

    refuses(LearningError, r"bad.* gave R\(5, 10\)", penalty_value, bad, 5, 10)


@pytest.mark.parametrize("factor", [-1.0, math.nan, math.inf, True, "1"])
def test_factors_are_finite_and_not_negative(factor: float) -> None:
    for make in (
        lambda: StructuralMdl(split_factor=factor),
        lambda: StructuralMdl(merge_factor=factor),
        lambda: Scaled(factor, Mdl()),
        lambda: factor * StructuralMdl(),
    ):
        refuses(LearningError, "at least 0", make)
