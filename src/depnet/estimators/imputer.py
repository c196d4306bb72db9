"""`DependencyNetworkImputer`: holes filled in a pipeline, categories and numbers alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Holed
from depnet.errors import DataError, whole_number
from depnet.estimators.base import Numbers, TableEstimator, copy, fill_in, later_table, validate, values_of
from depnet.estimators.network import DependencyNetwork
from depnet.fitting.fit import QUICK
from depnet.fitting.forests import TABLES, HoleAnswers, grow_forests


@dataclass(kw_only=True, eq=False, repr=False)
class DependencyNetworkImputer(TransformerMixin, TableEstimator):  # type: ignore[misc]
    """Fill holes from the joint distribution of all columns; a drop-in beside scikit-learn's IterativeImputer.

    `fit` completes the table in rounds (see `DependencyNetwork`), then grows a forest for each column from several
    completed tables, numbers by their values (`depnet.fitting.forests`). `transform` fills each hole given what its row
    knows, by the mean over several completions of the row: a category with the state that network and forest make most
    probable, a float with the value that its forest expects, other numbers, dates and durations with their median.
    Observed cells stay as they are.

    Args:
        penalty: of `model_`; None: a quick one, which suits tables with holes.
        sample_posterior: draw instead, each row's holes together.
        n_imputations: how many completed tables `transform_many` draws.

    Attributes:
        model_: a `DependencyNetwork` of the completed table.
        forests_: of all columns.
        left_out_: columns that were not learned from.
        n_features_in_: how many columns X had.
        feature_names_in_: their names, where they are text.

    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]] * 50 + [[1.0, np.nan]])
    >>> DependencyNetworkImputer(random_state=0).fit_transform(X)[-1].tolist()
    [1.0, 1.0]
    """

    penalty: Any = None
    sample_posterior: bool = False
    n_imputations: int = 1

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, progress: bool = False
    ) -> "DependencyNetworkImputer":
        """Learn from a table with its holes.

        Args:
            X: a frame, an array, a list of dictionaries, a `Dataset` or a `Holed`.
            y: ignored.
            sample_weight: survey weights, as in `DependencyNetwork.fit`.
            progress: whether a bar shows how far it is, by tqdm where it is installed.

        Returns:
            The estimator itself.
        """
        rng = self._steady_generator()
        shared = {field.name: getattr(self, field.name) for field in fields(TableEstimator)}
        model = DependencyNetwork(**shared, missing="complete")  # a hole is what is to be known
        model.set_params(penalty=QUICK if self.penalty is None else self.penalty, random_state=rng)
        if not isinstance(X, Holed):
            X = validate(self, X, reset=True)
        model._fit(X, values=False, sample_weight=sample_weight, progress=progress)  # noqa: SLF001  # forests have the values
        self.model_ = model.set_params(random_state=self.random_state)
        self.n_features_in_ = model.n_features_in_
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_
        self.left_out_ = model.left_out_ or ()
        done = model.completion_
        assert done is not None
        values, numbers = np.zeros(done.hidden.shape), np.zeros(len(model.domain_), dtype=bool)
        if not isinstance(X, Holed):  # codes are categories, also those of bins
            values, numbers = values_of(X, model.domain_)
        self.forests_ = grow_forests(
            model.network_,
            numbers,
            done.dataset.codes,
            values,
            done.hidden,
            done.dataset.weights,
            rng=rng,
            n_jobs=self._threads,
        )
        return self

    def transform(self, X: Any) -> Any:
        """A table with its holes filled.

        Args:
            X: rows with holes, as in `fit`.

        Returns:
            X, filled, as the kind of frame it is.
        """
        return self._fill(X, 1 if self.sample_posterior else 0)[0]

    def transform_many(self, X: Any) -> list[Any]:
        """Several completed tables, each row's holes drawn together; their spread is the uncertainty.

        Args:
            X: rows with holes, as in `fit`.

        Returns:
            A list of `n_imputations` tables.
        """
        return self._fill(X, whole_number("n_imputations", self.n_imputations, at_least=1))

    def _fill(self, X: Any, draws: int) -> list[Any]:
        """The most probable filling, or `draws` tables that are drawn."""
        holed = self._rows(X)
        if holed.complete:
            return [copy(self, X) for _ in range(max(draws, 1))]
        found = self._draw(X, holed, draws) if draws else [self._expect(X, holed)]
        return [
            fill_in(self, X, holed, codes, self.model_.layout_, numbers=numbers) for codes, numbers in found
        ]

    def _rows(self, X: Any) -> Holed:
        check_is_fitted(self, "model_")
        return later_table(self, X, self.model_.domain_)

    def _values(self, X: Any, holed: Holed) -> FloatArray:
        """The numbers of later rows, [row, column]; of codes, some value of each bin."""
        if isinstance(X, Holed):
            every = np.ones(holed.codes.shape, dtype=bool)
            nothing = np.zeros(holed.codes.shape)
            return self.forests_.values(holed.codes, every, nothing, self._steady_generator())
        return values_of(validate(self, X, reset=False), self.model_.domain_, self.forests_.numbers)[0]

    def _answers(
        self, X: Any, holed: Holed, rng: np.random.Generator, count: int = TABLES
    ) -> Iterator[HoleAnswers]:
        hidden = np.asarray(holed.hidden)
        yield from self.forests_.answers(
            holed.codes, hidden, self._values(X, holed), rng, count=count, n_jobs=self._threads
        )

    def _expect(self, X: Any, holed: Holed) -> tuple[IntArray, Numbers]:
        """The codes of the most probable states, and the expected numbers of each column that has any."""
        codes = np.array(holed.codes, dtype=np.int64)
        numbers: Numbers = {i: np.zeros(holed.rows) for i in np.flatnonzero(self.forests_.numbers).tolist()}
        for part in self._answers(X, holed, self._steady_generator()):
            for i, rows in part.holes():
                at = part.rows[rows]
                if i not in numbers:
                    codes[at, i] = part.law(i, rows).argmax(axis=1)
                    continue
                layout = self.model_.layout_
                whole = layout is not None and layout.columns[i].kind != "float"
                numbers[i][at] = part.quantiles(i, rows, [0.5])[:, 0] if whole else part.means(i, rows)
                codes[at, i] = self.forests_.codes(i, numbers[i][at])
        return codes, numbers

    def _draw(self, X: Any, holed: Holed, draws: int) -> list[tuple[IntArray, Numbers]]:
        """Completed codes and numbers: each a table of its own."""
        which = np.flatnonzero(self.forests_.numbers).tolist()
        out: list[tuple[IntArray, Numbers]] = [
            (np.array(holed.codes, dtype=np.int64), {i: np.zeros(holed.rows) for i in which})
            for _ in range(draws)
        ]
        for part in self._answers(X, holed, self._generator(), draws):
            at = part.tables.places(np.arange(len(part.rows)))
            for own, (codes, numbers) in zip(at, out, strict=True):
                codes[part.rows] = part.tables.codes[own]
                for i in which:
                    numbers[i][part.rows] = part.tables.values[own, i]
        return out

    def laws(self, X: Any) -> dict[str, FloatArray]:
        """The probabilities of each column's states; of a number its bins.

        Args:
            X: rows with holes, as in `fit`.

        Returns:
            By name, [row, state]; of what was observed, certainty.
        """
        holed = self._rows(X)
        domain = self.model_.domain_
        found = {}
        for i, name in enumerate(domain.names):
            found[name] = np.zeros((holed.rows, domain.cardinalities[i]))
            found[name][np.arange(holed.rows), holed.codes[:, i]] = 1.0
        for part in self._answers(X, holed, self._steady_generator()):
            for i, rows in part.holes():
                found[domain.names[i]][part.rows[rows]] = part.law(i, rows)
        return found

    def quantiles(self, X: Any, levels: Sequence[float] = (0.05, 0.5, 0.95)) -> dict[str, FloatArray]:
        """Quantiles of every column of numbers; an observed number is all of its own.

        Dates are days, and moments microseconds, since 1970.

        Args:
            X: rows with holes, as in `fit`: a frame or an array.
            levels: shares between 0 and 1.

        Returns:
            By name, [row, level].

        >>> import numpy as np
        >>> x = np.arange(100.0)
        >>> X = np.column_stack([x, 2 * x])
        >>> X[50, 1] = np.nan
        >>> low, high = DependencyNetworkImputer(random_state=0).fit(X).quantiles(X, (0.05, 0.95))["X1"][50]
        >>> bool(80 < low < high < 120)
        True
        """
        holed = self._rows(X)
        if not self.forests_.numbers.any() or isinstance(X, Holed):
            raise DataError(
                "quantiles needs a column of numbers, in a frame or an array; got none. For probabilities use `laws`."
            )
        names = self.model_.domain_.names
        values = self._values(X, holed)
        found = {
            names[i]: np.repeat(values[:, [i]], len(levels), axis=1)
            for i in np.flatnonzero(self.forests_.numbers)
        }
        for part in self._answers(X, holed, self._steady_generator()):
            for i, rows in part.holes():
                if self.forests_.numbers[i]:
                    found[names[i]][part.rows[rows]] = part.quantiles(i, rows, levels)
        return found

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The columns' names, as they were.

        Args:
            input_features: the names, where `fit` saw none.

        Returns:
            [column].
        """
        check_is_fitted(self, "model_")
        return np.asarray(_check_feature_names_in(self, input_features), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
