"""The rows of a dataset in memory, as rows that networks are learned from."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed
from depnet.errors import ManyStatesWarning
from depnet.learning.grow.cuts import specs_with_cuts, spelled_out
from depnet.learning.grow.native import Grower, GrownNode
from depnet.learning.grow.node_specs import NodeSpec, first_specs
from depnet.learning.grow.parallel import MOST, grown_batches
from depnet.learning.grow.resume import fingerprint, hashed_table
from depnet.learning.options import LearnOptions, Limits, checked_jobs
from depnet.learning.penalty import Penalty
from depnet.learning.rows.learning_rows import GrowRequest
from depnet.learning.rows.pair_counts import TablePairs
from depnet.learning.rows.paired_counts import PairedCounts, PairedRequest, paired_counts
from depnet.learning.rows.prepared import PreparedRows
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
    prepared: PreparedRows = None  # type: ignore[assignment]  # made here, unless somebody has it already

    def __post_init__(self) -> None:
        if self.prepared is None or self.prepared.dataset is not self.dataset:
            object.__setattr__(self, "prepared", PreparedRows(self.dataset))

    @classmethod
    def of(
        cls, rows: Dataset | PreparedRows, options: LearnOptions, n_jobs: int | None, cuts: bool
    ) -> "TableRows":
        """The rows of a dataset for the nodes of these options; the order "auto" is not chosen yet."""
        prepared = rows if isinstance(rows, PreparedRows) else PreparedRows(rows)
        dataset = prepared.dataset
        specs = first_specs(dataset.domain, options)
        return cls(dataset, specs, options.limits, checked_jobs(n_jobs), cuts, prepared)

    @property
    def reads_cuts(self) -> bool:
        """May sources read cuts, and are there any?"""
        return self.cuts and bool(self.prepared.with_cuts.cuts)

    @cached_property
    def grown_specs(self) -> Sequence[NodeSpec]:
        """The nodes as the native learner grows them: with cuts to read."""
        if not self.reads_cuts:
            return self.specs
        return specs_with_cuts(self.specs, self.prepared.with_cuts.cuts, len(self.domain))

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
        table = hashed_table(self.dataset)
        return fingerprint(table, self.domain, self.total, self.grown_specs, penalties, self.limits)

    def with_specs(self, specs: Sequence[NodeSpec]) -> "TableRows":
        """The same rows, for other nodes of the same variables."""
        return replace(self, specs=specs)

    def pair_counts(self) -> TablePairs:
        """What counts pairs of variables."""
        return TablePairs(self.dataset)

    def grow(self, request: GrowRequest) -> Iterator[GrownNode]:
        """The nodes that are asked for, in any order: by the native learner, on `n_jobs` threads."""
        specs, wide = self.grown_specs, self.reads_cuts
        cuts = self.prepared.with_cuts if wide else None
        domain = self.domain if cuts is None else cuts.wide
        grower = Grower(
            self.dataset,
            specs,
            request.penalties,
            self.limits,
            request.max_seconds,
            partial(self.prepared.native, wide=wide),
            cuts,
            self.prepared.token(wide=wide),
        )
        most = 1 if request.one_by_one else MOST
        for batch in grown_batches(grower, request.numbers, self.n_jobs, most):
            for node in batch.nodes(specs, domain.cardinalities, request.smoothing):
                if cuts is not None:
                    source = spelled_out(node.source, cuts.numbered, self.domain.cardinalities)
                    node = node._replace(source=source)
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
            (replace(self, dataset=learned.dataset, prepared=learned), replace(self, dataset=scored))
            for learned, scored in self.prepared.held_out
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
