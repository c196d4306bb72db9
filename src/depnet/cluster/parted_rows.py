"""Rows in parts as rows that networks are learned from (`depnet.learning.rows.trial_rows`): by rounds of counts."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from depnet.arrays import IntArray
from depnet.data import Domain
from depnet.learning.grow.nodes import Progress
from depnet.learning.grow.resume import Fit, fingerprint_of
from depnet.learning.grow.rounds import Parts, Round, grow_in_rounds
from depnet.learning.options import Limits, Task, ordered_as
from depnet.learning.penalty import Penalty, penalty_value
from depnet.learning.rows.paired_counts import Crossed, Crossing
from depnet.model import ConditionalTable, DecisionGraph, InformationSource, Network, Node


class Reports:
    """Tells of the rounds of several fits, one after the other, numbered through."""

    def __init__(self, report: Callable[[Round], object]) -> None:
        self._report = report
        self._before = self._number = 0

    def begin(self) -> None:
        """The rounds that follow are those of another fit."""
        self._before = self._number

    def __call__(self, done: Round) -> None:
        """A round more of this fit."""
        self._number = self._before + done.number
        self._report(replace(done, number=self._number))


@dataclass(frozen=True, slots=True, eq=False)
class PartedRows:
    """`total` rows in `parts`, made for `tasks`. At most `live` nodes grow at once."""

    parts: Parts
    domain: Domain
    tasks: Sequence[Task]
    total: int
    limits: Limits
    live: int
    reports: Reports | None = None

    def fingerprint(self, penalties: Sequence[Penalty]) -> str:
        """A digest of all that decides the structure."""
        key = hashlib.sha256(b"".join([b"parts", *self.parts.digests()]))
        return fingerprint_of(key, self.domain, self.total, self.tasks, penalties, self.limits)

    def learn(
        self,
        penalties: Sequence[Penalty],
        *,
        smoothing: float = 0.0,
        max_seconds: float | None = None,
        progress: Progress | None = None,
        resume: Fit | None = None,
    ) -> Network:
        """The network of `depnet.learn` on all rows together, a penalty for each node."""
        for penalty in dict.fromkeys(penalties):
            penalty_value(penalty, 1, self.total)
        cards = self.domain.cardinalities
        nodes: list[Node | None] = [None] * len(self.tasks)
        done = 0

        def finish(number: int, source: DecisionGraph, table: ConditionalTable) -> None:
            nonlocal done
            nodes[number] = Node((self.tasks[number].target,), source, table)
            done += 1
            if progress is not None:
                progress(done, len(self.tasks))

        if self.reports is not None:
            self.reports.begin()
        kept = resume.done if resume is not None else {}
        missing = [number for number in range(len(self.tasks)) if number not in kept]
        for number, grown in grow_in_rounds(
            self.parts,
            cards,
            self.tasks,
            penalties,
            missing,
            total=self.total,
            limits=self.limits,
            live=self.live,
            max_seconds=max_seconds,
            report=self.reports,
        ):
            source = grown.source(cards)
            if resume is not None and grown.complete:
                resume.add(number, source)
            finish(number, source, ConditionalTable.learned(grown.counts, smoothing))
        if kept:
            tables = self.parts.tabulate(list(kept), list(kept.values()))
            for (number, source), counts in zip(kept.items(), tables, strict=True):
                finish(number, source, ConditionalTable.from_counts(counts, smoothing))
        return Network(
            self.domain, tuple(node for node in nodes if node is not None), order=ordered_as(self.tasks)
        )

    def held_out(self) -> "list[tuple[PartedRows, PartedRows]]":
        """(rows to learn from, rows to score on): see `depnet.learning.rows.held_out`."""
        return [
            (replace(self, parts=learned, total=self.total - rows), replace(self, parts=held, total=rows))
            for learned, held, rows in self.parts.held_out(self.total)
        ]

    def tabulate(self, sources: Sequence[InformationSource]) -> list[IntArray]:
        """For each node `counts[leaf, state]`, its source being that of its place in `sources`."""
        return self.parts.tabulate(range(len(self.tasks)), sources)

    def crossed(self, asked: Sequence[Crossing]) -> list[Crossed]:
        """Counts by two sources at once."""
        return self.parts.crossed(asked) if asked else []
