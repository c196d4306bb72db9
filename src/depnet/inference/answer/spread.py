r"""How far a sum of sampled probabilities may be wrong: a mean, a share, a quantile.

The errors of a variable's states hang together (they sum to 0), so the standard error of sum over k of g_k p_k does not
follow from theirs. What is sampled therefore keeps its answer in batches that are independent: rows of passes, moved
batches, or chains. With what batch b of B adds to the error of state k, d_bk, the squared errors of all sums are

.. math:: \widehat{Var}\Big(\sum_k g_k \hat p_k\Big) = \sum_b \Big(\sum_k g_k d_{bk}\Big)^2, \qquad
          d_{bk} = \sqrt{\tfrac{B}{B-1}}\, \frac{S_{bk} - \hat p_k W_b}{\sum_b W_b},

S_bk being the weight of state k and W_b all weight in batch b. The errors that are told of states are larger (by caution,
by what no draw has met), so each d_.k is stretched until its sum of squares is what is told of state k; a state in which no
batch differs stands apart, its error being nobody else's. Where there are no batches the bound sum_k |g_k| s_k holds
whatever hangs together: it is too large by about the root of the number of states.
"""

from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, read_only

ROUNDING = 1e-12
"""Deviations below this are those of sums of floats: no batch differs."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The standard `errors` of a variable's states, and `deviations` [batch, state], or None where there are no batches."""

    errors: FloatArray
    deviations: FloatArray | None = None

    @classmethod
    def of(cls, errors: FloatArray, deviations: FloatArray | None) -> "Spread":
        """Deviations stretched to the errors.

        >>> Spread.of(np.array([0.2, 0.2]), np.array([[0.1, -0.1], [0.0, 0.0]])).error(np.array([1.0, 1.0]))
        0.0
        """
        if deviations is None or not errors.any():
            return cls(read_only(np.array(errors)))
        norms = np.sqrt((deviations**2).sum(axis=0))
        stretch = np.divide(errors, norms, out=np.zeros_like(errors), where=norms > ROUNDING)
        return cls(read_only(np.array(errors)), read_only(deviations * stretch))

    def error(self, g: FloatArray) -> float:
        """The standard error of sum_k g_k p_k; g is best centred, so that sum_k g_k p_k is 0."""
        if self.deviations is None:
            return float(np.abs(g) @ self.errors)
        apart = ~self.deviations.any(axis=0)
        alone = float(((g * self.errors)[apart] ** 2).sum())
        return float(np.sqrt(((self.deviations @ g) ** 2).sum() + alone))

    def times(self, share: float) -> "Spread":
        """Of an answer in which these probabilities have a share, and the rest has no error."""
        shrunk = None if self.deviations is None else read_only(share * self.deviations)
        return Spread(read_only(share * self.errors), shrunk)


def margins(deviations: FloatArray) -> list[FloatArray]:
    """Of the deviations [batch, axis, axis, ...] of a joint table, those of each axis alone, [batch, state]."""
    axes = range(1, deviations.ndim)
    return [deviations.sum(axis=tuple(a for a in axes if a != axis)) for axis in axes]
