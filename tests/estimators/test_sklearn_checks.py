"""scikit-learn's own checks of estimators."""

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from depnet.estimators import (
    DependencyNetwork,
    DependencyNetworkClassifier,
    DependencyNetworkImputer,
    DependencyNetworkRegressor,
)

EXPECTED: dict[type, dict[str, str]] = {
    DependencyNetwork: {},
    DependencyNetworkImputer: {},
    DependencyNetworkClassifier: {},
    DependencyNetworkRegressor: {},
}


def expected(estimator: Any) -> dict[str, str]:
    return EXPECTED[type(estimator)]


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        DependencyNetwork(random_state=0),
        DependencyNetworkImputer(random_state=0),
        DependencyNetworkClassifier(random_state=0),
        DependencyNetworkRegressor(random_state=0),
    ],
    expected_failed_checks=expected,
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
