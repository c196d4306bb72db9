"""`DependencyNetworkImputer`: holes filled in a pipeline, categories and numbers alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.checks import whole_number
from depnet.data.table.dataset import Holed
from depnet.errors import DataError
from depnet.estimators.base import TableEstimator
from depnet.estimators.callbacks import with_callbacks
from depnet.estimators.network import DependencyNetwork, fit_model
from depnet.estimators.tables import Numbers, checked, filled, later_table, unchanged, values_of
from depnet.fitting.complete import Completion, Learner
from depnet.fitting.ensemble import chosen_learner, networks_for, plausible_networks
from depnet.fitting.fit import FEW_ROWS, QUICK, learn_network
from depnet.fitting.forests import Forests, grow_forests
from depnet.fitting.holes import HoleAnswers, hole_answers
from depnet.inference.rows.impute import impute
from depnet.model.network import Network

COARSEST = 0.1
"""The Monte Carlo standard error of one network's probabilities, at most."""


@dataclass(kw_only=True, eq=False, repr=False)
class DependencyNetworkImputer(TransformerMixin, TableEstimator):  # type: ignore[misc]
    """Fill holes from the joint distribution of all columns; a drop-in beside scikit-learn's IterativeImputer.

    `fit` completes the table in rounds (see `DependencyNetwork`), then learns `n_networks` networks from rows of it
    drawn with replacement: what one network alone says would be too sure. In a table with numbers, forests of the
    completed tables then say where within and beyond its bin a number is (`depnet.fitting.forests`). `transform` fills
    each hole by the mean of their laws, given what its row knows: a category with its most probable state, a float with
    its expected value, other numbers, dates and durations with their median. Observed cells stay as they are.

    Args:
        penalty: None chooses for each node between a strict and a generous one, by rows that networks have not seen;
            else as of `DependencyNetwork`.
        smoothing: with `penalty=None` what all states of a leaf of `networks_` get together, in rows (of the one network
            of `model_`, and with another penalty, what each gets): a mean over networks is smooth by itself.
        boost: as of `DependencyNetwork`, of `model_` and of `networks_`, whose nodes then have one penalty.
        sample_posterior: draw instead, each row's holes together.
        n_imputations: how many completed tables `transform_many` draws, from one network after the other.
        add_indicator: append a column `missingindicator_NAME` for each column that had holes in `fit`.
        n_networks: None for 20, of more than 5,000 rows fewer (5 from 20,000 rows on).
        tolerance: about the Monte Carlo standard error of a hole's probabilities; it sets the number of sweeps.

    Attributes:
        model_: a `DependencyNetwork` of the completed table.
        networks_: the networks whose mean answers.
        forests_: of numbers; None where there are none, or codes are all that is known of them.
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
    add_indicator: bool = False
    n_networks: int | None = None
    tolerance: float = 0.02

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> "DependencyNetworkImputer":
        """Learn from a table with its holes.

        Args:
            X: a frame, an array, a list of dictionaries, a `Dataset` or a `Holed`.
            y: ignored.

        Returns:
            The estimator itself.
        """
        rng = self._steady_generator()
        shared = {field.name: getattr(self, field.name) for field in fields(TableEstimator)}
        model = DependencyNetwork(**shared, missing="complete")  # a hole is what is to be known
        model.set_params(penalty=QUICK if self.penalty is None else self.penalty, random_state=rng)
        if not isinstance(X, Holed):
            X = checked(self, X, reset=True)
        self.model_ = fit_model(model, X, self).set_params(random_state=self.random_state)
        self.n_features_in_ = model.n_features_in_
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_
        self.left_out_ = model.left_out_ or ()
        done = model.completion_
        assert done is not None
        count = networks_for(done.dataset.rows) if self.n_networks is None else self.n_networks
        self.networks_: tuple[Network, ...] = (model.network_,)
        tables: tuple[CodeArray, ...] = (done.dataset.codes,)
        if count != 1:
            learn = self._learner(done, rng)
            self.networks_, tables = plausible_networks(done, learn, count, rng=rng, n_jobs=self._threads)
        self.indicated_ = np.flatnonzero(done.hidden.any(axis=0))
        self.forests_ = self._forests(X, done, tables, rng)
        return self

    def _forests(
        self, X: Any, done: Completion, tables: Sequence[CodeArray], rng: np.random.Generator
    ) -> Forests | None:
        """Forests of a frame with numbers, whose values say more than codes."""
        if isinstance(X, Holed):
            return None
        domain = self.model_.domain_
        values, numbers = values_of(X, domain)
        if not numbers.any():
            return None
        return grow_forests(
            domain, numbers, self.networks_, tables, values, done.hidden, rng=rng, n_jobs=self._threads
        )

    def _learner(self, done: Completion, rng: np.random.Generator) -> Learner:
        """The learner of `networks_`: with the penalty given, or for each node the better of two."""
        options = self._options(penalty=QUICK if self.penalty is None else self.penalty)
        if self.penalty is not None or self.boost is not None or done.dataset.total < FEW_ROWS:
            return lambda rows: learn_network(rows, options)
        learner, self.generous_ = chosen_learner(done, options, rng)
        return learner

    def transform(self, X: Any) -> Any:
        """A table with its holes filled.

        Args:
            X: rows with holes, as in `fit`.

        Returns:
            X, filled, as the kind of frame it is.
        """
        return self._transformed(X, 1 if self.sample_posterior else 0)[0]

    def transform_many(self, X: Any) -> list[Any]:
        """Several completed tables, each row's holes drawn together; their spread is the uncertainty.

        Args:
            X: rows with holes, as in `fit`.

        Returns:
            A list of `n_imputations` tables.
        """
        return self._transformed(X, whole_number("n_imputations", self.n_imputations, at_least=1))

    def _transformed(self, X: Any, draws: int) -> list[Any]:
        """The most probable filling, or `draws` tables that are drawn."""
        holed = self._rows(X)
        rng, layout = self._generator() if draws else self._steady_generator(), self.model_.layout_
        if holed.complete:
            done = [unchanged(self, X) for _ in range(max(draws, 1))]
        elif draws:
            done = [
                filled(self, X, holed, codes, layout, numbers=numbers)
                for codes, numbers in self._drawn(X, holed, draws, rng)
            ]
        else:
            codes, numbers = self._expected(X, holed, rng)
            done = [filled(self, X, holed, codes, layout, numbers=numbers)]
        if not self.add_indicator:
            return done
        hidden = np.asarray(holed.hidden)[:, self.indicated_]
        names = [f"missingindicator_{self.model_.domain_.names[i]}" for i in self.indicated_]
        return [_beside(whole, hidden, names) for whole in done]

    def _rows(self, X: Any) -> Holed:
        check_is_fitted(self, "model_")
        return later_table(self, X, self.model_.domain_)

    def _answers(self, X: Any, holed: Holed, rng: np.random.Generator) -> Iterator[HoleAnswers]:
        """Answers of the rows with holes, in pieces: memory does not grow with the rows."""
        values = None
        if self.forests_ is not None and not isinstance(X, Holed):
            values = self._values(X)
        yield from hole_answers(
            self.networks_,
            self.forests_,
            holed.codes,
            np.asarray(holed.hidden),
            values,
            tolerance=self.tolerance,
            rng=rng,
            n_jobs=self._threads,
        )

    def _expected(self, X: Any, holed: Holed, rng: np.random.Generator) -> tuple[IntArray, Numbers]:
        """The codes of the most probable states, and the expected numbers of each column that has any."""
        codes = np.array(holed.codes, dtype=np.int64)
        numbers: Numbers = {}
        for part in self._answers(X, holed, rng):
            for i, rows in part.holes():
                if part.is_number(i):
                    column = numbers.setdefault(i, np.zeros(holed.rows))
                    whole = self.model_.layout_.columns[i].kind != "float"
                    column[part.rows[rows]] = part.medians(i, rows) if whole else part.means(i, rows)
                else:
                    codes[part.rows[rows], i] = part.law(i, rows).argmax(axis=1)
        return codes, numbers

    def _values(self, X: Any) -> FloatArray:
        """The numbers of later rows, [row, column]."""
        assert self.forests_ is not None
        return values_of(checked(self, X, reset=False), self.model_.domain_, self.forests_.numbers)[0]

    def laws(self, X: Any) -> dict[str, FloatArray]:
        """The probabilities of each column's states; of a number its bins.

        Args:
            X: rows with holes, as in `fit`.

        Returns:
            By name, [row, state]; of what was observed, certainty.
        """
        holed, rng = self._rows(X), self._steady_generator()
        domain = self.model_.domain_
        found = {}
        for i, name in enumerate(domain.names):
            found[name] = np.zeros((holed.rows, domain.cardinalities[i]))
            found[name][np.arange(holed.rows), holed.codes[:, i]] = 1.0
        for part in self._answers(X, holed, rng):
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
        holed, rng = self._rows(X), self._steady_generator()
        if self.forests_ is None or isinstance(X, Holed):
            raise DataError(
                "quantiles are of numbers, in a frame or an array of them; got none. Ask `laws` for probabilities."
            )
        names = self.model_.domain_.names
        values = self._values(X)
        found = {
            names[i]: np.repeat(values[:, [i]], len(levels), axis=1)
            for i in np.flatnonzero(self.forests_.numbers)
        }
        for part in self._answers(X, holed, rng):
            for i, rows in part.holes():
                if part.is_number(i):
                    found[names[i]][part.rows[rows]] = part.quantiles(i, rows, levels)
        return found

    def _drawn(
        self, X: Any, holed: Holed, draws: int, rng: np.random.Generator
    ) -> list[tuple[IntArray, Numbers]]:
        """Completed codes and numbers: imputation m from network m, and from the first again after the last."""
        out: list[IntArray] = []
        for m in range(min(draws, len(self.networks_))):
            times = len(range(m, draws, len(self.networks_)))
            found = impute(
                self.networks_[m],
                holed.codes,
                holed.hidden,
                method="draw",
                n_imputations=times,
                tolerance=COARSEST,
                rng=rng,
                n_jobs=self._threads,
            )
            out += found.imputations
        if self.forests_ is None or isinstance(X, Holed):
            return [(codes, {}) for codes in out]
        values = self._values(X)
        tables = [codes.astype(np.uint16) for codes in out]
        whole = self.forests_.completed(tables, values, np.asarray(holed.hidden), rng)
        which = np.flatnonzero(self.forests_.numbers).tolist()
        return [(codes, {i: table[:, i] for i in which}) for codes, table in zip(out, whole, strict=True)]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The columns' names, as they were; with `add_indicator` those of the indicators after them.

        Args:
            input_features: the names, where `fit` saw none.

        Returns:
            [column].
        """
        check_is_fitted(self, "model_")
        names = _check_feature_names_in(self, input_features)
        if not self.add_indicator:
            return np.asarray(names, dtype=object)
        learned = [name for name in names if name not in self.left_out_]
        return np.array([*names, *(f"missingindicator_{learned[i]}" for i in self.indicated_)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _beside(whole: Any, hidden: NDArray[np.bool_], names: list[str]) -> Any:
    """The table with the indicator columns after its own."""
    if isinstance(whole, np.ndarray):
        return np.hstack([whole, hidden.astype(whole.dtype)])
    if isinstance(whole, list):
        return [
            {**row, **dict(zip(names, gone.tolist(), strict=True))}
            for row, gone in zip(whole, hidden, strict=True)
        ]
    import narwhals as nw

    frame = nw.from_native(whole, eager_only=True)
    columns = []
    for place, name in enumerate(names):
        column = nw.new_series(name, hidden[:, place], backend=frame.implementation)
        if frame.implementation.is_pandas():
            column = nw.maybe_set_index(column, index=nw.maybe_get_index(frame))
        columns.append(column)
    return frame.with_columns(*columns).to_native()
