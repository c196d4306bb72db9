"""What a fitted `DependencyNetwork` shows of itself: its summary, its repr, and a picture for notebooks."""

from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from depnet.data.table.dataset import Dataset
from depnet.estimators.html import html_of
from depnet.estimators.randomness import generator_of
from depnet.fitting.complete import Completed
from depnet.fitting.summary import QUICK_CODES, Summary, figures, short_lines, summary_of
from depnet.learning.certificate import Certificate
from depnet.learning.links.links import links
from depnet.model.network import Network


class ShownMixin(BaseEstimator):  # type: ignore[misc]
    """Shows what the model explains, and what is proven of `law_` and `network_`."""

    network_: Network
    law_: Network | None
    data_: Dataset | None
    completion_: Completed | None
    random_state: Any
    _certified: Certificate | None
    _law_certified: Certificate | None

    if TYPE_CHECKING:

        @property
        def certificate_(self) -> Certificate | None:
            """As the estimator has it."""

        @property
        def law_certificate_(self) -> Certificate | None:
            """As the estimator has it."""

    def summary(self) -> Summary:
        """What the model explains, the data's marginals against its own, links, and what is proven; print it."""
        check_is_fitted(self, "network_")
        return summary_of(
            self.network_,
            self.law_,
            data=self.data_,
            proven=self.certificate_,
            law_proven=self.law_certificate_,
            completed=self.completion_,
            rng=generator_of(self.random_state),
        )

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = str(super().__repr__(N_CHAR_MAX))
        if not hasattr(self, "network_"):
            return text
        lines = short_lines(self.network_, self.law_, self.data_, self._quick_certificate())
        return "\n".join([text, *lines])

    def _quick_certificate(self) -> Certificate | None:
        """The law's certificate (without a law the network's), unless it would take long: a repr must come at once."""
        if self.data_ is not None and self.data_.codes.size > QUICK_CODES:
            return self._certified if self.law_ is None else self._law_certified
        return self.certificate_ if self.law_ is None else self.law_certificate_

    def _repr_html_(self) -> str:
        if not hasattr(self, "network_"):
            return str(estimator_html_repr(self))
        said = figures(self.network_, self.law_)
        proven = self._quick_certificate()
        if proven is not None:
            said.append(proven.said)
        return html_of(self, self.network_, links(self.network_), said)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
