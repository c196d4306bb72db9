r"""The law of a number given coded inputs: its mean, and what is left as the law of a node.

The mean m(x) comes from several fits, each without a part of the rows (`depnet.fitting.cross_fitted`). What a row lies from
the mean that was found without it is its residual. The residuals are cut into bins, and their node, which reads the
inputs and m(x), is learned as any other: one graph or boosted stages, whichever held-out rows prefer. So

.. math:: P(y \mid x) = \theta(y - m(x) \mid x, m(x)),

within a bin the values that it keeps, all as likely. Where many rows share one value (the zeros of a claim), y itself
is cut into bins instead of the residual if held-out rows surely have the smaller CRPS so.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from depnet.arrays import CodeArray, FloatArray, read_only
from depnet.data.binning.bins import Bins
from depnet.data.binning.cut import quantile_bins
from depnet.data.binning.levels import Levels
from depnet.data.table.dataset import Dataset, code_type
from depnet.data.table.variable import Domain, Variable
from depnet.fitting.cross_fitted import CrossFittedMean, cross_fitted_mean, parts_of
from depnet.fitting.fit import FitOptions, fit_network
from depnet.learning.forest import crps
from depnet.model.network import Network
from depnet.threads import Work

RESIDUAL_BINS, OWN_BINS, MEAN_BINS = 32, 64, 64
"""Bins of residuals, of numbers as they are, and of means as an input of their node, at most."""
ROWS_A_BIN = 8
HEAP = 0.1
"""The share of rows with one value from which on y is heaped."""
STANDARD_ERRORS = 2.0
"""Of its gain in CRPS on held-out rows: if y itself gains more, it is cut into bins and not its residual."""
MEAN_SHARE = 0.3
"""Of the time that there is, what the mean may take."""
LEVELS = [(2 * k + 1) / 40 for k in range(20)]
"""Of the quantiles that the CRPS is computed from."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberLaw:
    """P(y | x) as it was learned. The last variable of `network` is the residual, or y; the one before it m(x)."""

    mean: CrossFittedMean
    network: Network
    bin_means: FloatArray
    """Of the residuals, or of y, in each bin."""
    located: bool
    """Are the bins of residuals? Else of y itself."""

    @property
    def bins(self) -> Bins:
        """Of the residual, or of y."""
        found = self.network.domain.variables[-1].bins
        assert found is not None
        return found

    def probabilities(self, codes: CodeArray) -> tuple[FloatArray, FloatArray]:
        """For every row of codes [N, n] of the inputs what its bins begin from (m(x), or 0), and their probabilities."""
        means = self.mean.means(codes)
        table = _joined(self.network.domain, codes, means)
        theta = self.network.nodes[-1].probabilities(table)
        return means if self.located else np.zeros(len(means)), theta

    def means(self, codes: CodeArray) -> FloatArray:
        """E(y | x): m(x), and what the law of residuals says beyond it."""
        if not self.located:
            return self.mean.means(codes)
        start, theta = self.probabilities(codes)
        return np.asarray(start + (theta * self.bin_means).sum(axis=1))

    def quantiles(self, codes: CodeArray, levels: Sequence[float]) -> FloatArray:
        """[row, level]."""
        start, theta = self.probabilities(codes)
        return np.asarray(start[:, None] + Levels.of(self.bins).quantiles(theta, list(levels)))

    def below(self, codes: CodeArray, edges: Sequence[float]) -> FloatArray:
        """[row, edge]: P(y < edge | x)."""
        start, theta = self.probabilities(codes)
        kept = self.bins.quantiles
        found = np.zeros((len(codes), len(edges)))
        for k, values in enumerate(kept):
            under = np.searchsorted(np.array(values), np.asarray(edges) - start[:, None], side="left")
            found += theta[:, k : k + 1] * under / len(values)
        return np.clip(found, 0.0, 1.0)


def number_law(
    inputs: Dataset,
    numbers: FloatArray,
    options: FitOptions,
    rng: np.random.Generator,
) -> NumberLaw:
    """The law of `numbers` given the rows of `inputs`."""
    work = options.work()
    if not heaped(numbers):
        return _learned(inputs, numbers, options, rng, True, work)
    order = np.lexsort((*np.asarray(inputs.codes).T[::-1], numbers))
    held = np.empty(len(numbers), dtype=bool)
    held[order] = parts_of(len(numbers)) == 0
    some = Dataset.from_codes(inputs.codes[~held], domain=inputs.domain)
    losses = []
    for located, share in ((True, 1 / 3), (False, 1 / 2)):  # two trials, and the law itself
        trial = _learned(some, numbers[~held], options, rng, located, work.share(share))
        losses.append(crps(trial.quantiles(inputs.codes[held], LEVELS), numbers[held], LEVELS))
    gains = losses[0] - losses[1]
    sure = float(gains.mean()) > STANDARD_ERRORS * float(gains.std()) / math.sqrt(len(gains))
    return _learned(inputs, numbers, options, rng, not sure, work)


def heaped(numbers: FloatArray) -> bool:
    """Do many rows share one value, and enough other rows say whether that matters?

    >>> heaped(np.r_[np.zeros(20), np.arange(80)]), heaped(np.arange(100.0))
    (True, False)
    """
    values, counts = np.unique(numbers, return_counts=True)
    return len(values) > 1 and len(numbers) >= 5 * ROWS_A_BIN and bool(counts.max() >= HEAP * len(numbers))


def _learned(
    inputs: Dataset,
    numbers: FloatArray,
    options: FitOptions,
    rng: np.random.Generator,
    located: bool,
    work: Work,
) -> NumberLaw:
    mean = cross_fitted_mean(inputs.domain, inputs.codes, numbers, work.share(MEAN_SHARE))
    own = numbers - mean.unseen if located else numbers
    bins = quantile_bins(own, "float", _number(RESIDUAL_BINS if located else OWN_BINS, len(own)))
    of_mean = quantile_bins(mean.unseen, "float", _number(MEAN_BINS, len(own)))
    taken = set(inputs.domain.names)
    names = [_free(name, taken) for name in ("mean", "residual" if located else "y")]
    domain = Domain(
        (
            *inputs.domain.variables,
            Variable(names[0], of_mean.labels, of_mean),
            Variable(names[1], bins.labels, bins),
        )
    )
    codes = _joined(domain, inputs.codes, mean.unseen, own)
    completion = fit_network(
        Dataset(domain, read_only(codes), None),
        replace(options, boosted=(names[1],), roles=dict.fromkeys(domain.names[:-1], "input")),
        rng,
        work,
    )
    counts = np.bincount(codes[:, -1], minlength=len(bins))
    sums = np.bincount(codes[:, -1], weights=own, minlength=len(bins))
    middles = np.array([np.mean(values) for values in bins.quantiles])
    bin_means = np.where(counts > 0, sums / np.maximum(counts, 1), middles)
    return NumberLaw(mean, completion.network, bin_means, located)


def _number(most: int, rows: int) -> int:
    return min(most, max(rows // ROWS_A_BIN, 2))


def _free(name: str, taken: set[str]) -> str:
    """The name, with underscores after it where an input has it already."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _joined(domain: Domain, inputs: CodeArray, means: FloatArray, own: FloatArray | None = None) -> CodeArray:
    """The inputs' codes, the bin of each row's mean, and that of its number (0 where it is not known)."""
    of_mean, bins = (variable.bins for variable in domain.variables[-2:])
    assert of_mean is not None
    assert bins is not None
    codes: CodeArray = np.zeros((len(inputs), len(domain)), dtype=code_type(domain), order="F")
    codes[:, :-2] = inputs
    codes[:, -2] = of_mean.locate(means)
    if own is not None:
        codes[:, -1] = bins.locate(own)
    return codes
