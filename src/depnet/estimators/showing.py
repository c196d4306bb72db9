"""What a fitted `DependencyNetwork` shows of itself: its summary, its repr, and a picture for notebooks."""

from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from depnet.data.dataset import Dataset
from depnet.estimators.html import html_of
from depnet.estimators.randomness import generator_of
from depnet.estimators.summary import QUICK_CODES, Summary, short_lines, summary_of
from depnet.inference.completion import Completed
from depnet.learning.certificate import Certificate
from depnet.learning.links import links
from depnet.model.network import Network


class ShownMixin(BaseEstimator):  # type: ignore[misc]
    """Shows `network_` with what is proven of it."""

    network_: Network
    data_: Dataset | None
    completion_: Completed | None
    random_state: Any
    _certified: Certificate | None

    if TYPE_CHECKING:

        @property
        def certificate_(self) -> Certificate | None:
            """As the estimator has it."""

    def summary(self) -> Summary:
        """The certificate, the data's marginals against the model's, one-sided links and inconsistency; print it."""
        check_is_fitted(self, "network_")
        return summary_of(
            self.network_,
            data=self.data_,
            proven=self.certificate_,
            completed=self.completion_,
            rng=generator_of(self.random_state),
        )

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = str(super().__repr__(N_CHAR_MAX))
        if not hasattr(self, "network_"):
            return text
        return "\n".join([text, *short_lines(self.network_, self.data_, self._quick_certificate())])

    def _quick_certificate(self) -> Certificate | None:
        """The certificate, unless it was never asked for and would take long: a repr must come at once."""
        large = self.data_ is not None and self.data_.codes.size > QUICK_CODES
        return self._certified if large else self.certificate_

    def _repr_html_(self) -> str:
        if not hasattr(self, "network_"):
            return str(estimator_html_repr(self))
        return html_of(self, self.network_, links(self.network_), self._quick_certificate())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
