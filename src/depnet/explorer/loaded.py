"""A loaded model, shared by all readers and changed by none; and the shelf of those that readers have learned.

Links, decision graphs, geometry and odd cells come from the paper's network; answers, draws and scores from the ordered law.
"""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Dataset, Holed, Variable
from depnet.explorer.guesses import guess_target, near_copies
from depnet.explorer.histogram import Axis
from depnet.files import Stamp, stamp_of
from depnet.fitting.summary import count_rows, law_nearness, plain_figures
from depnet.inference.answer.numbers import NumberLaw
from depnet.inference.answer.profile import Profile, column_of
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.shown import without_small_counts
from depnet.inference.ask.query import query
from depnet.inference.judge.cells import RowScores
from depnet.inference.judge.nearness import Nearness
from depnet.inference.judge.shifts import largest_error
from depnet.learning.certificate import Certificate, certificate
from depnet.learning.links import Link, links
from depnet.model.evidence import Given
from depnet.model.marginals import MarginalCounts
from depnet.model.model import Model
from depnet.pictures import DependencyGraph, communities, dependency_graph, layout, strongest_members

MOST_LEARNED = 8
"""Models that readers have learned are kept so far; then the one that was asked for longest ago goes."""

TOLERANCE = 0.01
"""Standard errors to ask for: of a bar on a page, half a pixel or two."""

WARM_SECONDS = 5.0
"""Sampling time for the answer without evidence, before anyone asks for it."""

WARM_COLUMNS = 24
"""Columns of the table that are looked at before."""


@dataclass(frozen=True)
class Loaded(Model):
    """A model, the table it was learned from where that was given, and what is derived, once."""

    data: Holed | None = None
    """All rows of the table, with their holes and numbers as they came."""
    completed: Dataset | None = None
    """The rows with their holes filled from which the network was learned, where they are at hand."""
    name: str = "model"
    path: str = "model.json"
    """Where the model file is, for commands that a reader copies."""
    table: str | None = None
    """Where the table is, likewise."""
    stamp: Stamp | None = None
    """The stamp of the model file when it was read; None without a file."""
    limit: str = ""
    """Which limit ended its learning here, in words."""
    shared: bool = False
    """Can others than this machine see it? Then the table and what is counted in it are not shown (`share`)."""
    priors: list[QueryResult] = field(default_factory=list, compare=False, repr=False)
    """The best answer without evidence so far (`prior`)."""
    asking: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)
    """Held while it is found, so that it is not found twice."""
    scores: list[RowScores] = field(default_factory=list, compare=False, repr=False)
    """Those of the rows, once they were asked for (`rows`)."""
    columns: dict[int, Profile] = field(default_factory=dict, compare=False, repr=False)
    """What the table says of its columns, of those that were asked for (`column`)."""
    axes: dict[tuple[str, bool], tuple[Axis, NumberLaw]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """Of numbers, whether on a log axis: their bars, and their law without evidence."""

    @cached_property
    def whole(self) -> Dataset | None:
        """The complete rows from which the network was learned: the table's own where it has no hole, or completed ones."""
        return self.data.dataset() if self.data is not None and self.data.complete else self.completed

    def share(self) -> "Loaded":
        """The same for a page that others can reach."""
        return replace(self, data=None, completed=None, table=None, shared=True)

    def answer(
        self, targets: str | Sequence[str], evidence: Given | None = None, **bounds: Any
    ) -> QueryResult:
        """What is answered with the table's own rows, where they are at hand."""
        steady = np.random.default_rng(0)  # the same question has the same answer, however often it is asked
        found = query(
            self.asked, targets, evidence, tolerance=TOLERANCE, data=self.data, rng=steady, **bounds
        )
        return without_small_counts(found) if self.shared else found

    def variable(self, name: str) -> Variable:
        return self.domain.variables[self.domain.index(name)]

    def has_holes(self, i: int) -> bool:
        """Can variable i be missing, by the model or in the table?"""
        if self.domain.variables[i].missing is not None:
            return True
        counts = self.asked.counts
        if counts is not None and counts.holes[i] > 0:
            return True
        return self.data is not None and self.data.known(i) is not None

    def column(self, i: int) -> Profile | None:
        """What is known of a column's cells, of the table's or of those that the model file has counted."""
        if i not in self.columns:
            found = column_of(self.network.domain, self.data, self.counts, i)
            if found is None:
                return None
            self.columns[i] = found
        return self.columns[i]

    @cached_property
    def copies(self) -> dict[str, str]:
        """Columns that repeat another one, by their names."""
        return near_copies(self.data, self.graph)

    @cached_property
    def guessed_target(self) -> str | None:
        return guess_target(self.domain, self.copies)

    @cached_property
    def nearness(self) -> Nearness | None:
        """How near the marginals of the law are to the table's, where the file keeps their counts."""
        return None if self.law is None else law_nearness(self.law)

    @cached_property
    def figures(self) -> tuple[str, ...]:
        lines = plain_figures(self.law, self.nearness)
        return tuple(line[0].upper() + line[1:] + "." for line in lines)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        return links(self.network, self.whole)

    @cached_property
    def graph(self) -> DependencyGraph:
        return dependency_graph(self.network, self.whole, found=self.links)

    @cached_property
    def places(self) -> FloatArray:
        return layout(self.graph)

    @cached_property
    def communities(self) -> tuple[int, ...]:
        return communities(self.graph)

    @cached_property
    def strongest(self) -> tuple[int, ...]:
        """The strongest member of each community, by which it is named."""
        return strongest_members(self.graph, self.communities)

    @property
    def is_laid_out(self) -> bool:
        """Is the picture of the network there, and nothing of it still to be computed?"""
        return {"places", "strongest"} <= vars(self).keys()

    @cached_property
    def certificate(self) -> Certificate | None:
        """What is proven from complete rows, where they are at hand."""
        return None if self.whole is None else certificate(self.network, self.whole)

    def prior(self, **bounds: Any) -> QueryResult:
        """The marginals without evidence: the best that were found so far, or better ones within `bounds`."""
        with self.asking:
            kept = self.best_prior
            if kept is not None and kept.converged:
                return kept
            found = self.answer(self.domain.names, **bounds)
            if kept is not None and largest_error(kept) <= largest_error(found):
                return kept
            self.priors[:] = [found]
            return found

    @property
    def best_prior(self) -> QueryResult | None:
        return self.priors[0] if self.priors else None

    def warm(self) -> None:
        _ = self.places, self.strongest, self.guessed_target
        for i in range(min(len(self.network), WARM_COLUMNS)):
            self.column(i)
        self.prior(max_seconds=WARM_SECONDS)

    @property
    def counts(self) -> MarginalCounts | None:
        """How often each state is met in the table, where the file keeps that or the rows are there."""
        if self.shared:
            return None
        kept = super().counts
        return self._counted if kept is None and self.data is not None else kept

    @cached_property
    def _counted(self) -> MarginalCounts:
        assert self.data is not None
        return MarginalCounts.of(self.data)

    @property
    def is_stale(self) -> bool:
        """Is another file there now, or none, where the model was read?"""
        return self.stamp is not None and stamp_of(self.path) != self.stamp

    @property
    def rows(self) -> int | None:
        """The rows it was learned from, where the file keeps counts."""
        return count_rows(self.network)


class Shelf:
    """The model that the explorer was opened with, and learned ones under keys that cannot be guessed."""

    def __init__(self, first: Loaded | None) -> None:
        self.first = first
        self._learned: OrderedDict[str, Loaded] = OrderedDict()

    def keep(self, loaded: Loaded) -> str:
        key = secrets.token_urlsafe(12)
        self._learned[key] = loaded
        while len(self._learned) > MOST_LEARNED:
            self._learned.popitem(last=False)
        return key

    def get(self, key: str | None) -> Loaded | None:
        """The model under a key, None: the first; None where there is none (any more)."""
        if key is None:
            return self.first
        if key in self._learned:
            self._learned.move_to_end(key)
        return self._learned.get(key)
