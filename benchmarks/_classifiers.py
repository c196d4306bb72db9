"""Classifiers that are compared: each takes frames of numbers and categories, with their holes, and gives probabilities.

LightGBM and CatBoost hold out a fifth of the training rows, which say how many trees (early stopping) and which of two
sizes, then learn that many from all rows, as depnet does with what it holds out. LightGBM's trees have eight leaves of
at least 20 rows, as it would have them, or of 5; CatBoost's a depth of 4 or of 6. One thread each, categories as categories,
half of the columns, and steps twice as small up to 20,000 rows, as depnet's.
"""

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from benchmarks._frames import Frame
from depnet.arrays import FloatArray

HELD_OUT, MOST_TREES, NATS = 0.2, 2000, 2.0
LEAVES, LEAF_ROWS, DEPTHS, SHARE = 8, (20, 5), (4, 6), 0.5
FEW_ROWS = 20_000

Classifier: TypeAlias = Callable[[Frame, Any], Callable[[Frame], FloatArray]]
"""Learns from inputs and codes of the class, all of which occur; says probabilities [row, class]."""


def depnet_classifier(inputs: Frame, target: Any, **options: Any) -> Callable[[Frame], FloatArray]:
    from depnet import DependencyNetworkClassifier

    return DependencyNetworkClassifier(**options).fit(inputs, target).predict_proba


def _rate(rows: int) -> tuple[float, int]:
    """The rate, and the trees without a better score after which growing ends."""
    rate = 0.05 if rows <= FEW_ROWS else 0.1
    return rate, round(NATS / rate)


def _divided(target: Any, classes: Any = None) -> tuple[Any, Any]:
    """Rows to learn from and rows held out: of every class, where there are some, the same share."""
    from sklearn.model_selection import train_test_split

    learned, held = train_test_split(
        np.arange(len(target)), test_size=HELD_OUT, random_state=0, stratify=classes
    )
    return np.sort(learned), np.sort(held)


def best_lightgbm(
    kind: str,
    inputs: Frame,
    target: Any,
    *,
    classes: Any = None,
    sizes: Sequence[int] = LEAF_ROWS,
    **loss: Any,
) -> tuple[Any, int]:
    """LightGBM's model of all rows, of as many trees as held-out rows choose, and the least rows of its leaves."""
    lightgbm = importlib.import_module("lightgbm")
    learned, held = _divided(target, classes)
    rate, patience = _rate(len(target))
    options = {
        "num_leaves": LEAVES,
        "learning_rate": rate,
        "colsample_bytree": SHARE,
        "n_jobs": 1,
        "random_state": 0,
        "verbose": -1,
        **loss,
    }
    trials = []
    for least in sizes:
        model = getattr(lightgbm, kind)(n_estimators=MOST_TREES, min_child_samples=least, **options)
        model.fit(
            inputs.iloc[learned],
            target[learned],
            eval_set=[(inputs.iloc[held], target[held])],
            callbacks=[lightgbm.early_stopping(patience, verbose=False)],
        )
        lost = next(iter(model.best_score_["valid_0"].values()))
        trials.append((lost, least, max(model.best_iteration_, 1)))
    _, least, trees = min(trials)
    model = getattr(lightgbm, kind)(n_estimators=trees, min_child_samples=least, **options)
    return model.fit(inputs, target), least


def lightgbm_classifier(inputs: Frame, target: Any) -> Callable[[Frame], FloatArray]:
    model, _ = best_lightgbm("LGBMClassifier", inputs, target, classes=target)
    predict: Callable[[Frame], FloatArray] = model.predict_proba
    return predict


def catboost_classifier(inputs: Frame, target: Any) -> Callable[[Frame], FloatArray]:
    catboost = importlib.import_module("catboost")
    categories = [name for name in inputs if inputs[name].dtype == "category"]

    def texts(frame: Frame) -> Frame:
        return frame.assign(
            **{str(name): frame[name].astype(object).fillna("").astype(str) for name in categories}
        )

    learned, held = _divided(target, target)
    rate, patience = _rate(len(target))
    options = {
        "learning_rate": rate,
        "rsm": SHARE,
        "thread_count": 1,
        "random_seed": 0,
        "verbose": False,
        "allow_writing_files": False,
        "loss_function": "Logloss" if len(np.unique(target)) == 2 else "MultiClass",
        "cat_features": categories,
    }
    whole = texts(inputs)
    trials = []
    for depth in DEPTHS:
        model = catboost.CatBoostClassifier(
            iterations=MOST_TREES, depth=depth, early_stopping_rounds=patience, **options
        )
        model.fit(whole.iloc[learned], target[learned], eval_set=(whole.iloc[held], target[held]))
        trials.append((next(iter(model.best_score_["validation"].values())), depth, model.tree_count_))
    _, depth, trees = min(trials)
    model = catboost.CatBoostClassifier(iterations=trees, depth=depth, **options).fit(whole, target)
    return lambda frame: np.asarray(model.predict_proba(texts(frame)))


def with_linear_columns(inputs: Frame, model: Any) -> Any:
    """A linear model behind what it needs: numbers without holes on one scale, and a column for each state."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    categories = [name for name in inputs if inputs[name].dtype == "category"]
    numbers = [name for name in inputs if name not in categories]
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), categories),
    )
    return make_pipeline(columns, model)


def logistic_regression(inputs: Frame, target: Any) -> Callable[[Frame], FloatArray]:
    from sklearn.linear_model import LogisticRegression

    model = with_linear_columns(inputs, LogisticRegression(max_iter=2000))
    predict: Callable[[Frame], FloatArray] = model.fit(inputs, target).predict_proba
    return predict


CLASSIFIERS: dict[str, Classifier] = {
    "depnet": depnet_classifier,
    "its paper's node": partial(depnet_classifier, boost=None),
    "LightGBM": lightgbm_classifier,
    "CatBoost": catboost_classifier,
    "logistic regression": logistic_regression,
}
