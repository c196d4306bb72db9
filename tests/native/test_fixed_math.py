"""exp and log with the same bits everywhere: how near they are to the truth, and that vectors of them are the same."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from depnet._native import boost as native_boost
from depnet._native import network as native
from depnet.model.stages import UNIT, theta_of
from tests.isas import AVAILABLE
from tests.reference import boosting as twin


def error(found: float, expected: float) -> float:
    """Relative to what was expected."""
    return abs(found - expected) / abs(expected)


def test_exp_is_near_over_its_range() -> None:
    for x in np.linspace(-700.0, 700.0, 20_001).tolist():
        assert error(native.exp(x), math.exp(x)) < 2.0**-50
    for x in np.linspace(-1.0, 1.0, 20_001).tolist():
        assert error(native.exp(x), math.exp(x)) < 2.0**-51


@given(st.floats(-700.0, 700.0))
@example(math.log(2) / 2)
@example(-math.log(2) / 2)
@example(5e-324)
def test_exp_is_near(x: float) -> None:
    assert error(native.exp(x), math.exp(x)) < 2.0**-50


@pytest.mark.parametrize("x", [-700.1, -1e9, -1.7e308, -math.inf])
def test_exp_is_never_0(x: float) -> None:
    assert native.exp(x) == native.exp(-700.0) > 0.0


def test_exp_of_0_is_1_and_log_of_1_is_0() -> None:
    assert native.exp(0.0) == native.quick_exp(0.0) == 1.0
    assert native.log(1.0) == 0.0


@given(st.floats(2.0**-1022, 1.7e308))
@example(2.0**-1022)
@example(math.sqrt(0.5))
@example(math.sqrt(2.0))
@example(1.0 - 2.0**-53)
@example(1.0 + 2.0**-52)
@example(2.0**-24)
def test_log_is_near(x: float) -> None:
    """Near 1, too, where the logarithm itself is small."""
    assert native.log(x) == pytest.approx(math.log(x), rel=2.0**-50, abs=0.0)


def test_log_is_near_over_probabilities() -> None:
    """Multiples of 2^-24, of which held-out scores take the logarithm."""
    for whole in [*range(1, 2000), *range(2000, 2**24, 4001), *range(2**24 - 2000, 2**24)]:
        p = whole * 2.0**-24
        assert native.log(p) == pytest.approx(math.log(p), rel=2.0**-50, abs=0.0)


def test_quick_exp_is_near_over_its_range() -> None:
    """It takes and gives floats; beyond 60 it is that of 60."""
    worst = 0.0
    for x in np.linspace(-60.0, 60.0, 40_001, dtype=np.float32).tolist():
        worst = max(worst, error(native.quick_exp(x), math.exp(x)))
    assert worst < 2.0**-21
    for x in (60.5, 1e30, math.inf):
        assert native.quick_exp(x) == native.quick_exp(60.0)
        assert native.quick_exp(-x) == native.quick_exp(-60.0) > 0.0


def test_the_errors_are_seen() -> None:
    """The mutant: the next number but seven, or for `quick_exp` one that is 2^-20 off."""
    x = 3.7
    assert error(native.exp(x) + 8 * math.ulp(native.exp(x)), math.exp(x)) > 2.0**-50
    assert error(native.quick_exp(x) * (1 + 2.0**-20), math.exp(x)) > 2.0**-21


SCORES = np.random.default_rng(3).normal(size=(700, 3)) * np.geomspace(1e-5, 400.0, 700)[:, None]


@pytest.mark.parametrize("states", [2, 3])
@pytest.mark.parametrize("isa", AVAILABLE)
def test_vectors_of_exp_have_the_bits_of_one(isa: str, states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As theta is made: exp of scores less the largest, over their sum in the order of states."""
    monkeypatch.setenv("DEPNET_ISA", isa)
    sums = np.rint(SCORES[:, :states] / UNIT).astype(np.int32)
    for row, theta in zip(sums.tolist(), theta_of(sums).tolist(), strict=True):
        e = [native.exp((score - max(row)) * UNIT) for score in row]
        total = 0.0
        for each in e:
            total += each
        assert theta == [each / total for each in e]


@pytest.mark.parametrize("states", [2, 3])
@pytest.mark.parametrize("isa", AVAILABLE)
def test_vectors_of_quick_exp_and_log_have_the_bits_of_one(
    isa: str, states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As rows held out are scored: one row at a time, the score is the log of one p on the grid."""
    monkeypatch.setenv("DEPNET_ISA", isa)
    sums = np.rint(SCORES[:, :states] / UNIT).astype(np.int32)
    none = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint16), np.zeros(0, dtype=np.uint16)
    table = native_boost.BitTable(np.zeros((1, 1), dtype=np.uint8, order="F"), *none)
    settings = native_boost.Settings(
        stages=0, leaves=2, patience=1, rate=1.0, shrinkage=1.0, least_curvature=0.0, share=1.0, seed=0
    )  # fmt: skip
    for row in sums:
        for x in range(states):
            own = np.array([x], dtype=np.uint16)
            found = native_boost.boost(
                table,
                settings,
                own=own,
                start=row[None],
                readable=[],
                held_table=table,
                held_own=own,
                held_start=row[None],
                seconds=None,
                stop=native_boost.Stop(),
            )
            assert found[5].tolist() == [twin.log_score([row.tolist()], [x])]
