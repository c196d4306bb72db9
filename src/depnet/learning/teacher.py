r"""A teacher: a boosted law of words, for all columns alike (ours, beyond the paper).

Every state of a column is the leaf of a tree of binary digits (`depnet.model.digits`), which needs an order of states.
Numbers and ordered labels have theirs. A category's is found from the table: its states are put along the first axis of
correspondence analysis, the unit vectors u of its states and v of the states of all other columns with the largest

.. math:: \sum_{x, b} \frac{N_{xb} - N_x N_b / N}{\sqrt{N_x N_b}}\, u_x v_b,

so that states whose rows look alike are neighbours: a digit then tells groups of like states apart, and so does a cut where
the category is read. To draw from a word only the stages on the way to a leaf are summed: some log K vertices of K - 1.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet._native import boost as native
from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Variable
from depnet.learning.boost.choose import TrialPart
from depnet.learning.boost.digits import SETTINGS, DigitGrower, DigitTrial
from depnet.learning.boost.node import Grown
from depnet.learning.boost.rows import BoostRows, all_tests
from depnet.learning.cuts import MANY_STATES, Cut
from depnet.learning.order import folded
from depnet.learning.rows.some_rows import some_rows
from depnet.learning.rows.work import Work
from depnet.model.digits import DigitTree
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.stages import Stages, theta_of
from depnet.threads import results_in_threads

TEACHER = replace(SETTINGS, stages=200, rate=0.2)
"""Larger steps than elsewhere: on three tables they scored alike, in less time."""
MOST_ROWS = 20_000
"""That a teacher learns from, at most."""
FAINT = 5.0
"""Rows that are added to a state's own: what few rows say of a state does not put it first or last."""
STEPS = 50
"""Of the power method: as many always, so that equal axes, too, come out alike everywhere."""
PLACE_CUTS = 15
"""Of a category, at most, along its places."""
BLOCK = 1 << 15
"""Rows that are drawn at once, with random numbers of their own."""
SEED = 0x7EAC
Part = tuple[Dataset, Dataset, Network]
"""Rows to learn from, rows held out, and the graphs of the first."""
Choose = Callable[[int, IntArray, FloatArray], NDArray[np.bool_]]


def state_places(dataset: Dataset) -> list[IntArray]:
    """[variable][state]: the place of each state in the order of its digits."""
    small = folded(dataset)
    return [
        _axis_places(dataset, small, i)
        if not variable.has_cuts and len(variable.present_states) > 2
        else np.arange(variable.cardinality)
        for i, variable in enumerate(dataset.domain.variables)
    ]


def _axis_places(dataset: Dataset, small: Dataset, i: int) -> IntArray:
    k, total = len(dataset.domain.variables[i].present_states), dataset.domain.cardinalities[i]
    own = dataset.column(i).astype(np.int64)
    blocks = []
    for j, states in enumerate(small.domain.cardinalities):
        if j == i or states < 2:
            continue
        cells = np.bincount(own * states + small.column(j), dataset.weights, minlength=total * states)
        counts = cells.reshape(total, states)[:k]
        n, m = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
        expected = n * m / max(n.sum(), 1)
        blocks.append((counts - expected) / np.sqrt((n + FAINT) * (m + FAINT)))
    rows = np.bincount(own, dataset.weights, minlength=total)[:k]
    if not blocks:
        return np.arange(total)
    residuals = np.concatenate(blocks, axis=1)
    axis = np.random.default_rng(SEED).standard_normal(k)
    for _ in range(STEPS):
        axis = residuals @ (residuals.T @ axis)
        axis /= np.abs(axis).max() or 1.0
    axis = np.round(axis / np.sqrt(rows + FAINT), 9)
    places = np.arange(total)
    places[np.argsort(axis, kind="stable")] = np.arange(k)
    return places


def in_places(dataset: Dataset, places: Sequence[IntArray]) -> Dataset:
    """The rows with each state by its place: every column has an order then."""
    codes = np.empty(dataset.codes.shape, dtype=dataset.codes.dtype, order="F")
    for i, place in enumerate(places):
        codes[:, i] = place.astype(codes.dtype)[dataset.column(i)]
    variables = []
    for variable in dataset.domain.variables:
        k = len(variable.present_states)
        missing = None if variable.missing is None else "missing"
        states = tuple(range(k)) if missing is None else (*range(k), missing)
        variables.append(Variable(variable.name, states, missing=missing))
    return Dataset.from_codes(codes, domain=Domain(tuple(variables)), weights=dataset.weights)


@dataclass(frozen=True, eq=False)
class Word:
    """A column's digits, each with stages of its own; `codes` are everywhere those of places."""

    tree: DigitTree
    bases: Sequence[int]
    stages: Sequence[tuple[Stages, IntArray] | None]
    """Of each vertex: stages that read variables by their places in the second."""

    @classmethod
    def of(cls, grower: DigitGrower, grown: Sequence[Grown]) -> "Word":
        """The word of vertices as they were grown."""
        variable, low, high = grower.rows.arrays
        stages: list[tuple[Stages, IntArray] | None] = []
        for one in grown:
            used, test = np.unique(one.test, return_inverse=True)
            read, number = np.unique(variable[used].astype(np.int64), return_inverse=True)
            own = Stages(
                number.astype(np.int32),
                low[used],
                high[used],
                one.begin,
                one.leaf,
                test.astype(np.int32),
                (one.scores[:, 1] - one.scores[:, 0])[:, None],
            )
            stages.append((own, read) if len(own) else None)
        return cls(grower.tree, [grower.base(vertex) for vertex in grower.tree.vertices], stages)

    def walk(self, codes: CodeArray, choose: Choose) -> IntArray:
        """The place of each row at the end of its way, on which `choose` takes the digits by their probabilities of 1."""
        found: IntArray = np.zeros(len(codes), dtype=np.int64)
        reach = {(0, self.tree.states): np.arange(len(codes))}
        for v, (low, middle, high) in enumerate(self.tree.vertices):
            rows = reach.pop((low, high))
            one = choose(v, rows, self.ones(v, codes, rows))
            for first, last, part in ((low, middle, rows[~one]), (middle, high, rows[one])):
                reach[first, last] = part
                if last - first == 1:
                    found[part] = first
        return found

    def ones(self, v: int, codes: CodeArray, rows: IntArray) -> FloatArray:
        """P(digit v is 1) in these rows."""
        sums = np.zeros((len(rows), 2), dtype=np.int32)
        sums[:, 1] = self.bases[v]
        own = self.stages[v]
        if own is not None:
            stages, read = own
            sums[:, 1] += stages.sums(codes.T[np.ix_(read, rows)].T)[:, 0]
        return theta_of(sums)[:, 1]

    def draw(self, codes: CodeArray, rng: np.random.Generator) -> IntArray:
        """A place for each row."""
        return self.walk(codes, lambda v, rows, p: rng.random(len(rows)) < p)

    def log_theta(self, codes: CodeArray, own: NDArray[np.integer[Any]]) -> FloatArray:
        """Log theta of the place that each row has."""
        total = np.zeros(len(codes))

        def choose(v: int, rows: IntArray, p: FloatArray) -> NDArray[np.bool_]:
            one = own[rows] >= self.tree.vertices[v].middle
            total[rows] += np.log(np.where(one, p, 1 - p))
            return one

        self.walk(codes, choose)
        return total


@dataclass(frozen=True, eq=False)
class Teacher:
    """Words for some nodes of an ordered network, and its graphs for the others."""

    graphs: Network
    words: Mapping[int, Word]
    places: Sequence[IntArray]

    def draw(self, count: int, threads: int) -> CodeArray:
        """Rows of the law, the same for any number of threads."""
        codes: CodeArray = np.zeros((count, len(self.graphs)), dtype=np.uint16, order="F")
        states = [np.argsort(place).astype(np.uint16) for place in self.places]

        def draw_block(first: int) -> None:
            own = codes[first : first + BLOCK]
            placed: CodeArray = np.zeros(own.shape, dtype=np.uint16, order="F")
            rng = np.random.default_rng([SEED, first])
            for i in self.graphs.order or ():
                if i in self.words:
                    placed[:, i] = self.words[i].draw(placed, rng)
                    own[:, i] = states[i][placed[:, i]]
                else:
                    own[:, i] = drawn_of(self.graphs.nodes[i], own, rng)
                    placed[:, i] = self.places[i][own[:, i]]

        results_in_threads(draw_block, range(0, count, BLOCK), threads)
        return codes

    def cuts(self, dataset: Dataset) -> list[Cut]:
        """Sets of a category's states on one side of a place, about as many rows between two of them."""
        found = []
        for i, variable in enumerate(dataset.domain.variables):
            k = len(variable.present_states)
            if variable.has_cuts or k < MANY_STATES:
                continue
            counts = np.bincount(self.places[i][dataset.column(i)], dataset.weights, minlength=k)[:k]
            share = np.cumsum(counts) / counts.sum()
            ends = np.arange(1, PLACE_CUTS + 1) / (PLACE_CUTS + 1)
            each = np.unique(np.searchsorted(share, ends) + 1).tolist()
            found += [Cut.of(i, self.places[i] >= at) for at in each if at < k]
        return found


def drawn_of(node: Node, codes: CodeArray, rng: np.random.Generator) -> IntArray:
    """A state of each row, by the table of a graph."""
    leaf = node.source(codes)
    ends = np.cumsum(node.table.probabilities, axis=1)
    ends[:, -1] = 1.0
    flat = (ends + np.arange(len(ends))[:, None]).ravel()
    found = np.searchsorted(flat, leaf + rng.random(len(codes)), side="right") - leaf * node.states
    return np.asarray(np.minimum(found, node.states - 1))


def learn_teacher(
    dataset: Dataset, law: Network, parts: Sequence[Part], readable: Mapping[int, Sequence[int]], work: Work
) -> tuple[Teacher, list[Teacher]]:
    """The teacher of these rows, and those of each part: words where held-out rows gain by them over graphs."""
    places = state_places(dataset)
    tests = all_tests(in_places(dataset, places))

    def placed(rows: Dataset) -> BoostRows:
        return BoostRows.of(in_places(rows, places), tests)

    def some(rows: BoostRows) -> BoostRows:
        count = min(rows.dataset.rows, MOST_ROWS)  # evenly among them, as equal rows follow each other
        return BoostRows(
            some_rows(rows.dataset, np.arange(count) * rows.dataset.rows // max(count, 1)), tests
        )

    tried = [TrialPart(some(placed(learned)), placed(held), graphs) for learned, held, graphs in parts]
    trial = DigitTrial(some(placed(dataset)), tried, readable, TEACHER, work.ends)
    stop = native.Stop()

    def learn(i: int) -> list[Word] | None:
        found = trial.tried(i, stop)
        if found is None:
            return None
        growers, grown, best = found
        words = [Word.of(*each) for each in zip(growers, grown, strict=True)]
        gained = 0.0
        for word, part, (_, held, graphs) in zip(words, tried, parts, strict=True):
            theirs = graphs.nodes[i].log_theta(held)
            gained -= float(theirs.sum() if held.weights is None else theirs @ held.weights)
            gained += float(word.log_theta(part.held.dataset.codes, part.held.own(i)).sum())
        whole = replace(growers[0], rows=trial.rows)
        last = whole.vertices(best) if gained > 0 else None
        return None if last is None else [Word.of(whole, last), *words]

    found = results_in_threads(learn, list(readable), work.threads, stop=stop.set)
    words = {i: each for i, each in zip(readable, found, strict=True) if each is not None}
    graphs_of = (law, *(graphs for _, _, graphs in parts))
    teacher, *others = (
        Teacher(graphs, {i: each[k] for i, each in words.items()}, places)
        for k, graphs in enumerate(graphs_of)
    )
    return teacher, others
