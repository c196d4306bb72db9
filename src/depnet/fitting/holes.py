"""The laws of holes by networks and forests together, for a piece of the rows at a time.

The mean of both is the law of a category and of a number's bins: they err in other ways. A number's mean and quantiles are
its forest's. Where values are not known, or there are no numbers, the networks answer alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.fitting.forests import MOST_TABLES, Forests
from depnet.inference.rows.mean_law import laws_and_tables
from depnet.learning.forest.tree import Values
from depnet.model.network import Network

PIECE_ROWS = 4096

Rows = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class HoleAnswers:
    """What is known of the holes of some `rows` of a table; places are those among these rows."""

    rows: IntArray
    hidden: NDArray[np.bool_]
    names: tuple[str, ...]
    network_laws: dict[str, FloatArray]
    forests: Forests | None
    tables: list[Values]
    """The rows as each network and the trees have completed them; none without forests."""
    rng: np.random.Generator

    def holes(self) -> Iterator[tuple[int, Rows]]:
        """The columns that have holes, and the places of these."""
        for i in np.flatnonzero(self.hidden.any(axis=0)).tolist():
            yield i, np.flatnonzero(self.hidden[:, i]).astype(np.int32)

    def is_number(self, i: int) -> bool:
        """Has the column numbers, and a forest that knows them?"""
        return self.forests is not None and bool(self.forests.numbers[i])

    @cached_property
    def _centre(self) -> Values:
        assert self.forests is not None
        return self.forests.centre(self.tables, self.hidden)

    def law(self, i: int, rows: Rows) -> FloatArray:
        """[row, state] of some holes."""
        own = self.network_laws[self.names[i]][rows]
        if self.forests is None:
            return own
        if not self.is_number(i):
            return 0.5 * (own + self.forests.forests[i].mean(self.tables, rows))
        levels = (np.arange(100) + 0.5) / 100
        codes = self.forests.codes(i, self.quantiles(i, rows, levels.tolist()))
        states = own.shape[1]
        flat = np.arange(len(rows))[:, None] * states + codes
        shares = np.bincount(flat.reshape(-1), minlength=len(rows) * states).reshape(-1, states) / len(levels)
        return np.asarray(0.5 * (own + shares))

    def means(self, i: int, rows: Rows) -> FloatArray:
        """The expected number of some holes."""
        assert self.forests is not None
        return self.forests.laws[i].corrected(self._centre[rows, i], self._centre[rows])[0]

    def medians(self, i: int, rows: Rows) -> FloatArray:
        """The median of the number of some holes."""
        return self.quantiles(i, rows, [0.5])[:, 0]

    def quantiles(self, i: int, rows: Rows, levels: Sequence[float]) -> FloatArray:
        """[row, level] of the number of some holes."""
        assert self.forests is not None
        law = self.forests.laws[i]
        corrected = law.corrected(self._centre[rows, i], self._centre[rows])
        return law.quantiles(self.tables, rows, *corrected, levels, self.rng)


def hole_answers(
    networks: Sequence[Network],
    forests: Forests | None,
    codes: NDArray[np.integer],
    hidden: NDArray[np.bool_],
    values: Values | None,
    *,
    tolerance: float,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> Iterator[HoleAnswers]:
    """Answers of the rows with holes, piece after piece; `values` [row, column] are those of the numbers, where known."""
    known = forests if values is not None else None
    names = networks[0].domain.names
    open_rows = np.flatnonzero(hidden.any(axis=1))
    for start in range(0, len(open_rows), PIECE_ROWS):
        rows = open_rows[start : start + PIECE_ROWS]
        gone = hidden[rows]
        laws, tables = laws_and_tables(
            networks, codes[rows], gone, tolerance=tolerance, rng=rng, n_jobs=n_jobs
        )
        whole = []
        if known is not None and values is not None:
            whole = known.completed(tables[-MOST_TABLES:], values[rows], gone, rng)
        yield HoleAnswers(rows, gone, names, laws, known, whole, rng)
