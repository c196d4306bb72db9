"""`DependencyNetwork`: the joint distribution of a frame, learned, asked, completed, sampled and saved."""

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from depnet.arrays import FloatArray
from depnet.data.frames.decode import decode
from depnet.data.frames.unknown import HandleUnknown
from depnet.data.table.dataset import Dataset
from depnet.data.table.holed import Holed
from depnet.data.table.layout import FrameKind, Layout
from depnet.errors import DataError
from depnet.estimators.base import TableEstimator
from depnet.estimators.callbacks import Tasks, with_callbacks
from depnet.estimators.fitted import FittedModel
from depnet.estimators.tables import filled, fitted_table, joined, later_table, unchanged
from depnet.fitting.complete import Completion
from depnet.fitting.fit import fit, learn_network
from depnet.inference.answer.query import query
from depnet.inference.answer.question import TOLERANCE, Method
from depnet.inference.answer.result import QueryResult
from depnet.inference.rows.holed_score import score_holed
from depnet.inference.rows.impute import drawn_whole, impute
from depnet.inference.rows.query import query_rows
from depnet.learning.links.links import Link, links
from depnet.learning.options import Role
from depnet.model.evidence import Given, narrowed_domain
from depnet.model.file import NO_LAW, load_both, save
from depnet.model.network import Network
from depnet.removed import without
from depnet.sampling import sample

KEPT_CODES = 200_000_000
"""Rows of up to this many codes (bytes, mostly) are kept: for links, certificates and the support of evidence."""


@without("blocks", "calibrate")
@dataclass(kw_only=True, eq=False, repr=False)
class DependencyNetwork(FittedModel, DensityMixin, TableEstimator):  # type: ignore[misc]
    """The joint distribution of a table, as a probabilistic dependency network and as an ordered law.

    `fit` learns two networks from the same rows. `network_` is the paper's: every variable given all others, for
    `predict_proba` of complete rows, `links`, `certificate_` and decision graphs. `law_` reads earlier variables of an order
    only, so that its tables make one law: `query`, `sample`, `score` and `score_samples` are of it.

    Parameters are those of `depnet.learn` (penalty, smoothing, max_leaves, min_leaf_rows, boost, roles, forbidden,
    max_seconds, which covers both), of frames (bins, max_bins), and:

    - `order`: of `law_`, "auto" or the names of all variables in order.
    - `missing`: "complete" (holes are unknown and completed while learning, at most `rounds` rounds; assumes that
      cells are missing at random), "state" (missing is a state of its own), or "error".
    - `handle_unknown`: values never seen are an "error", or as good as "missing", which a warning says, in rows given
      after `fit`.
    - `n_jobs`: threads. The results do not depend on it.
    - `keep`: names of columns to learn from although they look like names, identifiers or row numbers, which are left out
      otherwise; `max_states`: of text, all but the most frequent ones are one state, "other".
    - `random_state`: a seed makes sample, query, impute and score_samples reproducible, each call for itself. Without one
      they are fresh each time, but `fit` is not: a model is a function of its table.

    After `fit`: `network_` and `law_` (immutable `depnet.Network`s), `domain_`, `layout_`, `data_` (the rows learned from,
    completed), `left_out_` (columns of X that were not learned from), `completion_` (the report of the rounds),
    `certificate_` (of the network), `law_certificate_`, `n_features_in_`, `feature_names_in_`.

    >>> import numpy as np
    >>> rows = np.array([[0, 0], [1, 1]] * 50)
    >>> model = DependencyNetwork(random_state=0).fit(rows)
    >>> model.query("X1", {"X0": 1}).probabilities.round(1).tolist()
    [0.0, 1.0]
    """

    handle_unknown: HandleUnknown = "error"
    missing: str = "complete"
    roles: Mapping[str, Role] | None = None
    forbidden: Iterable[tuple[str, str]] = ()
    order: str | Sequence[str] = "auto"

    # Fitting

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> "DependencyNetwork":
        """Learn from a frame, an array, a `Dataset` or a `Holed`; `y` is ignored."""
        return fit_model(self, X, self)

    def partial_fit(self, X: Any, y: Any = None) -> "DependencyNetwork":
        """Add the rows of X to the counts of both networks; the first call is `fit`. Sources stay as they were learned.

        Holes are drawn given what their row knows. The certificates of the old rows no longer hold: they are None
        from here on.
        """
        if not hasattr(self, "network_"):
            return self.fit(X, y)
        for network in (self.network_, self.law_):
            if network is not None:
                network.check_updatable("partial_fit")
        holed = self._rows(X)
        rng = self._generator()
        rows = (
            holed.dataset()
            if holed.complete
            else drawn_whole(self._answering(), holed, rng=rng, n_jobs=self._threads)
        )
        kept = self.data_
        same = self.law_ is self.network_  # a file had the law alone
        self.network_ = self.network_.updated(rows)
        if self.law_ is not None:
            self.law_ = self.network_ if same else self.law_.updated(rows)
        self.data_ = None if kept is None else joined(kept, rows, KEPT_CODES)
        self._certified, self._law_certified, self._updated = None, None, True
        return self

    def _take(
        self, network: Network, law: Network | None, completed: Completion | None, lacks: str | None = None
    ) -> None:
        self.network_, self.law_, self.domain_ = network, law, network.domain
        self._lacks = lacks
        self.completion_ = completed
        rows = None if completed is None else completed.dataset
        self.data_ = rows if rows is not None and rows.codes.size <= KEPT_CODES else None
        self._certified, self._law_certified, self._updated = None, None, False

    def _rows(self, X: Any, absent: HandleUnknown = "error") -> Holed:
        check_is_fitted(self, "network_")
        return later_table(self, X, self.domain_, absent=absent)

    # Asking

    def _answering(self, method: str = "auto") -> Network:
        """Which network is asked: the law, unless the method is the paper's own, or there is none.

        Without a law answers are those of clamped chains, and it is said every time.
        """
        check_is_fitted(self, "network_")
        if method in ("clamped", "bayes"):
            return self.network_
        if self.law_ is None:
            warnings.warn(self._lacks or NO_LAW, UserWarning, stacklevel=3)
            return self.network_
        return self.law_

    def query(
        self,
        targets: str | Sequence[str],
        evidence: Given | None = None,
        *,
        joint: bool = False,
        method: Method = "auto",
        tolerance: float = TOLERANCE,
        max_seconds: float | None = None,
    ) -> QueryResult:
        """What is likely given what is known; see `depnet.query`. Matching rows are counted in `data_`.

        The answer is that of `law_`, Q(targets | evidence); "clamped" and "bayes" ask `network_` instead. Where rows are
        kept, `observed` has the frequencies among those that match the evidence, and `combined` joins the two.
        """
        return query(
            self._answering(method),
            targets,
            evidence,
            joint=joint,
            method=method,
            tolerance=tolerance,
            max_seconds=max_seconds,
            data=self.data_,
            rng=self._generator(),
        )

    def sample(self, n: int = 1, evidence: Given | None = None) -> Any:
        """`n` new rows of `law_`, given evidence: a frame as X was, with its dtypes (a `Dataset` where X was one).

        Numbers are drawn from the values that their bin keeps, and that the evidence allows, each given those before it in
        the law's order.
        """
        law = self._answering()
        rng = self._generator()
        rows = sample(law, n, evidence=evidence, rng=rng, n_jobs=self._threads)
        if self.layout_ is None:
            return rows
        narrowed = narrowed_domain(self.domain_, evidence)
        return decode(rows.codes, narrowed, self.layout_, rng=rng, within=law.within)

    def impute(self, X: Any, *, method: Literal["mode", "draw"] = "mode", tolerance: float = 0.01) -> Any:
        """X with its holes filled; what was observed stays as it is.

        "mode": each hole's most probable state, for a float its expected value, for other numbers and dates their
        median. "draw": each row's holes drawn together.
        """
        holed = self._rows(X)
        if holed.complete:
            return unchanged(self, X)
        rng = self._generator()
        done = impute(
            self._answering(),
            holed.codes,
            holed.hidden,
            method=method,
            tolerance=tolerance,
            rng=rng,
            n_jobs=self._threads,
        )
        laws = dict(done.cells.probabilities) if method == "mode" else None
        (codes,) = done.imputations
        return filled(self, X, holed, codes, self.layout_, laws=laws, rng=rng)

    def score_samples(self, X: Any) -> FloatArray:
        """Each row's log-likelihood under `law_` in nats; of a row with holes, that of what it knows.

        (Of a model without a law it is the pseudo-log-likelihood of `network_`, the sum over nodes of log theta.)
        """
        holed = self._rows(X)
        return score_holed(
            self._answering(),
            holed.codes,
            np.asarray(holed.hidden),
            rng=self._generator(),
            n_jobs=self._threads,
        )

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of `score_samples`, nats per row: higher is better."""
        each = self.score_samples(X)
        if not len(each):
            raise DataError("there are no rows to score: found a table with 0 sample(s).")
        weights = X.weights if isinstance(X, (Dataset, Holed)) else None
        return float(np.average(each, weights=weights))

    def predict_proba(self, X: Any, target: str | None = None, *, tolerance: float = 0.01) -> FloatArray:
        """[row, state]: the probabilities of `target` given the rest of each row, in the order of its states.

        Of a row that knows all the rest it is what the target's node in `network_` says, of others what `law_` says.
        Without a `target` it is the last column, as tables for classification mostly have it. What X says of `target` is
        not looked at, and a frame may lack that column, and others: they are unknown.
        """
        holed = self._rows(X, absent="missing")
        target = self.domain_.names[-1] if target is None else target
        i = self.domain_.index(target)
        hidden = np.array(holed.hidden)
        hidden[:, i] = True
        known = hidden.sum(axis=1) == 1
        found = np.empty((len(hidden), self.domain_.cardinalities[i]))
        found[known] = self.network_.nodes[i].probabilities(holed.codes[known])
        if not known.all():
            rest = query_rows(
                self._answering(),
                holed.codes[~known],
                hidden[~known],
                tolerance=tolerance,
                rng=self._generator(),
                n_jobs=self._threads,
            )
            found[~known] = rest.probabilities[target]
        return found

    def links(self, bootstrap: int = 0) -> tuple[Link, ...]:
        """Which variable tells which node what, the strongest first; see `depnet.links`."""
        check_is_fitted(self, "network_")
        return links(
            self.network_,
            self.data_,
            bootstrap,
            learner=lambda rows: learn_network(rows, self._options()),
            rng=self._generator(),
        )

    # Keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write both networks, with states, bins and the frame's dtypes, to a model file; no rows and no code are in it."""
        check_is_fitted(self, "network_")
        save(self.network_, path, None if self.law_ is self.network_ else self.law_, layout=self.layout_)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, frame: FrameKind | None = None, **parameters: Any
    ) -> "DependencyNetwork":
        """An estimator from a model file, without the rows it was learned from.

        `frame` is the kind of frame that `sample` gives (None: as the one learned from, where the file says which and its
        library is installed, else pandas); `parameters` are those of the estimator. Where the file has no law, `law_` is
        None, and answers are those of clamped chains, with a warning. Where it has the law alone, that is `network_`, too.
        """
        loaded = load_both(path)
        network, layout = loaded.first, loaded.layout
        model = cls(**parameters)
        model._take(network, loaded.law, None, loaded.lacks)
        if layout is None or frame not in (None, layout.kind):
            layout = Layout.of(network.domain, frame or "pandas")
        model.layout_, model.left_out_ = layout, None
        model.n_features_in_ = len(network.domain)
        model.feature_names_in_ = np.array(network.domain.names, dtype=object)
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


def fit_model(model: DependencyNetwork, X: Any, estimator: TableEstimator) -> DependencyNetwork:
    """`model.fit(X)` as a part of an estimator's own fit, whose callbacks hear of the progress."""
    samples = estimator is model  # others have no use for how numbers go within bins
    holed, layout = fitted_table(model, X, missing=model.missing, levels=samples)
    options = model._options()  # noqa: SLF001  # a method but for its callbacks
    tasks = Tasks(estimator, "node" if holed.complete else "round or node", options.steps(holed))
    done = fit(holed, options, model._fit_generator(), tasks.until)  # noqa: SLF001
    tasks.until(options.steps(holed))
    tasks.end()
    model.layout_ = layout
    model._take(done.network, done.law, done.completion)  # noqa: SLF001  # a method but for its callbacks
    return model
