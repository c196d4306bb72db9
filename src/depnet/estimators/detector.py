"""`DependencyNetworkDetector`: rows that do not belong to their table, and why."""

from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Holed
from depnet.errors import DataError
from depnet.estimators.base import TableEstimator, later_table, validate
from depnet.estimators.network import DependencyNetwork
from depnet.inference.judge.apart import Neighbours
from depnet.inference.judge.cells import joined, log_row_tails, ranked
from depnet.inference.judge.odd import ODD, list_reasons


@dataclass(kw_only=True, eq=False, repr=False)
class DependencyNetworkDetector(OutlierMixin, TableEstimator):  # type: ignore[misc]
    """Find odd rows; a drop-in beside scikit-learn's IsolationForest, which takes categories and holes as they come.

    A row has two tail masses (docs/odd-rows.md): that of its cells, each given the rest of the row, and that of how far it
    is apart from the rows learned from. Its own is their harmonic mean: small where either is.

    Args:
        contamination: the share of the rows learned from that are odd, above 0 and at most 0.5; "auto": those are whose
            tail mass is less than 0.05.
        missing: holes of the table, as in `DependencyNetwork`; a hole that is no state of its column is never odd.

    Attributes:
        model_: a `DependencyNetwork` of the table.
        offset_: what `score_samples` is compared with.
        left_out_: columns that were not learned from.
        n_features_in_: how many columns X had.
        feature_names_in_: their names, where they are text.

    >>> import numpy as np
    >>> X = np.array([[0, 0], [1, 1]] * 50 + [[0, 1]])
    >>> DependencyNetworkDetector(contamination=0.02, random_state=0).fit_predict(X)[-3:].tolist()
    [1, 1, -1]
    """

    contamination: Any = "auto"
    missing: str = "auto"

    def fit(self, X: Any, y: Any = None, *, progress: bool = False) -> "DependencyNetworkDetector":
        """Learn from a table, odd rows among them.

        Args:
            X: a frame, an array, a list of dictionaries, a `Dataset` or a `Holed`.
            y: ignored.
            progress: whether a bar shows how far it is, by tqdm where it is installed.

        Returns:
            The estimator itself.
        """
        share = self.contamination
        if share != "auto" and not (isinstance(share, Real) and 0 < float(share) <= 0.5):
            raise ValueError(f'contamination is "auto", or above 0 and at most 0.5; got {share!r}.')
        shared = {field.name: getattr(self, field.name) for field in fields(TableEstimator)}
        if not isinstance(X, Holed):
            X = validate(self, X, reset=True)
        model = DependencyNetwork(**shared, missing=self.missing).fit(X, progress=progress)
        self.model_, self.n_features_in_, self.left_out_ = model, model.n_features_in_, model.left_out_
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_
        rows = self._rows(X) if model.data_ is None else model.data_
        self._neighbours = Neighbours.of(rows, self._steady_generator())
        self.offset_ = float(np.log(ODD))
        if share != "auto":
            self.offset_ = float(np.percentile(self._log_tails(rows), 100 * share))
        return self

    def score_samples(self, X: Any) -> FloatArray:
        """The log of each row's tail mass: the lower, the odder.

        Args:
            X: rows, as in `fit`.

        Returns:
            [row].
        """
        return self._log_tails(self._rows(X))

    def decision_function(self, X: Any) -> FloatArray:
        """`score_samples` less `offset_`.

        Args:
            X: rows, as in `fit`.

        Returns:
            [row]: below 0 where it is odd.
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Which rows are odd.

        Args:
            X: rows, as in `fit`.

        Returns:
            [row]: -1 where it is odd, 1 where it is not.
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def reasons(self, X: Any, n: int = 10) -> list[dict[str, Any]]:
        """The oddest rows, equal ones once, and the cells of each that fit the rest of it worst, as `depnet odd` lists them.

        Args:
            X: rows, as in `fit`.
            n: how many rows.

        Returns:
            A dictionary for each cell, for `pandas.DataFrame`: `row` (from 1 on), `rows_like_it`, `row_tail`, `column`,
            `value`, `expected`, `tail`, and `apart_tail`, that of how far the row is from those learned from.
        """
        rows = self._rows(X)
        found = list_reasons(self.model_.network_, rows, ranked(rows, self._log_tails(rows)), n)
        apart = self._neighbours.tails(rows)
        return [one | {"apart_tail": float(apart[one["row"] - 1])} for one in found]

    def _rows(self, X: Any) -> Holed:
        check_is_fitted(self, "model_")
        return later_table(self, X, self.model_.domain_, values=True)

    def _log_tails(self, rows: Holed) -> FloatArray:
        if rows.rows == 0:
            raise DataError("there are no rows to score: found a table with 0 sample(s).")
        cells = np.exp(log_row_tails(self.model_.network_, rows, rows.rows))
        return np.asarray(np.log(joined(np.stack([cells, self._neighbours.tails(rows)], axis=1))))
