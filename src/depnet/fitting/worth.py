r"""How many rows a law is worth: s of (n observed + s law) / (n + s), chosen on held-out rows.

Questions are drawn as people ask them: a held-out row, one to three of its cells known, another one asked. The answers of
the rows learned from are counted, those of the law are frequencies among many of its draws, and the truth is what the
held-out rows that match have. For each s the error of the combined answer is its total variation distance to the truth,

.. math:: e(s) = \tfrac12 \sum_x \big|\lambda f(x) + (1 - \lambda) \hat q(x) - y(x)\big|, \qquad \lambda = \frac{n}{n + s}.

Values of s that make answers worse than counting where there are rows enough to count are left out. Of those whose mean
error is within one standard error of the least, the one nearest to `WORTH` is taken: noise should not move it, and where
few rows match, which held-out rows can hardly judge, the law is needed most.
"""

import functools
import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.inference.answer.result import WORTH
from depnet.law.program import law_of
from depnet.model.network import Network

CANDIDATES = tuple(WORTH * 2.0**k for k in range(-5, 5))
"""From one or two rows to some hundreds."""
QUESTIONS = 400
MOST_KNOWN = 3
FEWEST_DRAWS, MOST_DRAWS = 10_000, 50_000
DRAWS_PER_ROW = 16
"""Of the law beside a row learned from, within those bounds: the draws are to vary less than the rows do."""
DRAWN_CODES = 1 << 22
"""Wide laws are drawn from less often, but never less than the bound."""
MOST_ROWS = 200_000
"""Of the rows learned from and of those held out, no more are counted."""
FEWEST_MATCHING, FEWEST_HELD = 50, 5
"""Questions that fewer draws of the law, or fewer held-out rows, match are left out: the distance would be noise."""
FAIR = 10.0
"""A question that h held-out rows match counts h / (h + FAIR): few of them say little."""
MANY_ROWS = 30
"""Where this many rows match, counting them is a fair answer, and the combined one must not be worse."""
HARM = 0.005
"""By more than this share of its error."""
ENOUGH = 20
"""With fewer questions left, nothing is chosen."""
KEPT_BYTES = 1 << 26
"""Of a table, which rows have a state is kept so far for later questions."""
FEW_STATES = 4
"""Up to this many states of a target are counted one by one."""


def chosen_worth(laws: Sequence[Network], parts: Sequence[tuple[Dataset, Dataset]]) -> float:
    """What a law is worth: `laws[k]` was learned from the first rows of `parts[k]` and is judged by the second.

    Deterministic, a function of the rows and the laws.
    """
    if len(laws[0].domain) < 2:
        return WORTH
    rng = np.random.default_rng(0)
    each = []
    for law, (learned, held) in zip(laws, parts, strict=True):
        tables = [some_rows(learned, rng), some_rows(held, rng)]
        tables.append(drawn_rows(law, learned.total))
        counted = [CountedRows(table) for table in tables]
        for _ in range(QUESTIONS // len(laws)):
            found = _errors(tables[1], counted, rng)
            if found is not None:
                each.append(found)
    if len(each) < ENOUGH:
        return WORTH
    return _chosen(*map(np.array, zip(*each, strict=True)))


def drawn_rows(law: Network, learned: int) -> Dataset:
    """Draws of a law that was learned from so many rows."""
    wanted = min(DRAWS_PER_ROW * learned, DRAWN_CODES // len(law.domain), MOST_DRAWS)
    drawn = law_of(law).passes(max(wanted, FEWEST_DRAWS), seed=0)
    return Dataset.from_codes(drawn.codes, domain=law.domain)


class CountedRows:
    """The rows of a table, and which of them have a state that was asked for before."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._kept: dict[tuple[int, int], NDArray[np.bool_]] = {}

    def counts(self, target: int, known: Mapping[int, int]) -> FloatArray:
        """How many rows that match what is known have each state of the target."""
        states = self._dataset.domain.cardinalities[target]
        match = self._match(known)
        if self._dataset.weights is None and states <= FEW_STATES:
            return np.array([float(np.count_nonzero(match & self._has(target, x))) for x in range(states)])
        return self.counts_in(np.flatnonzero(match), target)

    def matching(self, known: Mapping[int, int]) -> IntArray:
        """The rows that match what is known."""
        return np.flatnonzero(self._match(known))

    def _match(self, known: Mapping[int, int]) -> NDArray[np.bool_]:
        return functools.reduce(np.logical_and, [self._has(*each) for each in known.items()])

    def _has(self, i: int, state: int) -> NDArray[np.bool_]:
        if (i, state) not in self._kept:
            if len(self._kept) * self._dataset.rows > KEPT_BYTES:
                self._kept.clear()
            self._kept[i, state] = self._dataset.column(i) == state
        return self._kept[i, state]

    def counts_in(self, rows: IntArray, target: int) -> FloatArray:
        """How many of these rows have each state of the target."""
        states = self._dataset.domain.cardinalities[target]
        weights = None if self._dataset.weights is None else self._dataset.weights[rows]
        return np.bincount(self._dataset.column(target)[rows], weights, minlength=states).astype(np.float64)


def _errors(
    held: Dataset, tables: Sequence[CountedRows], rng: np.random.Generator
) -> tuple[FloatArray, float, float, float] | None:
    """e(s) of each candidate for one question, what the question counts, the error of counting alone and its rows.

    None where too few draws match it.
    `tables` are the rows learned from, those held out, and draws of the law.
    """
    n = len(held.domain)
    row = int(rng.integers(held.rows))
    known = rng.integers(1, min(MOST_KNOWN, n - 1) + 1)
    target, *others = rng.permutation(n)[: known + 1].tolist()
    given = {j: int(held.codes[row, j]) for j in others}
    counts, truth, drawn = (table.counts(target, given) for table in tables)
    m, h, rows = drawn.sum(), truth.sum(), counts.sum()
    if m < FEWEST_MATCHING or h < FEWEST_HELD:
        return None
    law, frequencies, y = drawn / m, counts / max(rows, 1), truth / h
    share = rows / (rows + np.array(CANDIDATES))[:, None]
    distances = np.abs(share * frequencies + (1 - share) * law - y).sum(axis=1) / 2
    alone = float(np.abs(frequencies - y).sum()) / 2
    return distances, float(h / (h + FAIR)), alone, float(rows)


def _chosen(errors: FloatArray, weights: FloatArray, counted: FloatArray, rows: FloatArray) -> float:
    """Of the candidates that do no harm, the nearest to `WORTH` within a standard error of the best.

    `errors` is [question, candidate], `counted` the errors of counting alone, `rows` how many it had to count.
    """
    many = rows >= MANY_ROWS
    harmless = np.arange(errors.shape[1])
    if many.sum() >= ENOUGH:
        most = (1 + HARM) * np.average(counted[many], weights=weights[many])
        harmless = np.flatnonzero(np.average(errors[many], axis=0, weights=weights[many]) <= most)
    if not len(harmless):
        return CANDIDATES[0]
    errors = errors[:, harmless]
    mean = np.average(errors, axis=0, weights=weights)
    best = int(np.argmin(mean))
    differences = errors - errors[:, [best]]
    deviations = weights[:, None] * (differences - (mean - mean[best]))
    spread = np.sqrt((deviations**2).sum(axis=0)) / weights.sum()
    good = harmless[np.flatnonzero(mean - mean[best] <= spread)]
    nearest: float = min((CANDIDATES[k] for k in good), key=lambda s: abs(math.log(s / WORTH)))
    return nearest


def some_rows(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """The rows, or some of them drawn without replacement where they are very many."""
    if dataset.rows <= MOST_ROWS:
        return dataset
    kept: NDArray[np.int64] = np.sort(rng.choice(dataset.rows, MOST_ROWS, replace=False))
    weights = None if dataset.weights is None else dataset.weights[kept]
    return Dataset.from_codes(dataset.codes[kept], domain=dataset.domain, weights=weights)
