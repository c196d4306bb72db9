"""Rows of an ordered law in an event over several variables: drawn given its hull, with their numbers, and in it."""

from dataclasses import replace

import numpy as np

from depnet.data.table.dataset import Dataset, Holed, join_rows
from depnet.data.table.values import Values
from depnet.errors import EvidenceError
from depnet.law import limits
from depnet.law.draw import PIECE
from depnet.law.mixture import rows_of
from depnet.model.evidence import Evidence, narrow_domain
from depnet.model.mixture import AnyNetwork, within_of


class EventRows:
    """Rows that go on: rows drawn in one call or in many are the same rows."""

    def __init__(self, network: AnyNetwork, evidence: Evidence, seed: int, jobs: int) -> None:
        assert evidence.event is not None
        self._domain, self._event = network.domain, evidence.event
        self._narrowed = narrow_domain(network.domain, evidence)
        self._within = within_of(network)
        self._rows = rows_of(network, replace(evidence, event=None), seed, jobs)
        self._rng = np.random.default_rng([seed, 1])
        self._drawn, self._found = 0, 0
        self._waiting: list[Holed] = []

    def draw(self, n: int) -> Dataset:
        while sum(part.rows for part in self._waiting) < n:
            self._draw_piece()
        rows = join_rows(self._waiting)
        self._waiting = [rows.rows_at(np.arange(n, rows.rows))] if rows.rows > n else []
        return rows.rows_at(np.arange(n)).dataset()

    def _draw_piece(self) -> None:
        for codes in self._rows.pieces(PIECE, self._drawn):
            self._drawn += len(codes)
            numbers = Values(self._within.draw(codes, self._narrowed, self._rng))
            rows = Dataset(self._domain, codes, values=numbers)
            inside = np.flatnonzero(self._event.rows(rows))
            self._found += len(inside)
            self._waiting += [rows.rows_at(inside)] if len(inside) else []
        if self._drawn >= limits.MOST_DRAWS and self._found * limits.PIECE_DRAWS < self._drawn:
            raise EvidenceError(
                f"{self._found:,} of {self._drawn:,} drawn rows satisfy {str(self._event)!r}: by the model, such rows are "
                "impossible or very rare. Give a wider condition."
            )
