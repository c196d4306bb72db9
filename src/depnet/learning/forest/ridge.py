r"""What is linear in the other columns, and a forest has left over: a ridge regression of its errors.

Trees average what is near and flatten every slope at the ends. With e the errors of a forest on rows that its trees have not
drawn, and Z the standardised columns (its own prediction among them),

.. math:: \hat b = (Z^T Z + \lambda I)^{-1} Z^T e

is added to what the forest says. The strength is the one of a ladder with the least error on rows left out, one after the
other, in closed form: e_r / (1 - h_r) with h the diagonal of Z (Z^T Z + \lambda)^{-1} Z^T. No correction at all is one of
the candidates, and stays where no other is better by more than chance.
"""

from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray

LADDER = tuple(10.0**k for k in range(-2, 4))
"""Strengths, in rows."""

REACH = 3.0
"""Columns are cut at this many standard deviations: a line must not follow an odd value far away."""

MOST_COLUMNS = 100
SURE = 2.0
"""Standard errors by which the error must fall for a correction to be made."""


@dataclass(frozen=True, eq=False)
class Correction:
    """A line through standardised columns; all zero for none."""

    centre: FloatArray
    spread: FloatArray
    slope: FloatArray
    intercept: float

    def of(self, columns: FloatArray) -> FloatArray:
        """What is added for rows of these columns [row, column]."""
        if not self.slope.any():
            return np.zeros(len(columns))
        return _standard(columns, self.centre, self.spread) @ self.slope + self.intercept


def _standard(columns: FloatArray, centre: FloatArray, spread: FloatArray) -> FloatArray:
    return np.asarray(np.clip((columns - centre) / spread, -REACH, REACH))


def fit_correction(columns: FloatArray, errors: FloatArray) -> Correction:
    """The correction of `errors` [row] by `columns` [row, column].

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 3))
    >>> fit_correction(x, x[:, 0] + 0.1 * rng.normal(size=200)).of(np.array([[1.0, 0, 0]])).round(1).tolist()
    [1.0]
    >>> fit_correction(x, rng.normal(size=200)).slope.any()
    np.False_
    """
    centre, spread = columns.mean(axis=0), columns.std(axis=0)
    none = Correction(centre, np.where(spread > 0, spread, 1.0), np.zeros(columns.shape[1]), 0.0)
    if len(errors) < 10 or not spread.any():
        return none
    z = _standard(columns, centre, none.spread)
    chosen = np.arange(z.shape[1])
    if len(chosen) > MOST_COLUMNS:
        chosen = np.sort(np.argsort(-np.abs(z.T @ errors), kind="stable")[:MOST_COLUMNS])
    middle = z[:, chosen].mean(axis=0)
    centred = z[:, chosen] - middle
    squares, axes = np.linalg.eigh(centred.T @ centred)
    turned = centred @ axes
    shift = errors.mean()
    along = turned.T @ (errors - shift)
    best, found = errors**2, none
    for strength in LADDER:
        weights = 1 / (np.maximum(squares, 0.0) + strength)
        leverage = (turned**2) @ weights + 1 / len(errors)
        left = (errors - shift - turned @ (weights * along)) / np.maximum(1 - leverage, 1e-3)
        if left @ left < best.sum():
            slope = np.zeros(z.shape[1])
            slope[chosen] = axes @ (weights * along)
            found = Correction(centre, none.spread, slope, float(shift - middle @ slope[chosen]))
            best = left**2
    gain = errors**2 - best
    sure = gain.sum() > SURE * gain.std() * np.sqrt(len(gain))
    return found if sure else none
