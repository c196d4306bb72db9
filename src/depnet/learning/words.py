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
    stages: Sequence[Stages | None]
    """Of each vertex; None: it has none."""

    @classmethod
    def of(cls, grower: NodeGrower, grown: Sequence[Grown]) -> "Word":
        """The word of the stages that were grown for each vertex."""
        assert grower.tree is not None
        variable, low, high = grower.rows.arrays
        stages = []
        for one in grown:
            used, test = np.unique(one.test, return_inverse=True)
            tests = (variable[used], low[used], high[used])
            logits = one.scores[:, 1:] - one.scores[:, :1]
            own = Stages(*tests, one.begin, one.leaf, test.astype(np.int32), logits)
            stages.append(own if one.stages else None)
        first = None if grower.first is None else grower.first[0]
        return cls(grower.variable, grower.tree, first, grower.bases, stages)

    def digit_laws(self, v: int, codes: CodeArray) -> FloatArray:
        """[row, digit]: the law of digit v in rows of column-major codes that come to it."""
        odds = np.zeros((len(codes), 2), dtype=np.int32)
        odds[:, 1] = self.bases[0 if self.first is None else codes[:, self.first], v]
        stages = self.stages[v]
        if stages is not None:
            odds[:, 1:] = stages.sums(codes, odds[:, 1:])
        return theta_of(odds)

    def draw(self, codes: CodeArray, rng: np.random.Generator) -> IntArray:
        """A state of each row, digit by digit."""
        found: IntArray = np.zeros(len(codes), dtype=np.int64)
        coming = {(0, self.tree.states): np.arange(len(codes))}
        for v, (low, middle, high) in enumerate(self.tree.vertices):
            rows = coming.pop((low, high))
            one = rng.random(len(rows)) < self.digit_laws(v, _some(codes, rows))[:, 1]
            for begin, end, own in ((low, middle, rows[~one]), (middle, high, rows[one])):
                coming[begin, end] = own
                found[own] = begin
        return found

    def log_theta(self, dataset: Dataset) -> FloatArray:
        """Log theta(x | .) of each row's own state, in nats."""
        found = np.zeros(dataset.rows)
        for v, rows, digits in self._coming(dataset.column(self.variable)):
            laws = self.digit_laws(v, _some(dataset.codes, rows))
            found[rows] += np.log(laws[np.arange(len(rows)), digits])
        return found

    def _coming(self, own: CodeArray) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Of each vertex the rows that come to it, and their digits there."""
        for v, (low, middle, high) in enumerate(self.tree.vertices):
            rows = np.flatnonzero((own >= low) & (own < high))
            if len(rows):
                yield v, rows, (own[rows] >= middle).astype(np.int64)


def _some(codes: CodeArray, rows: IntArray) -> CodeArray:
    """Some rows of column-major codes, which stay column-major: taken column by column, several times as fast."""
    return codes if len(rows) == len(codes) else np.take(codes.T, rows, axis=1).T  # type: ignore[return-value]
