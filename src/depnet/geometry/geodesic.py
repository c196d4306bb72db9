"""m-geodesics, e-geodesics and their orthogonality (Sec. 3)."""

import math

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray, xlogy
from depnet.errors import DistributionError, brief
from depnet.geometry.joint import checked_pair

ROUNDING = 1e-12
"""How far past the end of an m-geodesic still counts as its end."""


def m_geodesic(p0: ArrayLike, p1: ArrayLike, lam: float) -> FloatArray:
    r"""A point of the m-geodesic p0p1: the straight line through two joints.

    .. math:: p_\lambda(X) = (1-\lambda)\,p_0(X) + \lambda\,p_1(X)

    Args:
        p0, p1: joint distributions, the ends.
        lam: where; any real number as long as the line is among distributions; past that it is an error.

    Returns:
        A joint distribution.

    >>> m_geodesic([0.5, 0.5], [0.25, 0.75], 2.0).tolist()
    [0.0, 1.0]
    """
    first, second = checked_pair(p0, p1, ("p0", "p1"))
    lam = _checked_parameter(lam)
    least, greatest = _m_geodesic_ends(first, second)
    slack = ROUNDING * max(1.0, abs(lam))
    if not least - slack <= lam <= greatest + slack:
        raise DistributionError(
            f"lam = {lam:.12g} is past the end of the m-geodesic p0p1, where probabilities are negative; it is "
            f"among distributions for lam in [{least:.12g}, {greatest:.12g}]."
        )
    if 0 <= lam <= 1:
        return (1.0 - lam) * first + lam * second
    return np.maximum(first + lam * (second - first), 0.0)


def _m_geodesic_ends(p0: FloatArray, p1: FloatArray) -> tuple[float, float]:
    """The least and the greatest lambda where every p0 + lambda (p1 - p0) is non-negative."""
    step = p1 - p0
    up, down = step > 0, step < 0
    least = -float(np.min(p0[up] / step[up], initial=math.inf))
    greatest = float(np.min(p0[down] / -step[down], initial=math.inf))
    return min(least, 0.0), max(greatest, 1.0)


def e_geodesic(p0: ArrayLike, p1: ArrayLike, lam: float) -> FloatArray:
    r"""A point of the e-geodesic p0p1: the straight line in logarithms.

    .. math:: \log p_\lambda(X) = (1-\lambda)\log p_0(X) + \lambda\log p_1(X) - \log Z

    With zeros, 0^0 = 1 at the ends (so lam = 0 gives p0 and lam = 1 gives p1), and a state that neither
    end allows stays impossible. It is an error where no distribution is left: between ends that have no
    state in common, or beyond one end where the other lacks a state of it (0 to a negative power).

    Args:
        p0, p1: joint distributions, the ends.
        lam: where.

    Returns:
        A joint distribution.

    >>> e_geodesic([0.5, 0.5], [0.8, 0.2], 2.0).round(6).tolist()
    [0.941176, 0.058824]
    """
    first, second = checked_pair(p0, p1, ("p0", "p1"))
    lam = _checked_parameter(lam)
    if lam in (0.0, 1.0):
        return (first if lam == 0 else second).copy()
    both = (first > 0) & (second > 0)
    if (lam < 0 and (first[~both] > 0).any()) or (lam > 1 and (second[~both] > 0).any()):
        raise DistributionError(
            f"the e-geodesic p0p1 has no point at lam = {lam:.12g}: a state of probability 0 at one end would "
            "have an infinite one. Beyond an end, the other end must cover its support."
        )
    if not both.any():
        raise DistributionError(
            f"the e-geodesic p0p1 has no point at lam = {lam:.12g}: no state is possible under both ends."
        )
    start = np.log(first[both])
    slope = np.log(second[both]) - start
    slope -= slope.max() if lam > 0 else slope.min()  # a factor of Z: now nothing grows without bound
    with np.errstate(over="ignore"):  # to minus infinity, far along the geodesic
        power = start + lam * slope
    weights = np.zeros(first.shape)
    weights[both] = np.exp(power - power.max())
    return np.asarray(weights / weights.sum())


def orthogonality(p: ArrayLike, q: ArrayLike, r: ArrayLike) -> float:
    r"""How far the m-geodesic pq is from being orthogonal to the e-geodesic qr: 0 where it is.

    .. math:: \sum_x (p(x) - q(x))(\log q(x) - \log r(x))

    It is KL(p||r) - KL(p||q) - KL(q||r), so 0 gives the Pythagorean theorem. With zeros, 0 times anything
    is 0 and log 0 - log 0 is 0; where terms of both signs are infinite the angle is not defined, and the
    value is infinite.

    Args:
        p, q, r: joint distributions.

    Returns:
        The sum, in nats.

    >>> p = [[0.25, 0.25], [0.5, 0.0]]
    >>> orthogonality(p, [[0.25, 0.25], [0.25, 0.25]], [[0.1, 0.1], [0.4, 0.4]])
    0.0
    """
    first, second = checked_pair(p, q)
    _, third = checked_pair(p, r, ("p", "r"))
    difference = first - second
    counts = (difference != 0) & ((second > 0) | (third > 0))
    a, b, d = second[counts], third[counts], difference[counts]
    terms = xlogy(d, a) - xlogy(d, b)
    if (terms == math.inf).any() and (terms == -math.inf).any():
        return math.inf
    return float(terms.sum())


def _checked_parameter(lam: float) -> float:
    try:
        value = float(lam)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise DistributionError(f"lam is a finite number; got {brief(lam)}.")
    return value
