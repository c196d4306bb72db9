"""`DependencyNetworkRegressor`: one numeric column given the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d

from depnet.arrays import CodeArray, FloatArray
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.weights import repetitions
from depnet.errors import DataError
from depnet.estimators.base import (
    SHUFFLED_ROWS,
    TableEstimator,
    check_choice,
    check_target,
    fitted_table,
    later_table,
    shares_of_loss,
)
from depnet.fitting.number import number_law
from depnet.threads import show_progress

FINE_BINS = 255
"""Bins of a number that only stages read: they split it in two, wherever that tells most."""
ROWS_A_BIN = 4


@dataclass(kw_only=True, eq=False, repr=False)
class DependencyNetworkRegressor(RegressorMixin, TableEstimator):  # type: ignore[misc]
    """P(y | x) of a number y: its mean by ridge regression and boosting, and the law of what is left from y's own node.

    Numbers in X are cut into many bins (up to 255), which stages split between; else as `bins` says. The parameters of
    learning are those of the node.

    Args:
        boost: of the node: "auto" (stages where held-out rows prefer them), a `depnet.Boost`, or None: one graph.
        missing: missing values in X are a "state" of their own, or an "error". Where a column had none when it was
            learned from, a missing value counts as its most typical one.

    Attributes:
        law_: the law of y given x, a `depnet.fitting.number.ResidualLaw`.
        network_: the network, whose last variable is what y lies from its mean (or y itself, where many rows share one
            value and that predicts better).
        n_features_in_: how many columns X had.
        feature_names_in_: their names, where they are text.
        feature_importances_: what each column of X is worth, in shares that add up to 1.

    >>> import numpy as np
    >>> X = np.arange(200).reshape(-1, 1) % 20
    >>> model = DependencyNetworkRegressor().fit(X, 3.0 * X[:, 0])
    >>> model.predict([[5], [10]]).round().tolist()
    [15.0, 30.0]
    """

    boost: Any = "auto"
    missing: str = "state"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, progress: bool = False
    ) -> "DependencyNetworkRegressor":
        """Learn the law of y given X.

        Args:
            X: a frame, an array, a list of dictionaries or a `Dataset`.
            y: the number of every row.
            sample_weight: survey weights (docs/weights.md); a row comes a whole number of times by them, near its weight.
            progress: whether a bar shows how far it is, by tqdm where it is installed.

        Returns:
            The estimator itself.
        """
        check_target(self, y)
        check_choice("missing", self.missing, "state", "error")
        holed, _ = fitted_table(self, X, missing=self.missing, sample_weight=sample_weight)
        if self.bins == "quantile":
            fine = min(FINE_BINS, max(holed.rows // ROWS_A_BIN, 2))
            holed, _ = fitted_table(self, X, missing=self.missing, bins=fine, sample_weight=sample_weight)
        numbers = column_or_1d(y, warn=True)
        numbers = check_array(numbers, ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(holed.codes, numbers)
        rows = holed.dataset()
        if rows.weights is not None:
            repeated = np.repeat(np.arange(rows.rows), repetitions(rows.weights))
            rows = Dataset.from_codes(rows.codes[repeated], domain=rows.domain)
            numbers = numbers[repeated]
        self._inputs = holed.domain
        self._typical = _typical(rows)
        with show_progress("learning", progress) as tell:
            self.law_ = number_law(rows, numbers, self._options(), self._steady_generator(), tell)
        self.network_ = self.law_.network
        some = np.linspace(0, rows.rows - 1, min(rows.rows, SHUFFLED_ROWS)).astype(np.int64)
        self._some = rows.codes[some], numbers[some]
        self._importances: FloatArray | None = None
        return self

    @property
    def feature_importances_(self) -> FloatArray:
        """What each column of X is worth: how much worse rows are predicted when its values are shuffled among them.

        In squared error, of up to 1,000 of the rows learned from, as shares that add up to 1, in the order of
        `feature_names_in_`. A column that the predictions do not depend on has 0; columns that say the same share
        what they say.
        """
        check_is_fitted(self, "law_")
        if self._importances is None:
            rows, y = self._some

            def losses(codes: CodeArray) -> FloatArray:
                return (self.law_.means(codes) - np.resize(y, len(codes))) ** 2

            self._importances = shares_of_loss(
                losses, rows, range(len(self._inputs)), self._kept, self.n_features_in_
            )
        return self._importances

    def predict(self, X: Any) -> FloatArray:
        """The mean of y for every row; `predict_quantiles(X, [0.5])` has the median.

        Args:
            X: rows, as in `fit`.

        Returns:
            [row].
        """
        codes = self._codes(X)
        return self.law_.means(codes)

    def predict_quantiles(self, X: Any, levels: Sequence[float] = (0.05, 0.5, 0.95)) -> FloatArray:
        """Quantiles of y, such as the ends and the middle of a 90 % interval.

        Args:
            X: rows, as in `fit`.
            levels: shares between 0 and 1.

        Returns:
            [row, level].
        """
        codes = self._codes(X)
        asked = np.asarray(levels, dtype=np.float64)
        if asked.ndim != 1 or not ((asked > 0.0) & (asked < 1.0)).all():
            raise DataError(
                f"`levels` is a list of shares between 0 and 1, such as [0.05, 0.95]; got {levels!r}."
            )
        return self.law_.quantiles(codes, asked.tolist())

    def predict_law(self, X: Any, edges: Sequence[float]) -> FloatArray:
        """The probabilities that y is below the first edge, from each edge to the next, and from the last on.

        Args:
            X: rows, as in `fit`.
            edges: ascending numbers.

        Returns:
            [row, bin], one bin more than edges.
        """
        codes = self._codes(X)
        asked = np.asarray(edges, dtype=np.float64)
        if (
            asked.ndim != 1
            or not len(asked)
            or not (np.diff(asked) > 0).all()
            or not np.isfinite(asked).all()
        ):
            raise DataError(f"`edges` is a list of ascending numbers, such as [0, 10, 20]; got {edges!r}.")
        below = self.law_.below(codes, asked.tolist())
        return np.diff(below, axis=1, prepend=0.0, append=1.0)

    def _codes(self, X: Any) -> CodeArray:
        check_is_fitted(self, "law_")
        holed: Holed = later_table(self, X, self._inputs)
        if holed.complete:
            return holed.codes
        codes: CodeArray = holed.codes.copy(order="F")
        for i, state in enumerate(self._typical):
            codes[holed.hidden[:, i], i] = state
        return codes


def _typical(rows: Dataset) -> list[int]:
    """The median state of each variable where states have an order, else the most frequent one."""
    found = []
    for i, variable in enumerate(rows.domain.variables):
        counts = np.bincount(rows.column(i), minlength=variable.cardinality)[: len(variable.present_states)]
        until = np.cumsum(counts)
        middle = int(np.searchsorted(until, until[-1] / 2))
        found.append(middle if variable.has_cuts else int(np.argmax(counts)))
    return found
