r"""Forests whose leaves keep their members: the law of a column given the others, for the imputer.

The trees are scikit-learn's, with random tests: their mean is smooth. Tree t is grown from rows drawn with replacement, and
with L_t(x) the members of the leaf that a row comes to,

.. math:: F(y \mid x) = \frac1T \sum_t \frac{|\{ r \in L_t(x) : y_r \le y \}|}{|L_t(x)|}.

What trees say of rows that they have not drawn is as good as what they say of new ones. By these rows the law of a number
is corrected and calibrated. A ridge regression of the errors adds what is linear, which trees flatten at the ends, if that
is surely better; it may move the whole law and draw it together, y' = m' + s (y - m), if the CRPS is less so (heaped values
stay where they are). And u = F(y | x) would be uniform if the laws were right: with G the distribution of these u, the
quantile at level a is asked for at G^{-1}(a), drawn towards a itself where rows are few.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.learning import limits

Shown = NDArray[np.float32]
"""[row, input]: what trees read."""

LEAST, LEAST_OF_STATES = 5, 3
"""Rows of a leaf of numbers, which say how they spread, and of a category."""
MOST_DRAWN = 3000
"""Rows that a tree is grown from."""
MOST_READ = 50
"""Inputs that a split looks at; of a category, no more than half of them."""
MOST_JUDGED = 3000
"""Rows that a law is corrected by."""
A_TREE = 3
"""Values that stand for the law of a leaf."""
LEVELS = np.arange(1, 20) / 20
STRENGTHS = tuple(10.0**k for k in range(-2, 4))
REACH = 3.0
"""Columns are cut at this many standard deviations: a line must not follow an odd value far away."""
SCALES = (1.0, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05)
"""Candidate scales of the spread of a law that is moved."""
AS_IS = 10.0
"""Rows that the levels as they are count for."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree, and the target of the members of its leaves."""

    nodes: Any
    """scikit-learn's."""
    leaf: IntArray
    """The number of each node that is a leaf."""
    begin: IntArray
    """The place of each leaf's first member, then the end of all: [leaves + 1]."""
    target: FloatArray
    """The values of the members, leaf after leaf, ascending within each."""

    @classmethod
    def of(cls, nodes: Any, shown: Shown, target: FloatArray) -> "Tree":
        """The tree whose leaves keep these rows."""
        found, leaf = np.unique(nodes.apply(shown), return_inverse=True)
        number = np.zeros(nodes.node_count, dtype=np.int64)
        number[found] = np.arange(len(found))
        begin = np.concatenate([[0], np.cumsum(np.bincount(leaf))])
        return cls(nodes, number, begin, target[np.lexsort((target, leaf))])

    def leaves(self, shown: Shown) -> IntArray:
        """The leaf that each row comes to."""
        return np.asarray(self.leaf[self.nodes.apply(shown)])

    @cached_property
    def means(self) -> FloatArray:
        return np.asarray(np.add.reduceat(self.target, self.begin[:-1]) / np.diff(self.begin))

    def shares(self, states: int) -> FloatArray:
        """[leaf, state]: how often each state is a member's."""
        sizes = np.diff(self.begin)
        cell = np.repeat(np.arange(len(sizes)), sizes) * states + self.target.astype(np.int64)
        counts = np.bincount(cell, minlength=len(sizes) * states).reshape(-1, states)
        return np.asarray(counts / sizes[:, None])

    def member(self, leaves: IntArray, level: FloatArray) -> FloatArray:
        """The target of the member at a level in [0, 1) of each leaf: a random level draws one."""
        place = self.begin[leaves] + (level * np.diff(self.begin)[leaves]).astype(np.int64)
        return np.asarray(self.target[place])

    def members(self, leaves: IntArray, rng: np.random.Generator) -> FloatArray:
        """[row, A_TREE]: members of each row's leaf, at even levels from a random one on."""
        start = rng.random(len(leaves))
        return np.stack([self.member(leaves, (k + start) / A_TREE) for k in range(A_TREE)], axis=1)


@dataclass(frozen=True, eq=False)
class Forest:
    """The trees of one column, over `tables` completed tables: tree t reads table t modulo `tables`."""

    trees: Sequence[Tree]
    states: int
    """0 of numbers."""
    tables: int

    def of_table(self, m: int) -> Sequence[Tree]:
        """The trees that read table m; those of another, where there are more tables than were learned from."""
        return self.trees[m % self.tables :: self.tables]

    def mean(self, m: int, shown: Shown) -> FloatArray:
        """The mean over the trees of table m: [row], or of a category [row, state]."""
        trees = self.of_table(m)
        found = [
            (tree.shares(self.states) if self.states else tree.means)[tree.leaves(shown)] for tree in trees
        ]
        return np.asarray(np.mean(found, axis=0))


def grow_forest(
    shown: Shown, target: FloatArray, *, states: int, tables: int, count: int, seed: int
) -> tuple[Forest, list[IntArray]]:
    """A forest of rows of `tables` completed tables, one table after the other; and the rows that each tree has drawn."""
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    kind = ExtraTreesClassifier if states else ExtraTreesRegressor
    grown = kind(
        count,
        min_samples_leaf=LEAST_OF_STATES if states else LEAST,
        max_features=max(min(shown.shape[1] // (2 if states else 1), MOST_READ), 1),
        bootstrap=True,
        max_samples=min(len(target) // tables, MOST_DRAWN),
        random_state=seed,
    ).fit(shown, target)
    drawn = grown.estimators_samples_
    trees = [
        Tree.of(each.tree_, shown[rows], target[rows])
        for each, rows in zip(grown.estimators_, drawn, strict=True)
    ]
    return Forest(trees, states, tables), [rows % (len(target) // tables) for rows in drawn]


@dataclass(frozen=True, eq=False)
class ForestLaw:
    """What is added to the mean of a number's forest, and how its quantiles are asked for."""

    line: Any
    """scikit-learn's ridge regression of the errors; None: nothing is added."""
    centre: FloatArray
    spread: FloatArray
    """The spreads of the columns that the line reads; the last is the forest's own mean."""
    scale: float
    """The scale of the spread of a law that the line moves; 0 where it moves the mean alone."""
    draw_scale: float
    """The same for draws, which are to lie as far from their mean as rows do that were not seen."""
    ranks: FloatArray
    """u of rows not seen, ascending."""
    low: float
    high: float
    """No mean lies beyond what was observed."""

    def correct(self, mean: FloatArray, others: FloatArray) -> FloatArray:
        """The means of some rows; `others` [row, column] are the other numbers of these."""
        if self.line is None:
            return mean
        columns = _standard(np.column_stack([others, mean]), self.centre, self.spread)
        return np.asarray(np.clip(mean + self.line.predict(columns), self.low, self.high))

    def quantiles(
        self, members: FloatArray, mean: FloatArray, corrected: FloatArray, levels: Sequence[float]
    ) -> FloatArray:
        """[row, level] of laws that `members` [row, value] stand for, ascending."""
        asked = np.asarray(levels, dtype=np.float64)
        if len(self.ranks):
            n = len(self.ranks)
            asked = (n * np.quantile(self.ranks, asked) + AS_IS * asked) / (n + AS_IS)
        found = quantiles_of(members, asked)
        if not self.scale:
            return found
        return np.clip(_move(found, mean, corrected, self.scale), self.low, self.high)

    def move_draws(self, drawn: FloatArray, mean: FloatArray, corrected: FloatArray) -> FloatArray:
        """Draws of a law that moves with its mean."""
        return np.asarray(np.clip(corrected + self.draw_scale * (drawn - mean), self.low, self.high))


def number_law(
    forest: Forest,
    drawn: Sequence[IntArray],
    shown: Shown,
    truth: FloatArray,
    others: FloatArray,
    rng: np.random.Generator,
) -> ForestLaw:
    """The law of a number, by what its trees say of rows that they have not drawn.

    `shown` are the rows of all tables, one table after the other; `truth` [row] and `others` [row, column] are of each row.
    """
    rows = len(truth)
    some = np.sort(rng.permutation(rows)[:MOST_JUDGED])
    total, seen_by = np.zeros(len(some)), np.zeros(len(some))
    members = np.full((len(some), len(forest.trees) * A_TREE), np.nan)
    for t, (tree, own) in enumerate(zip(forest.trees, drawn, strict=True)):
        left = np.flatnonzero(~np.isin(some, own))
        leaves = tree.leaves(shown[(t % forest.tables) * rows + some[left]])
        total[left] += tree.means[leaves]
        seen_by[left] += 1
        members[left, t * A_TREE : (t + 1) * A_TREE] = tree.members(leaves, rng)
    told = seen_by > 0
    members.sort(axis=1)
    members, mean, own_truth = members[told], total[told] / seen_by[told], truth[some[told]]
    columns = np.column_stack([others[some[told]], mean])
    spread = columns.std(axis=0)
    found = ForestLaw(
        None,
        columns.mean(axis=0),
        np.where(spread > 0, spread, 1.0),
        0.0,
        1.0,
        np.empty(0),
        truth.min(),
        truth.max(),
    )
    line = fit_line(_standard(columns, found.centre, found.spread), own_truth - mean)
    scale, corrected = 0.0, mean
    if line is not None:
        corrected = mean + line.predict(_standard(columns, found.centre, found.spread))
        quantiles = quantiles_of(members, LEVELS)
        least = crps(quantiles, own_truth, LEVELS).mean()
        for candidate in SCALES:
            now = crps(_move(quantiles, mean, corrected, candidate), own_truth, LEVELS).mean()
            if now < least:
                scale, least = candidate, now
    draw_scale = 1.0
    if scale:
        around = np.nanmean((members - mean[:, None]) ** 2)
        draw_scale = float(np.sqrt(np.mean((own_truth - corrected) ** 2) / around)) if around > 0 else 1.0
        members = _move(members, mean, corrected, scale)
    below, until = ((members < own_truth[:, None]).sum(axis=1), (members <= own_truth[:, None]).sum(axis=1))
    count = np.maximum((~np.isnan(members)).sum(axis=1), 1)
    ranks = np.sort((below + rng.random(len(below)) * (until - below)) / count)
    return replace(found, line=line, scale=scale, draw_scale=draw_scale, ranks=ranks)


def fit_line(columns: FloatArray, errors: FloatArray) -> Any:
    """The ridge regression of errors by standardised columns; None where it is not surely better than none.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 3))
    >>> fit_line(x, x[:, 0] + 0.1 * rng.normal(size=200)).predict([[1.0, 0, 0]]).round(1).tolist()
    [1.0]
    >>> fit_line(x, rng.normal(size=200))
    """
    from sklearn.linear_model import RidgeCV

    if len(errors) < 10 or not columns.any():
        return None
    line = RidgeCV(STRENGTHS, store_cv_results=True).fit(columns, errors)
    gain = errors**2 - line.cv_results_[:, STRENGTHS.index(line.alpha_)]
    return line if gain.sum() > limits.SURE * gain.std() * np.sqrt(len(gain)) else None


def crps(quantiles: FloatArray, numbers: FloatArray, levels: Sequence[float] | FloatArray) -> FloatArray:
    r"""The continuous ranked probability score of each row's law, by its quantiles [row, level]: the lower, the better.

    .. math:: CRPS(F, y) = 2 \int_0^1 \rho_a(y - F^{-1}(a)) \, da, \qquad \rho_a(d) = \max(a d, (a - 1) d)

    Here the integral is a mean over levels.

    >>> crps(np.array([[1.0], [4.0]]), np.array([2.0, 4.0]), [0.5]).tolist()
    [1.0, 0.0]
    """
    above = numbers[:, None] - quantiles
    shares = np.asarray(levels)
    return np.asarray(2.0 * np.maximum(shares * above, (shares - 1.0) * above).mean(axis=1))


def _standard(columns: FloatArray, centre: FloatArray, spread: FloatArray) -> FloatArray:
    return np.asarray(np.clip((columns - centre) / spread, -REACH, REACH))


def _move(values: FloatArray, mean: FloatArray, corrected: FloatArray, scale: float) -> FloatArray:
    """Values [row, ...] moved with their mean, and drawn together around it."""
    return np.asarray(corrected[:, None] + scale * (values - mean[:, None]))


def quantiles_of(members: FloatArray, levels: FloatArray) -> FloatArray:
    """[row, level] of rows of ascending values, nan at their ends.

    >>> quantiles_of(np.array([[1.0, 2.0, 3.0, np.nan]]), np.array([0.0, 0.5, 1.0])).tolist()
    [[1.0, 2.0, 3.0]]
    """
    count = (~np.isnan(members)).sum(axis=1)[:, None]
    place = np.minimum((levels * count).astype(np.int64), np.maximum(count - 1, 0))
    return np.asarray(np.take_along_axis(members, place, axis=1))
