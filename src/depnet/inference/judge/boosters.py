"""What gradient boosting finds in rows: whether they can be told apart, and how well they teach to predict a column."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.threads import one_thread

FOLDS = 5
STEPS, MOST_STATES = 100, 254
"""Boosting takes 255 states of a category; the rarest of more are one."""
MOST_CLASSES = 20
"""Of a category that is predicted."""


def auc(real: FloatArray, other: FloatArray, numeric: NDArray[np.bool_]) -> float:
    """How often a classifier ranks one of the other rows above a real one: the AUC, mean over folds left out of fitting.

    nan where there are too few rows to leave some out.
    """
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    if min(len(real), len(other)) < 2 * FOLDS:
        return np.nan
    rows = _few_states(np.concatenate([real, other]), numeric)
    labels, found = np.repeat([0, 1], [len(real), len(other)]), []
    for fitted, left in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(rows, labels):
        model = _booster(rows[fitted], ~numeric)
        with one_thread("openmp"):
            model.fit(rows[fitted], labels[fitted])
            found.append(roc_auc_score(labels[left], model.predict_proba(rows[left])[:, 1]))
    return float(np.mean(found))


def taught(learned: FloatArray, tested: FloatArray, numeric: NDArray[np.bool_], target: int) -> float:
    """How well boosting on some rows predicts a column of others: the share of hits, of numbers R squared."""
    number, inputs = bool(numeric[target]), np.delete(numeric, target)
    both = [rows[~np.isnan(rows[:, target])] for rows in (learned, tested)]
    (own, y), (test, truth) = ((np.delete(rows, target, axis=1), rows[:, target]) for rows in both)
    if not len(y) or not len(truth) or (number and np.ptp(truth) == 0):
        return np.nan
    guesses = np.full(len(truth), y.mean() if number else y[0])
    if np.ptp(y) > 0 and len(inputs):
        whole = _few_states(np.concatenate([own, test]), inputs)
        model = _booster(whole[: len(own)], ~inputs, number)
        with one_thread("openmp"):
            guesses = model.fit(whole[: len(own)], y).predict(whole[len(own) :])
    if number:
        return 1 - float(((truth - guesses) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())
    return float((truth == guesses).mean())


def _booster(rows: FloatArray, categories: NDArray[np.bool_], number: bool = False) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingRegressor if number else HistGradientBoostingClassifier
    return kind(
        max_iter=STEPS,
        max_leaf_nodes=15,
        min_samples_leaf=min(20, max(3, len(rows) // 20)),
        categorical_features=categories,
        early_stopping=False,
        random_state=0,
    )


def _few_states(rows: FloatArray, numeric: NDArray[np.bool_]) -> FloatArray:
    """The same with every category's states from 0 on, the most frequent first."""
    found = rows.copy()
    for i in np.flatnonzero(~numeric):
        known = ~np.isnan(rows[:, i])
        _, ids, counts = np.unique(rows[known, i], return_inverse=True, return_counts=True)
        ranks = np.empty(len(counts))
        ranks[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        found[known, i] = np.minimum(ranks[ids], MOST_STATES)
    return found
