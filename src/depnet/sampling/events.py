"""Rows of an ordered law that are looked at first: in an event over several variables, or such as keep constraints.

They are drawn given the event's hull, with their numbers (`depnet.law.constraints`), and those that are in it are taken:
row r is the r-th of them, a function of the seed and of r alone.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray
from depnet.data.table.dataset import Dataset, Holed, join_rows
from depnet.data.table.values import Values
from depnet.errors import EvidenceError
from depnet.law import limits
from depnet.law.constraints import Draft, Keeper
from depnet.law.draw import PIECE
from depnet.law.mixture import rows_of
from depnet.model.constraints import keeps
from depnet.model.evidence import Evidence, narrow_domain, weights_of
from depnet.model.mixture import AnyNetwork, within_of

FEW = 16
"""Where fewer than one row in so many keeps the constraints, numbers also leave their bins."""
TRIES = 8
"""Rows whose total is in another bin than was drawn have their numbers drawn again, as often as this: bins stay."""
EMPTY_PIECES = 32
"""Pieces without a single row that keeps the constraints, after which there is none."""


class TakenRows:
    """Rows that go on: rows drawn in one call or in many are the same rows."""

    def __init__(self, network: AnyNetwork, evidence: Evidence, seed: int, jobs: int) -> None:
        self._domain, self._event = network.domain, evidence.event
        self._narrowed = narrow_domain(network.domain, evidence)
        self._within = within_of(network)
        self._rows = rows_of(network, replace(evidence, event=None), seed, jobs)
        self._rng = np.random.default_rng([seed, 1])
        weights = weights_of(evidence, network.domain.cardinalities)
        self._keeper = Keeper(self._narrowed, network.constraints, weights)
        self._allowed = evidence.allowed
        self._given = {network.domain.names[i] for i in evidence.allowed}
        free = self._keeper.free_of_given(frozenset(evidence.allowed))
        self._fixed = np.isin(np.arange(len(network.domain)), list(set(evidence.allowed) - free))
        self._drawn, self._kept, self._found = 0, 0, 0
        self._waiting: list[Holed] = []

    def parts(self, n: int) -> Iterator[int]:
        """How many of the next n rows there are, after each piece of draws."""
        while (there := sum(part.rows for part in self._waiting)) < n:
            yield there
            self._draw_piece()

    def take(self, n: int) -> Dataset:
        """The next rows, of those that are there, n at most."""
        if not self._waiting:
            return Dataset.from_codes(np.zeros((0, len(self._domain)), dtype=np.int64), domain=self._domain)
        rows = join_rows(self._waiting)
        self._waiting = [rows.rows_at(np.arange(n, rows.rows))] if rows.rows > n else []
        return rows.rows_at(np.arange(min(n, rows.rows))).dataset()

    def _draw_piece(self) -> None:
        for codes in self._rows.pieces(PIECE, self._drawn):
            draft, kept = self._settled(codes)
            for _ in range(TRIES):
                again = np.flatnonzero((draft.codes != codes).any(axis=1))
                if not len(again):
                    break
                other, holds = self._settled(codes[again])
                holds &= (other.codes == codes[again]).all(axis=1)
                draft.take(again[holds], other, np.flatnonzero(holds))
                kept[again[holds]] = True
            for i, allowed in self._allowed.items() if self._keeper.constraints else ():
                kept &= allowed.rows(draft.column(i), draft.known(i), draft.numbers(i)) | self._fixed[i]
            self._drawn += len(codes)
            self._kept += int(kept.sum())
            rows = Dataset(self._domain, draft.codes, values=Values(draft.values))
            taken = np.flatnonzero(kept if self._event is None else kept & self._event.rows(rows))
            self._found += len(taken)
            self._waiting += [rows.rows_at(taken)] if len(taken) else []
            self._check(draft)

    def _settled(self, codes: CodeArray) -> tuple[Draft, NDArray[np.bool_]]:
        """Rows with numbers that keep the constraints, and which of them do."""
        numbers = self._within.draw(codes, self._narrowed, self._rng)
        fixed = np.broadcast_to(self._fixed, codes.shape)
        draft = Draft(self._domain, np.array(codes, order="F"), numbers, fixed)
        return draft, self._keeper.settle(draft, self._rng, leave=self._kept * FEW < self._drawn)

    def _check(self, draft: Draft) -> None:
        """Is any row to be expected?"""
        if not self._kept and self._drawn >= EMPTY_PIECES * PIECE:
            own = list(self._keeper.constraints)
            broken = [each for each in own if not keeps(each, draft).all() and self._given & {*each.names}]
            broken = broken or [each for each in own if self._given & {*each.names}] or own
            raise EvidenceError(
                f"none of {self._drawn:,} drawn rows keeps what is given, and what each row is to keep: "
                f"{', '.join(map(str, broken))}. Give something else, or fit without this constraint."
            )
        if self._drawn >= limits.MOST_DRAWS and self._found * limits.PIECE_DRAWS < self._drawn:
            raise EvidenceError(
                f"{self._found:,} of {self._drawn:,} drawn rows satisfy {str(self._event)!r}: by the model, such rows are "
                "impossible or very rare. Give a wider condition."
            )
