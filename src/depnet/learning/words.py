"""Words of digits whose vertices are asked one by one (`depnet.model.stages`).

A boosted node of K states sums the stages of all K - 1 vertices for every row. To draw a state, or to say how probable a
known one is, a row needs those on its way alone, some log2 K of them. So a teacher draws columns of hundreds of states.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.learning.boost import Grown, NodeGrower
from depnet.model.stages import DigitTree, Scores, Stages, theta_of


@dataclass(frozen=True, eq=False)
class Word:
    """The word of one variable: the stages of each vertex, added to where they start from."""

    variable: int
    tree: DigitTree
    first: int | None
    """The column whose states are the rows of `bases`; None: there is one row."""
    bases: Scores
    """[leaf, vertex]."""
    stages: Sequence[tuple[Sequence[int], Stages] | None]
    """Of each vertex, over the columns that it reads; None: it has none."""

    @classmethod
    def of(cls, grower: NodeGrower, grown: Sequence[Grown]) -> "Word":
        """The word of the stages that were grown for each vertex."""
        assert grower.tree is not None
        variable, low, high = grower.rows.arrays
        stages: list[tuple[Sequence[int], Stages] | None] = []
        for one in grown:
            if not one.stages:
                stages.append(None)
                continue
            used, test = np.unique(one.test, return_inverse=True)
            read, place = np.unique(variable[used], return_inverse=True)
            logits = one.scores[:, 1:] - one.scores[:, :1]
            own = Stages(
                place.astype(np.int32),
                low[used],
                high[used],
                one.begin,
                one.leaf,
                test.astype(np.int32),
                logits,
            )
            stages.append((read.tolist(), own))
        first = None if grower.first is None else grower.first[0]
        return cls(grower.variable, grower.tree, first, grower.bases, stages)

    def digit_laws(self, v: int, codes: CodeArray, rows: IntArray) -> FloatArray:
        """[row, digit]: the law of digit v in some rows, which come to it, of column-major codes."""
        odds = np.zeros((len(rows), 2), dtype=np.int32)
        odds[:, 1] = self.bases[0 if self.first is None else codes[:, self.first][rows], v]
        stages = self.stages[v]
        if stages is not None:  # only what they read is taken from the rows, column by column
            read = np.array([codes[:, j][rows] for j in stages[0]]).T
            odds[:, 1:] = stages[1].sums(read, odds[:, 1:])
        return theta_of(odds)

    def draw(self, codes: CodeArray, rng: np.random.Generator) -> IntArray:
        """A state of each row, digit by digit."""
        found: IntArray = np.zeros(len(codes), dtype=np.int64)
        coming = {(0, self.tree.states): np.arange(len(codes))}
        for v, (low, middle, high) in enumerate(self.tree.vertices):
            rows = coming.pop((low, high))
            one = rng.random(len(rows)) < self.digit_laws(v, codes, rows)[:, 1]
            for begin, end, own in ((low, middle, rows[~one]), (middle, high, rows[one])):
                coming[begin, end] = own
                if end == begin + 1:
                    found[own] = begin
        return found

    def log_theta(self, dataset: Dataset) -> FloatArray:
        """Log theta(x | .) of each row's own state, in nats."""
        found = np.zeros(dataset.rows)
        for v, rows, digits in self._coming(dataset.column(self.variable)):
            laws = self.digit_laws(v, dataset.codes, rows)
            found[rows] += np.log(laws[np.arange(len(rows)), digits])
        return found

    def _coming(self, own: CodeArray) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Of each vertex the rows that come to it, and their digits there."""
        for v, (low, middle, high) in enumerate(self.tree.vertices):
            rows = np.flatnonzero((own >= low) & (own < high))
            if len(rows):
                yield v, rows, (own[rows] >= middle).astype(np.int64)
