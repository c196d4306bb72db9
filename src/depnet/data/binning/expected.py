"""One number for a hole whose bin is uncertain, from the probabilities of its bins.

Of floats it is the mean over bins of the bins' means, weighted by their probabilities, as regression predicts the mean; of
whole numbers, dates and moments the median of the mixture of the values that the bins keep.
"""

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Bins


def predictive_quantiles(probabilities: FloatArray, bins: Bins, levels: list[float]) -> FloatArray:
    """[row, level]: quantiles of the mixture of the bins' kept values, by each row's probabilities of the bins.

    >>> bins = Bins((0, 1, 2), ((0.0, 0.5), (1.0, 1.5)), "float")
    >>> predictive_quantiles(np.array([[0.5, 0.5], [0.0, 1.0]]), bins, [0.5]).tolist()
    [[0.5], [1.0]]
    """
    sizes = [len(values) for values in bins.quantiles]
    values = np.array([value for kept in bins.quantiles for value in kept], dtype=np.float64)
    each = probabilities[:, : len(bins)] / np.array(sizes)
    cumulated = np.cumsum(np.repeat(each, sizes, axis=1), axis=1)
    cumulated /= cumulated[:, -1:]
    found = [(cumulated < level - 1e-12).sum(axis=1).clip(max=len(values) - 1) for level in levels]
    return np.stack([values[at] for at in found], axis=1)


def expected_numbers(probabilities: FloatArray, bins: Bins) -> FloatArray | IntArray:
    """One number a row from its probabilities of the bins: the mean for floats, else the median."""
    if bins.kind == "float":
        means = np.array([np.mean(values) for values in bins.quantiles])
        weights = probabilities[:, : len(bins)]
        return np.asarray(weights @ means / weights.sum(axis=1))
    return predictive_quantiles(probabilities, bins, [0.5])[:, 0].astype(np.int64)
