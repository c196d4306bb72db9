"""Progress through scikit-learn's callbacks."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from depnet import DependencyNetwork, DependencyNetworkClassifier, DependencyNetworkImputer
from depnet.estimators.callbacks import HAVE_CALLBACKS
from tests.narrowed import there

ROWS = np.array([[0, 0, 1], [1, 1, 0]] * 30, dtype=float)
HOLED = np.where(np.random.default_rng(0).random(ROWS.shape) < 0.2, np.nan, ROWS)


class Counts:
    def __init__(self) -> None:
        self.calls: list[str] = []
        self.most: int | None = None

    def setup(self, estimator: Any, context: Any) -> None:
        self.calls.append("setup")
        self.most = context.max_subtasks

    def teardown(self, estimator: Any, context: Any) -> None:
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.calls.append("begin" if context.parent is None else "begin task")

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        self.calls.append("end" if context.parent is None else "end task")


@pytest.mark.skipif(not HAVE_CALLBACKS, reason="this scikit-learn has no callbacks")
@pytest.mark.parametrize(
    ("estimator", "X"),
    [
        (DependencyNetwork(random_state=0), ROWS),
        (DependencyNetwork(random_state=0, rounds=3), HOLED),
        (DependencyNetworkImputer(random_state=0, rounds=3), HOLED),
        (DependencyNetworkClassifier(random_state=0), ROWS),
    ],
)
def test_callbacks_hear_of_every_task(estimator: BaseEstimator, X: Any) -> None:
    counts = Counts()
    estimator.set_callbacks(counts)
    if isinstance(estimator, DependencyNetworkClassifier):
        estimator.fit(X, X[:, 0].astype(int))
    else:
        estimator.fit(X)
    assert counts.calls[:2] == ["setup", "begin"]
    assert counts.calls[-2:] == ["end", "teardown"]
    assert counts.calls.count("begin task") == counts.calls.count("end task")
    assert 0 < counts.calls.count("end task") <= there(counts.most)
