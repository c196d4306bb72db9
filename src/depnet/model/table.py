"""Conditional tables theta_i(X_i | Y_i), and the counts N_yx that they are learned from (Sec. 2.1 and 4.5, Theorem 4)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import ByFields, FloatArray, IntArray, read_only, set_fields
from depnet.data.table.dataset import Dataset
from depnet.data.table.weights import are_fractions
from depnet.errors import ModelError, brief, how_many
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.limits import MAX_CELLS
from depnet.model.sources.source import InformationSource

ROW_SUM_TOLERANCE = 1e-9
"""How far a row given as probabilities may be from summing to one; it is then normalised."""

NORMALISED = 1e-14
"""A row that sums to one as nearly as this is rounding away from it, and is kept bit for bit."""

MAX_COUNT = 2**53
"""Counts stay exact as float64 below this."""

MAX_SMOOTHING = 1e100
"""Far past any use, and far from overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalTable(ByFields):
    """theta_i(X_i | Y_i): for each leaf a distribution over the states.

    Where it was learned it keeps its counts, so that smoothing can change and new rows be added without relearning. Make
    one with `from_probabilities` or `from_counts`.

    Attributes:
        probabilities: [leaf, state]; every row is a distribution.
        counts: the rows of data behind it, alike; None where it was not learned.
        smoothing: the pseudo-count of each cell; None where it was not learned.
        prior: rows that a teacher drew, alike, whose shares divide the pseudo-counts of a leaf among its states
            (`depnet.learning.distil`); None: the pseudo-counts are even.

    >>> table = ConditionalTable.from_counts([[3, 1]], smoothing=0.5)
    >>> table.probabilities.tolist(), table.counts.tolist()
    ([[0.7, 0.3]], [[3, 1]])
    """

    probabilities: FloatArray
    counts: IntArray | None = None
    smoothing: float | None = None
    prior: IntArray | None = None

    def __post_init__(self) -> None:
        theta = self.probabilities
        if not isinstance(theta, np.ndarray) or theta.dtype != np.float64:
            raise ModelError(
                f"the probabilities of a ConditionalTable are a float64 array; got {brief(theta)}. "
                "Make it with ConditionalTable.from_probabilities(rows)."
            )
        _checked_sums(theta)
        if (self.counts is None) != (self.smoothing is None):
            raise ModelError("a conditional table has both counts and a smoothing, or neither.")
        if self.counts is not None and (
            self.counts.shape != theta.shape or self.counts.dtype not in (np.int64, np.float64)
        ):
            raise ModelError(
                f"a conditional table of the shape {theta.shape} has int64 counts of the same shape; got "
                f"{self.counts.shape} of {self.counts.dtype}."
            )
        if self.prior is not None and (self.counts is None or self.prior.shape != theta.shape):
            raise ModelError(f"the prior of a conditional table is of its counts' shape, {theta.shape}.")
        for name, array in (("probabilities", theta), ("counts", self.counts), ("prior", self.prior)):
            if array is not None and array.flags.writeable:
                object.__setattr__(self, name, read_only(array.copy()))

    @classmethod
    def from_probabilities(cls, probabilities: ArrayLike) -> "ConditionalTable":
        """A table from its rows.

        Args:
            probabilities: [leaf, state]; each row must be a distribution (to 1e-9; then it is normalised).

        Returns:
            The table.
        """
        try:
            rows = np.array(probabilities, dtype=np.float64, order="C")
        except (TypeError, ValueError) as error:
            raise ModelError(f"a conditional table is an array of numbers [leaf, state]; {error}.") from None
        totals = _checked_sums(rows)
        rough = np.abs(totals - 1) > NORMALISED
        rows[rough] /= totals[rough, None]
        return cls(read_only(rows))

    @classmethod
    def from_counts(
        cls, counts: ArrayLike, smoothing: float = 0.0, prior: ArrayLike | None = None
    ) -> "ConditionalTable":
        r"""The table learned from counts N_yx, with a pseudo-count s per cell.

        .. math:: \theta(x \mid y) = \frac{N_{yx} + s\,|X|\,q(x \mid y)}{N_y + s\,|X|}, \qquad
                  q(x \mid y) = \frac{M_{yx} + 1/2}{M_y + |X|/2}

        where M are the rows of the `prior`; without one, q is even.

        With `smoothing=0` this is the paper's p^D(X_i | Y_i) (Theorem 4); an empty leaf is uniform. The
        result is the same bit for bit on every machine: sums are of integers.

        Args:
            counts: whole numbers, [leaf, state]; of survey weights multiples of 2^-16.
            smoothing: s.
            prior: M, whole numbers, [leaf, state].

        Returns:
            The table.

        >>> ConditionalTable.from_counts([[3, 1], [0, 0]]).probabilities.tolist()
        [[0.75, 0.25], [0.5, 0.5]]
        """
        smoothing = checked_smoothing(smoothing)
        whole = _checked_counts(counts)
        if prior is None:
            return cls(read_only(_theta(whole, smoothing)), read_only(whole), smoothing)
        drawn = _checked_counts(prior)
        if drawn.shape != whole.shape:
            raise ModelError(f"counts of the shape {whole.shape} have a prior of the shape {drawn.shape}.")
        theta = _theta(whole, smoothing, drawn)
        return cls(read_only(theta), read_only(whole), smoothing, read_only(drawn))

    def with_counts(self, counts: ArrayLike, smoothing: float | None = None) -> "ConditionalTable":
        """The same prior, with other counts, or another smoothing."""
        kept = self.smoothing if smoothing is None else smoothing
        return ConditionalTable.from_counts(counts, 0.0 if kept is None else kept, self.prior)

    @classmethod
    def from_learner(
        cls, counts: IntArray, smoothing: float, theta: FloatArray | None = None
    ) -> "ConditionalTable":
        """`from_counts` for counts that the native learner made, which are what they should be.

        `theta` is given where it was computed for many tables at once; both arrays are then read-only already.
        """
        if theta is None:
            theta = read_only(_theta(read_only(counts), smoothing))
        of = {"probabilities": theta, "counts": counts, "smoothing": smoothing, "prior": None}
        return set_fields(object.__new__(cls), **of)

    @property
    def size(self) -> int:
        """The number of leaves, |Y_i|."""
        return int(self.probabilities.shape[0])

    @property
    def states(self) -> int:
        """The number of states of the target, |X_i|."""
        return int(self.probabilities.shape[1])


def _theta(counts: IntArray, smoothing: float, prior: IntArray | None = None) -> FloatArray:
    states = counts.shape[1]
    totals = counts.sum(axis=1, keepdims=True) + smoothing * states
    rows: FloatArray = np.full(counts.shape, 1.0 / states)
    if prior is None:
        np.divide(counts + smoothing, totals, out=rows, where=totals > 0)
        return rows
    shares = (prior + 0.5) / (prior.sum(axis=1, keepdims=True) + 0.5 * states)
    np.divide(counts + smoothing * states * shares, totals, out=rows, where=totals > 0)
    return rows


def _checked_sums(rows: FloatArray) -> FloatArray:
    """The sums of the rows, each of which must be a distribution to 1e-9."""
    if rows.ndim != 2 or 0 in rows.shape:
        raise ModelError(f"a conditional table is [leaf, state]; got the shape {rows.shape}.")
    with np.errstate(invalid="ignore", over="ignore"):  # infinities are found below
        totals: FloatArray = rows.sum(axis=1)
        good = (rows >= 0).all(axis=1) & (np.abs(totals - 1) <= ROW_SUM_TOLERANCE)
    if not good.all():
        r = int(np.flatnonzero(~good)[0])
        raise ModelError(
            f"row {r} of the conditional table is not a distribution: it sums to {totals[r]:.12g} and its "
            f"least entry is {rows[r].min():.6g}. Build it from counts with "
            "ConditionalTable.from_counts(counts, smoothing=0.5)."
        )
    return totals


def _checked_counts(counts: ArrayLike) -> IntArray:
    try:
        raw = np.asarray(counts)
    except ValueError as error:
        raise ModelError(f"counts are integers [leaf, state]; {error}.") from None
    whole = raw.dtype.kind in "ui" or (raw.dtype == np.float64 and are_fractions(raw))
    if raw.ndim != 2 or 0 in raw.shape or not whole:
        raise ModelError(f"counts are integers [leaf, state]; got shape {raw.shape} of {raw.dtype}.")
    if raw.min() < 0:
        leaf, state = np.argwhere(raw < 0)[0]
        raise ModelError(
            f"the count of leaf {leaf}, state {state} is {raw[leaf, state]}; counts are not negative."
        )
    totals = raw.sum(axis=1, dtype=np.float64)
    if totals.max() >= MAX_COUNT:
        leaf = int(np.argmax(totals))
        raise ModelError(
            f"the counts of leaf {leaf} sum to {how_many(int(totals[leaf]))}; counts are exact only below 2^53."
        )
    return np.array(raw, dtype=np.float64 if raw.dtype.kind == "f" else np.int64, order="C")


def checked_smoothing(smoothing: float) -> float:
    """`smoothing` as a float from 0 to 1e100."""
    if isinstance(smoothing, bool) or not isinstance(smoothing, (int, float, np.integer, np.floating)):
        raise ModelError(f"smoothing is a number of at least 0; got {brief(smoothing)}.")
    try:
        value = float(smoothing)
    except OverflowError:  # a whole number past all floats
        value = math.inf
    if not 0 <= value <= MAX_SMOOTHING:
        raise ModelError(f"smoothing is a number from 0 to {MAX_SMOOTHING:g}; got {brief(smoothing)}.")
    return value


def leaf_counts(source: InformationSource, variable: int, dataset: Dataset) -> IntArray:
    """`counts[leaf, state]`: the rows of `dataset` (with their weights) in each leaf and each state of
    the node's variable. Empty leaves are rows of zeros.
    """
    states = dataset.domain.cardinalities[variable]
    if source.size * states > MAX_CELLS:
        raise ModelError(
            f"the conditional table of variable {variable} would have {source.size:,} leaves x {states:,} states, more "
            f"than {MAX_CELLS:,} cells. Use a source with fewer leaves, or learn one."
        )
    return tabulate(leaves_of(source, dataset), dataset.column(variable), source.size, states, dataset)


def leaves_of(source: InformationSource, dataset: Dataset) -> NDArray[np.int32]:
    """The leaf of every row. A dataset's codes were checked when it was made, and a decision graph need not do it again."""
    whole = dataset.codes.flags.f_contiguous  # as the native walk reads them; some rows of a table are not
    if isinstance(source, DecisionGraph) and whole and source.cardinalities == dataset.domain.cardinalities:
        return source.walk(dataset.codes)
    return source(dataset.codes)


def tabulate(
    leaves: np.ndarray, state: NDArray[np.integer], size: int, states: int, dataset: Dataset
) -> IntArray:
    """Rows counted by (leaf, state), weights included; exact, since all weights sum to less than 2^53.

    With survey weights counts are floats, multiples of 2^-16.
    """
    cells = leaves.astype(np.int64) * states + state
    counts = np.bincount(cells, weights=dataset.weights, minlength=size * states)
    return (counts if dataset.surveyed else counts.astype(np.int64)).reshape(size, states)
