r"""What the imputer says of holes: by the network, and by forests of the values themselves, over several completed tables.

The network has completed the table; its chains give M tables. Columns are then redrawn one after the other:
a number from the leaf of a tree that was grown from these tables, a category from what trees and network say,

.. math:: y_h \sim F_{tree}(y \mid x_{-i}), \qquad x_h \sim \tfrac14 (3 F_{trees} + \theta_i)(x \mid x_{-i}):

multiple imputation by chained trees, each grown from rows drawn with replacement, begun where the network has brought it.
Then every column has a forest over all M tables (`depnet.learning.forest`). New rows go the same way with the forests that
there are; the law of a category is the mean over tables and rounds of what it is drawn from, and a number has the law of
its forest.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.variable import Domain
from depnet.data.table.weights import repetitions
from depnet.fitting.complete import redraw
from depnet.learning.forest import Forest, ForestLaw, Shown, grow_forest, number_law
from depnet.model.network import Network
from depnet.threads import results_in_threads

FIT_ROUNDS, ROUNDS, KEPT_ROUNDS = 2, 2, 4
"""All columns are redrawn so often in `fit`; for new rows, before laws of categories are counted, and while they are."""
TABLES, FEW_TABLES = 10, 5
TREES, FEW_TREES, TREES_OF_STATES = 40, 20, 20
"""The trees of a number, of a number of many rows, and of a category."""
MANY_ROWS, MOST_ROWS = 5_000, 20_000
"""From as many rows on tables and trees are fewer; and no more rows are learned from."""
OF_NETWORK = 0.25
"""What the network counts in the law of a category, beside the trees (`benchmarks impute`: 0.5 was no better)."""
SHOWN_STATES = 8
"""The most frequent states of a category, which trees distinguish."""
STARTS = 1_000
"""Rows that are kept, for new ones to begin from."""
CHUNK_ROWS = 4096
SHARES = (np.arange(100) + 0.5) / 100
"""Levels of the quantiles that stand for the law of a number's bins."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """How trees see a column: a number by its rank among those observed, a category by which frequent state it is."""

    ranks: dict[int, FloatArray]
    states: dict[int, IntArray]
    first: IntArray
    """The first input of each column, and at the end the number of inputs."""

    @classmethod
    def of(cls, numbers: NDArray[np.bool_], values: FloatArray, hidden: NDArray[np.bool_]) -> "Inputs":
        """Make the inputs from a table's values [row, column]."""
        ranks, states, widths = {}, {}, []
        for i, number in enumerate(numbers):
            seen, counts = np.unique(values[~hidden[:, i], i], return_counts=True)
            if number:
                ranks[i] = seen
            else:
                often = np.sort(np.argsort(-counts, kind="stable")[:SHOWN_STATES])
                states[i] = seen[often[1:] if len(seen) == 2 else often]
            widths.append(1 if number else len(states[i]))
        return cls(ranks, states, np.concatenate([[0], np.cumsum(widths)]))

    def put(self, shown: Shown, at: slice | IntArray, i: int, values: FloatArray) -> None:
        """Show values of column i in rows `at`."""
        if i in self.ranks:
            low, high = (np.searchsorted(self.ranks[i], values, side=side) for side in ("left", "right"))
            shown[at, self.first[i]] = low + high
        else:
            for place, state in enumerate(self.states[i]):
                shown[at, self.first[i] + place] = values == state


@dataclass(eq=False)
class Tables:
    """M completed copies of some rows, one after the other: codes, values, and what trees read of them."""

    forests: "Forests"
    codes: CodeArray
    values: FloatArray
    hidden: NDArray[np.bool_]
    """Of one copy."""
    shown: Shown = field(init=False)

    def __post_init__(self) -> None:
        inputs = self.forests.inputs
        # One more, which is constant: of a single column trees read nothing.
        self.shown = np.zeros((len(self.codes), int(inputs.first[-1]) + 1), dtype=np.float32)
        for i in range(self.codes.shape[1]):
            inputs.put(self.shown, slice(None), i, self.values[:, i])

    @property
    def rows(self) -> int:
        """The rows of one copy."""
        return len(self.hidden)

    @property
    def count(self) -> int:
        """M."""
        return len(self.codes) // self.rows

    def holes(self) -> Iterator[tuple[int, IntArray]]:
        """The columns with holes, those with fewest first, and the rows of these."""
        counts = self.hidden.sum(axis=0)
        for i in np.argsort(counts, kind="stable").tolist():
            if counts[i]:
                yield i, np.flatnonzero(self.hidden[:, i])

    def places(self, rows: IntArray) -> IntArray:
        """[table, row]: where some rows of each table are."""
        return np.arange(self.count)[:, None] * self.rows + rows

    def inputs_of(self, i: int, at: IntArray) -> Shown:
        """What trees of column i read of some places: all but itself."""
        first, last = self.forests.inputs.first[i : i + 2]
        return np.delete(self.shown[at], np.s_[first:last], axis=1)

    def move_on(
        self, forest_of: Callable[[int], tuple[Forest, ForestLaw | None]], rng: np.random.Generator
    ) -> Iterator[tuple[int, FloatArray | None]]:
        """Redraw the holes of each column: (column, law of a category [row, state] before it is drawn)."""
        for i, rows in self.holes():
            at, law = self.places(rows), None
            forest, number = forest_of(i)
            if number is None:
                laws = self.category_laws(i, forest, at)
                law = laws.mean(axis=0)
                until = np.cumsum(laws, axis=2)
                drawn = (until < rng.random((*at.shape, 1)) * until[:, :, -1:]).sum(axis=2).astype(np.float64)
            else:
                drawn = np.stack([self.draw(i, forest, number, m, own, rng) for m, own in enumerate(at)])
            yield i, law
            self.put(i, at.ravel(), drawn.ravel())

    def draw(
        self, i: int, forest: Forest, law: ForestLaw, m: int, at: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        """A number for some places of table m: a member of the leaf of one tree, moved as its law is."""
        shown, trees = self.inputs_of(i, at), forest.of_table(m)
        tree = trees[int(rng.integers(len(trees)))]
        drawn = tree.member(tree.leaves(shown), rng.random(len(at)))
        if not law.scale:
            return drawn
        mean = forest.mean(m, shown)
        corrected = law.correct(mean, self.values[np.ix_(at, self.forests.others(i))])
        return law.move_draws(drawn, mean, corrected)

    def category_laws(self, i: int, forest: Forest, at: IntArray) -> FloatArray:
        """[table, row, state] by network and trees."""
        theta = self.forests.theta(i, self.codes[at.ravel()]).reshape(*at.shape, -1)
        trees = np.stack([forest.mean(m, self.inputs_of(i, own)) for m, own in enumerate(at)])
        return OF_NETWORK * theta + (1 - OF_NETWORK) * trees

    def put(self, i: int, at: IntArray, values: FloatArray) -> None:
        """Other values of column i at some places: whole numbers stay whole, and states states."""
        codes, variable = self.forests.codes(i, values), self.forests.domain.variables[i]
        if variable.bins is not None and self.forests.numbers[i] and variable.bins.kind != "float":
            values = np.rint(values)
        elif variable.bins is None and self.forests.numbers[i]:
            values = np.array(variable.present_states, dtype=np.float64)[codes]
        self.values[at, i], self.codes[at, i] = values, codes
        self.forests.inputs.put(self.shown, at, i, values)


@dataclass(eq=False)
class Forests:
    """A forest for each column, with the law of a number."""

    network: Network
    numbers: NDArray[np.bool_]
    """Which columns are numbers; all others are categories."""
    inputs: Inputs
    starts: CodeArray
    """Some completed rows."""
    forests: dict[int, Forest] = field(default_factory=dict)
    laws: dict[int, ForestLaw] = field(default_factory=dict)

    @property
    def domain(self) -> Domain:
        return self.network.domain

    def others(self, i: int) -> IntArray:
        """The numbers but column i."""
        return np.flatnonzero(self.numbers & (np.arange(len(self.numbers)) != i))

    def theta(self, i: int, codes: CodeArray) -> FloatArray:
        """[row, state]: what the network says of column i."""
        columns: CodeArray = np.asarray(codes, order="F")  # type: ignore[assignment]
        return self.network.nodes[i].probabilities(columns)

    def codes(self, i: int, values: FloatArray) -> IntArray:
        """The codes of values of column i: itself, the bin of a number, or the nearest of its states."""
        if not self.numbers[i]:
            return values.astype(np.int64)
        variable = self.domain.variables[i]
        if variable.bins is not None:
            kept = values if variable.bins.kind == "float" else np.rint(values).astype(np.int64)
            return variable.bins.locate(kept)
        states = np.array(variable.present_states, dtype=np.float64)
        order = np.argsort(states, kind="stable")
        middles = (states[order][1:] + states[order][:-1]) / 2
        return np.asarray(order[np.searchsorted(middles, values)])

    def values(
        self, codes: CodeArray, hidden: NDArray[np.bool_], known: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Completed codes as values: what is `known`, and in the holes of numbers a value of the bin."""
        found = np.array(known, order="F")
        for i, variable in enumerate(self.domain.variables):
            if not self.numbers[i]:
                found[:, i] = codes[:, i]
                continue
            rows = np.flatnonzero(hidden[:, i])
            own = codes[rows, i].astype(np.int64)
            found[rows, i] = (
                np.array(variable.states, dtype=np.float64)[own]
                if variable.bins is None
                else variable.bins.draw(own, rng)
            )
        return found

    def tables(
        self,
        codes: CodeArray,
        hidden: NDArray[np.bool_],
        known: FloatArray,
        count: int,
        rng: np.random.Generator,
        n_jobs: int,
    ) -> Tables:
        """`count` tables that the network's chains complete, from where the holes of `codes` are on."""
        gone = np.tile(hidden, (count, 1))
        started = redraw(
            self.network, np.asfortranarray(np.tile(codes, (count, 1))), gone, rng=rng, n_jobs=n_jobs
        )
        whole = self.values(started, gone, np.tile(known, (count, 1)), rng)
        return Tables(self, np.array(started, dtype=np.uint16, order="F"), whole, hidden)

    def answers(
        self,
        codes: CodeArray,
        hidden: NDArray[np.bool_],
        known: FloatArray,
        rng: np.random.Generator,
        *,
        count: int = TABLES,
        n_jobs: int = 1,
    ) -> Iterator["HoleAnswers"]:
        """Answers of the rows with holes, chunk after chunk: memory does not grow with the rows."""
        open_rows = np.flatnonzero(hidden.any(axis=1))
        for start in range(0, len(open_rows), CHUNK_ROWS):
            rows = open_rows[start : start + CHUNK_ROWS]
            gone = hidden[rows]
            begin = self.starts[rng.integers(0, len(self.starts), len(rows))]
            own = np.where(gone, begin, codes[rows])
            tables = self.tables(own, gone, known[rows], count, rng, n_jobs)
            laws: dict[int, FloatArray] = {}
            for number in range(ROUNDS + KEPT_ROUNDS):
                for i, law in tables.move_on(lambda i: (self.forests[i], self.laws.get(i)), rng):
                    if law is not None and number >= ROUNDS:
                        laws[i] = laws.get(i, 0.0) + law / KEPT_ROUNDS
            yield HoleAnswers(self, rows, tables, laws, rng)


@dataclass(eq=False)
class HoleAnswers:
    """What is known of the holes of some `rows` of a table."""

    forests: Forests
    rows: IntArray
    tables: Tables
    category_laws: dict[int, FloatArray]
    rng: np.random.Generator

    def __post_init__(self) -> None:
        tables = self.tables
        self.centre = np.mean(tables.values.reshape(tables.count, tables.rows, -1), axis=0)
        """[row, column]: means over tables, and of the holes of numbers what their forests say."""
        for i, rows in self.holes():
            if self.forests.numbers[i]:
                forest, at = self.forests.forests[i], tables.places(rows)
                means = [forest.mean(m, tables.inputs_of(i, own)) for m, own in enumerate(at)]
                self.centre[rows, i] = np.mean(means, axis=0)

    def holes(self) -> Iterator[tuple[int, IntArray]]:
        """The columns that have holes, and the places of these among the rows."""
        yield from self.tables.holes()

    def means(self, i: int, rows: IntArray) -> FloatArray:
        """The expected number of some holes."""
        others = self.centre[np.ix_(rows, self.forests.others(i))]
        return self.forests.laws[i].correct(self.centre[rows, i], others)

    def quantiles(self, i: int, rows: IntArray, levels: Sequence[float]) -> FloatArray:
        """[row, level] of the number of some holes."""
        forest = self.forests.forests[i]
        members = np.concatenate(
            [
                tree.members(tree.leaves(shown), self.rng)
                for m, own in enumerate(self.tables.places(rows))
                for shown in [self.tables.inputs_of(i, own)]
                for tree in forest.of_table(m)
            ],
            axis=1,
        )
        members.sort(axis=1)
        return self.forests.laws[i].quantiles(members, self.centre[rows, i], self.means(i, rows), levels)

    def law(self, i: int, rows: IntArray) -> FloatArray:
        """[row, state] of all holes of a column; of a number's bins the mean of network and forest."""
        if i in self.category_laws:
            return self.category_laws[i]
        at = self.tables.places(rows)
        theta = self.forests.theta(i, self.tables.codes[at.ravel()]).reshape(*at.shape, -1).mean(axis=0)
        codes = self.forests.codes(i, self.quantiles(i, rows, SHARES.tolist()))
        cell = np.arange(len(rows))[:, None] * theta.shape[1] + codes
        shares = np.bincount(cell.ravel(), minlength=theta.size).reshape(theta.shape) / len(SHARES)
        return np.asarray((theta + shares) / 2)


def grow_forests(
    network: Network,
    numbers: NDArray[np.bool_],
    codes: CodeArray,
    values: FloatArray,
    hidden: NDArray[np.bool_],
    weights: IntArray | FloatArray | None = None,
    *,
    rng: np.random.Generator,
    n_jobs: int = 1,
) -> Forests:
    """The forests of a table: `codes` as the network has completed it, `values` [row, column] where numbers are known."""
    if weights is not None or len(values) > MOST_ROWS:
        every = np.repeat(np.arange(len(values)), 1 if weights is None else repetitions(weights))
        some = np.sort(rng.permutation(every)[:MOST_ROWS])
        codes, values, hidden = codes[some], values[some], hidden[some]
    many = len(values) > MANY_ROWS
    tables_count, count = (FEW_TABLES, FEW_TREES) if many else (TABLES, TREES)
    whole = np.where(numbers, values, codes)
    starts = codes[np.sort(rng.permutation(len(codes))[:STARTS])]
    found = Forests(network, numbers, Inputs.of(numbers, whole, hidden), starts)
    tables = found.tables(codes, hidden, whole, tables_count, rng, n_jobs)

    def grow(i: int, trees: int, rng: np.random.Generator) -> tuple[Forest, ForestLaw | None]:
        observed = np.flatnonzero(~hidden[:, i])
        at = tables.places(observed).ravel()
        shown, number = tables.inputs_of(i, at), bool(numbers[i])
        states = 0 if number else found.domain.cardinalities[i]
        seed = int(rng.integers(2**31))
        forest, drawn = grow_forest(
            shown, tables.values[at, i], states=states, tables=tables.count, count=trees, seed=seed
        )
        if not number:
            return forest, None
        others = tables.values[
            np.ix_(observed, found.others(i))
        ]  # draws: means of holes would know the target
        return forest, number_law(forest, drawn, shown, values[observed, i], others, rng)

    for _ in range(FIT_ROUNDS):
        for _ in tables.move_on(lambda i: grow(i, tables.count, rng), rng):
            pass
    streams = rng.spawn(len(numbers))
    trees = np.where(numbers, count, TREES_OF_STATES).tolist()
    grown = results_in_threads(lambda i: grow(i, trees[i], streams[i]), range(len(numbers)), n_jobs)
    for i, (forest, law) in enumerate(grown):
        found.forests[i] = forest
        if law is not None:
            found.laws[i] = law
    return found
