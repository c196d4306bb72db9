"""A fitted model: the paper's network and the ordered law, both learned from one completed table.

`Settings.fit` is the whole way from a table with holes to both, for the estimators, the command and the explorer.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed
from depnet.errors import LearningError
from depnet.fitting.complete import Completed, learn_completed
from depnet.fitting.worth import chosen_worth
from depnet.learning.choose.ladder import Auto
from depnet.learning.choose.order import TablePairs
from depnet.learning.choose.trials import Choice
from depnet.learning.grow.cuts import CutLearner
from depnet.learning.grow.nodes import Progress
from depnet.learning.learn import learn_tried
from depnet.learning.options import Limits, Order, Role, order_of, plan
from depnet.learning.penalty import Mdl, Penalty, StructuralMdl
from depnet.learning.rows.held_out import held_out
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network

QUICK = StructuralMdl(0.75, 1.0, 0.5 * Mdl())
"""The best single penalty of docs/penalties.md: for the rounds of completion, and where "auto" has too few rows."""

GENEROUS = StructuralMdl(0.25, 1.0, 0.25 * Mdl())
"""Beside `QUICK` for a mean over networks, which evens out what each has learned too much: better on small tables."""

SHARE = 0.6
"""Of the variables, what a category's source may read in one of many networks, in tables with binned columns."""

FEW_ROWS = 10
"""With fewer rows "auto" has nothing to hold out, and `QUICK` is used."""

BEFORE, PATIENCE = 2, 2
"""The law's ladder of penalties begins so many rungs before the network's best, and ends after so many no better ones."""

NETWORK_SHARE = 0.6
"""Of `max_seconds`, what completing the table and the paper's network take at most; the law has what is left."""


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Both models of one table, with its 1- and 2-way counts, and how its holes were completed.

    `network` is the paper's: full conditionals, for `predict_proba` of complete rows, links, odd cells and decision
    graphs. `law` is ordered: what answers, samples, scores and most probable rows are of.
    """

    network: Network
    law: Network
    completion: Completed

    @property
    def dataset(self) -> Dataset:
        """The completed rows that both were learned from."""
        return self.completion.dataset


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of learning, as the estimators' parameters have them."""

    penalty: Any = "auto"
    smoothing: float = 0.5
    max_leaves: int | None = None
    min_leaf_rows: int = 0
    roles: Mapping[str, Role] | None = None
    forbidden: Iterable[tuple[str, str]] = ()
    max_seconds: float | None = None
    rounds: int = 20
    n_jobs: int | None = None
    resume: str | None = None
    """The file of `learn`, for the last fit; the rounds of completion are made again. The law has a file of its own,
    of the same name with ".law" after it."""
    order: Order = "auto"
    """Of the law: "auto", or the names of all variables."""

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "forbidden", tuple(self.forbidden)
        )  # an iterator would be empty the second time

    @property
    def threads(self) -> int:
        """`n_jobs` as a number of threads, by joblib's rules."""
        return int(effective_n_jobs(self.n_jobs))

    def steps(self, holed: Holed) -> int:
        """What `progress` of `fit` counts to: rounds of completion, then the nodes of both networks."""
        return (0 if holed.complete else self.rounds) + 2 * len(holed.domain)

    def fit(
        self, holed: Holed, rng: np.random.Generator, progress: Callable[[int], object] | None = None
    ) -> Fitted:
        """Complete the table, and learn both from it; `progress` counts to `steps(holed)`."""
        self._check_order(holed.domain)
        told = progress or (lambda done: None)
        began = time.monotonic()
        first, second = self, self
        if self.max_seconds is not None:
            first = replace(self, max_seconds=NETWORK_SHARE * self.max_seconds)
        completed, choice = first._completed(holed, rng, told)
        if self.max_seconds is not None:
            second = replace(self, max_seconds=max(self.max_seconds - (time.monotonic() - began), 0.0))
        before = self.steps(holed) - len(holed.domain)
        told(before)
        law = second.law(completed.dataset, lambda done, nodes: told(before + done), beside=choice)
        counts = MarginalCounts.of(completed.dataset)
        network = replace(completed.network, counts=counts)
        return Fitted(network, replace(law, counts=counts), replace(completed, network=network))

    def _check_order(self, domain: Domain) -> None:
        """Errors of an order that is given, before anything is learned."""
        if self.order is None:
            raise LearningError(
                'order is "auto", or the names of all variables in order: a fitted model has an ordered law. The paper\'s '
                "network alone is learned by depnet.learn(dataset)."
            )
        if not (isinstance(self.order, str) and self.order == "auto"):
            given = order_of(domain, self.order, _no_pairs, roles=self.roles, forbidden=self.forbidden)
            plan(domain, roles=self.roles, forbidden=self.forbidden, order=given)

    def learn(self, rows: Dataset, progress: Progress | None = None) -> Network:
        """The paper's network from complete rows."""
        return self._tried(rows, progress)[0]

    def _tried(self, rows: Dataset, progress: Progress | None) -> tuple[Network, Choice | None]:
        return learn_tried(rows, order=None, resume=self.resume, **self._options(rows, progress))

    def law(
        self, rows: Dataset, progress: Progress | None = None, *, beside: Choice | None = None
    ) -> Network:
        """The ordered network from complete rows; with penalty="auto" its `held_out` says how many rows it is worth.

        That is judged on the rows held out, by the laws that the trials have learned without them. Where the choice
        of the network `beside` it is known, the ladder of penalties begins a few rungs before that; a law whose best is the
        first of these is learned again by the whole ladder.
        """
        resume = None if self.resume is None else f"{self.resume}.law"
        options = self._options(rows, progress)
        whole = options["penalty"]
        if beside is not None and self.resume is None:
            options["penalty"] = _from_near(whole, beside)
        law, choice = learn_tried(rows, order=self.order, resume=resume, **options)
        if choice is not None and self.max_seconds is None and options["penalty"] is not whole:
            shorter = options["penalty"].penalties
            if len(shorter) < len(_auto(whole).penalties) and choice.pooled[0] == shorter[0]:
                options["penalty"] = whole
                law, choice = learn_tried(rows, order=self.order, resume=resume, **options)
        if choice is None or law.held_out is None:
            return law
        worth = chosen_worth(choice.tried, list(held_out(rows)))
        return replace(law, held_out=replace(law.held_out, worth=worth))

    def _options(self, rows: Dataset, progress: Progress | None) -> dict[str, Any]:
        few = isinstance(self.penalty, str) and self.penalty == "auto" and rows.total < FEW_ROWS
        return {
            "penalty": QUICK if few else self.penalty,
            "smoothing": self.smoothing,
            # To ask joblib for one thread takes longer than to grow small nodes.
            "n_jobs": 1 if self.threads == 1 else self.n_jobs,
            "max_leaves": self.max_leaves,
            "min_leaf_rows": self.min_leaf_rows,
            "roles": self.roles,
            "forbidden": self.forbidden,
            "max_seconds": self.max_seconds,
            "progress": progress,
            "cuts": True,  # numbers have an order, and few rows can pay for a leaf a bin
        }

    def cut_learner(
        self,
        domain: Domain,
        penalties: Sequence[Penalty],
        smoothings: Sequence[float],
        rng: np.random.Generator,
    ) -> CutLearner:
        """A learner for a mean over networks, with a penalty and a smoothing for each node."""
        return CutLearner(
            domain,
            plan(domain, roles=self.roles, forbidden=self.forbidden),
            penalties,
            smoothings,
            share=SHARE,
            rng=rng,
            n_jobs=self.n_jobs,
            limits=Limits(self.max_leaves, self.min_leaf_rows),
            max_seconds=self.max_seconds,
        )

    def complete(
        self, holed: Holed, rng: np.random.Generator, progress: Callable[[int], object] | None = None
    ) -> Completed:
        """The paper's network from rows with holes; `progress` counts rounds first, then nodes."""
        return self._completed(holed, rng, progress)[0]

    def _completed(
        self, holed: Holed, rng: np.random.Generator, progress: Callable[[int], object] | None
    ) -> tuple[Completed, Choice | None]:
        """`complete`, and what penalty="auto" chose."""
        told = progress or (lambda done: None)
        auto = self.penalty == "auto" if isinstance(self.penalty, str) else False
        rounds = 0 if holed.complete else self.rounds
        budget = self.max_seconds
        share = None if budget is None else budget / (2 * max(rounds, 1))
        quick = replace(
            self,
            penalty=QUICK if auto else self.penalty,
            max_seconds=share,
            resume=None,
        )
        last = self if budget is None or not rounds else replace(self, max_seconds=budget / 2)
        choices: list[Choice | None] = []

        def learn(rows: Dataset) -> Network:
            network, choice = last._tried(rows, lambda done, nodes: told(rounds + done))
            choices.append(choice)
            return network

        completed = learn_completed(
            holed,
            learn,
            between=quick.learn,
            rounds=self.rounds,
            rng=rng,
            n_jobs=self.threads,
            progress=lambda done, total: told(done),
        )
        return completed, choices[-1]


def _auto(penalty: Auto | str) -> Auto:
    """What "auto" chooses from."""
    return penalty if isinstance(penalty, Auto) else Auto()


def _from_near(penalty: Auto | str, beside: Choice) -> Auto:
    """The ladder near the rung that was best for the network beside."""
    auto = _auto(penalty)
    first = max(auto.penalties.index(beside.pooled[0]) - BEFORE, 0)
    return replace(auto, penalties=auto.penalties[first:], patience=min(auto.patience, PATIENCE))


def _no_pairs() -> TablePairs:
    raise AssertionError("an order that is given needs no counts")
