r"""How good a law of a number is, on a row whose number is known: the continuous ranked probability score.

.. math:: CRPS(F, y) = 2 \int_0^1 \rho_a(y - F^{-1}(a)) \, da, \qquad \rho_a(d) = \max(a d, (a - 1) d)

The lower, the better; of a law that is sure of one number it is the distance to it. Here the integral is a mean over levels.
"""

from collections.abc import Sequence

import numpy as np

from depnet.arrays import FloatArray


def crps(quantiles: FloatArray, numbers: FloatArray, levels: Sequence[float] | FloatArray) -> FloatArray:
    """Of every row, twice the mean pinball loss of its quantiles [row, level].

    >>> crps(np.array([[1.0], [4.0]]), np.array([2.0, 4.0]), [0.5]).tolist()
    [1.0, 0.0]
    """
    above = numbers[:, None] - quantiles
    shares = np.asarray(levels)
    return np.asarray(2.0 * np.maximum(shares * above, (shares - 1.0) * above).mean(axis=1))
