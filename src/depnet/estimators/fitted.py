"""A fitted `DependencyNetwork`: what `fit` leaves behind, which network is asked, what is proven, how it shows itself."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from depnet.arrays import FloatArray
from depnet.data.table.columns import Layout
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.kinds import word_of
from depnet.data.table.variable import Domain
from depnet.errors import DataError, outside
from depnet.estimators.base import later_table
from depnet.fitting.complete import Completion
from depnet.fitting.summary import Summary, plain_figures, short_lines, summary_of
from depnet.inference.answer.observed import matching
from depnet.inference.ask.query import log_probability
from depnet.inference.holes import score_holed
from depnet.inference.judge.cells import CellLaws, cell_laws
from depnet.learning.auto import Copy, copies_of
from depnet.learning.certificate import Certificate, certificate, law_certificate
from depnet.learning.links import links
from depnet.model.constraints import Constraint
from depnet.model.evidence import Evidence, Given
from depnet.model.mixture import AnyNetwork
from depnet.model.model import NO_LAW
from depnet.model.network import Network
from depnet.notebook import beside, card, line, table
from depnet.wording import plural

LISTED_LINKS = 10


class FittedModel(BaseEstimator):  # type: ignore[misc]
    """What `fit` leaves behind, certificates of `network_` and `law_`, a summary, and a picture for notebooks."""

    network_: Network
    law_: Any
    """A `Network`, or a `Mixture`; None only where a model file has no law."""
    domain_: Domain
    layout_: Layout | None
    data_: Holed | None
    _learned: Dataset | None
    """The rows that were learned from, their holes completed: for links and certificates, which speak of complete rows."""
    completion_: Completion | None
    left_out_: tuple[str, ...] | None
    """Columns that were not learned from; None of a model file, which does not say it."""
    penalty: Any
    random_state: Any
    _certified: Certificate | None
    _law_certified: Certificate | None
    _updated: bool

    def _answering(self, method: str = "auto") -> AnyNetwork:
        """Which network is asked: the law, unless the method is the paper's own, or there is none.

        Without a law answers are those of clamped chains, and it is said every time.
        """
        check_is_fitted(self, "network_")
        if method in ("clamped", "bayes"):
            return self.network_
        if self.law_ is None:
            warnings.warn(NO_LAW, UserWarning, stacklevel=outside())
            return self.network_
        law: AnyNetwork = self.law_
        return law

    @property
    def kinds_(self) -> dict[str, str]:
        """What each column was found or said to be, in the words of `kinds`; "skip": it was left out."""
        check_is_fitted(self, "network_")
        words: dict[str, str] = {variable.name: word_of(variable) for variable in self.domain_.variables}
        return words | dict.fromkeys(self.left_out_ or (), "skip")

    @property
    def certificate_(self) -> Certificate | None:
        """What is proven from the rows learned from (completed, where they had holes); computed when first asked for.

        None after `partial_fit` and after `load`: it speaks of rows that are no longer all there is.
        """
        check_is_fitted(self, "network_")
        if self._certified is None and self._learned is not None and not self._updated:
            penalty = "mdl" if isinstance(self.penalty, str) and self.penalty == "auto" else self.penalty
            self._certified = certificate(self.network_, self._learned, penalty=penalty)
        return self._certified

    @property
    def law_certificate_(self) -> Certificate | None:
        """The same of `law_`: how far it is from the rows, KL(p^D || Q). None of a mixture, and where there is no law."""
        check_is_fitted(self, "network_")
        if self._law_certified is None and not self._updated:
            self._law_certified = law_certificate(self.law_, self._learned)
        return self._law_certified

    @property
    def copies_(self) -> tuple[Copy, ...]:
        """Columns of many states that repeat another one, as a code repeats a name; `str` says "operator repeats opid"."""
        check_is_fitted(self, "network_")
        return () if self.law_ is None else copies_of(self.law_)

    @property
    def constraints_(self) -> tuple[Constraint, ...]:
        """What drawn rows keep, as the table does, or as was asked; `str` says "arrival >= departure"."""
        check_is_fitted(self, "network_")
        return () if self.law_ is None else self.law_.constraints

    def score_samples(self, X: Any, given: Given | str | None = None) -> FloatArray:
        """Each row's log-likelihood under `law_` in nats: of the cells that it knows, and of which these are.

        A hole that is no state of its column has the column's rate of holes in the rows learned from.

        (Of a model without a law it is the pseudo-log-likelihood of `network_`, the sum over nodes of log theta.)

        Args:
            X: rows, as in `fit`.
            given: what is known, as in `query`: the likelihood is that given this, 0 of rows that are not known to be so.

        Returns:
            [row]: the lower, the more surprising is the row.
        """
        network = self._answering()
        holed = later_table(self, X, self.domain_, values=given is not None)
        hidden, rng = np.asarray(holed.hidden), self._steady_generator()
        found = score_holed(network, holed.codes, hidden, rng=rng)
        if given is None:
            return found
        known = Evidence.parse(self.domain_, given, events=True)
        log = float(log_probability(network, known, rng=rng).values[0])
        return np.where(matching(known, holed) > 0, found - log, -np.inf)

    def score(self, X: Any, y: Any = None, *, given: Given | str | None = None) -> float:
        """The mean of `score_samples`.

        Args:
            X: rows, as in `fit`.
            y: ignored.
            given: what is known, as in `query`: the mean is of the rows that are known to be so.

        Returns:
            Nats a row: higher is better.
        """
        each = self.score_samples(X, given)
        inside = np.ones(len(each), dtype=bool) if given is None else each > -np.inf
        if not inside.any():
            raise DataError("there are no rows to score: found a table with 0 sample(s).")
        weights = X.weights if isinstance(X, Holed) else None
        return float(np.average(each[inside], weights=None if weights is None else weights[inside]))

    def oddness(self, X: Any) -> CellLaws:
        """How odd each cell is given the rest of its row, by its tail mass, and each row: see `docs/odd-rows.md`.

        Args:
            X: rows, as in `fit`; holes are not odd.

        Returns:
            `tails` [row, variable] and `row_tails` [row], the less the odder; and `best` [row, variable], the code of the
            state that the rest of the row makes most likely.

        >>> import depnet
        >>> model = depnet.DependencyNetwork(random_state=0).fit(depnet.titanic())
        >>> found = model.oddness(depnet.titanic())
        >>> found.tails.shape, bool((found.row_tails <= 1).all())
        ((2201, 4), True)
        """
        check_is_fitted(self, "network_")
        rows = later_table(self, X, self.domain_, values=True)
        return cell_laws(self.network_, rows)

    def summary(self) -> Summary:
        """What the model explains, the data's marginals against its own, links, and what is proven.

        Returns:
            A summary; print it.
        """
        check_is_fitted(self, "network_")
        return summary_of(
            self.network_,
            self.law_,
            data=self._learned,
            proven=self.certificate_,
            law_proven=self.law_certificate_,
            completed=self.completion_,
        )

    def plot(self, ax: Any = None) -> Any:
        """A picture of what depends on what, as `depnet.pictures.to_svg` draws it: lines are as wide as links are strong.

        Needs matplotlib (`pip install 'depnet[plot]'`).

        Args:
            ax: the Axes to draw on; None: new ones.

        Returns:
            The Axes.
        """
        check_is_fitted(self, "network_")
        from depnet.pictures import dependency_graph, plot_svg, to_svg

        return plot_svg(to_svg(dependency_graph(self.network_, self._learned)), ax)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = str(super().__repr__(N_CHAR_MAX))
        if not hasattr(self, "network_"):
            return text
        lines = short_lines(self.network_, self.law_, self._learned)
        return "\n".join([text, *lines])

    def _repr_html_(self) -> str:
        """One self-contained `<div>`: plain figures, the strongest links, and a small picture; every name is escaped."""
        if not hasattr(self, "network_"):
            return str(estimator_html_repr(self))
        from depnet.pictures.graph.dependency import dependency_graph
        from depnet.pictures.graph.svg import small_svg

        lines = plain_figures(self.network_ if self.law_ is None else self.law_)
        found = links(self.network_)
        size = f"{plural(len(self.domain_), 'column')}, {plural(len(found), 'link')}"
        rows = [[link.source, link.target, f"{link.strength:.3f}"] for link in found[:LISTED_LINKS]]
        return card(
            f"{type(self).__name__}: {size}",
            *map(line, lines),
            beside(
                table(["source", "node", "bits per row"], rows, left=2),
                small_svg(dependency_graph(self.network_, found=found)),
            ),
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
