r"""How many rows a law is worth: s of (n observed + s law) / (n + s), chosen on held-out rows.

Questions are drawn as people ask them: a held-out row, one to three of its cells known, another one asked. The answers of
the rows learned from are counted, those of the law are frequencies among many of its draws, and the truth is what the
held-out rows that match have. For each s the mean squared error of the combined answer follows,

.. math:: e(s) = \sum_x \big(\lambda f(x) + (1 - \lambda) \hat q(x) - y(x)\big)^2
          - (1 - \lambda)^2 \frac{\hat q(x) (1 - \hat q(x))}{m - 1}, \qquad \lambda = \frac{n}{n + s},

the last term being what the draws, m of which match, add to it on average. Of the values of s whose error is within one
standard error of the least, the one nearest to `WORTH` is taken: a choice among noise should not move it.
"""

import functools
import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.data.dataset import Dataset
from depnet.inference.result import WORTH
from depnet.law.program import law_of
from depnet.model.network import Network

CANDIDATES = tuple(WORTH * 2.0**k for k in range(-5, 7))
"""From one or two rows to some thousands."""
QUESTIONS = 300
MOST_KNOWN = 3
FEWEST_DRAWS, MOST_DRAWS = 10_000, 50_000
DRAWS_PER_ROW = 16
"""Of the law beside a row learned from, within those bounds: the draws are to vary less than the rows do."""
DRAWN_CODES = 1 << 22
"""Wide laws are drawn from less often, but never less than the bound."""
MOST_ROWS = 200_000
"""Of the rows learned from and of those held out, no more are counted."""
FEWEST = 20
"""Questions that fewer draws of the law match are left out: they are the rarest."""
FAIR = 10.0
"""A question that h held-out rows match counts h / (h + FAIR): few of them say little."""
ENOUGH = 20
"""With fewer questions left, nothing is chosen."""
KEPT_BYTES = 1 << 24
"""Of a table, the bits that are kept for later questions."""
FEW_STATES = 4
"""So many states of a target are counted bit by bit."""
ONES = (
    np.unpackbits(np.arange(1 << 16, dtype=np.uint16).view(np.uint8))
    .reshape(-1, 16)
    .sum(axis=1, dtype=np.uint8)
)
"""The bits of a word that are set."""


def chosen_worth(law: Network, learned: Dataset, held: Dataset) -> float:
    """What `law`, learned from the rows `learned`, is worth, judged by the rows `held` out. Deterministic."""
    if len(law.domain) < 2:
        return WORTH
    rng = np.random.default_rng(0)
    tables = [_some(learned, rng), _some(held, rng)]
    wanted = min(DRAWS_PER_ROW * learned.total, DRAWN_CODES // len(law.domain), MOST_DRAWS)
    drawn = law_of(law).passes(max(wanted, FEWEST_DRAWS), seed=0)
    tables.append(Dataset.from_codes(drawn.codes, domain=law.domain))
    counted = [_Rows(table) for table in tables]
    errors, weights = [], []
    for _ in range(QUESTIONS):
        found = _errors(tables[1], counted, rng)
        if found is not None:
            errors.append(found[0])
            weights.append(found[1])
    if len(errors) < ENOUGH:
        return WORTH
    return _nearest(np.array(errors), np.array(weights))


class _Rows:
    """The rows of a table as bits, sixteen a word: which of them have a state. Counting is then quick."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._bits: dict[tuple[int, int], NDArray[np.uint16]] = {}

    def counts(self, target: int, known: Mapping[int, int]) -> FloatArray:
        """How many rows that match what is known have each state of the target."""
        states = self._dataset.domain.cardinalities[target]
        match = functools.reduce(np.bitwise_and, itertools.starmap(self._having, known.items()))
        if self._dataset.weights is None and states <= FEW_STATES:
            return np.array([float(ONES[match & self._having(target, x)].sum()) for x in range(states)])
        marks = np.unpackbits(match.view(np.uint8), count=self._dataset.rows).view(np.bool_)
        rows = np.flatnonzero(marks)
        weights = None if self._dataset.weights is None else self._dataset.weights[rows]
        return np.bincount(self._dataset.column(target)[rows], weights, minlength=states).astype(np.float64)

    def _having(self, i: int, state: int) -> NDArray[np.uint16]:
        if (i, state) not in self._bits:
            packed = np.packbits(self._dataset.column(i) == state)
            if len(packed) % 2:
                packed = np.append(packed, np.uint8(0))
            if len(self._bits) * len(packed) > KEPT_BYTES:
                self._bits.clear()
            self._bits[i, state] = packed.view(np.uint16)
        return self._bits[i, state]


def _errors(
    held: Dataset, tables: Sequence[_Rows], rng: np.random.Generator
) -> tuple[FloatArray, float] | None:
    """e(s) of each candidate for one question, and what the question counts; None where too few draws match it.

    `tables` are the rows learned from, those held out, and draws of the law.
    """
    n = len(held.domain)
    row = int(rng.integers(held.rows))
    known = rng.integers(1, min(MOST_KNOWN, n - 1) + 1)
    target, *others = rng.permutation(n)[: known + 1].tolist()
    given = {j: int(held.codes[row, j]) for j in others}
    counts, truth, drawn = (table.counts(target, given) for table in tables)
    m, h, rows = drawn.sum(), truth.sum(), counts.sum()
    if m < FEWEST:
        return None
    law, frequencies, y = drawn / m, counts / max(rows, 1), truth / h
    share = rows / (rows + np.array(CANDIDATES))[:, None]
    squares = (share * frequencies + (1 - share) * law - y) ** 2 - (1 - share) ** 2 * law * (1 - law) / (
        m - 1
    )
    return squares.sum(axis=1), float(h / (h + FAIR))


def _nearest(errors: FloatArray, weights: FloatArray) -> float:
    """Of the candidates within a standard error of the best, the nearest to `WORTH`."""
    mean = np.average(errors, axis=0, weights=weights)
    best = int(np.argmin(mean))
    differences = errors - errors[:, [best]]
    spread = (
        np.sqrt((weights[:, None] ** 2 * (differences - (mean - mean[best])) ** 2).sum(axis=0))
        / weights.sum()
    )
    good = np.flatnonzero(mean - mean[best] <= spread)
    return float(min((CANDIDATES[k] for k in good), key=lambda s: abs(math.log(s / WORTH))))


def _some(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """The rows, or some of them drawn without replacement where they are very many."""
    if dataset.rows <= MOST_ROWS:
        return dataset
    kept: NDArray[np.int64] = np.sort(rng.choice(dataset.rows, MOST_ROWS, replace=False))
    weights = None if dataset.weights is None else dataset.weights[kept]
    return Dataset.from_codes(dataset.codes[kept], domain=dataset.domain, weights=weights)
