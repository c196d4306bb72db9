"""`DependencyNetwork`: the joint distribution of a frame, learned, asked, completed, sampled and saved."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from depnet.arrays import FloatArray
from depnet.data.frames.decode import decode
from depnet.data.table.columns import FrameKind, Layout
from depnet.data.table.dataset import Holed, holed_rows, join_rows
from depnet.data.table.encode import HandleUnknown
from depnet.errors import DataError
from depnet.estimators.asked import AskedModel
from depnet.estimators.base import TableEstimator, copy, fill_in, fitted_table, generator_of, later_table
from depnet.estimators.fitted import FittedModel
from depnet.fitting.complete import Completion
from depnet.fitting.fit import fit
from depnet.inference import Explanation, Nearest, explain, impute, nearest, query_rows
from depnet.inference.imputation import draw_whole, open_holes, present_law, split_holes, warn_left
from depnet.inference.judge.quality import Quality, quality_of
from depnet.inference.kept import keep_filled
from depnet.learning.links import Link, links
from depnet.learning.options import Role
from depnet.model.evidence import Evidence, Given, draw_holes, narrow_domain, with_all_known
from depnet.model.file import load_model, save
from depnet.model.mixture import AnyNetwork
from depnet.model.model import Model
from depnet.sampling import sample
from depnet.threads import show_progress

KEPT_CODES = 200_000_000
"""Rows of up to this many codes (bytes, mostly) are kept: for links, certificates and the support of evidence."""


@dataclass(kw_only=True, eq=False, repr=False)
class DependencyNetwork(AskedModel, FittedModel, DensityMixin, TableEstimator):  # type: ignore[misc]
    """The joint distribution of a table, as a probabilistic dependency network and as an ordered law.

    `fit` learns two networks from the same rows. `network_` is the paper's: every variable given all others, for
    `predict_proba` of complete rows, `links`, `certificate_` and decision graphs. `law_` reads earlier variables of an
    order only, so that its tables make one law: `query`, `sample`, `score` and `score_samples` are of it.

    Args:
        missing: holes of the table: "auto" (where other columns tell of a column's holes, missing is a state of its own;
            the others are completed), "complete" (they are unknown, and completed while learning; assumes that cells are
            missing at random), "state" (missing is a state of its own), or "error".
        roles: by name, which variables are only a "target" (never an input) or only an "input" (not predicted).
        forbidden: links (source, target) that must not be.
        order: of `law_`: "auto" or the names of all variables in order; those in a list of their own in any. Given as an
            order of causes, it lets `query` say what happens where a column is set (`do`).
        mixture: how many ordered networks, each of another order, make one law together: None (one), a number, or "auto": as
            many as held-out rows gain from (docs/boosting.md). `law_` is then a `depnet.Mixture`, nearer to the truth, and
            so many times as much work to learn.
        constraints: what drawn rows keep, and cells that are filled: "auto" (what every row of the table keeps, see
            `constraints_`), None (nothing), or a list of constraints as text, such as "arrival >= departure" or
            "total = net + tax", in which "auto" may stand, too.
        distil: whether a boosted law may teach the graphs of `law_` (where `penalty="auto"` and held-out rows gain by it):
            answers are nearer to the truth, and a fit takes a few seconds more.

    Attributes:
        network_: the paper's network, an immutable `depnet.Network`.
        law_: the ordered one.
        domain_: the variables, with their states.
        layout_: what the frame was; None where it was a `Dataset`.
        data_: the rows learned from, with their holes and numbers as they came; None where they are too many to be kept,
            and of a loaded model.
        left_out_: columns that were not learned from.
        kinds_: what each column was found to be, in the words of `kinds`.
        completion_: the report of the rounds that completed the table.
        n_features_in_: how many columns X had.
        feature_names_in_: their names, where they are text.

    >>> import numpy as np
    >>> rows = np.array([[0, 0], [1, 1]] * 50)
    >>> model = DependencyNetwork(random_state=0).fit(rows)
    >>> model.query("X1", {"X0": 1}).probabilities.round(1).tolist()
    [0.0, 1.0]
    """

    handle_unknown: HandleUnknown = "error"
    missing: str = "auto"
    roles: Mapping[str, Role] | None = None
    forbidden: Iterable[tuple[str, str]] = ()
    order: str | Sequence[str | Sequence[str]] = "auto"
    mixture: Any = None
    constraints: Any = "auto"
    distil: bool = True

    # Fitting

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, progress: bool = False
    ) -> "DependencyNetwork":
        """Learn from a table.

        Args:
            X: a frame (pandas, polars, pyarrow, any that narwhals reads), an array, a list of dictionaries, a `Dataset`
                or a `Holed`.
            y: ignored.
            sample_weight: survey weights, one a row: how many members of the population it stands for
                (docs/weights.md). None: all are alike.
            progress: whether a bar shows how far it is, by tqdm where it is installed.

        Returns:
            The estimator itself.
        """
        return self._fit(X, values=True, sample_weight=sample_weight, progress=progress)

    def _fit(
        self, X: Any, *, values: bool, sample_weight: Any = None, progress: bool = False
    ) -> "DependencyNetwork":
        """With `values`, also where in their bins numbers lie."""
        given: Any = {"missing": self.missing, "values": values, "sample_weight": sample_weight}
        holed, self.layout_ = fitted_table(self, X, **given)
        options = self._options()
        with show_progress("learning", progress) as tell:
            heard = None if tell is None else lambda done: tell(done, options.steps(holed))
            done = fit(holed, options, self._steady_generator(), heard)
        self._take(done, done.completion, done.table)
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "DependencyNetwork":
        """Add rows to the counts of both networks; the first call is `fit`. Sources stay as they were learned.

        Holes are drawn given what their row knows. The certificates of the old rows no longer hold: they are None
        from here on. Boosted nodes have no counts: an error that says to fit again.

        Args:
            X: the rows to add.
            y: ignored.
            sample_weight: survey weights, as in `fit`.

        Returns:
            The estimator itself.
        """
        if not hasattr(self, "network_"):
            return self.fit(X, y, sample_weight)
        model = Model(self.network_, self.law_)
        for network in model.networks:
            network.check_updatable("partial_fit")
        holed = self._rows(X, values=True)
        if sample_weight is not None:
            holed = holed.weighed(sample_weight)
        rng = self._steady_generator()
        rows = (
            holed.dataset()
            if holed.complete
            else draw_whole(self._answering(), holed, rng=rng, n_jobs=self._threads)
        )
        model = model.updated(rows, holed)
        self.network_, self.law_ = model.network, model.law
        self.data_, learned = _join(self.data_, holed), _join(self._learned, rows)
        self._learned = None if learned is None else learned.dataset()
        self._certified, self._law_certified, self._updated = None, None, True
        return self

    def _take(self, model: Model, completed: Completion | None = None, table: Holed | None = None) -> None:
        self.network_, self.law_, self.domain_ = model.network, model.law, model.domain
        self.completion_ = completed
        rows = None if completed is None else completed.dataset
        few = rows is not None and rows.codes.size <= KEPT_CODES
        self.data_ = table if few else None
        self._learned = rows if few else None
        self._certified, self._law_certified, self._updated = None, None, False

    def _rows(self, X: Any, absent: HandleUnknown = "error", values: bool = False) -> Holed:
        check_is_fitted(self, "network_")
        return later_table(self, X, self.domain_, absent=absent, values=values)

    @property
    def _fitted(self) -> "DependencyNetwork":
        return self

    def _asked(self, method: str = "auto") -> tuple[AnyNetwork, np.random.Generator]:
        """Which network is asked, and what answers are drawn by."""
        return self._answering(method), self._steady_generator()

    def _counted(self, data: Any) -> Holed | None:
        """The rows that answers are counted in: those that were learned from, or others."""
        return self.data_ if data is None else self._rows(data, absent="missing", values=True)

    def explain(
        self, facts: Mapping[str, Any], target: str | None = None, *, state: Any = None, data: Any = None
    ) -> Explanation:
        """Why an answer of `query` is what it is, or why a row is unlikely: what each fact adds, in steps that add up.

        Args:
            facts: what is known, as in `query`, or a row by its columns' names.
            target: a number (its mean is explained), a category (the share of a state) or a condition as text; None: the
                log-likelihood of the row.
            state: of a category, the state; None: the most probable one.
            data: rows to count in, as in `query`.

        Returns:
            An `Explanation`; print it.

        >>> import depnet
        >>> model = DependencyNetwork(random_state=0).fit(depnet.titanic())
        >>> found = model.explain({"sex": "female", "class": "3rd"}, "survived", state="Yes")
        >>> [step.name for step in found.steps], abs(found.start + sum(s.change for s in found.steps) - found.end) < 1e-9
        (['sex', 'class'], True)
        """
        return explain(self._answering(), facts, target, state=state, data=self._counted(data))

    def sample(
        self,
        n: int = 1,
        evidence: Given | str | None = None,
        *,
        holes: bool = True,
        random_state: Any = None,
        progress: bool = False,
    ) -> Any:
        """New rows of `law_`, given evidence, with holes as the table has them.

        Numbers are drawn from the values that their bin keeps, and that the evidence allows, each given those before
        it in the law's order. Holes are drawn with the rest where missing is a state of a column, elsewhere by the
        column's rate of them, independent of all else.

        Args:
            n: how many rows.
            evidence: what is known of them, as in `query`.
            holes: False: without holes, the law given that all is known.
            random_state: a seed of this draw, or a generator; None: the estimator's own, which draws the same rows each
                time where it is a seed.
            progress: whether a bar shows how far it is, by tqdm where it is installed.

        Returns:
            A frame as X was, with its dtypes; a `Dataset` (with holes, a `Holed`) where X was one.
        """
        law = self._answering()
        rng = self._generator() if random_state is None else generator_of(random_state)
        known = Evidence.parse(self.domain_, evidence, events=True)
        asked = known if holes else with_all_known(law, known)
        rows = sample(law, n, evidence=asked, rng=rng, n_jobs=self._threads, progress=progress)
        hidden = draw_holes(law, known, n, rng) if holes else None
        if self.layout_ is None:
            return rows if hidden is None else holed_rows(rows.domain, rows.codes, hidden)
        narrowed, values = narrow_domain(self.domain_, known), rows.values
        return decode(
            rows.codes, narrowed, self.layout_, rng=rng, within=law.within, hidden=hidden, numbers=values
        )

    def impute(
        self,
        X: Any,
        *,
        method: Literal["mode", "draw"] = "mode",
        tolerance: float = 0.01,
        all: bool = False,  # noqa: A002
        progress: bool = False,
    ) -> Any:
        """A table with its holes filled; what was observed stays as it is.

        A hole stays, too, where its column is almost never known beside what the row knows (with a probability under
        .02): it is not unknown, it does not apply. A warning says how many there are.

        Args:
            X: rows with holes, as in `fit`.
            method: "mode" takes each hole's most probable state, for a float its expected value, for other numbers and
                dates their median. "draw" draws each row's holes together.
            tolerance: what is sampled is sampled until every standard error is under this.
            all: fill every hole.
            progress: whether a bar shows how far it is, by tqdm where it is installed.

        Returns:
            X, filled, as the kind of frame it is.
        """
        law = self._answering()
        holed = self._rows(X, values=bool(law.constraints))
        holes = open_holes(holed)
        if not holes.any():
            return copy(self, X)
        rng = self._generator() if method == "draw" else self._steady_generator()
        effort: dict[str, Any] = {
            "tolerance": tolerance,
            "rng": rng,
            "n_jobs": self._threads,
            "progress": progress,
        }
        rows, fill = split_holes(law, holed.codes, holes, everything=all, **effort)
        warn_left(int((holes & ~fill).sum()), "all=True")
        if not fill.any():
            return copy(self, X)
        done = impute(present_law(law), rows, fill, method=method, **effort)
        laws = dict(done.cells.probabilities) if method == "mode" else None
        (codes,) = done.imputations
        codes, numbers = keep_filled(law, codes, fill, holed.values, laws=laws, rng=None if laws else rng)
        filled = replace(holed, codes=rows, hidden=fill)
        return fill_in(self, X, filled, codes, self.layout_, numbers=numbers, laws=laws, rng=rng)

    def predict_proba(self, X: Any, target: str | None = None, *, tolerance: float = 0.01) -> FloatArray:
        """The probabilities of one column given the rest of each row.

        Of a row that knows all the rest it is what the target's node in `network_` says, of others what `law_` says.

        Args:
            X: rows, as in `fit`. What they say of `target` is not looked at, and a frame may lack that column, and
                others: they are unknown.
            target: the name of the column; None: the last one, as tables for classification mostly have it.
            tolerance: what is sampled is sampled until every standard error is under this.

        Returns:
            [row, state], in the order of the states that the target has where it is known.
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
                rng=self._steady_generator(),
                n_jobs=self._threads,
            )
            found[~known] = rest.probabilities[target]
        if self.domain_.variables[i].missing is None:
            return found
        there = found[:, :-1]  # given that it is known
        return np.asarray(there / there.sum(axis=1, keepdims=True))

    def links(self) -> tuple[Link, ...]:
        """The links between variables, the strongest first; see `depnet.links`.

        Returns:
            A tuple of `Link`.
        """
        check_is_fitted(self, "network_")
        return links(self.network_, self._learned)

    def nearest(
        self, row: Mapping[str, Any] | int, target: str | None = None, *, n: int = 10, data: Any = None
    ) -> Nearest:
        """Rows like this one: those learned from that are most like it in what matters to a target, or to all columns.

        Args:
            row: values by column, such as a row of a frame, or the number of a row in the table, from 0; what is left out,
                None or nan is unknown.
            target: a column, which is itself not compared; None: all columns.
            n: how many rows.
            data: rows to look in instead of those learned from, which a loaded model has not.

        Returns:
            A `Nearest`: `rows` has their numbers from 0, `frame()` their cells, equal rows once.
        """
        check_is_fitted(self, "network_")
        table = self._counted(data)
        if table is None:
            raise DataError("nearest needs a table, and the model has no rows of its own: give data=.")
        return nearest(self.network_, table, row, target, n=n, law=self.law_)

    def quality(
        self,
        real: Any = None,
        held_out: Any = None,
        *,
        target: str | Iterable[str] | None = None,
        sensitive: str | Iterable[str] | None = None,
        weights: str | None = None,
    ) -> Quality:
        """How good rows drawn from `law_` are, in the words people buy synthetic rows by; see `depnet.quality`.

        Args:
            real: the rows learned from; None: those that the estimator has kept.
            held_out: real rows that were not learned from.
            target: columns that are predicted from the others.
            sensitive: columns that an attacker wants to guess.
            weights: the name of the column of survey weights.

        Returns:
            A `Quality`; print it, or make a page of it with `depnet.pictures.quality_report`.
        """
        check_is_fitted(self, "network_")
        learned = self.data_ if real is None else real
        if learned is None:
            raise DataError(
                "quality compares with the rows learned from, and the model has kept none: give them."
            )
        options: Any = {"target": target, "sensitive": sensitive, "weights": weights}
        return quality_of(self._answering(), learned, held_out, rng=self._steady_generator(), **options)

    # Keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write both networks, with states, bins and the frame's dtypes, to a model file; no rows and no code are in it.

        Args:
            path: the file's name; compressed where it ends in .gz.
        """
        check_is_fitted(self, "network_")
        save(self.network_, path, self.law_, layout=self.layout_)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, frame: FrameKind | None = None, **parameters: Any
    ) -> "DependencyNetwork":
        """An estimator from a model file, without the rows it was learned from.

        Where the file has no law, `law_` is None, and answers are those of clamped chains, with a warning. Where it has
        the law alone, that is `network_`, too.

        Args:
            path: the file's name.
            frame: the kind of frame that `sample` gives; None: as the one learned from, where the file says which and
                its library is installed, else pandas.
            parameters: those of the estimator.

        Returns:
            The estimator.
        """
        loaded = load_model(path)
        domain, layout = loaded.domain, loaded.layout
        model = cls(**parameters)
        model._take(loaded)
        if layout is None or frame not in (None, layout.kind):
            layout = Layout.of(domain, frame or "pandas")
        model.layout_, model.left_out_ = layout, None
        model.n_features_in_ = len(domain)
        model.feature_names_in_ = np.array(domain.names, dtype=object)
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


def _join(old: Holed | None, new: Holed) -> Holed | None:
    """All rows of both, their holes and their numbers as they came; None where they are too many to be kept."""
    if old is None or old.codes.size + new.codes.size > KEPT_CODES:
        return None
    return join_rows([old, new])
