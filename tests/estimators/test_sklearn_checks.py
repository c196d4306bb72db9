"""scikit-learn's own checks of estimators, with small forests: it asks what they take and give, and hardly how well."""

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from depnet.estimators import (
    DependencyNetwork,
    DependencyNetworkClassifier,
    DependencyNetworkDetector,
    DependencyNetworkImputer,
    DependencyNetworkRegressor,
)

WEIGHTS = {
    f"check_sample_weight_equivalence_on_{how}_data": "survey weights are scaled: they are no repetitions (docs/weights.md)"
    for how in ("dense", "sparse")
}


@pytest.mark.usefixtures("few_trees")
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        DependencyNetwork(random_state=0),
        DependencyNetworkImputer(random_state=0),
        DependencyNetworkClassifier(random_state=0),
        DependencyNetworkRegressor(random_state=0),
        DependencyNetworkDetector(random_state=0),
    ],
    expected_failed_checks=lambda each: {} if isinstance(each, DependencyNetworkImputer) else WEIGHTS,
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
