r"""Forests beside the networks of the imputer, in tables with numbers: bins say about where a number is, values say where.

The M networks have completed the table M times (`depnet.fitting.ensemble`). In each completed table the numbers that were
drawn in their bins are redrawn, column after column and `ROUNDS` times, from the leaf of a tree grown from that table:

.. math:: y_h^{(m)} \sim F_{tree}(y \mid x_{-i}^{(m)})

multiple imputation by chained trees, begun where the networks have brought it. Then every column has a forest over all M
tables (`depnet.learning.forest.column`), a number a correction and a calibration of its law (`depnet.learning.forest.law`).
New rows go the same way with the forests that there are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.domain import Domain
from depnet.learning.forest.column import MOST_DRAWN, Forest, Grower, grow_forest
from depnet.learning.forest.law import NumberLaw, number_law
from depnet.learning.forest.tree import Values, row_major
from depnet.model.network import Network
from depnet.threads import in_threads

ROUNDS = 2
MOST_TABLES = 10
"""Completed tables that forests read: those of the last networks."""

TREES = 40
"""Of a column, but fewer of large tables: all together read about `MOST_READ` cells, and are `FEWEST_TREES` at least."""

FEWEST_TREES = 20
MOST_READ = 60_000_000
MOST_ROWS = 20_000
"""Rows of the table that forests are grown from."""

MOST_READABLE = 50
"""Columns that a tree looks at: of more, those that the networks read most often."""

JUDGED = 500
"""Rows by which laws are calibrated."""


@dataclass(frozen=True, eq=False)
class Forests:
    """A forest for each column that had a hole or may have one: laws of numbers, and of categories."""

    domain: Domain
    numbers: NDArray[np.bool_]
    """Which columns are numbers."""
    laws: dict[int, NumberLaw]
    forests: dict[int, Forest]
    """Of all columns."""

    def completed(
        self,
        tables: Sequence[CodeArray],
        values: Values,
        hidden: NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> list[Values]:
        """Completed codes as completed values, their numbers redrawn."""
        started = [
            started_values(self.domain, self.numbers, codes, values, hidden, rng, "C") for codes in tables
        ]
        for number in range(ROUNDS):
            for i, rows in _holes(hidden, self.numbers):
                for m, table in enumerate(started):
                    forest = self.forests[i]
                    table[rows, i] = forest.draw(m + number * len(started), table, rows, rng)
        return started

    def centre(self, tables: Sequence[Values], hidden: NDArray[np.bool_]) -> Values:
        """All columns' means [row, column]: of the holes of numbers, what their forests say."""
        centre = _mean(tables)
        found = {i: self.forests[i].mean(tables, rows) for i, rows in _holes(hidden, self.numbers)}
        for i, rows in _holes(hidden, self.numbers):
            centre[rows, i] = found[i]
        return centre

    def codes(self, i: int, numbers: FloatArray) -> IntArray:
        """The codes of numbers of column i: their bins, or the nearest of its states."""
        variable = self.domain.variables[i]
        if variable.bins is not None:
            kept = numbers if variable.bins.kind == "float" else np.rint(numbers).astype(np.int64)
            return variable.bins.locate(kept)
        states = np.array(variable.present_states, dtype=np.float64)
        order = np.argsort(states, kind="stable")
        middles = (states[order][1:] + states[order][:-1]) / 2
        return np.asarray(order[np.searchsorted(middles, numbers)])


def grow_forests(
    domain: Domain,
    numbers: NDArray[np.bool_],
    networks: Sequence[Network],
    tables: Sequence[CodeArray],
    values: Values,
    hidden: NDArray[np.bool_],
    *,
    rng: np.random.Generator,
    n_jobs: int = 1,
) -> Forests:
    """The forests of a table: `values` [row, column] are its numbers, `tables` its codes as networks completed it."""
    if len(values) > MOST_ROWS:
        some = np.sort(rng.choice(len(values), MOST_ROWS, replace=False))
        values, hidden = np.asfortranarray(values[some]), hidden[some]
        tables = [codes[some] for codes in tables]
    tables = tables[-MOST_TABLES:]
    growers = _growers(domain, numbers, networks, hidden)
    started = [started_values(domain, numbers, codes, values, hidden, rng) for codes in tables]
    for _ in range(ROUNDS):
        for i, rows in _holes(hidden, numbers):
            for table in started:
                tree, _ = growers[i].tree(table, rng)
                table[rows, i] = tree.member(tree.leaves(row_major(table, rows)), rng.random(len(rows)))
    read = sum(len(each.readable) * min(len(each.observed), MOST_DRAWN) for each in growers)
    count = int(min(max(MOST_READ // max(read, 1), FEWEST_TREES), TREES))
    streams = rng.spawn(len(domain))
    grown: dict[int, tuple[Forest, NumberLaw | None]] = {}
    centre = _mean(started)
    others = np.flatnonzero(numbers)

    def work(first: int, last: int) -> None:
        for i in range(first, last):
            judged = JUDGED if numbers[i] else 0
            forest, unseen = grow_forest(growers[i], started, count, streams[i], judged=judged)
            law = None
            if numbers[i]:
                law = number_law(
                    forest, unseen, values[:, i], others[others != i].tolist(), centre, streams[i]
                )
            grown[i] = forest, law

    in_threads(work, [(i, i + 1) for i in range(len(domain))], n_jobs)
    laws = {i: law for i in range(len(domain)) if (law := grown[i][1]) is not None}
    return Forests(domain, numbers, laws, {i: grown[i][0] for i in range(len(domain))})


def _growers(
    domain: Domain, numbers: NDArray[np.bool_], networks: Sequence[Network], hidden: NDArray[np.bool_]
) -> list[Grower]:
    """Of each column: trees read all others, or of many those that its nodes read in most networks."""
    n = len(domain)
    categorical = (~numbers).tolist()
    growers = []
    for i in range(n):
        readable = [j for j in range(n) if j != i]
        if len(readable) > MOST_READABLE:
            times = np.zeros(n)
            for network in networks:
                times[list(network.nodes[i].inputs)] += 1
            times[i] = -1
            readable = np.sort(np.argsort(-times, kind="stable")[:MOST_READABLE]).tolist()
        observed = np.flatnonzero(~hidden[:, i]).astype(np.int32)
        states = 0 if numbers[i] else domain.cardinalities[i]
        growers.append(Grower(i, observed, categorical, states, readable))
    return growers


def started_values(
    domain: Domain,
    numbers: NDArray[np.bool_],
    codes: CodeArray,
    values: Values,
    hidden: NDArray[np.bool_],
    rng: np.random.Generator,
    order: Literal["C", "F"] = "F",
) -> Values:
    """Completed codes as values: a hole's number is drawn in its bin. Trees are grown by columns, and read by rows ("C")."""
    table = np.array(values, order=order)
    for i, variable in enumerate(domain.variables):
        if not numbers[i]:
            table[:, i] = codes[:, i]
            continue
        rows = np.flatnonzero(hidden[:, i])
        own = codes[rows, i].astype(np.int64)
        if variable.bins is not None:
            table[rows, i] = variable.bins.draw(own, rng)
        else:
            table[rows, i] = np.array(variable.states, dtype=np.float64)[own]
    return table


def _holes(hidden: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """The chosen columns that have holes, those with fewest first, and the rows of these."""
    counts = hidden.sum(axis=0)
    for i in np.argsort(counts, kind="stable").tolist():
        if chosen[i] and counts[i]:
            yield i, np.flatnonzero(hidden[:, i]).astype(np.int32)


def _mean(tables: Sequence[Values]) -> Values:
    total = tables[0].copy(order="K")
    for table in tables[1:]:
        total += table
    total /= len(tables)
    return total
