"""The rows of a dataset in memory, as rows that networks are learned from."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed
from depnet.errors import ManyStatesWarning
from depnet.learning.grow.cuts import TableWithCuts, spelled_out
from depnet.learning.grow.native import Grower, GrownNode
from depnet.learning.grow.node_specs import NodeSpec, first_specs
from depnet.learning.grow.parallel import MOST, grown_batches
from depnet.learning.grow.resume import fingerprint, hashed_table
from depnet.learning.options import LearnOptions, Limits, checked_jobs
from depnet.learning.penalty import Penalty
from depnet.learning.rows.held_out import held_out
from depnet.learning.rows.learning_rows import GrowRequest
from depnet.learning.rows.pair_counts import TablePairs
from depnet.learning.rows.paired_counts import PairedCounts, PairedRequest, paired_counts
from depnet.model.counting import leaf_counts
from depnet.model.sources.source import InformationSource

MANY_STATES = 50
"""A column with more states than this, most of them in one row only, is reported."""


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a dataset; with `cuts`, sources may also split its binned variables at a cut."""

    dataset: Dataset
    specs: Sequence[NodeSpec]
    limits: Limits = field(default_factory=Limits)
    n_jobs: int | None = 1
    cuts: bool = False

    @classmethod
    def of(cls, dataset: Dataset, options: LearnOptions, n_jobs: int | None, cuts: bool) -> "TableRows":
        """The rows of a dataset for the nodes of these options; the order "auto" is not chosen yet."""
        return cls(dataset, first_specs(dataset.domain, options), options.limits, checked_jobs(n_jobs), cuts)

    @cached_property
    def with_cuts(self) -> TableWithCuts | None:
        """The same rows with a column for each cut; None where there are none."""
        return TableWithCuts.of(self.dataset, self.specs) if self.cuts else None

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
        specs = self.specs if self.with_cuts is None else self.with_cuts.specs
        return fingerprint(hashed_table(self.dataset), self.domain, self.total, specs, penalties, self.limits)

    def with_specs(self, specs: Sequence[NodeSpec]) -> "TableRows":
        """The same rows, for other nodes of the same variables."""
        return replace(self, specs=specs)

    def pair_counts(self) -> TablePairs:
        """What counts pairs of variables."""
        return TablePairs(self.dataset)

    def grow(self, request: GrowRequest) -> Iterator[GrownNode]:
        """The nodes that are asked for, in any order: by the native learner, on `n_jobs` threads."""
        wide = self.with_cuts
        rows, specs = (self.dataset, self.specs) if wide is None else (wide.rows, wide.specs)
        grower = Grower(rows, specs, request.penalties, self.limits, request.max_seconds)
        most = 1 if request.one_by_one else MOST
        for batch in grown_batches(grower, request.numbers, self.n_jobs, most):
            for node in batch.nodes(specs, rows.domain.cardinalities, request.smoothing):
                if wide is not None:
                    node = node._replace(
                        source=spelled_out(node.source, wide.cuts, self.domain.cardinalities)
                    )
                yield node

    def leaf_counts(self, numbers: Sequence[int], sources: Sequence[InformationSource]) -> list[IntArray]:
        """For the nodes with these numbers `counts[leaf, state]`, their sources being those given."""
        return [
            leaf_counts(source, self.specs[number].target, self.dataset)
            for number, source in zip(numbers, sources, strict=True)
        ]

    def paired_counts(self, requests: Sequence[PairedRequest]) -> list[PairedCounts]:
        """Counts by two sources at once."""
        return [paired_counts(one, self.specs[one.node].target, self.dataset) for one in requests]

    def held_out(self) -> list[tuple["TableRows", "TableRows"]]:
        """(rows to learn from, rows to score on), for each part that is held out."""
        return [
            (replace(self, dataset=learned), replace(self, dataset=scored))
            for learned, scored in held_out(self.dataset)
        ]


def warn_of_identifiers(dataset: Dataset | Holed) -> None:
    """Warn of columns that look like an identifier: most states in one row only, nothing to learn from."""
    many = max(MANY_STATES, dataset.rows // 2)
    for i, variable in enumerate(dataset.domain.variables):
        if variable.cardinality > many and (seen := len(np.unique(dataset.codes[:, i]))) > many:
            warnings.warn(
                f"column {variable.name!r} has {seen:,} different states in {dataset.rows:,} rows: nothing can be "
                "learned from an identifier. Leave it out, group its states, or bin it.",
                ManyStatesWarning,
                stacklevel=4,
            )
