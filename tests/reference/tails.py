"""The shape of a generalised Pareto tail after Zhang and Stephens (2009), by loops."""

import math
from collections.abc import Sequence


def shape(excesses: Sequence[float]) -> float:
    """K of excesses over a threshold, each exp(-l)-weighted mean over the quadrature points of b written out.

    Quadrature points b_j = 1 / x_max + (1 - sqrt(m / (j - 1/2))) / (3 x_q), x_q the lower quartile; k_j is the mean of
    log(1 - b_j x), l_j = n (log(-b_j / k_j) - k_j - 1), and b is their mean with weights exp(l_j). The result is drawn to
    1/2 as if by ten more draws.
    """
    x = sorted(excesses)
    n = len(x)
    m = 30 + int(math.sqrt(n))
    quartile = x[int(n / 4 + 0.5) - 1]
    points, likelihoods = [], []
    for j in range(1, m + 1):
        b = 1 / x[-1] + (1 - math.sqrt(m / (j - 0.5))) / (3 * quartile)
        k = sum(math.log1p(-b * each) for each in x) / n
        points.append(b)
        likelihoods.append(n * (math.log(-b / k) - k - 1))
    top = max(likelihoods)
    weights = [math.exp(each - top) for each in likelihoods]
    b = sum(w * each for w, each in zip(weights, points, strict=True)) / sum(weights)
    k = sum(math.log1p(-b * each) for each in x) / n
    return (k * n + 5) / (n + 10)
