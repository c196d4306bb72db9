r"""How sure answers are: s' of their intervals (`depnet.inference.answer.interval`), chosen by what these foretell.

The rows change places with those by which s is chosen (`depnet.fitting.worth`): a law is learned from the part that was
held out there, a fifth of the rows, and judged by the four fifths that were learned from. So the truth has less noise than
the answer, and questions that hardly a row of those learned from matches can be judged, too. The law is a little worse
than that of all rows, which errs on the safe side.

Questions are drawn as people ask them: a row, one to three of its cells known, others asked. Judged is, of a number, its
mean and its share above a cut, of others a state's share. With the ends l and u of an answer a, and e the error of a truth
t that h rows have and of an answer that m draws of the law have, the ends of what is foretold are

.. math:: L = a - \sqrt{(a - l)^2 + (z e)^2}, \qquad U = a + \sqrt{(u - a)^2 + (z e)^2},

and the interval score is U - L + 20 (L - t)_+ + 20 (t - U)_+, which is the least, in the mean, where t is below L in one of
20 cases and above U in another. It is divided by the error of a typical answer with as many matching rows, so that each
question counts about alike. Of the values of s' whose mean score is within one standard error of the least, the one nearest
to the usual is taken.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.mixture import Mixture
from depnet.data.table.variable import Variable
from depnet.fitting.worth import ENOUGH, FEWEST_HELD, MOST_KNOWN, CountedRows, drawn_rows, some_rows
from depnet.inference.answer.interval import LEVEL, SURE_MEANS, SURE_SHARES, Z, share_ends
from depnet.inference.answer.numbers import worth_of_mean
from depnet.model.network import Network

FACTORS = 2.0 ** np.arange(-3, 5)
"""What is tried, times the usual s'."""
KNOWN = 80
"""How often cells of a row are known, and `ASKED` others asked for each time."""
ASKED = 4
PARTS = 2
"""Laws that are learned, at most."""
FEWEST_MATCHING = 20
"""Questions that fewer draws of the law match are left out."""
FEW_STATES = 3
"""A number of so few states, or fewer, is asked for their shares alone."""


@dataclass(frozen=True, slots=True)
class Sure:
    """s' of shares and of means."""

    shares: float = SURE_SHARES
    means: float = SURE_MEANS


def chosen_sure(laws: Sequence[Network], parts: Sequence[tuple[Dataset, Dataset]], worth: float) -> Sure:
    """How sure answers are that join a law and its rows by `worth`.

    `laws[k]` was learned from the second rows of `parts[k]`, and is judged by the first. Deterministic.
    """
    if len(laws[0].domain) < 2:
        return Sure()
    rng = np.random.default_rng(1)
    shares: list[tuple[float, ...]] = []
    means: list[tuple[float, ...]] = []
    for law, (judge, learned) in zip(laws, parts, strict=True):
        asked = _Asked(law, some_rows(learned, rng), some_rows(judge, rng), worth)
        for _ in range(KNOWN // len(laws)):
            asked.put(rng, shares, means)
    return Sure(
        _chosen(SURE_SHARES, _share_scores(np.array(shares).T)) if len(shares) >= ENOUGH else SURE_SHARES,
        _chosen(SURE_MEANS, _mean_scores(np.array(means).T)) if len(means) >= ENOUGH else SURE_MEANS,
    )


class _Asked:
    """A law, the rows that it was learned from and those by which it is judged, to be asked."""

    def __init__(self, law: Network, learned: Dataset, judge: Dataset, worth: float) -> None:
        self._states = [len(variable.present_states) for variable in law.domain.variables]
        self._judge, self._worth = judge, worth
        self._tables = [CountedRows(rows) for rows in (learned, judge, drawn_rows(law, learned.total))]
        self._numbers = [_moments(variable) for variable in law.domain.variables]

    def put(
        self, rng: np.random.Generator, shares: list[tuple[float, ...]], means: list[tuple[float, ...]]
    ) -> None:
        """Some questions, and what is judged of them; none where what is known is a hole."""
        n = len(self._states)
        row = self._judge.codes[int(rng.integers(self._judge.rows))]
        known = int(rng.integers(1, min(MOST_KNOWN, n - 1) + 1))
        others = rng.permutation(n).tolist()
        given = {j: int(row[j]) for j in others[:known]}
        if any(code >= self._states[j] for j, code in given.items()):
            return
        matching = [table.matching(given) for table in self._tables]
        for target in others[known : known + ASKED]:
            self._judged(target, matching, rng, shares, means)

    def _judged(
        self,
        target: int,
        matching: Sequence[IntArray],
        rng: np.random.Generator,
        shares: list[tuple[float, ...]],
        means: list[tuple[float, ...]],
    ) -> None:
        """A question; nothing where too few rows answer it."""
        states = self._states[target]
        counts, truth, drawn = (
            table.counts_in(some, target)[:states] for table, some in zip(self._tables, matching, strict=True)
        )
        rows, h, m = counts.sum(), truth.sum(), drawn.sum()
        if states < 2 or m < FEWEST_MATCHING or h < FEWEST_HELD:
            return
        share = self._worth / (rows + self._worth)
        answer = (counts + drawn * (self._worth / m)) / (rows + self._worth)
        noise = share**2 / m
        numbers = self._numbers[target]
        if numbers is None or states <= FEW_STATES:
            state = min(int(np.searchsorted(np.cumsum(answer), rng.random())), states - 1)
            at = slice(state, state + 1)
        else:
            at = slice(int(rng.integers(1, states)))
            (own, of_rows), (drawn_mean, of_law) = (
                _mean_of(each / max(each.sum(), 1), numbers) for each in (counts, drawn)
            )
            s = worth_of_mean(self._worth, rows, of_rows, of_law, own - drawn_mean)
            mean, deviation = _mean_of((counts + drawn * (s / m)) / (rows + s), numbers)
            true, spread = _mean_of(truth / h, numbers)
            error = math.sqrt(spread**2 / (h - 1) + (s / (rows + s)) ** 2 / m * of_law**2)
            if deviation > 0:
                means.append((float(rows), mean, deviation, true, error))
        shares.append((float(rows), float(answer[at].sum()), float(truth[at].sum() / h), float(h), noise))


def _moments(variable: Variable) -> tuple[FloatArray, FloatArray] | None:
    """The means, and mean squares, of the values of each state of a number, scaled so that no square is too large."""
    mixture = Mixture.of(variable)
    if mixture is None:
        return None
    values = mixture.values.astype(np.float64)
    values = (values - values.mean()) / (float(np.abs(values - values.mean()).max()) or 1.0)
    return mixture.mean_of(values), mixture.mean_of(values**2)


def _mean_of(shares: FloatArray, numbers: tuple[FloatArray, FloatArray]) -> tuple[float, float]:
    mean = float(shares @ numbers[0])
    return mean, math.sqrt(max(float(shares @ numbers[1]) - mean**2, 0.0))


def _share_scores(asked: FloatArray) -> FloatArray:
    """[question, candidate]."""
    from scipy import special  # slow to import

    rows, answer, truth, h, noise = (each[:, None] for each in asked)

    def quantiles(a: FloatArray, b: FloatArray, levels: Sequence[float]) -> list[FloatArray]:
        return [np.asarray(special.betaincinv(a, b, level), np.float64) for level in levels]

    low, high = share_ends(answer, rows + SURE_SHARES * FACTORS, quantiles)
    inside = np.clip(answer, 0.5 / h, 1 - 0.5 / h)
    variance = inside * (1 - inside)
    scores = _scores(truth, answer, answer - low, high - answer, np.sqrt(variance * (1 / h + noise)))
    return np.asarray(scores / np.sqrt(variance / (rows + SURE_SHARES)))


def _mean_scores(asked: FloatArray) -> FloatArray:
    """[question, candidate]."""
    from scipy import special  # slow to import

    rows, answer, deviation, truth, error = (each[:, None] for each in asked)
    known = rows + SURE_MEANS * FACTORS
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


def _chosen(usual: float, scores: FloatArray) -> float:
    """Of the candidates within a standard error of the best, the nearest to the usual."""
    mean = scores.mean(axis=0)
    best = int(np.argmin(mean))
    error = (scores - scores[:, [best]]).std(axis=0) / math.sqrt(len(scores))
    good = FACTORS[mean - mean[best] <= error]
    return usual * float(good[np.argmin(np.abs(np.log(good)))])
