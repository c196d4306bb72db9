"""A dataset made ready to grow nodes from, once for all that are grown: the network, the law after it, and their trials."""

import threading
from functools import cached_property
from typing import NamedTuple
from uuid import uuid4

from depnet._native import learner as native
from depnet.data.table.dataset import Dataset
from depnet.learning.grow.cuts import CutDomain, rows_with_cuts
from depnet.learning.grow.native import native_table
from depnet.learning.rows.held_out import held_out


class HeldOut(NamedTuple):
    """Rows to learn from, and rows to score on."""

    learned: "PreparedRows"
    scored: Dataset


class PreparedRows:
    """What is made of a dataset when somebody first asks for it, and kept as long as this is.

    Where there are many datasets of one domain, its cuts are given.
    """

    def __init__(self, dataset: Dataset, with_cuts: CutDomain | None = None) -> None:
        self.dataset = dataset
        self._with_cuts = with_cuts
        self._native: dict[bool, native.Table] = {}
        self._token = uuid4().hex
        self._lock = threading.Lock()

    @cached_property
    def with_cuts(self) -> CutDomain:
        """The domain with the cuts of its variables."""
        return self._with_cuts or CutDomain(self.dataset.domain, self.dataset)

    @cached_property
    def wide(self) -> Dataset:
        """With a column for each cut."""
        return rows_with_cuts(self.dataset, self.with_cuts)

    def native(self, *, wide: bool) -> native.Table:
        """The native learner's table of the rows, with or without a column for each cut."""
        with self._lock:  # many threads grow nodes, and the first of them makes it
            if wide not in self._native:
                self._native[wide] = native_table(self.wide if wide else self.dataset)
            return self._native[wide]

    def token(self, *, wide: bool) -> str:
        """What another process knows that table by."""
        return f"{self._token} {wide}"

    @cached_property
    def held_out(self) -> tuple[HeldOut, ...]:
        """The parts that are held out, one after the other."""
        return tuple(
            HeldOut(PreparedRows(learned, self.with_cuts), scored)
            for learned, scored in held_out(self.dataset)
        )
