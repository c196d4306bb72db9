"""scikit-learn's own checks of estimators."""

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from depnet.estimators import (
    DependencyNetwork,
    DependencyNetworkClassifier,
    DependencyNetworkImputer,
    DependencyNetworkRegressor,
)


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        DependencyNetwork(random_state=0),
        DependencyNetworkImputer(random_state=0),
        DependencyNetworkClassifier(random_state=0),
        DependencyNetworkRegressor(random_state=0),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
