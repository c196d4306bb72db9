"""The share of a column's values at least as far out as a number: all of its mass once, whatever the unit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet.data.binning.bins import Bins
from depnet.data.binning.cut import quantile_bins
from depnet.data.binning.tails import Tail, log_shares, tails_of
from tests.reference.oddness import upper_share


def cut(values: np.ndarray, number: int) -> tuple[Bins, np.ndarray]:
    bins = quantile_bins(values, "float", number)
    return bins, np.bincount(bins.locate(values), minlength=len(bins)) / len(values)


columns = st.builds(
    lambda seed, rows, heavy: np.where(
        np.random.default_rng(seed).random(rows) < heavy,
        0.0,
        np.random.default_rng(seed + 1).normal(5, 3, rows),
    ).round(1),
    st.integers(0, 10**6),
    st.integers(5, 400),
    st.sampled_from([0.0, 0.4, 0.9]),
)


@settings(max_examples=60)
@given(columns, st.integers(1, 12), st.sampled_from([1.0, 1000.0, 0.01]))
def test_it_is_the_slow_one_at_both_ends_and_has_no_unit(
    values: np.ndarray, number: int, unit: float
) -> None:
    bins, masses = cut(values, number)
    scaled = Bins(
        tuple(edge * unit for edge in bins.edges), tuple(tuple(v * unit for v in q) for q in bins.quantiles)
    )
    kept = [list(own) for own in bins.quantiles]
    turned = [[-v for v in reversed(own)] for own in reversed(kept)]
    low, high = tails_of(scaled, masses, len(values))
    asked = np.concatenate([bins.quantiles[-1], bins.quantiles[0], np.linspace(-40, 60, 41)])
    for v in asked.tolist():
        if v >= bins.edges[-2] or len(bins) == 1:
            expected = upper_share(kept, masses.tolist(), len(values), v)
            assert np.exp(high.log_share(np.array([v * unit])))[0] == pytest.approx(expected, rel=1e-6)
        if v < bins.edges[1] or len(bins) == 1:
            expected = upper_share(turned, masses[::-1].tolist(), len(values), -v)
            assert np.exp(low.log_share(np.array([v * unit])))[0] == pytest.approx(expected, rel=1e-6)


@settings(max_examples=60)
@given(columns, st.integers(1, 12))
def test_all_mass_is_somewhere_and_less_of_it_further_out(values: np.ndarray, number: int) -> None:
    bins, masses = cut(values, number)
    _, high = tails_of(bins, masses, len(values))
    inner = float(bins.quantiles[-1][0])
    far = np.linspace(inner, inner + 200 * np.ptp(values) + 200, 2001)
    shares = np.exp(high.log_share(far))
    assert high.log_share(np.array([np.nextafter(inner, -np.inf)]))[0] == 0.0  # all of the bin
    assert (np.diff(shares) <= 1e-15).all()
    if np.ptp(values) > 0:
        assert shares[-1] < 1e-3 * shares[0]  # and nothing is left at the end
        past = far[far > high.values[-1]][:50]
        assert (np.diff(high.log_share(past)) < 0).all()
    assert high.beyond * masses[-1] >= min(masses[-1], 1 / (len(values) + 1)) - 1e-12


def tail_with(rows: int, number: int, extreme: float) -> Tail:
    values = np.append(np.random.default_rng(rows).normal(40, 5, rows - 1), extreme)
    bins, masses = cut(values, number)
    return tails_of(bins, masses, rows)[1]


@pytest.mark.parametrize("rows", [6, 33, 40, 55, 63, 64, 65, 66, 96, 200])
@pytest.mark.parametrize("number", [1, 3])
def test_no_row_is_its_own_witness(rows: int, number: int) -> None:
    near, far = (tail_with(rows * number, number, extreme) for extreme in (70.0, 7e6))
    assert far.values.tolist() == near.values.tolist()
    assert far.shares.tolist() == near.shares.tolist()
    assert (far.beyond, far.scale) == (near.beyond, near.scale)
    assert far.log_share(np.array([7e6]))[0] < -500
    assert far.values[-1] < 70  # the extreme itself, which ends a tail that believes in it


def test_one_mistake_in_a_small_table_is_beyond_the_end() -> None:
    values = np.append(np.random.default_rng(0).normal(40, 10, 99).round(), 400.0)
    bins, masses = cut(values, 5)
    codes = bins.locate(values)
    far = log_shares(bins, masses, 100, values, codes)
    assert far.argmin() == 99
    assert far[99] < -20
    assert far[(codes > 0) & (codes < len(bins) - 1)].tolist() == [0.0] * int(
        ((codes > 0) & (codes < len(bins) - 1)).sum()
    )
    with np.errstate(all="raise"):
        assert np.isfinite(
            log_shares(bins, masses, 100, np.array([1e300, -1e300, np.inf]), np.array([4, 0, 4]))
        ).all()
