"""Rows that networks are tried on, wherever they lie: learned from, or held out and counted.

`penalty="auto"` asks nothing else of a table than is here, so that one rule chooses for a table in memory and for rows
in parts (`depnet.cluster`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.learning.grow.cuts import Offered
from depnet.learning.grow.nodes import Progress, learn_tasks
from depnet.learning.grow.resume import Fit, fingerprint
from depnet.learning.options import Limits, Task
from depnet.learning.penalty import Penalty
from depnet.learning.rows.held_out import held_out
from depnet.learning.rows.paired_counts import Crossed, Crossing, crossed
from depnet.model.counting import leaf_counts
from depnet.model.network import Network
from depnet.model.sources.source import InformationSource


class TrialRows(Protocol):
    """Rows, and the nodes that are to be learned from them."""

    @property
    def domain(self) -> Domain:
        """Of all variables."""

    @property
    def tasks(self) -> Sequence[Task]:
        """The nodes."""

    @property
    def total(self) -> int:
        """N, weights included."""

    def fingerprint(self, penalties: Sequence[Penalty]) -> str:
        """A digest of all that decides the structure."""

    def learn(
        self,
        penalties: Sequence[Penalty],
        *,
        max_seconds: float | None,
        progress: Progress | None,
        resume: Fit | None,
    ) -> Network:
        """The network of these rows, a penalty for each node, without smoothing."""

    def held_out(self) -> list[tuple[Self, Self]]:
        """(rows to learn from, rows to score on): see `depnet.learning.rows.held_out`."""

    def tabulate(self, sources: Sequence[InformationSource]) -> list[IntArray]:
        """For each node `counts[leaf, state]`, its source being that of its place in `sources`."""

    def crossed(self, asked: Sequence[Crossing]) -> list[Crossed]:
        """Counts by two sources at once."""


@dataclass(frozen=True, slots=True, eq=False)
class TableRows:
    """The rows of a dataset."""

    dataset: Dataset
    tasks: Sequence[Task]
    limits: Limits
    n_jobs: int | None
    offered: Offered | None = None
    """The same rows with cuts that sources may split at."""

    @classmethod
    def of(
        cls, dataset: Dataset, tasks: Sequence[Task], limits: Limits, n_jobs: int | None, *, cuts: bool
    ) -> "TableRows":
        """The rows, with the cuts of binned variables on offer or not."""
        return cls(dataset, tasks, limits, n_jobs, Offered.of(dataset, tasks) if cuts else None)

    @property
    def domain(self) -> Domain:
        """Of all variables."""
        return self.dataset.domain

    @property
    def total(self) -> int:
        """N, weights included."""
        return self.dataset.total

    def fingerprint(self, penalties: Sequence[Penalty]) -> str:
        """A digest of all that decides the structure."""
        tasks = self.tasks if self.offered is None else self.offered.tasks
        return fingerprint(self.dataset, tasks, penalties, self.limits)

    def learn(
        self,
        penalties: Sequence[Penalty],
        *,
        max_seconds: float | None,
        progress: Progress | None,
        resume: Fit | None,
    ) -> Network:
        """The network of these rows, a penalty for each node, without smoothing."""
        return learn_tasks(
            self.dataset,
            self.tasks,
            penalties,
            n_jobs=self.n_jobs,
            limits=self.limits,
            max_seconds=max_seconds,
            progress=progress,
            resume=resume,
            offered=self.offered,
        )

    def held_out(self) -> list[tuple["TableRows", "TableRows"]]:
        """(rows to learn from, rows to score on): see `depnet.learning.rows.held_out`."""
        cuts = self.offered is not None
        return [
            (
                TableRows.of(rows, self.tasks, self.limits, self.n_jobs, cuts=cuts),
                TableRows(held, self.tasks, self.limits, self.n_jobs),
            )
            for rows, held in held_out(self.dataset)
        ]

    def tabulate(self, sources: Sequence[InformationSource]) -> list[IntArray]:
        """For each node `counts[leaf, state]`, its source being that of its place in `sources`."""
        return [
            leaf_counts(source, (task.target,), self.dataset)
            for task, source in zip(self.tasks, sources, strict=True)
        ]

    def crossed(self, asked: Sequence[Crossing]) -> list[Crossed]:
        """Counts by two sources at once."""
        return [self._crossed(one) for one in asked]

    def _crossed(self, asked: Crossing) -> Crossed:
        target = self.tasks[asked.node].target
        return crossed(
            asked,
            self.dataset.codes,
            self.dataset.column(target).astype(np.int64),
            self.domain.cardinalities[target],
            self.dataset.weights,
        )
