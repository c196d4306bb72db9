r"""A number's linear first guess, from which the digits of its word are boosted (ours, beyond the paper).

Stages of small graphs need many rows for what a line says with few: that one number rises with another. So a node of digits
starts from the ridge regression of its number on what it reads. All states are normal scores z = Phi^-1(rank) of the rows,
the guess is m(x) = sum over the inputs j of b_j[x_j], and with the residuals' distribution F, smoothed,

.. math:: P(X \text{ in the bin from } a \text{ to } b \mid x) = F(z_b - m(x)) - F(z_a - m(x)).

Quantised by the quantiles of the rows, m is one more column, and its states are the leaves of the node's first source. The
stages then learn what a line does not say.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Domain, Variable
from depnet.model.stages import UNIT, DigitTree, Scores
from depnet.threads import one_thread

GUESSES = 32
"""States of a guess."""
MOST_INDICATORS = 12
"""A category of up to this many states has an indicator of each; one of more, its place in the order of its states."""
PENALTIES = 10.0 ** np.arange(-1, 5)
"""Of the ridge regression; generalised cross-validation chooses."""
DECIMALS = 9
"""Of weights and guesses: how sums were rounded does not matter."""
INSIDE = 8
"""Points of a bin, over which its rows are spread."""
GRID = 1024
FARTHEST = 6.0
"""Standard deviations of the residuals that the grid of their distribution reaches to."""
OWN = 1e-3
"""The share of the marginal in a guess: no digit is sure."""


@dataclass(frozen=True, eq=False)
class LinearGuess:
    """The quantised guess of one number: `effects[j][state]` of each input j are added up, and cut."""

    effects: Mapping[int, FloatArray]
    cuts: FloatArray
    scores: Scores
    """[guess, vertex]: the logits of the number's digits."""

    def codes(self, rows: CodeArray) -> IntArray:
        return np.searchsorted(self.cuts, _sum_effects(self.effects, rows), side="right")


def learn_guesses(
    rows: Dataset, numbers: Set[int], readable: Mapping[int, Sequence[int]], trees: Mapping[int, DigitTree]
) -> dict[int, LinearGuess]:
    """The guesses of those `numbers` that read others, learned from rows without weights."""
    features = [
        _features(variable, np.bincount(rows.column(j), minlength=variable.cardinality), j in numbers)
        for j, variable in enumerate(rows.domain.variables)
    ]
    first = np.cumsum([0, *(each.shape[1] for each in features)])
    table = np.concatenate([each[rows.column(j)] for j, each in enumerate(features)], axis=1)
    found = {}
    with one_thread("blas"):
        for i in sorted(numbers & readable.keys()):
            inputs = readable[i]
            states = len(rows.domain.variables[i].present_states)
            known = np.flatnonzero(rows.column(i) < states)
            if not inputs or len(known) < 2:
                continue
            columns = np.concatenate([np.arange(first[j], first[j + 1]) for j in inputs])
            weights = _ridge(table[np.ix_(known, columns)], table[known, first[i]])
            ends = np.cumsum([0, *(features[j].shape[1] for j in inputs)])
            effects = {
                j: np.round(features[j] @ weights[ends[at] : ends[at + 1]], DECIMALS)
                for at, j in enumerate(inputs)
            }
            guess = _sum_effects(effects, rows.codes)[known]
            cuts = np.unique(np.round(np.quantile(guess, np.arange(1, GUESSES) / GUESSES), DECIMALS))
            scores = _start_scores(rows.column(i), states, guess, cuts, trees[i])
            found[i] = LinearGuess(effects, cuts, scores)
    return found


def with_guesses(rows: Dataset, guesses: Mapping[int, LinearGuess]) -> Dataset:
    """The rows with a column for each guess behind their own."""
    domain = rows.domain
    codes: CodeArray = np.empty((rows.rows, len(domain) + len(guesses)), dtype=rows.codes.dtype, order="F")
    codes[:, : len(domain)] = rows.codes
    for at, guess in enumerate(guesses.values()):
        codes[:, len(domain) + at] = guess.codes(rows.codes)
    more = tuple(Variable(f"guess of {domain.names[i]}", tuple(range(GUESSES))) for i in guesses)
    table = Dataset.from_codes(codes, domain=Domain((*domain.variables, *more)))
    return Dataset.of_checked(table.domain, table.codes, rows.weights)


def _features(variable: Variable, counts: IntArray, number: bool) -> FloatArray:
    """[state, feature], of mean zero over the rows: the normal score, whether it is missing, and which one it is."""
    k, states = len(variable.present_states), variable.cardinality
    ends = np.cumsum(counts[:k])
    middles = (ends - counts[:k] / 2 + 0.5) / (ends[-1] + 1.0)
    one = np.eye(states)
    columns = [np.concatenate([ndtri(middles), np.zeros(states - k)])]
    columns += [one[k]] if k < states else []
    columns += list(one[:k]) if not number and 2 < k <= MOST_INDICATORS else []
    found = np.array(columns).T
    return np.asarray(found - counts @ found / max(counts.sum(), 1))


def _ridge(table: FloatArray, own: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(table.T @ table)
    values = np.maximum(values, 0.0)
    along = vectors.T @ (table.T @ own)
    squares, best, least = float(own @ own), along, math.inf
    for penalty in PENALTIES:
        each = along / (values + penalty)
        error = squares - 2 * float(along @ each) + float(values @ each**2)
        free = max(len(own) - float((values / (values + penalty)).sum()), 1.0)
        if error / free**2 < least:
            best, least = each, error / free**2
    return np.asarray(vectors @ best)


def _sum_effects(effects: Mapping[int, FloatArray], codes: CodeArray) -> FloatArray:
    found = np.zeros(len(codes))
    for j, each in effects.items():
        found += each[codes[:, j]]
    return np.round(found, DECIMALS)


def _start_scores(
    own: CodeArray, states: int, guess: FloatArray, cuts: FloatArray, tree: DigitTree
) -> Scores:
    """[guess, vertex]: what the residuals say of each digit, in multiples of `UNIT`."""
    known = own[own < states].astype(np.int64)
    ends = np.concatenate([[0.0], np.cumsum(np.bincount(known, minlength=states) + 0.5)])
    ends /= ends[-1]
    width = np.diff(ends)[:, None]
    inside = ndtri(ends[:-1, None] + width * (np.arange(INSIDE) + 0.5) / INSIDE)
    residuals = inside[known] - guess[:, None]
    spread = max(float(residuals.std()), 1e-6)
    grid = np.linspace(-FARTHEST, FARTHEST, GRID + 1) * spread + residuals.mean()
    density = np.histogram(np.clip(residuals, grid[0], grid[-1]), grid)[0].astype(float)
    reach = np.arange(-GRID // 4, GRID // 4 + 1) * (2 * FARTHEST / GRID)
    kernel = np.exp(-0.5 * (reach / (1.06 * len(known) ** -0.2)) ** 2)
    below = np.concatenate([[0.0], np.cumsum(np.convolve(density, kernel, "same"))])

    at = np.searchsorted(cuts, guess, side="right")
    rows = np.maximum(np.bincount(at, minlength=GUESSES), 1)
    means = np.bincount(at, guess, minlength=GUESSES) / rows
    edges = np.concatenate([[-np.inf], ndtri(ends[1:-1]), [np.inf]])
    law = np.interp(edges - means[:, None], grid, below / below[-1])
    law += OWN * (ends - law)
    scores = np.zeros((GUESSES, tree.states), dtype=np.int32)
    for v, (low, middle, high) in enumerate(tree.vertices):
        if high > states:  # is it missing?
            odds = np.full(GUESSES, (len(own) - len(known) + 0.5) / (len(known) + 0.5))
        else:
            odds = (law[:, high] - law[:, middle]) / (law[:, middle] - law[:, low])
        scores[:, v] = np.rint(np.log(odds) / UNIT)
    return scores
