"""The scikit-learn faces: a frame in, a fitted model, frames out. docs/api/estimators.md has them.

In reading order:

    network      `DependencyNetwork`: the joint distribution of a frame
    classifier   `DependencyNetworkClassifier`: one column given the others
    regressor    `DependencyNetworkRegressor`: one numeric column given the others
    imputer      `DependencyNetworkImputer`: holes filled by a mean over networks
    detector     `DependencyNetworkDetector`: odd rows, by their cells and by how far they are from others
    base         the parameters that all of them have; from what callers pass as X to codes with holes, and back
    asked        questions to a fitted model, and to one in which something is known
    fitted       what a fitted model has, proves and shows

scikit-learn is imported when one of them is first used: the command fits without it.
"""

from depnet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
