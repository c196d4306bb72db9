"""`feature_importances_`: what each column of X is worth to the predictions."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

from depnet import DependencyNetworkClassifier, DependencyNetworkRegressor

BOTH = (DependencyNetworkClassifier, DependencyNetworkRegressor)


def known_truth(rows: int = 800) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """y is 3 strong + weak and some noise: in variances 9 to 1. A name says nothing, and is left out."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"noise": rng.integers(0, 4, rows), "weak": rng.choice([-1.0, 1.0], rows)})
    X["name"] = [f"row {k} of them" for k in range(rows)]
    X["strong"] = rng.choice([-1.0, 1.0], rows)
    return X, np.asarray(3 * X["strong"] + X["weak"] + rng.normal(0, 0.5, rows))


@pytest.mark.filterwarnings("ignore:.*left out")
def test_shares_are_those_of_a_known_truth() -> None:
    X, y = known_truth()
    regressor = DependencyNetworkRegressor().fit(X, y)
    found = dict(zip(regressor.feature_names_in_, regressor.feature_importances_, strict=True))
    assert found["name"] == 0
    assert found["strong"] == pytest.approx(0.9, abs=0.02), (
        "shuffled, the squared error grows by twice the variance"
    )
    assert found["noise"] < 0.01
    classes = (y + np.random.default_rng(1).logistic(0, 1, len(y)) > 0).astype(int)
    classifier = DependencyNetworkClassifier().fit(X, classes)
    found = dict(zip(classifier.feature_names_in_, classifier.feature_importances_, strict=True))
    assert found["name"] == 0
    assert found["noise"] < 0.05
    assert found["strong"] > 0.75
    assert found["weak"] > 0.02
    for model in (regressor, classifier):
        assert model.feature_importances_.sum() == pytest.approx(1.0)
        assert model.feature_importances_ is model.feature_importances_, "computed once"


def test_a_column_that_no_prediction_reads_has_nothing() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 300), np.arange(300) % 2])
    found = DependencyNetworkClassifier(boost=None).fit(X, X[:, 1]).feature_importances_
    assert found.tolist() == [0.0, 1.0]
    nothing = DependencyNetworkClassifier(boost=None).fit(X[:, :1], rng.integers(0, 2, 300))
    assert nothing.feature_importances_.tolist() == [0.0]


@pytest.mark.parametrize(
    ("kind", "read"), [(BOTH[0], load_wine), (BOTH[1], load_diabetes)], ids=["classes", "numbers"]
)
def test_the_ranking_is_that_of_permutation_importance_on_other_rows(kind: Any, read: Any) -> None:
    X, y = read(return_X_y=True, as_frame=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
    model = kind(random_state=0).fit(X_train, y_train)
    scoring = "neg_log_loss" if kind is BOTH[0] else "neg_mean_squared_error"
    other = permutation_importance(model, X_test, y_test, scoring=scoring, n_repeats=5, random_state=0)
    assert spearmanr(model.feature_importances_, other.importances_mean).statistic > 0.6
    assert np.argmax(model.feature_importances_) in np.argsort(-other.importances_mean)[:2]
    kept = SelectFromModel(model, prefit=True, max_features=3).transform(X_test.to_numpy())
    assert np.shape(kept)[1] <= 3


@pytest.mark.parametrize("kind", BOTH)
def test_before_fit_there_are_none_and_after_a_second_fit_new_ones(kind: Any) -> None:
    with pytest.raises(NotFittedError):
        kind().feature_importances_  # noqa: B018
    X = np.random.default_rng(0).integers(0, 2, (200, 2))
    model = kind().fit(X, X[:, 0])
    assert np.argmax(model.feature_importances_) == 0
    assert np.argmax(model.fit(X, X[:, 1]).feature_importances_) == 1
