"""The mean of a number given coded inputs, by several fits, each without a part of the rows (ours, beyond the paper).

The rows are divided into five parts, alike in their numbers. Each part is held out once: the others give a ridge regression
and, for what that leaves, gradient boosting of scikit-learn; the parts held out say together how many steps it takes. So
every row has a mean that was found without it, and what it lies from that (its residual) is as large as a new row's will
be. The mean of a new row is that of all five fits, which is steadier than one.
"""

import itertools
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.variable import Domain, Variable
from depnet.learning.rows import codes_of
from depnet.threads import Work, results_in_threads

PARTS = 5
FEW_ROWS = 10
"""With fewer rows there is nothing to hold out."""

STRENGTHS = (1.0, 10.0, 100.0, 1000.0)
"""Of the ridge: rows that say that an effect is 0, beside those that there are."""
FARTHEST = 8.0
"""Standard deviations that a number may lie from the mean, for the linear model."""
MOST_COLUMNS, MOST_PRODUCTS = 200, 2e9
"""Of the linear model, and of its columns over all rows: of more rows some are taken, evenly by their numbers."""

STEPS = {
    "learning_rate": 0.1,
    "max_iter": 500,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 10,
    "max_features": 0.5,
    "l2_regularization": 1.0,
}
"""Of boosting. Half of the rate, 5 or 20 rows a leaf, or fewer inputs a split are no better (`benchmarks regress`)."""
PATIENCE, ENOUGH = 20, 1e-5
"""Boosting ends after as many steps that lessen the squared error of the part held out by less than this share of the
variance."""
MOST_STATES = 255
"""Of a category, for boosting: of more, the rarest are all one."""


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """What the states of each input are in the columns of the linear model, and in those of boosting."""

    effects: tuple[FloatArray, ...]
    """Of each input [state, column]."""
    steps: tuple[FloatArray, ...]
    """Of each input [state]; nan where a value is missing."""
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
        with _one_thread():
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
    """Of every row it was learned from: its mean by the fit that was made without it."""

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
    if len(numbers) < FEW_ROWS or numbers[0] == numbers[-1] or not len(domain):
        return CrossFittedMean((), centre, np.full(len(numbers), centre))
    part, design = parts_of(len(numbers)), Design.of(domain, codes)
    columns, inputs = design.columns(codes), design.inputs(codes)
    every = math.ceil(columns.size * columns.shape[1] / MOST_PRODUCTS)  # rows enough for a line

    def fit(k: int) -> Fit:
        from sklearn.ensemble import HistGradientBoostingRegressor
        from sklearn.linear_model import RidgeCV

        learned, held = np.flatnonzero(part != k), np.flatnonzero(part == k)
        with _one_thread():
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

    found = results_in_threads(fit, range(PARTS), work.threads)
    count = _best_count(found)
    fits = tuple(replace(each, count=count) for each in found)
    unseen = np.empty(len(numbers))
    for k, each in enumerate(fits):
        unseen[order[part == k]] = each.means(codes[part == k])
    return CrossFittedMean(fits, centre, unseen)


def parts_of(rows: int) -> IntArray:
    """The part of each of `rows` rows in the order of their numbers: of every five in turn each is in another part."""
    rng = np.random.default_rng(0)
    turns = rng.permuted(np.tile(np.arange(PARTS), (math.ceil(rows / PARTS), 1)), axis=1)
    return np.asarray(turns.reshape(-1)[:rows])


def _best_count(fits: Sequence[Fit]) -> int:
    """The number of steps that leaves the least squared error on all parts held out together."""
    curves = [-np.asarray(fit.steps.validation_score_) for fit in fits if fit.steps is not None]
    longest = max(map(len, curves), default=1)
    padded = [np.pad(curve, (0, longest - len(curve)), "edge") for curve in curves]
    return int(np.argmin(np.sum(padded, axis=0))) if padded else 0


def _one_thread() -> AbstractContextManager[Any]:
    """The parts are what is divided among threads; OpenMP's would wait for each other at every step."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1, user_api="openmp")
    return limits
