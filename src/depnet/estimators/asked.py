"""Questions to a fitted model: what is likely, also in every group of a table, what would move it, what tells of it.

They are asked of the model itself, or of what `model.given(...)` makes: the model in which something is known already.
"""

import itertools
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.data.table.dataset import Holed
from depnet.errors import EvidenceError, InferenceError
from depnet.inference import GroupAnswers, query, query_by
from depnet.inference.answer.question import SECONDS, TOLERANCE, Method
from depnet.inference.answer.shown import given_text
from depnet.inference.ask.information import information
from depnet.inference.judge.influence import Influence, influence
from depnet.learning.links import Link
from depnet.model.evidence import Given
from depnet.model.given_text import read_given
from depnet.model.mixture import AnyNetwork

if TYPE_CHECKING:
    from depnet.estimators.network import DependencyNetwork


class AskedModel:
    """What a fitted model answers, and the same model where something is known already."""

    @property
    @abstractmethod
    def _fitted(self) -> "DependencyNetwork": ...

    @abstractmethod
    def _asked(self, method: str = "auto") -> tuple[AnyNetwork, np.random.Generator]:
        """Which network is asked, and what answers are drawn by."""

    @abstractmethod
    def _counted(self, data: Any) -> Holed | None:
        """The rows that answers are counted in."""

    def _known(self, evidence: Given | str | None) -> Given | str | None:
        """The evidence, and what is known already."""
        return evidence

    def query(
        self,
        targets: str | Sequence[str],
        evidence: Given | str | None = None,
        *,
        by: str | Sequence[str] | None = None,
        joint: bool = False,
        method: Method = "auto",
        tolerance: float = TOLERANCE,
        max_seconds: float | None = SECONDS,
        data: Any = None,
        do: Mapping[str, Any] | None = None,
    ) -> Any:
        """What is likely given what is known.

        The answer is that of `law_`, Q(targets | evidence). Where rows are kept, `observed` has the frequencies among
        those that match the evidence, by their own values, and `combined` joins the two. An answer about a column that
        has holes is about its values where it is known; `missing` says how often it is not.

        Args:
            targets: what is asked for: a column by its name, a condition as text ("income > 50000"), or several of
                these; or alone an event over several columns ("age > 40 or smoker = yes").
            evidence: what is known, by name: a state, a set of states, a range (`slice(4000, 5000)`, ">5000",
                "4000..5000"), or weights of states; or text, events in it (docs/queries.md has all of them).
            by: columns whose combinations are groups: the question is answered for each of them, and the answer is a tidy
                frame, as of a group-by (see `depnet.query_by`).
            joint: whether the answer is one table of all targets together.
            method: "auto", "exact" or "sample" ask `law_`; "clamped" and "bayes" ask `network_` (see `depnet.query`).
            tolerance: what is sampled is sampled until every standard error is under this.
            max_seconds: stop sampling after this many seconds; the answer then warns, and has not `converged`. None: no
                limit.
            data: rows to count in, as in `fit`; None: those that were learned from (`data_`).
            do: what is set, by name, each to one value, of a model whose `order` are your causes (docs/causes.md).

        Returns:
            A `QueryResult`; print it. With `by`, a frame of the kind that was learned from.

        >>> import depnet
        >>> model = depnet.DependencyNetwork(random_state=0).fit(depnet.titanic())
        >>> found = model.query("survived", {"sex": "female", "class": {"1st", "2nd"}})
        >>> found.combined.round(2).tolist(), found.matching
        ([0.07, 0.93], 251)
        """
        if by is not None:
            if not isinstance(targets, str) or joint or method != "auto" or do:
                raise InferenceError("`by` takes one target, and no `joint`, `method` or `do`.")
            groups = self.query_by(targets, by, evidence, tolerance=tolerance, data=data)
            layout = self._fitted.layout_
            kind = "pandas" if layout is None else layout.kind
            return groups.frame(kind if kind in ("polars", "pyarrow") else "pandas")
        network, rng = self._asked(method)
        return query(
            network,
            targets,
            self._known(evidence),
            joint=joint,
            method=method,
            tolerance=tolerance,
            max_seconds=max_seconds,
            data=self._counted(data),
            rng=rng,
            do=do,
        )

    def query_by(
        self,
        target: str,
        by: str | Sequence[str],
        evidence: Given | str | None = None,
        *,
        tolerance: float = TOLERANCE,
        data: Any = None,
    ) -> GroupAnswers:
        """The same question for every combination of some columns, as a value: its `frame`, and its `plot`.

        Args:
            target: a column by its name, or a condition as text.
            by: columns whose combinations are groups.
            evidence: what is known of all groups, as in `query`.
            tolerance: as in `query`.
            data: as in `query`.

        Returns:
            `GroupAnswers`; `query(target, evidence, by=...)` is its frame.
        """
        law, rng = self._asked()
        known, rows = self._known(evidence), self._counted(data)
        return query_by(law, target, by, known, tolerance=tolerance, data=rows, rng=rng)

    def given(self, evidence: Given | str | None = None, /, **known: Any) -> "GivenModel":
        """The model in which something is known, asked as the model is.

        Args:
            evidence: as in `query`: a mapping, or text.
            known: columns by their names.

        Returns:
            A `GivenModel`, which has `query`, `query_by`, `sample`, `score`, `score_samples`, `influence`, `information`
            and `links`.

        >>> import depnet
        >>> model = depnet.DependencyNetwork(random_state=0).fit(depnet.titanic())
        >>> model.given("class = 1st or class = 2nd", sex="female").query("survived").combined.round(2).tolist()
        [0.07, 0.93]
        """
        model = self._fitted
        read = read_given(evidence, model.domain_) if isinstance(evidence, str) else evidence
        return GivenModel(model, self._known({**(read or {}), **known}))  # type: ignore[arg-type]  # no text

    def influence(self, target: str, evidence: Given | str | None = None, of: str | None = None) -> Influence:
        """What would move a target: what each other column, if it became known, would make of it.

        Args:
            target: a column.
            evidence: what is known, as in `query`.
            of: of a category the state whose probability is looked at; of a number a condition (">30") or its "mean".

        Returns:
            An `Influence`: `value` now, and `effects`, the widest first, each with its `variable`, and `values` by state.
        """
        law, rng = self._asked()
        return influence(law, target, self._known(evidence), of=of, max_seconds=SECONDS, rng=rng)

    def information(self, a: Any = None, b: Any = None, given: Given | str | None = None) -> Any:
        """How much columns tell of each other, in bits, given what is known: the mutual information of `law_`.

        Args:
            a: a column, or several; None: all.
            b: others; None: a matrix of all pairs of `a` is wanted.
            given: what is known, as in `query`.

        Returns:
            An `Information`, with `bits` and their `standard_error`, 0 where they are exact; of a matrix, a pandas frame
            of bits.

        >>> import depnet
        >>> model = depnet.DependencyNetwork(random_state=0).fit(depnet.titanic())
        >>> model.information("sex", "survived").standard_error, model.information(given={"sex": "male"}).shape
        (0.0, (4, 4))
        """
        model, known = self._fitted, self._known(given)
        names = model.domain_.names if a is None else (a,) if isinstance(a, str) else tuple(a)
        law, rng = self._asked()
        if b is not None:
            return information(law, names, b, known, rng=rng)
        import pandas as pd

        found = pd.DataFrame(np.nan, index=names, columns=names)
        for one, other in itertools.combinations(names, 2):
            found.loc[one, other] = found.loc[other, one] = information(law, one, other, known, rng=rng).bits
        return found


@dataclass(frozen=True, eq=False)
class GivenModel(AskedModel):
    """A fitted model given what is known: answers, rows, scores and information are of its law so conditioned.

    It has the model's `query`, `query_by`, `given`, `sample`, `score`, `score_samples`, `influence`, `information` and
    `links`.

    Args:
        model: the model.
        known: what is known, as evidence.

    >>> import depnet
    >>> women = depnet.DependencyNetwork(random_state=0).fit(depnet.titanic()).given(sex="female")
    >>> women, women.query("survived", {"class": "3rd"}).combined.round(2).tolist()
    (GivenModel(sex = female), [0.54, 0.46])
    """

    model: "DependencyNetwork"
    known: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"GivenModel({given_text(self.known)})"

    @property
    def _fitted(self) -> "DependencyNetwork":
        return self.model

    def _asked(self, method: str = "auto") -> tuple[AnyNetwork, np.random.Generator]:
        return self.model._asked(method)  # noqa: SLF001  # the model itself

    def _counted(self, data: Any) -> Holed | None:
        return self.model._counted(data)  # noqa: SLF001

    def _known(self, evidence: Given | str | None) -> Given:
        more = read_given(evidence, self.model.domain_) if isinstance(evidence, str) else evidence
        twice = next((name for name in more or {} if name in self.known), None)
        if twice is not None:
            raise EvidenceError(f"{twice!r} is already known in {self!r}. Ask the model itself.")
        return {**self.known, **(more or {})}

    def sample(self, n: int = 1, evidence: Given | str | None = None, **options: Any) -> Any:
        """New rows in which all of it is so."""
        return self.model.sample(n, self._known(evidence), **options)

    def score_samples(self, X: Any) -> Any:
        """Each row's log-likelihood given what is known, in nats; -inf of rows that are not known to be so."""
        return self.model.score_samples(X, self.known)

    def score(self, X: Any) -> float:
        """The mean of `score_samples` of the rows that are known to be so."""
        return self.model.score(X, given=self.known)

    def links(self) -> tuple[Link, ...]:
        """The links of the whole network: what is known does not change which column reads which."""
        return self.model.links()
