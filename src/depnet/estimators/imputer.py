"""`DependencyNetworkImputer`: holes filled in a pipeline, categories and numbers alike."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from depnet.arrays import FloatArray, IntArray
from depnet.checks import whole_number
from depnet.data.table.holed import Holed
from depnet.estimators.base import TableEstimator
from depnet.estimators.callbacks import with_callbacks
from depnet.estimators.network import DependencyNetwork, fit_model
from depnet.estimators.tables import checked, filled, later_table, unchanged
from depnet.fitting.complete import Completion, Learner
from depnet.fitting.ensemble import chosen_learner, plausible_networks
from depnet.fitting.fit import FEW_ROWS, QUICK, learn_network
from depnet.inference.rows.impute import impute
from depnet.inference.rows.mean_law import mean_laws
from depnet.model.network import Network
from depnet.removed import without

COARSEST = 0.1
"""The Monte Carlo standard error of one network's probabilities, at most."""


@without("blocks")
@dataclass(kw_only=True, eq=False, repr=False)
class DependencyNetworkImputer(TransformerMixin, TableEstimator):  # type: ignore[misc]
    """Fill holes from the joint distribution of all columns; a drop-in beside scikit-learn's IterativeImputer.

    `fit` completes the table in rounds (see `DependencyNetwork`), then learns `n_networks` networks from rows of it drawn
    with replacement: what one network alone says would be too sure. `transform` fills each hole by the mean of their
    laws, given what its row knows: a category with its most probable state, a float with its expected value, other
    numbers and dates with their median. Observed cells stay as they are.

    - `sample_posterior`: draw instead, each row's holes together, from the first network.
    - `n_imputations`: how many completed tables `transform_many` draws, from one network after the other.
    - `add_indicator`: append a column `missingindicator_NAME` for each column that had holes in `fit`.
    - `tolerance`: about the Monte Carlo standard error of a hole's probabilities; it sets the number of sweeps.
    - `penalty`: None chooses for each node between a strict and a generous one, by rows that networks have not seen.
    - `boost`: as in `DependencyNetwork`, of `model_` and of `networks_`, whose nodes then have one penalty.
    - `smoothing`: with `penalty=None` what all states of a leaf of `networks_` get together, in rows (of the one network
      of `model_`, and with another penalty, what each gets): a mean over networks is smooth by itself.

    Other parameters, and values never seen (`handle_unknown="missing"`: they are filled, too), are those of
    `DependencyNetwork`. After `fit`: `model_`, a `DependencyNetwork` of the completed table, and `networks_`.

    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]] * 50 + [[1.0, np.nan]])
    >>> DependencyNetworkImputer(random_state=0).fit_transform(X)[-1].tolist()
    [1.0, 1.0]
    """

    penalty: Any = None
    sample_posterior: bool = False
    n_imputations: int = 1
    add_indicator: bool = False
    n_networks: int = 20
    tolerance: float = 0.02

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> "DependencyNetworkImputer":
        """Learn from X with its holes; `y` is ignored."""
        rng = self._fit_generator()
        shared = {field.name: getattr(self, field.name) for field in fields(TableEstimator)}
        model = DependencyNetwork(**shared)
        model.set_params(penalty=QUICK if self.penalty is None else self.penalty, random_state=rng)
        checked(self, X, reset=True)
        self.model_ = fit_model(model, X, self).set_params(random_state=self.random_state)
        self.left_out_ = model.left_out_ or ()
        done = model.completion_
        assert done is not None
        self.networks_: tuple[Network, ...] = (model.network_,)
        if self.n_networks != 1:
            learn = self._learner(done, rng)
            self.networks_ = plausible_networks(done, learn, self.n_networks, rng=rng, n_jobs=self._threads)
        self.indicated_ = np.flatnonzero(done.hidden.any(axis=0))
        return self

    def _learner(self, done: Completion, rng: np.random.Generator) -> Learner:
        """The learner of `networks_`: with the penalty given, or for each node the better of two."""
        if self.penalty is not None or self.boost is not None or done.dataset.total < FEW_ROWS:
            options = replace(self._options(), penalty=QUICK if self.penalty is None else self.penalty)
            return lambda rows: learn_network(rows, options)
        learner, self.generous_ = chosen_learner(done, self._options(), rng)
        return learner

    def transform(self, X: Any) -> Any:
        """X with its holes filled, as the kind of frame it is."""
        return self._transformed(X, 1 if self.sample_posterior else 0)[0]

    def transform_many(self, X: Any) -> list[Any]:
        """`n_imputations` completed tables, each row's holes drawn together; their spread is the uncertainty."""
        return self._transformed(X, whole_number("n_imputations", self.n_imputations, at_least=1))

    def _transformed(self, X: Any, draws: int) -> list[Any]:
        """The most probable filling, or `draws` tables that are drawn."""
        holed = self._rows(X)
        rng, layout = self._generator(), self.model_.layout_
        if holed.complete:
            done = [unchanged(self, X) for _ in range(max(draws, 1))]
        elif draws:
            done = [
                filled(self, X, holed, codes, layout, None, rng) for codes in self._drawn(holed, draws, rng)
            ]
        else:
            laws = self.laws(holed, rng)
            codes = np.stack([law.argmax(axis=1) for law in laws.values()], axis=1)
            codes = np.where(holed.hidden, codes, holed.codes).astype(np.int64)
            done = [filled(self, X, holed, codes, layout, laws, rng)]
        if not self.add_indicator:
            return done
        hidden = np.asarray(holed.hidden)[:, self.indicated_]
        names = [f"missingindicator_{self.model_.domain_.names[i]}" for i in self.indicated_]
        return [_beside(whole, hidden, names) for whole in done]

    def _rows(self, X: Any) -> Holed:
        check_is_fitted(self, "model_")
        return later_table(self, X, self.model_.domain_)

    def laws(self, X: Any, rng: np.random.Generator | None = None) -> dict[str, FloatArray]:
        """The probabilities of each column's states, [row, state] by name: of a hole the mean over `networks_`."""
        holed = X if isinstance(X, Holed) else self._rows(X)
        rng = self._generator() if rng is None else rng
        return mean_laws(
            self.networks_,
            holed.codes,
            np.asarray(holed.hidden),
            tolerance=self.tolerance,
            rng=rng,
            n_jobs=self._threads,
        )

    def _drawn(self, holed: Holed, draws: int, rng: np.random.Generator) -> list[IntArray]:
        """Completed codes: imputation m from network m, and from the first again after the last."""
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
        return out

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The columns' names, as they were; with `add_indicator` those of the indicators after them."""
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
