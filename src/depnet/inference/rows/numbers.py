r"""What the answers of many rows say of a number: means, standard deviations and quantiles, one a row.

As `depnet.inference.answer.numbers` says it of one answer. Rows keep no batches, so the standard error of a mean is a bound,
sum over bins k of |m_k - mean| s_k, whatever the errors s_k of the bins have to do with each other: too large by about the
root of the number of bins.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, read_only
from depnet.data.binning.bins import Kind
from depnet.data.table.mixture import Mixture
from depnet.inference.answer.numbers import LEVELS


@dataclass(frozen=True, slots=True, eq=False)
class RowNumbers:
    """One value a row: numbers, or datetime64 of dates and moments, whose lengths, as durations, are timedelta64.

    Of a number that can be missing, all is said of where it is there, with the probability `present`; nan (or NaT) where
    that is 0.
    """

    mean: NDArray[Any]
    mean_error: NDArray[Any]
    """At most; 0 where a row was answered exactly."""
    standard_deviation: NDArray[Any]
    quantiles: Mapping[float, NDArray[Any]]
    """By level: 0.05, 0.25, 0.5, 0.75 and 0.95."""
    present: FloatArray

    @property
    def median(self) -> NDArray[Any]:
        """The quantile of level 0.5."""
        return self.quantiles[0.5]

    @classmethod
    def of(cls, mixture: Mixture, probabilities: FloatArray, errors: FloatArray) -> "RowNumbers":
        """From the probabilities [row, state] of its states, and their standard errors."""
        there = probabilities[:, : mixture.states]
        present = there.sum(axis=1)
        sure = np.where(present > 0, present, 1.0)
        shares = np.where((present > 0)[:, None], there / sure[:, None], 1.0 / mixture.states)
        values = mixture.values.astype(np.float64)
        scale = float(np.abs(values).max()) or 1.0  # so that no square is too large
        means = mixture.mean_of(values / scale)
        centre = float(means.mean())
        squares = mixture.mean_of((values / scale - centre) ** 2)
        mean = shares @ means
        variance = shares @ squares - (mean - centre) ** 2
        bound = (np.abs(means - mean[:, None]) * errors[:, : mixture.states]).sum(axis=1) / sure
        gone = present <= 0

        def lengths(numbers: FloatArray) -> NDArray[Any]:
            return _typed(scale * numbers, gone, mixture.kind, length=True)

        found = mixture.quantiles(shares, list(LEVELS))
        return cls(
            mean=_typed(scale * mean, gone, mixture.kind),
            mean_error=lengths(bound),
            standard_deviation=lengths(np.sqrt(np.maximum(variance, 0.0))),
            quantiles={level: _typed(found[:, at], gone, mixture.kind) for at, level in enumerate(LEVELS)},
            present=read_only(present),
        )


def _typed(
    numbers: NDArray[Any], gone: NDArray[np.bool_], kind: Kind, *, length: bool = False
) -> NDArray[Any]:
    """Numbers as their kind has them; what is gone is nan or NaT."""
    if kind in ("float", "integer"):
        return read_only(np.where(gone, np.nan, numbers) if gone.any() else numbers)
    # A mean of days is the day that it falls on; lengths keep their part of a day.
    unit, times = ("s", 86_400) if kind == "date" and length else ("D", 1) if kind == "date" else ("us", 1)
    whole = np.floor(numbers * times).astype(np.int64)
    typed = whole.astype(f"{'timedelta64' if length or kind == 'duration' else 'datetime64'}[{unit}]")
    typed[gone] = "NaT"
    return read_only(typed)
