"""`DependencyNetworkImputer`: holes filled in a pipeline, categories and numbers alike."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from depnet.arrays import FloatArray, IntArray
from depnet.checks import whole_number
from depnet.data.frames.describe import BinChoice
from depnet.data.frames.encode import HandleUnknown
from depnet.data.table.dataset import Dataset
from depnet.data.table.holed import Holed
from depnet.estimators.callbacks import CallbackSupportMixin, with_callbacks
from depnet.estimators.network import DependencyNetwork
from depnet.estimators.randomness import generator_of
from depnet.estimators.tables import checked
from depnet.fitting.complete import Learner, out_of_bag_scores, plausible_networks
from depnet.fitting.fit import FEW_ROWS, GENEROUS, QUICK
from depnet.inference.rows.impute import impute
from depnet.inference.rows.mean_law import mean_laws
from depnet.model.network import Network
from depnet.removed import without

TRIED_NETWORKS = 5
"""Networks with each penalty by which a node's penalty is chosen."""

COARSEST = 0.1
"""The Monte Carlo standard error of one network's probabilities, at most."""


class DependencyNetworkImputer(CallbackSupportMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
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
    - `smoothing`: with `penalty=None` what all states of a leaf of `networks_` get together, in rows (of the one network
      of `model_`, and with another penalty, what each gets): a mean over networks is smooth by itself.

    Other parameters, and values never seen (`handle_unknown="missing"`: they are filled, too), are those of
    `DependencyNetwork`. After `fit`: `model_`, a `DependencyNetwork` of the completed table, and `networks_`.

    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]] * 50 + [[1.0, np.nan]])
    >>> DependencyNetworkImputer(random_state=0).fit_transform(X)[-1].tolist()
    [1.0, 1.0]
    """

    @without("blocks")
    def __init__(
        self,
        *,
        sample_posterior: bool = False,
        n_imputations: int = 1,
        add_indicator: bool = False,
        n_networks: int = 20,
        tolerance: float = 0.02,
        penalty: Any = None,
        smoothing: float = 0.5,
        bins: BinChoice = "quantile",
        max_bins: int = 16,
        rounds: int = 20,
        handle_unknown: HandleUnknown = "missing",
        max_leaves: int | None = None,
        min_leaf_rows: int = 0,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.sample_posterior = sample_posterior
        self.n_imputations = n_imputations
        self.add_indicator = add_indicator
        self.n_networks = n_networks
        self.tolerance = tolerance
        self.penalty = penalty
        self.smoothing = smoothing
        self.bins = bins
        self.max_bins = max_bins
        self.rounds = rounds
        self.handle_unknown = handle_unknown
        self.max_leaves = max_leaves
        self.min_leaf_rows = min_leaf_rows
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> "DependencyNetworkImputer":
        """Learn from X with its holes; `y` is ignored."""
        rng = generator_of(self.random_state)
        model = DependencyNetwork(
            penalty=QUICK if self.penalty is None else self.penalty,
            smoothing=self.smoothing,
            bins=self.bins,
            max_bins=self.max_bins,
            rounds=self.rounds,
            handle_unknown=self.handle_unknown,
            max_leaves=self.max_leaves,
            min_leaf_rows=self.min_leaf_rows,
            max_seconds=self.max_seconds,
            n_jobs=self.n_jobs,
            random_state=rng,
        )
        checked(self, X, reset=True)
        model._told_to = self  # whose callbacks hear of the progress
        model.fit(X)
        del model._told_to
        model.random_state = self.random_state
        self.model_ = model
        assert model.completion_ is not None
        self.networks_: tuple[Network, ...] = (model.network_,)
        if self.n_networks != 1:
            self.networks_ = plausible_networks(
                model.completion_,
                self._learner(model, rng),
                self.n_networks,
                rng=rng,
                n_jobs=model._settings().threads,
            )
        self.indicated_ = np.flatnonzero(model.completion_.hidden.any(axis=0))
        return self

    def _learner(self, model: DependencyNetwork, rng: np.random.Generator) -> Learner:
        """The learner of `networks_`: with the penalty given, or for each node the better of two."""
        settings = model._settings()
        done = model.completion_
        assert done is not None
        if self.penalty is not None or done.dataset.total < FEW_ROWS:
            return settings.learn
        smoothings = [self.smoothing / k for k in model.domain_.cardinalities]
        seed = rng.integers(2**63)
        scores = []
        for penalty in (QUICK, GENEROUS):
            same = np.random.default_rng(seed)  # the same rows for both
            learner = settings.cut_learner(model.domain_, [penalty] * len(smoothings), smoothings, same)
            scores.append(out_of_bag_scores(done, learner, TRIED_NETWORKS, rng=same))
        self.generous_ = scores[1] > scores[0]
        penalties = [GENEROUS if better else QUICK for better in self.generous_]
        return settings.cut_learner(model.domain_, penalties, smoothings, rng)

    def transform(self, X: Any) -> Any:
        """X with its holes filled, as the kind of frame it is."""
        if self.sample_posterior:
            return self._transformed(X, 1)[0]
        return self._transformed(X, 0)[0]

    def transform_many(self, X: Any) -> list[Any]:
        """`n_imputations` completed tables, each row's holes drawn together; their spread is the uncertainty."""
        return self._transformed(X, whole_number("n_imputations", self.n_imputations, at_least=1))

    def _transformed(self, X: Any, draws: int) -> list[Any]:
        """The most probable filling, or so many draws."""
        check_is_fitted(self, "model_")
        table = X if isinstance(X, (Dataset, Holed)) else checked(self, X, reset=False)
        rng = generator_of(self.random_state)
        holed = self.model_._rows(table)
        if holed.complete:
            done = [self.model_._unchanged(table) for _ in range(max(draws, 1))]
        elif draws:
            done = [
                self.model_._with_holes_filled(table, holed, codes, None, rng)
                for codes in self._drawn(holed, draws, rng)
            ]
        else:
            laws = self.laws(holed, rng)
            codes = np.stack([law.argmax(axis=1) for law in laws.values()], axis=1)
            codes = np.where(holed.hidden, codes, holed.codes).astype(np.int64)
            done = [self.model_._with_holes_filled(table, holed, codes, laws, rng)]
        if not self.add_indicator:
            return done
        hidden = np.asarray(holed.hidden)[:, self.indicated_]
        names = [f"missingindicator_{self.model_.domain_.names[i]}" for i in self.indicated_]
        return [_beside(whole, hidden, names) for whole in done]

    def laws(self, X: Any, rng: np.random.Generator | None = None) -> dict[str, FloatArray]:
        """The probabilities of each column's states, [row, state] by name: of a hole the mean over `networks_`."""
        check_is_fitted(self, "model_")
        holed = X if isinstance(X, Holed) else self.model_._rows(X)
        rng = generator_of(self.random_state) if rng is None else rng
        return mean_laws(
            self.networks_,
            holed.codes,
            np.asarray(holed.hidden),
            tolerance=self.tolerance,
            rng=rng,
            n_jobs=self.model_._settings().threads,
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
                n_jobs=self.model_._settings().threads,
            )
            out += found.imputations
        return out

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The columns' names, as they were; with `add_indicator` those of the indicators after them."""
        check_is_fitted(self, "model_")
        names = _check_feature_names_in(self, input_features)
        if not self.add_indicator:
            return np.asarray(names, dtype=object)
        return np.array([*names, *(f"missingindicator_{names[i]}" for i in self.indicated_)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
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
