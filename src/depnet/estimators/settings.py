"""What the estimators pass to learning, and the defaults they share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from depnet.data.dataset import Dataset
from depnet.data.domain import Domain
from depnet.data.holed import Holed
from depnet.inference.completion import Completed, learn_completed
from depnet.learning.cuts import CutLearner
from depnet.learning.learn import learn
from depnet.learning.options import Limits, Role, plan
from depnet.learning.penalty import Mdl, Penalty, StructuralMdl
from depnet.model.network import Network

QUICK = StructuralMdl(0.75, 1.0, 0.5 * Mdl())
"""The best single penalty of docs/penalties.md: for the rounds of completion, and where "auto" has too few rows."""

GENEROUS = StructuralMdl(0.25, 1.0, 0.25 * Mdl())
"""Beside `QUICK` for a mean over networks, which evens out what each has learned too much: better on small tables."""

SHARE = 0.6
"""Of the variables, what a category's source may read in one of many networks, in tables with binned columns."""

FEW_ROWS = 10
"""With fewer rows "auto" has nothing to hold out, and `QUICK` is used."""


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
    """The file of `learn`, for the last fit; the rounds of completion are made again."""

    @property
    def threads(self) -> int:
        """`n_jobs` as a number of threads, by joblib's rules."""
        return int(effective_n_jobs(self.n_jobs))

    def learn(self, rows: Dataset, progress: Callable[[int, int], object] | None = None) -> Network:
        """A network from complete rows."""
        few = isinstance(self.penalty, str) and self.penalty == "auto" and rows.total < FEW_ROWS
        return learn(
            rows,
            penalty=QUICK if few else self.penalty,
            smoothing=self.smoothing,
            n_jobs=self.n_jobs,
            max_leaves=self.max_leaves,
            min_leaf_rows=self.min_leaf_rows,
            roles=self.roles,
            forbidden=self.forbidden,
            max_seconds=self.max_seconds,
            progress=progress,
            resume=self.resume,
        )

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
        """A network from rows with holes; `progress` counts rounds first, then nodes."""
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
        return learn_completed(
            holed,
            lambda rows: last.learn(rows, lambda done, nodes: told(rounds + done)),
            between=quick.learn,
            rounds=self.rounds,
            rng=rng,
            n_jobs=self.threads,
            progress=lambda done, total: told(done),
        )
