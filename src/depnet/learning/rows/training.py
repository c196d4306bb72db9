"""The rows that networks are learned from: a dataset, and what learning makes of it, once for all that is learned."""

import threading
import warnings
from functools import cached_property

import numpy as np

from depnet._native import learner as native
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.domain import Domain
from depnet.errors import ManyStatesWarning
from depnet.learning.grow.cuts import CutDomain, rows_with_cuts
from depnet.learning.rows.held_out import held_out
from depnet.learning.rows.some_rows import repeated

MANY_STATES = 50
"""A column with more states than this, most of them in one row only, is reported."""


class TrainingRows:
    """What is made of a dataset when somebody first asks for it, and kept as long as this is.

    Where there are many datasets of one domain, its cuts are given.
    """

    def __init__(self, dataset: Dataset, with_cuts: CutDomain | None = None) -> None:
        self.dataset = dataset
        self._with_cuts = with_cuts
        self._native: dict[bool, native.Table] = {}
        self._lock = threading.Lock()

    @classmethod
    def of(cls, rows: "Dataset | TrainingRows") -> "TrainingRows":
        return rows if isinstance(rows, TrainingRows) else cls(rows)

    @property
    def domain(self) -> Domain:
        return self.dataset.domain

    @property
    def total(self) -> int:
        """N, weights included."""
        return self.dataset.total

    @cached_property
    def with_cuts(self) -> CutDomain:
        """The domain with the cuts of its variables."""
        return self._with_cuts or CutDomain(self.dataset.domain, self.dataset)

    def native(self, *, wide: bool) -> native.Table:
        """The native learner's table of the rows, with or without a column for each cut."""
        with self._lock:  # many threads grow nodes, and the first of them makes it
            if wide not in self._native:
                rows = rows_with_cuts(self.dataset, self.with_cuts) if wide else self.dataset
                self._native[wide] = native_table(rows)
            return self._native[wide]

    @cached_property
    def held_out(self) -> tuple[tuple["TrainingRows", Dataset], ...]:
        """(rows to learn from, rows to score on), for each part that is held out."""
        return tuple(
            (TrainingRows(learned, self.with_cuts), scored) for learned, scored in held_out(self.dataset)
        )


def native_table(dataset: Dataset) -> native.Table:
    """The native learner's own table of a dataset."""
    rows = repeated(dataset)
    return native.Table(rows.codes, list(rows.domain.cardinalities), rows.weights)


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
