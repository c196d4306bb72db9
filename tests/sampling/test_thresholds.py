"""32-bit thresholds: off by at most 2^-32, 0 and 1 exact."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depnet.sampling.chains import ALWAYS, thresholds_of
from tests.reference.sampling import interval_ends

weights = st.lists(
    st.sampled_from([0.0, 1e-300, 1e-12, 2.0**-33, 2.0**-32, 0.1, 0.3, 1.0, 1 - 2.0**-33]),
    min_size=1,
    max_size=6,
).filter(lambda row: sum(row) > 0)


def probability_up_to(threshold: int) -> Fraction:
    """P(min(word, 2^32 - 2) < threshold) for a uniform word."""
    return Fraction(1) if threshold == ALWAYS else Fraction(threshold, 2**32)


@given(weights)
def test_thresholds_are_off_by_at_most_2_to_the_minus_32(row: list[float]) -> None:
    thresholds = thresholds_of(np.array([row]))[0].tolist()
    exact = [Fraction(w) for w in row]
    for s, threshold in enumerate(thresholds):
        c = sum(exact[: s + 1], Fraction(0)) / sum(exact, Fraction(0))
        assert abs(probability_up_to(threshold) - c) <= Fraction(1, 2**32) + Fraction(1, 2**50)
        if c in (0, 1):
            assert probability_up_to(threshold) == c
    assert thresholds == sorted(thresholds)


@given(weights)
def test_thresholds_are_those_of_the_twin(row: list[float]) -> None:
    ours, twin = thresholds_of(np.array([row]))[0].tolist(), interval_ends(tuple(row))
    # a float sum may round the other way
    assert all(abs(a - b) <= 1 for a, b in zip(ours, twin, strict=True))
