"""`DependencyNetworkClassifier`: one column given the others."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from depnet.arrays import CodeArray, FloatArray, code_type, read_only
from depnet.data.table.dataset import Holed
from depnet.data.table.variable import Domain, Variable
from depnet.estimators.base import (
    TableEstimator,
    check_choice,
    check_target,
    fitted_table,
    later_table,
    shares_of_loss,
)
from depnet.fitting.choose_missing import make_holes_states, with_hole_states
from depnet.fitting.complete import Completion
from depnet.fitting.fit import NETWORK_SHARE, QUICK, FitOptions, fit_law, fit_network
from depnet.inference.holes import query_rows
from depnet.learning.options import AutoBoost
from depnet.threads import Work, show_progress

FINE_BINS = ((64, 4), (255, 40))
"""Bins of a number that only boosted stages read, which split it in two wherever that tells most; and the rows of a bin, at
least. Very fine bins need the rows that tell a better cut from a lucky one."""
FEW_HOLES = 0.05
"""The share of rows with holes up to which `missing="auto"` makes states of all: only y's node is then learned."""
TOLERANCE = 0.05
"""Of what is drawn for the holes of a row: y's own law, a mean over them, is nearer. A smaller one has the same log loss."""
RUNS, FEW_ROWS = 4, 20_000
"""Where there are few rows, what is chance in the stages weighs most, and averaging takes little time."""


@dataclass(kw_only=True, eq=False, repr=False)
class DependencyNetworkClassifier(ClassifierMixin, TableEstimator):  # type: ignore[misc]
    """P(y | x) from y's own node: one decision graph or boosted stages, whichever held-out rows prefer (`boost="auto"`).

    With complete rows only y's node is learned (quick), and a prediction is what it says of the row. Where only y's node
    is learned and boosted, numbers are cut into many bins (up to 255), which its stages split between; else as
    `max_bins` says.

    Args:
        boost: "auto" (stages where held-out rows prefer them), a `depnet.Boost`, or None: the paper's node, one graph.
        missing: holes of X in `fit`: "auto" (a state of its own in the columns whose holes the others or y tell of, and
            in all columns where few rows have other holes; else unknown), "complete" (they are unknown), "state" (missing
            is a state of its own), or "error".
        inputs: whether the nodes of X are learned, too, as an ordered law whose last variable is y, so that holes in a
            row to predict are summed out: True, False (they are then drawn from their columns' own marginals), or
            "auto": where X has holes in `fit` that are unknown.

    Attributes:
        classes_: the classes, in order.
        network_: the network, whose last variable is y.
        completion_: the report of the fit.
        n_features_in_: how many columns X had.
        feature_names_in_: their names, where they are text.
        feature_importances_: what each column of X is worth, in shares that add up to 1.

    >>> import numpy as np
    >>> X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 25)
    >>> model = DependencyNetworkClassifier().fit(X, np.where(X[:, 0] == 1, "yes", "no"))
    >>> model.predict([[1, 0], [0, 0]]).tolist()
    ['yes', 'no']
    """

    boost: Any = "auto"
    missing: str = "auto"
    inputs: bool | Literal["auto"] = "auto"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, progress: bool = False
    ) -> "DependencyNetworkClassifier":
        """Learn y's node from X.

        Args:
            X: a frame, an array, a list of dictionaries, a `Dataset` or a `Holed`.
            y: the class of every row.
            sample_weight: survey weights, as in `DependencyNetwork.fit`; where y's node is boosted, a row comes a whole
                number of times by them, near its weight.
            progress: whether a bar shows how far it is, by tqdm where it is installed.

        Returns:
            The estimator itself.
        """
        check_target(self, y)
        check_choice("inputs", self.inputs, True, False, "auto")
        holed, _ = fitted_table(self, X, missing=self.missing, sample_weight=sample_weight)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        check_consistent_length(holed.codes, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        joined = self._choose_states(_with_target(holed, codes, len(self.classes_)))
        everything = self.inputs is True or (self.inputs == "auto" and not joined.complete)
        if not everything and self.boost is not None and self.bins == "quantile":
            fine = max(2, *(min(most, holed.rows // least) for most, least in FINE_BINS))
            states = [i for i, variable in enumerate(joined.domain.variables) if variable.missing is not None]
            holed, _ = fitted_table(self, X, missing=self.missing, bins=fine, sample_weight=sample_weight)
            joined = with_hole_states(_with_target(holed, codes, len(self.classes_)), states)
        self._inputs = Domain(joined.domain.variables[:-1])
        y_name = joined.domain.names[-1]
        options = self._options(
            boosted=(y_name,),
            roles={y_name: "target"} if everything else dict.fromkeys(holed.domain.names, "input"),
        )
        options = replace(options, missing="complete")  # those that are left
        if self.boost == "auto" and holed.rows <= FEW_ROWS:
            options = replace(options, boost=AutoBoost(runs=RUNS))
        learn = _fit_last if everything else fit_network
        with show_progress("learning", progress) as tell:
            self.completion_ = learn(joined, options, self._steady_generator(), options.work(tell))
        self.network_ = self.completion_.network
        self._importances: FloatArray | None = None
        return self

    def _choose_states(self, joined: Holed) -> Holed:
        """The table with y, with holes as states where `missing` says so."""
        if self.missing != "auto":
            return joined
        chosen = make_holes_states(joined, n_jobs=self._threads)
        if np.average(chosen.hidden.any(axis=1), weights=chosen.weights) <= FEW_HOLES:
            return with_hole_states(joined, range(len(joined.domain)))
        return chosen

    @property
    def feature_importances_(self) -> FloatArray:
        """What each column of X is worth: how much worse rows are predicted when its values are shuffled among them.

        In log loss, of up to 1,000 of the rows learned from, as shares that add up to 1, in the order of
        `feature_names_in_`. A column that the predictions do not depend on has 0; of columns that say the same,
        the model may read one alone.
        """
        check_is_fitted(self, "network_")
        if self._importances is None:
            node, rows = self.network_.nodes[-1], self.completion_.dataset.codes

            def losses(codes: CodeArray) -> FloatArray:
                return -np.log(node.probabilities(codes)[np.arange(len(codes)), codes[:, -1]])

            self._importances = shares_of_loss(losses, rows, node.inputs, self._kept, self.n_features_in_)
        return self._importances

    def predict_proba(self, X: Any) -> FloatArray:
        """P(y | x) of every row.

        Args:
            X: rows, as in `fit`.

        Returns:
            [row, class], classes in the order of `classes_`.
        """
        check_is_fitted(self, "network_")
        holed = later_table(self, X, self._inputs)
        joined = _with_target(holed, np.zeros(holed.rows, dtype=np.int64), len(self.classes_))
        hidden = np.array(joined.hidden)
        hidden[:, -1] = True
        found = query_rows(
            self.network_,
            joined.codes,
            hidden,
            tolerance=TOLERANCE,
            rng=self._steady_generator(),
            n_jobs=self._threads,
        )
        return np.array(found.probabilities[self.network_.domain.names[-1]])

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every row.

        Args:
            X: rows, as in `fit`.

        Returns:
            [row].
        """
        chosen = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[chosen])


def _fit_last(table: Holed, options: FitOptions, rng: np.random.Generator, work: Work) -> Completion:
    """The ordered law whose last variable is y, from the completed table.

    P(y | what a row knows) sums out its holes: of one law that takes a pass, where chains may hardly move.
    """
    steps = len(table.domain)
    quick = replace(
        options, penalty=options.penalty if options.auto is None else QUICK, boost=None, roles=None
    )
    completion = fit_network(table, quick, rng, work.share(NETWORK_SHARE).stage(steps, 0, 2))
    return replace(completion, network=fit_law(completion.dataset, options, work.stage(steps, 1, 2)))


def _with_target(holed: Holed, codes: NDArray[Any], classes: int) -> Holed:
    """The table with y as its last variable, under a name that no other has."""
    names = set(holed.domain.names)
    name = next(f"y{'_' * k}" for k in range(len(names) + 1) if f"y{'_' * k}" not in names)
    labels = tuple(f"class {k}" for k in range(classes))  # no numbers: classes have no order
    domain = Domain((*holed.domain.variables, Variable(name, labels)))
    table = np.empty((holed.rows, len(domain)), dtype=code_type(domain.cardinalities), order="F")
    table[:, :-1], table[:, -1] = holed.codes, codes
    hidden = np.zeros(table.shape, dtype=bool, order="F")
    hidden[:, :-1] = holed.hidden
    return Holed(domain, read_only(table), read_only(hidden), holed.weights)
