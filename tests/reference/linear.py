"""The literal twin of `depnet.learning.linear`: a ridge regression by normal equations, and residuals one by one."""

import itertools
import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

STANDARD = NormalDist()


def normal_scores(codes: Sequence[int], states: int) -> list[float]:
    """Of each state, the normal score of the middle of its rows; the mean over the rows is 0."""
    scores, below = [], 0
    for state in range(states):
        own = sum(code == state for code in codes)
        scores.append(STANDARD.inv_cdf((below + own / 2 + 0.5) / (len(codes) + 1)))
        below += own
    mean = sum(scores[code] for code in codes) / len(codes)
    return [score - mean for score in scores]


def ridge_guesses(inputs: Sequence[Sequence[float]], own: Sequence[float], penalty: float) -> list[float]:
    """What a ridge regression with this penalty says of each row; `inputs` are [row][feature]."""
    table, target = np.array(inputs), np.array(own)
    weights = np.linalg.solve(table.T @ table + penalty * np.eye(table.shape[1]), table.T @ target)
    return [float(row @ weights) for row in table]


def generalised_error(inputs: Sequence[Sequence[float]], own: Sequence[float], penalty: float) -> float:
    """The squared error over the square of the degrees of freedom that are left."""
    table = np.array(inputs)
    hat = table @ np.linalg.solve(table.T @ table + penalty * np.eye(table.shape[1]), table.T)
    errors = np.array(own) - hat @ np.array(own)
    return float(errors @ errors) / (len(own) - float(np.trace(hat))) ** 2


def bin_probabilities(codes: Sequence[int], states: int, guesses: Sequence[float], at: float) -> list[float]:
    """P(X in each bin | guess = at): each row's residual, eight times over its bin, is smoothed by a normal law."""
    ends = [0.0]
    for state in range(states):
        ends.append(ends[-1] + sum(code == state for code in codes) + 0.5)
    ends = [end / ends[-1] for end in ends]
    residuals = []
    for code, guess in zip(codes, guesses, strict=True):
        width = ends[code + 1] - ends[code]
        points = (ends[code] + width * (part + 0.5) / 8 for part in range(8))
        residuals += [STANDARD.inv_cdf(point) - guess for point in points]
    mean = sum(residuals) / len(residuals)
    spread = math.sqrt(sum((one - mean) ** 2 for one in residuals) / len(residuals))
    smooth = NormalDist(0.0, spread * 1.06 * len(codes) ** -0.2)

    def below(end: float) -> float:
        if end in (0.0, 1.0):
            return end
        edge = STANDARD.inv_cdf(end)
        return sum(smooth.cdf(edge - at - one) for one in residuals) / len(residuals)

    law = [below(end) + 1e-3 * (end - below(end)) for end in ends]
    return [high - low for low, high in itertools.pairwise(law)]
