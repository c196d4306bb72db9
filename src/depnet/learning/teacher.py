r"""A teacher: a boosted law of words, for all columns alike (ours, beyond the paper).

Every state of a column is the leaf of a tree of binary digits (`depnet.model.digits`), which needs an order of states. Numbers and
ordered labels have theirs. A category's is found from the table: the states are put along the first axis of correspondence
analysis, the scores u of states and v of all other columns' states that correlate most,

.. math:: \max_{u, v} \sum_{x, b} \frac{N_{xb} - N_x N_b / N}{\sqrt{N_x N_b}}\, u_x v_b,

so that states whose rows look alike are neighbours: a digit then tells groups of like states apart, and so does a cut where the
category is read. To draw from a word only the stages on the way to a leaf are summed: log K vertices of K - 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet._native import boost as native
from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Variable
from depnet.learning.boost.digits import MORE, DigitGrower, Grown, choose_stages, tree_of
from depnet.learning.boost.rows import BoostRows
from depnet.learning.order import folded
from depnet.model.digits import DigitTree
from depnet.model.stages import Stages, theta_of

FAINT = 5.0
"""Rows that are added to a state's own: what few rows say of a state does not put it first or last."""
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
    left, _, _ = np.linalg.svd(np.concatenate(blocks, axis=1), full_matrices=False)
    axis = np.round(left[:, 0] / np.sqrt(rows + FAINT), 9)
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
    stages: Sequence[tuple[Stages, tuple[int, ...]] | None]

    @classmethod
    def of(cls, grower: DigitGrower, grown: Sequence[Grown]) -> "Word":
        variable, low, high = grower.rows.arrays
        stages: list[tuple[Stages, tuple[int, ...]] | None] = []
        for one in grown:
            if len(one.begin) == 1:
                stages.append(None)
                continue
            used, test = np.unique(one.test, return_inverse=True)
            read, number = np.unique(variable[used], return_inverse=True)
            stages.append(
                (Stages(number, low[used], high[used], one.begin, one.leaf, test, one.scores[:, None]), read)
            )
        return cls(grower.tree, [grower._base(vertex) for vertex in grower.tree.vertices], stages)

    def walk(self, codes: CodeArray, choose: Choose) -> IntArray:
        """The place of each row at the end of its way, on which `choose` takes the digits by their probabilities of 1."""
        found: IntArray = np.zeros(len(codes), dtype=np.int64)
        reach = {(0, self.tree.states): np.arange(len(codes))}
        for v, (low, middle, high) in enumerate(self.tree.vertices):
            rows = reach.pop((low, high))
            if not len(rows):
                one = np.zeros(0, dtype=np.bool_)
            else:
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
            some = np.empty((len(rows), len(read)), dtype=codes.dtype, order="F")
            for at, j in enumerate(read):
                some[:, at] = codes[rows, j]
            sums[:, 1] += stages.sums(some)[:, 0]
        return theta_of(sums)[:, 1]

    def draw(self, codes: CodeArray, rng: np.random.Generator) -> IntArray:
        return self.walk(codes, lambda v, rows, p: rng.random(len(rows)) < p)

    def log_theta(self, codes: CodeArray, own: IntArray) -> FloatArray:
        total = np.zeros(len(codes))

        def choose(v: int, rows: IntArray, p: FloatArray) -> NDArray[np.bool_]:
            one = own[rows] >= self.tree.vertices[v].middle
            total[rows] += np.log(np.where(one, p, 1 - p))
            return one

        self.walk(codes, choose)
        return total
