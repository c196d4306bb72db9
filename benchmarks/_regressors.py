"""Regressors that are compared: each takes frames of numbers and categories, with their holes; says means and quantiles.

LightGBM holds out a fifth of the training rows, which say how many trees (early stopping) and whether leaves have at least
20 rows or 5, then learns that many from all rows, as depnet does with what it holds out; so for the mean, and, with the
leaves of the mean, for each quantile. Its quantiles are sorted where they cross. Trees have eight leaves, one thread,
categories as categories, half of the columns, and steps twice as small up to 20,000 rows. A linear model has residuals that
are normal, and of one width.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from benchmarks._classifiers import best_lightgbm, with_linear_columns
from benchmarks._frames import Frame
from depnet.arrays import FloatArray

LEVELS = [k / 20 for k in range(1, 20)]

Predictor: TypeAlias = Callable[[Frame], tuple[FloatArray, FloatArray]]
"""Says the mean of every row, and its quantiles [row, level] at `LEVELS`."""
Regressor: TypeAlias = Callable[[Frame, Any], Predictor]


def depnet_regressor(inputs: Frame, target: Any, **options: Any) -> Predictor:
    from depnet import DependencyNetworkRegressor

    model = DependencyNetworkRegressor(random_state=0, **options).fit(inputs, target)
    return lambda frame: (model.predict(frame), model.predict_quantiles(frame, LEVELS))


def lightgbm_regressor(inputs: Frame, target: Any) -> Predictor:
    mean, least = best_lightgbm("LGBMRegressor", inputs, target)
    levels = [
        best_lightgbm("LGBMRegressor", inputs, target, sizes=(least,), objective="quantile", alpha=level)[0]
        for level in LEVELS
    ]

    def predict(frame: Frame) -> tuple[FloatArray, FloatArray]:
        quantiles = np.stack([model.predict(frame) for model in levels], axis=1)
        return mean.predict(frame), np.sort(quantiles, axis=1)

    return predict


def linear_model(inputs: Frame, target: Any) -> Predictor:
    from scipy.stats import norm
    from sklearn.linear_model import RidgeCV

    model = with_linear_columns(inputs, RidgeCV(np.logspace(-2, 3, 6))).fit(inputs, target)
    width = float(np.std(target - model.predict(inputs)))

    def predict(frame: Frame) -> tuple[FloatArray, FloatArray]:
        mean = np.asarray(model.predict(frame))
        return mean, mean[:, None] + width * norm.ppf(LEVELS)

    return predict


REGRESSORS: dict[str, Regressor] = {
    "depnet": depnet_regressor,
    "LightGBM": lightgbm_regressor,
    "linear model": linear_model,
}
