r"""The law of a number given coded inputs: its mean, and what is left as the law of a node.

The mean m(x) comes from several fits (ours, beyond the paper). The rows are divided into five parts, alike in their
numbers. Each part is held out once: the others give a ridge regression and, for what that leaves, gradient boosting of
scikit-learn; the parts held out say together how many steps it takes. The mean of a new row is that of all five fits, which
is steadier than one. What a row lies from the mean that was found without it is its residual, as large as a new row's will
be. The residuals are cut into bins, and their node, which reads the inputs and m(x), is learned as any other: one graph or
boosted stages, whichever held-out rows prefer. So

.. math:: P(y \mid x) = \theta(y - m(x) \mid x, m(x)),

within a bin the values that it keeps, all as likely. Where many rows share one value (the zeros of a claim), y itself
is cut into bins instead of the residual if held-out rows surely have the smaller CRPS so.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray, code_type, read_only
from depnet.data.binning.bins import Bins
from depnet.data.binning.cut import quantile_bins
from depnet.data.binning.levels import Levels
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Domain, Variable
from depnet.fitting.fit import FitOptions, fit_network
from depnet.learning import limits
from depnet.learning.forest import crps
from depnet.learning.rows import codes_of
from depnet.model.network import Network
from depnet.threads import Progress, Work, one_thread, results_in_threads

STRENGTHS = (1.0, 10.0, 100.0, 1000.0)
"""Strengths of the ridge, as extra rows that say that an effect is 0."""
FARTHEST = 8.0
"""Standard deviations that a number may lie from the mean, for the linear model."""
MOST_COLUMNS, MOST_PRODUCTS = 200, 2e9
"""Limits of the linear model: its columns, and these squared times rows; of more rows an even share is taken."""

STEPS = {
    "learning_rate": 0.1,
    "max_iter": 500,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 10,
    "max_features": 0.5,
    "l2_regularization": 1.0,
}
"""Half of the rate, 5 or 20 rows a leaf, or fewer inputs a split are no better (`benchmarks regress`)."""
PATIENCE, ENOUGH = 20, 1e-5
"""Boosting ends after as many steps that lessen the squared error of the part held out by less than this share of the
variance."""
MOST_STATES = 255
"""The most states of a category in boosting; the rarest of more become one."""


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """What the states of each input are in the columns of the linear model, and in those of boosting."""

    effects: tuple[FloatArray, ...]
    """The effects of each input [state, column]."""
    steps: tuple[FloatArray, ...]
    """The steps of each input [state]; nan where a value is missing."""
    categories: tuple[bool, ...]

    @classmethod
    def of(cls, domain: Domain, codes: CodeArray) -> "Design":
        """The columns of the inputs of a domain, as its rows have them."""
        effects, steps, width = [], [], 1
        for i, variable in enumerate(domain.variables):
            counts = np.bincount(codes[:, i], minlength=variable.cardinality)
            table = _effects(variable, counts)
            width += table.shape[1]
            effects.append(table if width <= MOST_COLUMNS else table[:, :0])
            steps.append(_steps(variable, counts))
        return cls(tuple(effects), tuple(steps), tuple(not each.has_cuts for each in domain.variables))

    def columns(self, codes: CodeArray) -> FloatArray:
        """[row, column] of the linear model, of codes [N, n]; one of zeros where there is none."""
        parts = [table[codes[:, i]] for i, table in enumerate(self.effects)]
        return np.concatenate([*parts, np.zeros((len(codes), 1))], axis=1)

    def inputs(self, codes: CodeArray) -> FloatArray:
        """[row, input] of boosting."""
        return np.column_stack([step[codes[:, i]] for i, step in enumerate(self.steps)])


def _effects(variable: Variable, counts: IntArray) -> FloatArray:
    """[state, column]: the number that a state stands for, in standard deviations, or which of the states it is."""
    if variable.scale != "number" or not variable.has_cuts:
        seen = np.flatnonzero(counts)
        return np.eye(variable.cardinality)[:, seen[1:] if len(seen) == 2 else seen]
    k = len(variable.present_states)
    bins = variable.bins
    values = np.array(
        variable.present_states if bins is None else list(map(np.mean, bins.quantiles)), dtype=float
    )
    share = counts[:k] / max(int(counts[:k].sum()), 1)
    centred = values - share @ values
    width = math.sqrt(share @ centred**2)
    table = np.zeros((variable.cardinality, 1 if variable.missing is None else 2))
    if width > 0:
        table[:k, 0] = np.clip(centred / width, -FARTHEST, FARTHEST)
    table[k:, 1:] = 1.0
    return table


def _steps(variable: Variable, counts: IntArray) -> FloatArray:
    """[state]: its place in the order, or the rank of its frequency."""
    k = len(variable.present_states)
    steps = np.full(variable.cardinality, np.nan)
    steps[:k] = np.arange(k)
    if not variable.has_cuts:
        steps[np.argsort(-counts[:k], kind="stable")] = np.minimum(np.arange(k), MOST_STATES - 1)
    return steps


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A ridge regression, and what is added to it: a scikit-learn model each."""

    design: Design
    line: Any
    steps: Any | None
    count: int = 0
    """Steps of boosting that are taken, where there are as many."""

    def means(self, codes: CodeArray) -> FloatArray:
        """The mean given every row of codes [N, n]."""
        found = np.asarray(self.line.predict(self.design.columns(codes)))
        if self.steps is None or not self.count:
            return found
        with one_thread("openmp"):
            staged = self.steps.staged_predict(self.design.inputs(codes))
            return np.asarray(
                found + next(itertools.islice(staged, min(self.count, self.steps.n_iter_) - 1, None))
            )


@dataclass(frozen=True, slots=True, eq=False)
class CrossFittedMean:
    """The fits, of which there may be none; then the mean is `centre`, that of all rows."""

    fits: tuple[Fit, ...]
    centre: float
    unseen: FloatArray
    """The mean of every training row by the fit that was made without it."""

    def means(self, codes: CodeArray) -> FloatArray:
        """The mean given every row of codes [N, n]."""
        if not self.fits:
            return np.full(len(codes), self.centre)
        return np.asarray(np.mean([fit.means(codes) for fit in self.fits], axis=0))


def cross_fitted_mean(
    domain: Domain,
    codes: CodeArray,
    numbers: FloatArray,
    work: Work = Work(),  # noqa: B008  # a frozen value
) -> CrossFittedMean:
    """The mean of `numbers` given codes [N, n] of the domain: the same in whatever order the rows are.

    When the time is over, parts have their linear models alone.
    """
    order = np.lexsort((*np.asarray(codes).T[::-1], numbers))
    codes, numbers = codes_of(codes, order), numbers[order]
    centre = math.fsum(numbers.tolist()) / len(numbers)
    if len(numbers) < limits.FEW_ROWS or numbers[0] == numbers[-1] or not len(domain):
        return CrossFittedMean((), centre, np.full(len(numbers), centre))
    part, design = parts_of(len(numbers)), Design.of(domain, codes)
    columns, inputs = design.columns(codes), design.inputs(codes)
    every = math.ceil(columns.size * columns.shape[1] / MOST_PRODUCTS)  # rows enough for a line

    def fit(k: int) -> Fit:
        from sklearn.ensemble import HistGradientBoostingRegressor
        from sklearn.linear_model import RidgeCV

        learned, held = np.flatnonzero(part != k), np.flatnonzero(part == k)
        with one_thread("openmp"):  # the parts are what is divided among threads
            line = RidgeCV(STRENGTHS).fit(columns[learned[::every]], numbers[learned[::every]])
            if work.over:
                return Fit(design, line, None)
            left = numbers - line.predict(columns)
            steps = HistGradientBoostingRegressor(
                **STEPS,
                categorical_features=design.categories,
                early_stopping=True,
                scoring="loss",
                n_iter_no_change=PATIENCE,
                tol=ENOUGH * float(numbers.var()),
                random_state=k,
            )
            steps.fit(inputs[learned], left[learned], X_val=inputs[held], y_val=left[held])
        return Fit(design, line, steps)

    done = itertools.count(1)
    found = results_in_threads(
        fit, range(limits.PARTS), work.threads, told=lambda: work.tell(next(done), limits.PARTS)
    )
    count = _best_count(found)
    fits = tuple(replace(each, count=count) for each in found)
    unseen = np.empty(len(numbers))
    for k, each in enumerate(fits):
        unseen[order[part == k]] = each.means(codes[part == k])
    return CrossFittedMean(fits, centre, unseen)


def parts_of(rows: int) -> IntArray:
    """The part of each of `rows` rows in the order of their numbers: of every five in turn each is in another part."""
    rng = np.random.default_rng(0)
    turns = rng.permuted(np.tile(np.arange(limits.PARTS), (math.ceil(rows / limits.PARTS), 1)), axis=1)
    return np.asarray(turns.reshape(-1)[:rows])


def _best_count(fits: Sequence[Fit]) -> int:
    """The number of steps that leaves the least squared error on all parts held out together."""
    curves = [-np.asarray(fit.steps.validation_score_) for fit in fits if fit.steps is not None]
    longest = max(map(len, curves), default=1)
    padded = [np.pad(curve, (0, longest - len(curve)), "edge") for curve in curves]
    return int(np.argmin(np.sum(padded, axis=0))) if padded else 0


RESIDUAL_BINS, OWN_BINS, MEAN_BINS = 32, 64, 64
"""Bins of residuals, of numbers as they are, and of means as an input of their node, at most."""
ROWS_A_BIN = 8
HEAP = 0.1
"""The share of rows with one value from which on y is heaped."""
MEAN_SHARE = 0.3
"""The share of the available time that the mean may take."""
STEPS_TOLD = 100
"""What progress counts to."""
LEVELS = [(2 * k + 1) / 40 for k in range(20)]
"""The levels of the quantiles that the CRPS is computed from."""


@dataclass(frozen=True, slots=True, eq=False)
class ResidualLaw:
    """P(y | x) as it was learned. The last variable of `network` is the residual, or y; the one before it m(x)."""

    mean: CrossFittedMean
    network: Network
    bin_means: FloatArray
    """The mean of the residuals, or of y, in each bin."""
    located: bool
    """Are the bins of residuals? Else of y itself."""

    @property
    def bins(self) -> Bins:
        found = self.network.domain.variables[-1].bins
        assert found is not None
        return found

    def probabilities(self, codes: CodeArray) -> tuple[FloatArray, FloatArray]:
        """For every row of codes [N, n] of the inputs what its bins begin from (m(x), or 0), and their probabilities."""
        means = self.mean.means(codes)
        table = _join(self.network.domain, codes, means)
        theta = self.network.nodes[-1].probabilities(table)
        return means if self.located else np.zeros(len(means)), theta

    def means(self, codes: CodeArray) -> FloatArray:
        """E(y | x): m(x), and what the law of residuals says beyond it."""
        if not self.located:
            return self.mean.means(codes)
        start, theta = self.probabilities(codes)
        return np.asarray(start + (theta * self.bin_means).sum(axis=1))

    def quantiles(self, codes: CodeArray, levels: Sequence[float]) -> FloatArray:
        """[row, level]."""
        start, theta = self.probabilities(codes)
        return np.asarray(start[:, None] + Levels.of(self.bins).quantiles(theta, list(levels)))

    def below(self, codes: CodeArray, edges: Sequence[float]) -> FloatArray:
        """[row, edge]: P(y < edge | x)."""
        start, theta = self.probabilities(codes)
        kept = self.bins.quantiles
        found = np.zeros((len(codes), len(edges)))
        for k, values in enumerate(kept):
            under = np.searchsorted(np.array(values), np.asarray(edges) - start[:, None], side="left")
            found += theta[:, k : k + 1] * under / len(values)
        return np.clip(found, 0.0, 1.0)


def number_law(
    inputs: Dataset,
    numbers: FloatArray,
    options: FitOptions,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> ResidualLaw:
    """The law of `numbers` given the rows of `inputs`; `progress` counts to `STEPS_TOLD`."""
    work = options.work(progress)
    if not has_heap(numbers):
        return _learn(inputs, numbers, options, rng, True, work)
    order = np.lexsort((*np.asarray(inputs.codes).T[::-1], numbers))
    held = np.empty(len(numbers), dtype=bool)
    held[order] = parts_of(len(numbers)) == 0
    some = Dataset.from_codes(inputs.codes[~held], domain=inputs.domain)
    losses = []
    for k, (located, share) in enumerate(((True, 1 / 3), (False, 1 / 2))):  # two trials, and the law itself
        own = work.share(share).stage(STEPS_TOLD, k, 3)
        trial = _learn(some, numbers[~held], options, rng, located, own)
        losses.append(crps(trial.quantiles(inputs.codes[held], LEVELS), numbers[held], LEVELS))
    gains = losses[0] - losses[1]
    sure = float(gains.mean()) > limits.SURE * float(gains.std()) / math.sqrt(len(gains))
    return _learn(inputs, numbers, options, rng, not sure, work.stage(STEPS_TOLD, 2, 3))


def has_heap(numbers: FloatArray) -> bool:
    """Do many rows share one value, with enough other rows to judge whether that matters?

    >>> has_heap(np.r_[np.zeros(20), np.arange(80)]), has_heap(np.arange(100.0))
    (True, False)
    """
    values, counts = np.unique(numbers, return_counts=True)
    return len(values) > 1 and len(numbers) >= 5 * ROWS_A_BIN and bool(counts.max() >= HEAP * len(numbers))


def _learn(
    inputs: Dataset,
    numbers: FloatArray,
    options: FitOptions,
    rng: np.random.Generator,
    located: bool,
    work: Work,
) -> ResidualLaw:
    mean_work = work.share(MEAN_SHARE).stage(STEPS_TOLD, 0, 2)
    mean = cross_fitted_mean(inputs.domain, inputs.codes, numbers, mean_work)
    own = numbers - mean.unseen if located else numbers
    bins = quantile_bins(own, "float", _number(RESIDUAL_BINS if located else OWN_BINS, len(own)))
    of_mean = quantile_bins(mean.unseen, "float", _number(MEAN_BINS, len(own)))
    taken = set(inputs.domain.names)
    names = [_free(name, taken) for name in ("mean", "residual" if located else "y")]
    domain = Domain(
        (
            *inputs.domain.variables,
            Variable(names[0], of_mean.labels, of_mean),
            Variable(names[1], bins.labels, bins),
        )
    )
    codes = _join(domain, inputs.codes, mean.unseen, own)
    completion = fit_network(
        Dataset(domain, read_only(codes), None),
        replace(options, boosted=(names[1],), roles=dict.fromkeys(domain.names[:-1], "input")),
        rng,
        work.stage(STEPS_TOLD, 1, 2),
    )
    counts = np.bincount(codes[:, -1], minlength=len(bins))
    sums = np.bincount(codes[:, -1], weights=own, minlength=len(bins))
    middles = np.array([np.mean(values) for values in bins.quantiles])
    bin_means = np.where(counts > 0, sums / np.maximum(counts, 1), middles)
    return ResidualLaw(mean, completion.network, bin_means, located)


def _number(most: int, rows: int) -> int:
    return min(most, max(rows // ROWS_A_BIN, 2))


def _free(name: str, taken: set[str]) -> str:
    """The name, with underscores after it where an input has it already."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _join(domain: Domain, inputs: CodeArray, means: FloatArray, own: FloatArray | None = None) -> CodeArray:
    """The inputs' codes, the bin of each row's mean, and that of its number (0 where it is not known)."""
    of_mean, bins = (variable.bins for variable in domain.variables[-2:])
    assert of_mean is not None
    assert bins is not None
    codes: CodeArray = np.zeros((len(inputs), len(domain)), dtype=code_type(domain.cardinalities), order="F")
    codes[:, :-2] = inputs
    codes[:, -2] = of_mean.locate(means)
    if own is not None:
        codes[:, -1] = bins.locate(own)
    return codes
