"""Regressors that are compared: each takes frames of numbers and categories, with their holes; says means and quantiles.

LightGBM holds out a fifth of the training rows, which say how many trees (early stopping) and whether leaves have at least
20 rows or 5, then learns that many from all rows, as depnet does with what it holds out; so for the mean, and, with the
leaves of the mean, for each quantile. Its quantiles are sorted where they cross. Trees have eight leaves, one thread,
categories as categories, half of the columns, and steps twice as small up to 20,000 rows. A linear model has residuals that
are normal, and of one width.
"""

import importlib
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from benchmarks._classifiers import FEW_ROWS, HELD_OUT, LEAF_ROWS, LEAVES, MOST_TREES, NATS, SHARE
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
    lightgbm = importlib.import_module("lightgbm")
    from sklearn.model_selection import train_test_split

    learned, held = (
        np.sort(part) for part in train_test_split(np.arange(len(target)), test_size=HELD_OUT, random_state=0)
    )
    rate = 0.05 if len(target) <= FEW_ROWS else 0.1
    common = {
        "num_leaves": LEAVES,
        "learning_rate": rate,
        "colsample_bytree": SHARE,
        "n_jobs": 1,
        "random_state": 0,
        "verbose": -1,
    }

    def best(loss: dict[str, Any], sizes: tuple[int, ...]) -> tuple[Any, int]:
        """The model of all rows, and the least rows of its leaves."""
        trials = []
        for least in sizes:
            model = lightgbm.LGBMRegressor(n_estimators=MOST_TREES, min_child_samples=least, **common, **loss)
            model.fit(
                inputs.iloc[learned],
                target[learned],
                eval_set=[(inputs.iloc[held], target[held])],
                callbacks=[lightgbm.early_stopping(round(NATS / rate), verbose=False)],
            )
            lost = next(iter(model.best_score_["valid_0"].values()))
            trials.append((lost, least, max(model.best_iteration_, 1)))
        _, least, trees = min(trials)
        model = lightgbm.LGBMRegressor(n_estimators=trees, min_child_samples=least, **common, **loss)
        return model.fit(inputs, target), least

    mean, least = best({}, LEAF_ROWS)
    levels = [best({"objective": "quantile", "alpha": level}, (least,))[0] for level in LEVELS]

    def predict(frame: Frame) -> tuple[FloatArray, FloatArray]:
        quantiles = np.stack([model.predict(frame) for model in levels], axis=1)
        return mean.predict(frame), np.sort(quantiles, axis=1)

    return predict


def linear_model(inputs: Frame, target: Any) -> Predictor:
    from scipy.stats import norm
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    categories = [name for name in inputs if inputs[name].dtype == "category"]
    numbers = [name for name in inputs if name not in categories]
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), categories),
    )
    model = make_pipeline(columns, RidgeCV(np.logspace(-2, 3, 6))).fit(inputs, target)
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
