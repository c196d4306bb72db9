"""Means, quantiles and shares of a mixture, over all of its values one by one, in fractions: the slow twin of
`depnet.data.binning.levels` and `depnet.inference.answer.numbers`."""

from collections.abc import Sequence
from fractions import Fraction

Law = list[tuple[Fraction, Fraction]]
"""(value, probability), the values ascending."""


def law_of(kept: Sequence[Sequence[float]], counts: Sequence[int]) -> Law:
    """Each value of bin k has p_k / n_k, where p_k is in proportion to the count of k."""
    total = sum(counts)
    return [
        (Fraction(value), Fraction(count, total) / len(values))
        for values, count in zip(kept, counts, strict=True)
        for value in values
    ]


def mean(law: Law) -> Fraction:
    return sum((value * p for value, p in law), Fraction(0))


def variance(law: Law) -> Fraction:
    middle = mean(law)
    return sum(((value - middle) ** 2 * p for value, p in law), Fraction(0))


def quantile(law: Law, level: Fraction) -> Fraction:
    """The smallest value that at least `level` of the law does not exceed."""
    below = Fraction(0)
    for value, p in law:
        below += p
        if below >= level:
            return value
    raise AssertionError("probabilities sum to 1")


def above(law: Law, number: float) -> Fraction:
    return sum((p for value, p in law if value > number), Fraction(0))
