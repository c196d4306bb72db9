"""Gradient boosting by others, tuned as depnet's boosted nodes are: on the same held-out rows.

LightGBM has one thread, a rate of .1 and half of the columns in each tree; how many trees, the held-out rows say (early
stopping), and so do they how many leaves. Whether it bundles columns that are seldom 1 together is as it is fastest on the
table, which is tried before: on dense tables that costs it time, on sparse ones it saves much. What bounds its leaves is its
own default, or, with `bounded`, what bounds depnet's: a least curvature, and what is added to it. On sparse tables its
defaults let leaves that are all but pure go too far.
"""

import importlib
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks._timing import least_seconds, timed
from depnet import Dataset
from depnet.arrays import FloatArray
from depnet.learning.options import Boost

RATE, SHARE, LEAVES = 0.1, 0.5, (8, 31)
MOST_TREES, PATIENCE = 2000, 20
"""depnet's trials end after two nats of steps without a better score, too: twenty steps at a rate of .1."""
TRIED_TREES = 30
BOUNDS = {
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": Boost().least_curvature,
    "lambda_l2": Boost().shrinkage,
    "feature_pre_filter": False,
}
"""depnet's, in LightGBM's words."""


@dataclass(frozen=True)
class NodeFit:
    """One variable by LightGBM: log theta of every test row, the leaves and trees chosen, and CPU seconds."""

    log_theta: FloatArray
    leaves: int
    trees: int
    seconds: float
    """Of the one fit with the leaves that were chosen, the binning of its columns included."""


def settings(states: int, leaves: int, bundle: bool, bounded: bool = False) -> dict[str, Any]:
    """LightGBM's options for a variable of so many states."""
    kind = {"objective": "binary"} if states == 2 else {"objective": "multiclass", "num_class": states}
    return {
        **kind,
        **(BOUNDS if bounded else {}),
        "verbosity": -1,
        "num_threads": 1,
        "learning_rate": RATE,
        "num_leaves": leaves,
        "feature_fraction": SHARE,
        "seed": 0,
        "enable_bundle": bundle,
        "force_col_wise": True,  # the faster of its two ways on these tables, and not tried out each time
    }


def others(dataset: Dataset, i: int) -> Any:
    """All columns but one, as floats, row by row."""
    return np.ascontiguousarray(np.delete(dataset.codes, i, axis=1), dtype=np.float32)


def bundles(train: Dataset) -> bool:
    """Is LightGBM faster with bundles of columns, on this table?"""
    lightgbm = importlib.import_module("lightgbm")
    inputs = others(train, 0)

    def fit(bundle: bool) -> None:
        options = settings(train.domain.cardinalities[0], LEAVES[-1], bundle)
        lightgbm.train(options, lightgbm.Dataset(inputs, train.column(0), params=options), TRIED_TREES)

    seconds = {bundle: least_seconds(partial(fit, bundle), 2) for bundle in (False, True)}
    return seconds[True] < seconds[False]


def fitted_node(
    train: Dataset, valid: Dataset, test: Dataset, i: int, bundle: bool, bounded: bool = False
) -> NodeFit:
    """Variable i given the others: the better of both numbers of leaves on the valid rows, its test rows scored."""
    lightgbm = importlib.import_module("lightgbm")
    states = train.domain.cardinalities[i]
    inputs, held = others(train, i), others(valid, i)
    best: tuple[float, int, Any, float] | None = None
    for leaves in LEAVES:
        options = settings(states, leaves, bundle, bounded)

        def fit(options: dict[str, Any] = options) -> Any:
            rows = lightgbm.Dataset(inputs, train.column(i), params=options)
            scored = lightgbm.Dataset(held, valid.column(i), reference=rows)
            stop = lightgbm.early_stopping(PATIENCE, verbose=False)
            return lightgbm.train(options, rows, MOST_TREES, valid_sets=[scored], callbacks=[stop])

        model, seconds = timed(fit)
        loss = next(iter(model.best_score["valid_0"].values()))
        if best is None or loss < best[0]:
            best = (loss, leaves, model, seconds)
    assert best is not None
    _, leaves, model, seconds = best
    said = chances(model.predict(others(test, i)), test.column(i), least=0.5 / (train.rows + 1))
    return NodeFit(said, leaves, model.best_iteration, seconds)


def chances(predicted: FloatArray, truth: Any, least: float) -> FloatArray:
    """The log of what was said of each row's true state, at least `least`, that no single row decides."""
    if predicted.ndim == 1:  # of two states, the probability of the second
        predicted = np.stack([1 - predicted, predicted], axis=1)
    own = predicted[np.arange(len(truth)), np.asarray(truth)]
    return np.asarray(np.log(np.maximum(own, least)))
