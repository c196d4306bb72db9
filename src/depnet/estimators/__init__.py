"""The scikit-learn faces: a frame in, a fitted network, frames out. docs/estimators.md shows them."""

from depnet.estimators.classifier import DependencyNetworkClassifier
from depnet.estimators.imputer import DependencyNetworkImputer
from depnet.estimators.network import DependencyNetwork

__all__ = ["DependencyNetwork", "DependencyNetworkClassifier", "DependencyNetworkImputer"]
