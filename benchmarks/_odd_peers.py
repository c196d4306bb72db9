"""What odd rows and cells are measured against, none with an option set.

By row, scikit-learn's IsolationForest and LOF and pyod's ECOD, COPOD and KNN get standardised numbers, holes filled by the
median, and a column of 0 and 1 for each of a label's 20 most frequent values. By cell: what LightGBM, learned from the
other rows, leaves of each column given all others (numbers over the median of what it leaves, and labels by deviance, so
that both have a scale); ECOD's tails of each column; and how far a number is from its column's median.
"""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._frames import Frame
from benchmarks._odd_tables import is_number
from depnet.arrays import FloatArray

LEVELS = 20
FOLDS = 3
TREES = {"n_estimators": 100, "num_leaves": 8, "n_jobs": 1, "verbosity": -1, "random_state": 0}
NORMAL = 1.4826
"""The standard deviation over the median of absolute values, of a normal law."""


def matrix_of(frame: Frame) -> FloatArray:
    """Numbers for those that need them."""
    columns = []
    for name in frame:
        own = frame[name]
        if is_number(own):
            values = own.to_numpy(dtype=float)
            values = np.where(np.isfinite(values), values, np.nanmedian(values))
            columns.append((values - values.mean()) / (values.std() or 1.0))
        else:
            text = own.astype(object).astype(str)
            columns += [(text == state).to_numpy(dtype=float) for state in text.value_counts().index[:LEVELS]]
    return np.stack(columns, axis=1)


def row_peers(seed: int) -> dict[str, Callable[[FloatArray], FloatArray]]:
    """By name: from a matrix how odd its rows are, the more the odder."""
    ensemble, neighbors = (importlib.import_module(f"sklearn.{name}") for name in ("ensemble", "neighbors"))

    def pyod(name: str) -> Callable[[FloatArray], FloatArray]:
        kind = getattr(importlib.import_module(f"pyod.models.{name.lower()}"), name)
        return lambda matrix: np.asarray(kind().fit(matrix).decision_scores_)

    return {
        "IsolationForest": lambda matrix: (
            -ensemble.IsolationForest(random_state=seed).fit(matrix).score_samples(matrix)
        ),
        "LOF": lambda matrix: -neighbors.LocalOutlierFactor().fit(matrix).negative_outlier_factor_,
        **{name: pyod(name) for name in ("ECOD", "COPOD", "KNN")},
    }


def cell_peers() -> dict[str, Callable[[Frame], FloatArray]]:
    """By name: from a frame how odd its cells [row, column] are, the more the odder; a hole is 0."""
    return {"LightGBM": lightgbm_cells, "ECOD": lambda frame: _by_column(frame, _tails), "median": _far_cells}


def lightgbm_cells(frame: Frame) -> FloatArray:
    lightgbm = importlib.import_module("lightgbm")
    coded, numbers = _coded(frame)
    folds = np.random.default_rng(0).integers(FOLDS, size=len(coded))
    found = np.zeros(coded.shape)
    for i, name in enumerate(coded):
        known = coded[name].notna().to_numpy()
        target, inputs = coded[name], coded.drop(columns=name)
        left = np.zeros(len(coded))
        for fold in range(FOLDS):
            train, test = known & (folds != fold), known & (folds == fold)
            if numbers[i]:
                model = lightgbm.LGBMRegressor(**TREES).fit(inputs[train], target[train])
                left[test] = target[test] - model.predict(inputs[test])
            else:
                codes = target.cat.codes.to_numpy()
                if len(np.unique(codes[train])) < 2:
                    continue
                model = lightgbm.LGBMClassifier(**TREES).fit(inputs[train], codes[train])
                shares = dict(zip(model.classes_, model.predict_proba(inputs[test]).T, strict=True))
                own = [shares[c][k] if c in shares else 0.0 for k, c in enumerate(codes[test])]
                left[test] = np.sqrt(-2 * np.log(np.maximum(own, 1e-6)))
        if numbers[i]:
            left = np.abs(left) / (NORMAL * float(np.median(np.abs(left[known]))) or 1.0)
        found[:, i] = np.where(known, left, 0.0)
    return found


def _coded(frame: Frame) -> tuple[Frame, list[bool]]:
    """Labels as categories of at most LEVELS and the rest, by names that LightGBM takes."""
    numbers = [is_number(frame[name]) for name in frame]
    coded = {}
    for i, name in enumerate(frame):
        own = frame[name]
        if not numbers[i]:
            text = own.astype(object).where(own.notna(), None)
            most = text.value_counts().index[:LEVELS]
            own = text.where(text.isin(most) | text.isna(), "other").astype(str).where(own.notna())
            own = own.astype("category")
        coded[f"c{i}"] = own
    return importlib.import_module("pandas").DataFrame(coded), numbers


def _by_column(frame: Frame, numbers: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """By column alone: numbers as it is said, labels the log of their share."""
    found = np.zeros(frame.shape)
    for i, name in enumerate(frame):
        own = frame[name]
        known = own.notna().to_numpy()
        if is_number(own):
            found[known, i] = numbers(own.to_numpy(dtype=float)[known])
        else:
            found[known, i] = -np.log(own[known].map(own.value_counts(normalize=True)).to_numpy(dtype=float))
    return found


def _tails(values: FloatArray) -> FloatArray:
    ecod: Any = importlib.import_module("pyod.models.ecod").ECOD().fit(values[:, None])
    return np.asarray(ecod.decision_scores_)


def _far_cells(frame: Frame) -> FloatArray:
    def far(values: FloatArray) -> FloatArray:
        away = np.abs(values - np.median(values))
        return np.asarray(away / (NORMAL * float(np.median(away)) or float(values.std()) or 1.0))

    return _by_column(frame, far)
