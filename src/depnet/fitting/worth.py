r"""What a law is worth beside a table's own rows, and how sure answers are: both chosen on rows that it has not seen.

Questions are drawn as people ask them: a row of those that judge, one to three of its cells known, others asked. The
answers of the rows learned from are counted, those of the law are frequencies among many of its draws, and the truth is
what the rows that judge and match have.

*Worth*: s of (n observed + s law) / (n + s). For each s the error of the combined answer is its total variation distance to
the truth,

.. math:: e(s) = \tfrac12 \sum_x \big|\lambda f(x) + (1 - \lambda) \hat q(x) - y(x)\big|, \qquad \lambda = \frac{n}{n + s}.

Values of s that make answers worse than counting where there are rows enough to count are left out. Noise should not move
the choice, and where few rows match, which held-out rows can hardly judge, the law is needed most.

*How sure*: s' of the intervals of answers (`depnet.inference.answer.numbers`), chosen by what these foretell.
The rows change places: a law is learned from the part that was
held out, a fifth of the rows, and judged by the four fifths that were learned from. So the truth has less noise than
the answer, and questions that hardly a row of those learned from matches can be judged, too. The law is a little worse
than that of all rows, which errs on the safe side. Judged is, of a number, its
mean and its share above a cut, of others a state's share. With the ends l and u of an answer a, and e the error of a truth
t that h rows have and of an answer that m draws of the law have, the ends of what is foretold are

.. math:: L = a - \sqrt{(a - l)^2 + (z e)^2}, \qquad U = a + \sqrt{(u - a)^2 + (z e)^2},

and the interval score is U - L + 20 (L - t)_+ + 20 (t - U)_+, which is the least, in the mean, where t is below L in one of
20 cases and above U in another. It is divided by the error of a typical answer with as many matching rows, so that each
question counts about alike.

Of the values of s or s' whose mean error or score is within one standard error of the least, the one nearest to the usual
is taken.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Variable
from depnet.inference.answer.intervals import LEVEL, SURE_MEANS, SURE_SHARES, Z, share_ends
from depnet.inference.answer.numbers import worth_of_mean
from depnet.inference.answer.table import WORTH
from depnet.law.program import law_of
from depnet.learning.rows import some_rows
from depnet.model.network import Network

WORTHS: FloatArray = 2.0 ** np.arange(-5.0, 5.0)
"""What is tried of s, times `WORTH`: from one or two rows to some hundreds."""
SURES: FloatArray = 2.0 ** np.arange(-3.0, 5.0)
"""What is tried of s', times the usual."""
QUESTIONS = 400
"""About what a law is worth."""
MOST_KNOWN = 3
FEWEST_DRAWS, MOST_DRAWS = 10_000, 50_000
DRAWS_PER_ROW = 16
"""Of the law beside a row learned from, within those bounds: the draws are to vary less than the rows do."""
DRAWN_CODES = 1 << 22
"""Wide laws are drawn from less often, but never less than the bound."""
MOST_ROWS = 200_000
"""The most training rows, and the most held-out rows, that are counted."""
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
"""The memory for keeping which rows of a table have a state, for later questions."""
KNOWN = 80
"""How often cells of a row are known, and `ASKED` others asked for each time."""
ASKED = 4
PARTS = 2
"""Laws that are learned, at most."""
FEWEST_DRAWN = 20
"""Questions that fewer draws of the law match are left out."""
FEW_STATES = 3
"""A number of so few states, or fewer, is asked for their shares alone."""


def choose_worth(laws: Sequence[Network], parts: Sequence[tuple[Dataset, Dataset]]) -> float:
    """What a law is worth: `laws[k]` was learned from the first rows of `parts[k]` and is judged by the second.

    Deterministic, a function of the rows and the laws.
    """
    if len(laws[0].domain) < 2:
        return WORTH
    rng = np.random.default_rng(0)
    each = []
    for law, (learned, held) in zip(laws, parts, strict=True):
        asked = Asked(law, learned, held, rng)
        found = [_errors(asked, rng) for _ in range(QUESTIONS // len(laws))]
        each += [one for one in found if one is not None]
    if len(each) < ENOUGH:
        return WORTH
    errors, weights, counted, rows = map(np.array, zip(*each, strict=True))
    many = rows >= MANY_ROWS
    harmless = np.arange(errors.shape[1])
    if many.sum() >= ENOUGH:
        most = (1 + HARM) * np.average(counted[many], weights=weights[many])
        harmless = np.flatnonzero(np.average(errors[many], axis=0, weights=weights[many]) <= most)
    if not len(harmless):
        return WORTH * float(WORTHS[0])
    return WORTH * _nearest(WORTHS[harmless], errors[:, harmless], weights)


class Asked:
    """A law, the rows that it was learned from and those by which it is judged, to be asked."""

    def __init__(self, law: Network, learned: Dataset, judge: Dataset, rng: np.random.Generator) -> None:
        tables = [_at_most(learned, rng), _at_most(judge, rng), _draw_rows(law, learned.total)]
        self.judge = tables[1]
        self.tables = [CountedRows(table) for table in tables]

    def counts(self, target: int, given: Mapping[int, int]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """How many matching training rows, judging rows and draws have each state of the target."""
        counts, truth, drawn = (table.counts(target, given) for table in self.tables)
        return counts, truth, drawn


class CountedRows:
    """The rows of a table, and which of them have a state, or match a question, that was asked before."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._kept: dict[tuple[int, int], NDArray[np.bool_]] = {}
        self._last: tuple[Mapping[int, int], IntArray] = ({}, np.arange(dataset.rows))

    def counts(self, target: int, known: Mapping[int, int]) -> FloatArray:
        """How many rows that match what is known have each state of the target."""
        if self._last[0] != known:
            match = functools.reduce(np.logical_and, [self._has(*each) for each in known.items()])
            self._last = known, np.flatnonzero(match)
        rows, states = self._last[1], self._dataset.domain.cardinalities[target]
        weights = None if self._dataset.weights is None else self._dataset.weights[rows]
        return np.bincount(self._dataset.column(target)[rows], weights, minlength=states).astype(np.float64)

    def _has(self, i: int, state: int) -> NDArray[np.bool_]:
        if (i, state) not in self._kept:
            if len(self._kept) * self._dataset.rows > KEPT_BYTES:
                self._kept.clear()
            self._kept[i, state] = self._dataset.column(i) == state
        return self._kept[i, state]


def _at_most(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """The rows, or some of them drawn without replacement where they are very many."""
    if dataset.rows <= MOST_ROWS:
        return dataset
    return some_rows(dataset, np.sort(rng.choice(dataset.rows, MOST_ROWS, replace=False)))


def _draw_rows(law: Network, learned: int) -> Dataset:
    """Draw rows from a law that was learned from `learned` rows."""
    wanted = min(DRAWS_PER_ROW * learned, DRAWN_CODES // len(law.domain), MOST_DRAWS)
    drawn = law_of(law).passes(max(wanted, FEWEST_DRAWS), seed=0)
    return Dataset.from_codes(drawn.codes, domain=law.domain)


def _errors(asked: Asked, rng: np.random.Generator) -> tuple[FloatArray, float, float, float] | None:
    """e(s) of each candidate for one question, what the question counts, the error of counting alone and its rows.

    None where too few draws match it.
    """
    n = len(asked.judge.domain)
    row = int(rng.integers(asked.judge.rows))
    known = rng.integers(1, min(MOST_KNOWN, n - 1) + 1)
    target, *others = rng.permutation(n)[: known + 1].tolist()
    counts, truth, drawn = asked.counts(target, {j: int(asked.judge.codes[row, j]) for j in others})
    m, h, rows = drawn.sum(), truth.sum(), counts.sum()
    if m < FEWEST_MATCHING or h < FEWEST_HELD:
        return None
    law, frequencies, y = drawn / m, counts / max(rows, 1), truth / h
    share = rows / (rows + WORTH * WORTHS)[:, None]
    distances = np.abs(share * frequencies + (1 - share) * law - y).sum(axis=1) / 2
    alone = float(np.abs(frequencies - y).sum()) / 2
    return distances, float(h / (h + FAIR)), alone, float(rows)


def _nearest(factors: FloatArray, scores: FloatArray, weights: FloatArray) -> float:
    """The factor nearest to 1 whose mean score, of [question, factor], is within a standard error of the least."""
    mean = np.average(scores, axis=0, weights=weights)
    best = int(np.argmin(mean))
    deviations = weights[:, None] * (scores - scores[:, [best]] - (mean - mean[best]))
    errors = np.sqrt((deviations**2).sum(axis=0)) / weights.sum()
    good = factors[mean - mean[best] <= errors]
    return float(good[np.argmin(np.abs(np.log(good)))])


@dataclass(frozen=True, slots=True)
class Sure:
    """s' of shares and of means."""

    shares: float = SURE_SHARES
    means: float = SURE_MEANS


def choose_sure(laws: Sequence[Network], parts: Sequence[tuple[Dataset, Dataset]], worth: float) -> Sure:
    """How sure answers are that join a law and its rows by `worth`.

    `laws[k]` was learned from the second rows of `parts[k]`, and is judged by the first. Deterministic.
    """
    if len(laws[0].domain) < 2:
        return Sure()
    rng = np.random.default_rng(1)
    shares: list[tuple[float, ...]] = []
    means: list[tuple[float, ...]] = []
    variables = laws[0].domain.variables
    states = [len(variable.present_states) for variable in variables]
    moments = [_moments(variable) for variable in variables]
    for law, (judge, learned) in zip(laws, parts, strict=True):
        asked = Asked(law, learned, judge, rng)
        for _ in range(KNOWN // len(laws)):
            row = asked.judge.codes[int(rng.integers(asked.judge.rows))]
            known = int(rng.integers(1, min(MOST_KNOWN, len(states) - 1) + 1))
            others = rng.permutation(len(states)).tolist()
            given = {j: int(row[j]) for j in others[:known]}
            if any(code >= states[j] for j, code in given.items()):
                continue  # a hole is nothing that is known
            for target in others[known : known + ASKED]:
                counts, truth, drawn = (each[: states[target]] for each in asked.counts(target, given))
                _judge(counts, truth, drawn, moments[target], worth, rng, shares, means)
    return Sure(
        SURE_SHARES * _sure_factor(_share_scores, shares), SURE_MEANS * _sure_factor(_mean_scores, means)
    )


def _sure_factor(score: Callable[[FloatArray], FloatArray], asked: Sequence[tuple[float, ...]]) -> float:
    return _nearest(SURES, score(np.array(asked).T), np.ones(len(asked))) if len(asked) >= ENOUGH else 1.0


def _judge(
    counts: FloatArray,
    truth: FloatArray,
    drawn: FloatArray,
    numbers: tuple[FloatArray, FloatArray] | None,
    worth: float,
    rng: np.random.Generator,
    shares: list[tuple[float, ...]],
    means: list[tuple[float, ...]],
) -> None:
    """What is judged of a question; nothing where too few rows answer it."""
    rows, h, m, states = counts.sum(), truth.sum(), drawn.sum(), len(counts)
    if states < 2 or m < FEWEST_DRAWN or h < FEWEST_HELD:
        return
    share = worth / (rows + worth)
    answer = (counts + drawn * (worth / m)) / (rows + worth)
    noise = share**2 / m
    if numbers is None or states <= FEW_STATES:
        state = min(int(np.searchsorted(np.cumsum(answer), rng.random())), states - 1)
        at = slice(state, state + 1)
    else:
        at = slice(int(rng.integers(1, states)))
        (own, of_rows), (drawn_mean, of_law) = (
            _mean_of(each / max(each.sum(), 1), numbers) for each in (counts, drawn)
        )
        s = worth_of_mean(worth, rows, of_rows, of_law, own - drawn_mean)
        mean, deviation = _mean_of((counts + drawn * (s / m)) / (rows + s), numbers)
        true, spread = _mean_of(truth / h, numbers)
        error = math.sqrt(spread**2 / (h - 1) + (s / (rows + s)) ** 2 / m * of_law**2)
        if deviation > 0:
            means.append((float(rows), mean, deviation, true, error))
    shares.append((float(rows), float(answer[at].sum()), float(truth[at].sum() / h), float(h), noise))


def _moments(variable: Variable) -> tuple[FloatArray, FloatArray] | None:
    """The means, and mean squares, of the values of each state of a number, scaled so that no square is too large."""
    levels = variable.levels()
    if levels is None:
        return None
    values = levels.values.astype(np.float64)
    values = (values - values.mean()) / (float(np.abs(values - values.mean()).max()) or 1.0)
    return levels.mean_of(values), levels.mean_of(values**2)


def _mean_of(shares: FloatArray, numbers: tuple[FloatArray, FloatArray]) -> tuple[float, float]:
    mean = float(shares @ numbers[0])
    return mean, math.sqrt(max(float(shares @ numbers[1]) - mean**2, 0.0))


def _share_scores(asked: FloatArray) -> FloatArray:
    """[question, candidate]."""
    from scipy import special  # slow to import

    rows, answer, truth, h, noise = (each[:, None] for each in asked)

    def quantiles(a: FloatArray, b: FloatArray, levels: Sequence[float]) -> list[FloatArray]:
        return [np.asarray(special.betaincinv(a, b, level), np.float64) for level in levels]

    low, high = share_ends(answer, rows + SURE_SHARES * SURES, quantiles)
    inside = np.clip(answer, 0.5 / h, 1 - 0.5 / h)
    variance = inside * (1 - inside)
    scores = _scores(truth, answer, answer - low, high - answer, np.sqrt(variance * (1 / h + noise)))
    return np.asarray(scores / np.sqrt(variance / (rows + SURE_SHARES)))


def _mean_scores(asked: FloatArray) -> FloatArray:
    """[question, candidate]."""
    from scipy import special  # slow to import

    rows, answer, deviation, truth, error = (each[:, None] for each in asked)
    known = rows + SURE_MEANS * SURES
    reach = special.stdtrit(known, (1 + LEVEL) / 2) * deviation / np.sqrt(known + 1)
    scores = _scores(truth, answer, reach, reach, error)
    return np.asarray(scores * np.sqrt(rows + SURE_MEANS) / deviation)


def _scores(
    truth: FloatArray, answer: FloatArray, below: FloatArray, above: FloatArray, error: FloatArray
) -> FloatArray:
    """The interval scores of what is foretold of the truth."""
    low, high = answer - np.hypot(below, Z * error), answer + np.hypot(above, Z * error)
    missed = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)
    return np.asarray(high - low + 2 / (1 - LEVEL) * missed)
