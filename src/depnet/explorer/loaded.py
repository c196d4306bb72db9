"""A loaded model, shared by all readers and changed by none; and the shelf of those that readers have learned.

Links, decision graphs, geometry and odd cells are of the paper's network; answers, draws and scores are of the ordered law.
"""

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data import Dataset
from depnet.fitting.explained import law_nearness, plain_figures
from depnet.fitting.summary import rows_learned
from depnet.inference.answer.query import query
from depnet.inference.answer.result import QueryResult
from depnet.inference.judge.marginals import Nearness
from depnet.inference.judge.row_scores import RowScores
from depnet.inference.judge.shifts import largest_error
from depnet.learning.certificate import Certificate, certificate
from depnet.learning.links.links import Link, links
from depnet.model import Network
from depnet.model.marginals import MarginalCounts
from depnet.pictures import DependencyGraph, communities, dependency_graph, layout, strongest_members

MOST_LEARNED = 8
"""Models that readers have learned are kept so far; then the one that was asked for longest ago goes."""

TOLERANCE = 0.01
"""Standard errors to ask for: of a bar on a page, half a pixel or two."""

MOST_PRIORS = 16
"""Answers without evidence that are kept for each model."""

WARM_SECONDS = 5.0
"""Of sampling them before they are asked for."""


@dataclass(frozen=True)
class Loaded:
    """A network and its law, the rows they were learned from where they were given, and what is derived, once."""

    network: Network
    data: Dataset | None = None
    name: str = "model"
    path: str = "model.json"
    """Where the model file is, for commands that a reader copies."""
    table: str | None = None
    """Where the table is, likewise."""
    stamp: tuple[int, int] | None = None
    """Of the model file when it was read (`stamp_of`); None where there is none."""
    law: Network | None = None
    """The ordered network; None where the file has none."""
    lacks: str | None = None
    """What a file without a law says."""
    priors: dict[tuple[str, ...], QueryResult] = field(default_factory=dict, compare=False, repr=False)
    """The best answers without evidence so far, by their targets (`prior`)."""
    asking: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)
    """Held while they are found, so that none is found twice."""
    scores: list[RowScores] = field(default_factory=list, compare=False, repr=False)
    """Those of the rows, once they were asked for (`rows`)."""
    places_in_table: IntArray | None = field(default=None, compare=False, repr=False)
    """Which rows of the table, from 0 on, `data` has: those with holes are left out. None: all of them."""

    def number_of(self, row: int) -> int:
        """The number of a row of `data` in the table, from 1 on."""
        return (row if self.places_in_table is None else int(self.places_in_table[row])) + 1

    def row_of(self, number: int) -> int | None:
        """The row of `data` that has this number in the table; None where there is none."""
        if self.data is None or number < 1:
            return None
        places = np.arange(self.data.rows) if self.places_in_table is None else self.places_in_table
        row = int(np.searchsorted(places, number - 1))
        return row if row < len(places) and places[row] == number - 1 else None

    @property
    def asked(self) -> Network:
        """What answers, draws and scores are of: the law; where there is none, the network's clamped chains."""
        return self.network if self.law is None else self.law

    @cached_property
    def nearness(self) -> Nearness | None:
        """How near the marginals of the law are to the table's, where the file keeps their counts."""
        return None if self.law is None else law_nearness(self.law)

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """How good the law is, a line each, for a person."""
        lines = plain_figures(self.law, self.nearness)
        return tuple(line[0].upper() + line[1:] + "." for line in lines)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Every link, the strongest first."""
        return links(self.network, self.data)

    @cached_property
    def graph(self) -> DependencyGraph:
        """Who tells whom how much."""
        return dependency_graph(self.network, self.data, found=self.links)

    @cached_property
    def places(self) -> FloatArray:
        """Where each variable is drawn, whatever is shown of its links."""
        return layout(self.graph)

    @cached_property
    def communities(self) -> tuple[int, ...]:
        """The community of each variable."""
        return communities(self.graph)

    @cached_property
    def strongest(self) -> tuple[int, ...]:
        """The strongest member of each community, by which it is named."""
        return strongest_members(self.graph, self.communities)

    @cached_property
    def certificate(self) -> Certificate | None:
        """What is proven from the rows, where they were given."""
        return None if self.data is None else certificate(self.network, self.data)

    def prior(
        self, targets: tuple[str, ...] | None = None, *, tolerance: float = TOLERANCE, **bounds: Any
    ) -> QueryResult:
        """The marginals without evidence (None: all): the best that were found so far, or better ones within `bounds`."""
        targets = self.network.domain.names if targets is None else targets
        with self.asking:
            kept = self.priors.get(targets)
            if (
                kept is not None
                and kept.converged
                and (kept.diagnostics is None or kept.tolerance <= tolerance)
            ):
                return kept
            found = query(self.asked, targets, tolerance=tolerance, data=self.data, **bounds)
            if kept is not None and largest_error(kept) <= largest_error(found):
                return kept
            self.priors[targets] = found
            for oldest in list(self.priors)[:-MOST_PRIORS]:
                self.priors.pop(oldest, None)
            return found

    def warm(self) -> None:
        """Derive what the first pages need."""
        _ = self.places, self.strongest
        self.prior(max_seconds=WARM_SECONDS)

    @property
    def counts(self) -> MarginalCounts | None:
        """How often each state is met in the table, where the file keeps that or the rows are there."""
        for kept in (self.asked.counts, self.network.counts):
            if kept is not None:
                return kept
        return None if self.data is None else self._counted

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
        return rows_learned(self.network)


def stamp_of(path: str) -> tuple[int, int] | None:
    """The time and the size of a file, by which another one is told from it; None where there is none."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


class Shelf:
    """The model that the explorer was opened with, and learned ones under keys that cannot be guessed."""

    def __init__(self, first: Loaded | None) -> None:
        self.first = first
        self._learned: OrderedDict[str, Loaded] = OrderedDict()

    def keep(self, loaded: Loaded) -> str:
        """Put a learned model on the shelf; its key."""
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
