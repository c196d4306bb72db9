"""`model.given(...)`: a fitted model in which something is known, asked as the model itself is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from depnet.errors import EvidenceError
from depnet.inference.answer.shown import given_text
from depnet.learning.links import Link
from depnet.model.given_text import read_given

if TYPE_CHECKING:
    from depnet.estimators.network import DependencyNetwork


@dataclass(frozen=True, eq=False)
class GivenModel:
    """A fitted model given what is known: answers, rows, scores and information are of its law so conditioned.

    >>> import depnet
    >>> women = depnet.DependencyNetwork(random_state=0).fit(depnet.titanic()).given(sex="female")
    >>> women, women.query("survived", {"class": "3rd"}).combined.round(2).tolist()
    (GivenModel(sex = female), [0.54, 0.46])
    """

    model: "DependencyNetwork"
    known: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"GivenModel({given_text(self.known)})"

    def given(self, evidence: Mapping[str, Any] | str | None = None, /, **known: Any) -> "GivenModel":
        """The model with more that is known: a mapping, text, or columns by their names."""
        read = read_given(evidence, self.model.domain_) if isinstance(evidence, str) else evidence
        more = {**(read or {}), **known}
        twice = next((name for name in more if name in self.known), None)
        if twice is not None:
            raise EvidenceError(f"{twice!r} is known already, in {self!r}. Ask the model itself.")
        return GivenModel(self.model, {**self.known, **more})

    def _ask(self, ask: Callable[..., Any], *what: Any, evidence: Any, options: Mapping[str, Any]) -> Any:
        return ask(*what, self.given(evidence).known, **options)

    def query(self, targets: Any, evidence: Any = None, **options: Any) -> Any:
        """As the model's `query`, given what is known and more `evidence`; so are the others."""
        return self._ask(self.model.query, targets, evidence=evidence, options=options)

    def sample(self, n: int = 1, evidence: Any = None, **options: Any) -> Any:
        """New rows in which all of it is so."""
        return self._ask(self.model.sample, n, evidence=evidence, options=options)

    def influence(self, target: str, evidence: Any = None, **options: Any) -> Any:
        """What would move a target."""
        return self._ask(self.model.influence, target, evidence=evidence, options=options)

    def information(self, a: Any = None, b: Any = None, given: Any = None, **options: Any) -> Any:
        """How much columns tell of each other."""
        return self._ask(self.model.information, a, b, evidence=given, options=options)

    def score_samples(self, X: Any) -> Any:
        """Each row's log-likelihood given what is known, in nats; -inf of rows that are not known to be so."""
        return self.model.score_samples(X, self.known)

    def score(self, X: Any) -> float:
        """The mean of `score_samples` of the rows that are known to be so."""
        return self.model.score(X, given=self.known)

    def links(self) -> tuple[Link, ...]:
        """The links of the whole network: what is known does not change which column reads which."""
        return self.model.links()
