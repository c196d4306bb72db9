r"""Stages: what a boosted node adds up (ours, beyond the paper).

Stage m is a decision graph Y^m with a table of scores s_m[leaf, state], and

.. math:: \theta_i(x \mid x_{-i}) \propto \exp \sum_m s_m[Y^m(x_{-i}), x].

The graph is a list of splits in two. Y starts at 0, and split t in turn sends the rows of one leaf whose variable lies
between two of its states to a new leaf:

    Y <- t + 1   if Y = leaf[t] and low <= x_variable <= high

which is the paper's Split of that leaf with Merges of what stays and of what goes. Scores are whole multiples of 2^-20
(`UNIT`): their sums are the same in any order, and so theta has the same bits everywhere.

*Digits.* The states of a number are the leaves of a binary tree: its first digit says in which half of the rows the number
lies, the second in which half of that half, and so on. With one probability p_v for each vertex v of the tree,

.. math:: \theta(x) = \prod_{v \text{ on the way to } x} p_v^{d_v(x)} (1 - p_v)^{1 - d_v(x)},

a distribution over the states whatever the p_v are. A node of digits has stages for each vertex, learned from the rows that
reach it; what is missing is the first digit of a column whose holes are a state.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import ByFields, CodeArray, FloatArray, IntArray, read_only, set_fields
from depnet.errors import ModelError

UNIT = 2.0**-20
"""Scores are whole multiples of this, in nats."""
MOST_LEAVES = 256
"""Of a stage."""
MOST_SCORE = 2**30
"""The scores of a node sum to less than this in every row: sums have 32 bits."""

Ints = NDArray[np.int32]
Scores = Ints
Shorts = NDArray[np.uint16]


class Test(NamedTuple):
    """Is low <= x_variable <= high?"""

    variable: int
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Stages(ByFields):
    """The stages of one node, as flat arrays.

    Test d is `low[d]` <= x <= `high[d]` of variable `variable[d]`. Stage m has the splits t from `begin[m]` to
    `begin[m + 1]` - 1: rows of its leaf `leaf[t]` that pass test `test[t]` go to a new leaf. `scores` is [leaf, state], the
    leaves of all stages one after the other: those of stage m begin at `begin[m]` + m.

    >>> split = {"begin": [0, 1], "leaf": [0], "test": [0]}  # of leaf 0, by test 0: is x_2 = 1?
    >>> one = Stages([2], [1], [1], **split, scores=[[10, -10], [-20, 20]])
    >>> one.sums(np.array([[0, 0, 0], [0, 0, 1]], dtype=np.uint8, order="F")).tolist()
    [[10, -10], [-20, 20]]
    """

    variable: Ints
    low: Shorts
    high: Shorts
    begin: Ints
    leaf: Shorts
    test: Ints
    scores: Scores

    def __post_init__(self) -> None:
        types = (np.int32, np.uint16, np.uint16, np.int32, np.uint16, np.int32, np.int32)
        for each, kind in zip(fields(self), types, strict=True):
            array: NDArray[Any] = np.ascontiguousarray(getattr(self, each.name), dtype=kind)
            object.__setattr__(self, each.name, read_only(array))
        self._check()

    @property
    def native(self) -> native.Stages:
        return native.Stages(**{each.name: getattr(self, each.name) for each in fields(self)})

    def _check(self) -> None:
        """What the kernels rely on."""
        tests, splits, stages = len(self.variable), len(self.leaf), len(self.begin) - 1
        sizes = np.diff(self.begin)
        if not (
            self.scores.ndim == 2
            and len(self.low) == len(self.high) == tests
            and len(self.test) == splits
            and stages >= 0
            and self.begin[0] == 0
            and self.begin[-1] == splits
            and (sizes >= 0).all()
            and (sizes < MOST_LEAVES).all()
            and len(self.scores) == splits + stages
        ):
            raise ModelError("the arrays of these stages do not fit together.")
        within = np.arange(splits) - np.repeat(self.begin[:-1], sizes)
        if (self.leaf > within).any():
            t = int(np.flatnonzero(self.leaf > within)[0])
            raise ModelError(
                f"split {t} is of leaf {self.leaf[t]}; its stage has {within[t] + 1} leaves then."
            )
        if splits and not (self.test.min() >= 0 and self.test.max() < tests):
            raise ModelError(
                f"a split names one of the {tests} tests; got {self.test.min()}..{self.test.max()}."
            )
        if tests and ((self.low > self.high).any() or self.variable.min() < 0):
            raise ModelError(
                "a test is low <= x <= high of a variable; low is above high, or there is no variable."
            )
        if len(self.scores) and np.abs(self.largest_sums()).max(initial=0) >= MOST_SCORE:
            raise ModelError("the scores of a boosted node sum to more than 1,000 nats.")

    def largest_sums(self) -> IntArray:
        """For each state the sum over stages of the largest score, by its absolute value: no row has more."""
        if not len(self):
            return np.zeros(self.states, dtype=np.int64)
        starts = self.begin[:-1] + np.arange(len(self))
        largest: IntArray = np.maximum.reduceat(np.abs(self.scores.astype(np.int64)), starts).sum(axis=0)
        return largest

    def __len__(self) -> int:
        return len(self.begin) - 1

    def __reduce__(self) -> tuple[Any, ...]:
        return Stages, tuple(getattr(self, each.name) for each in fields(self))

    @property
    def states(self) -> int:
        """|X_i|."""
        return int(self.scores.shape[1])

    @property
    def inputs(self) -> tuple[int, ...]:
        """The variables that splits test, ascending."""
        return tuple(np.unique(self.variable[self.test]).tolist())

    def only_columns(self) -> Ints | None:
        """The one state that each stage has scores of, where it is one in all of them."""
        if not len(self):
            return np.zeros(0, dtype=np.int32)
        used = np.logical_or.reduceat(self.scores != 0, self.begin[:-1] + np.arange(len(self)))
        return np.argmax(used, axis=1).astype(np.int32) if (used.sum(axis=1) <= 1).all() else None

    def first(self, stages: int) -> "Stages":
        splits = int(self.begin[stages])
        return replace(
            self,
            begin=self.begin[: stages + 1],
            leaf=self.leaf[:splits],
            test=self.test[:splits],
            scores=self.scores[: splits + stages],
        )

    def decided(self, fixed: Mapping[int, int]) -> tuple["Stages", Scores]:
        """The stages that known variables leave open, on the same variables, and the sum of the scores of all others.

        A test of a known variable is decided. Where it fails, its split is none; where it passes, its leaf goes
        on under the new leaf's number. Splits of leaves that nothing reaches go with them, and a stage of which one leaf is
        left is a constant.
        """
        constant = np.zeros(self.states, dtype=np.int32)
        known = np.isin(self.variable, list(fixed))
        codes = np.array([fixed.get(j, 0) for j in self.variable.tolist()], dtype=np.int64)
        passes = (known & (self.low <= codes) & (codes <= self.high)).tolist()
        splits: list[tuple[int, int]] = []
        sizes: list[int] = []
        scores: list[Scores] = []
        known_at = known[self.test]
        for m in range(len(self)):
            first, last = int(self.begin[m]), int(self.begin[m + 1])
            own = list(zip(self.leaf[first:last].tolist(), self.test[first:last].tolist(), strict=True))
            order: list[int] | slice = slice(None)
            if known_at[first:last].any():
                own, order = _left(own, known, passes)
            left = self.scores[first + m : last + m + 1][order]
            if not own:
                constant += left[0]
                continue
            splits += own
            sizes.append(len(own))
            scores.append(left)
        leaf, test = np.array(splits, dtype=np.int64).reshape(-1, 2).T
        used, renumbered = np.unique(test, return_inverse=True)
        left_open = Stages(
            self.variable[used],
            self.low[used],
            self.high[used],
            np.cumsum([0, *sizes]).astype(np.int32),
            leaf.astype(np.uint16),
            renumbered.astype(np.int32),
            np.concatenate([np.zeros((0, self.states), dtype=np.int32), *scores]),
        )
        return left_open, constant

    def sums(self, codes: CodeArray, start: Scores | None = None) -> Scores:
        """[N, states]: the sum of all stages' scores, added to those of `start`, for column-major codes [N, n]."""
        if codes.ndim != 2 or codes.shape[1] <= self.variable.max(initial=-1):
            raise ModelError(
                f"these stages read variable {self.variable.max(initial=-1)}; the codes [N, n] have the shape {codes.shape}."
            )
        if start is not None and start.shape != (len(codes), self.states):
            raise ModelError(
                f"the scores to start from are [rows, states], {(len(codes), self.states)}; got {start.shape}."
            )
        out: Scores = (
            np.zeros((len(codes), self.states), dtype=np.int32)
            if start is None
            else np.array(start, order="C")
        )
        self.native.add_scores(codes, out)
        return out

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        """Raise a `ModelError` unless every test is of a variable and of states that are there."""
        for variable, high in zip(self.variable.tolist(), self.high.tolist(), strict=True):
            if variable >= len(cardinalities) or high >= cardinalities[variable]:
                raise ModelError(
                    f"a stage tests state {high} of variable {variable}; the domain has "
                    + (
                        f"{len(cardinalities)} variables."
                        if variable >= len(cardinalities)
                        else f"{cardinalities[variable]} states there."
                    )
                )


def _left(
    splits: list[tuple[int, int]], known: NDArray[np.bool_], passes: list[bool]
) -> tuple[list[tuple[int, int]], list[int]]:
    """The splits (leaf, test) of one stage that are still open, and the old leaf that each new leaf is."""
    number = {0: 0}  # old leaf -> new leaf, of those that something reaches
    left: list[tuple[int, int]] = []
    for t, (leaf, test) in enumerate(splits):
        if leaf not in number:
            continue
        if not known[test]:
            left.append((number[leaf], test))
            number[t + 1] = len(left)
        elif passes[test]:
            number[t + 1] = number.pop(leaf)
    return left, sorted(number, key=number.__getitem__)


class Vertex(NamedTuple):
    """The states `low`, ..., `high` - 1 reach it; its digit is 1 from `middle` on."""

    low: int
    middle: int
    high: int


@dataclass(frozen=True, eq=False)
class DigitTree(ByFields):
    """A tree over the states 0, ..., K - 1 by the middles of its K - 1 vertices.

    A vertex stands before those below it, and the lower part of its states before the upper one.

    >>> tree = DigitTree.of([10, 10, 5, 15])
    >>> [(v.low, v.middle, v.high) for v in tree.vertices]
    [(0, 2, 4), (0, 1, 2), (2, 3, 4)]
    """

    middle: Ints
    vertices: tuple[Vertex, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        middles = np.array(self.middle, dtype=np.int32).reshape(-1)
        if not len(middles):
            raise ModelError("a tree of digits has at least one vertex.")
        found: list[Vertex] = []
        waiting = [(0, len(middles) + 1)]
        for v, middle in enumerate(middles.tolist()):
            low, high = waiting.pop()
            if not low < middle < high:
                raise ModelError(
                    f"vertex {v} of a tree of digits divides the states {low} to {high - 1}; got {middle}."
                )
            found.append(Vertex(low, middle, high))
            waiting += [(a, b) for a, b in ((middle, high), (low, middle)) if b - a > 1]
        set_fields(self, middle=read_only(middles), vertices=tuple(found))

    @property
    def states(self) -> int:
        """K."""
        return len(self.vertices) + 1

    @cached_property
    def arrays(self) -> Ints:
        """[low, middle, high] of each vertex, as the kernels take them."""
        return read_only(np.ascontiguousarray(np.array(self.vertices, dtype=np.int32).T))

    @cached_property
    def depths(self) -> IntArray:
        """How many vertices lie above each."""
        found = [
            sum(above.low <= one.low and one.high <= above.high for above in self.vertices[:v])
            for v, one in enumerate(self.vertices)
        ]
        return np.array(found, dtype=np.int64)

    @classmethod
    def of(cls, counts: Sequence[int] | IntArray, *, missing: bool = False) -> "DigitTree":
        """The tree whose vertices divide their rows most evenly; of two equally even ways the lower one is taken.

        With `missing`, the first digit says whether the state is the last, that of missing values.
        """
        total = np.concatenate([[0], np.cumsum(np.asarray(counts, dtype=np.int64))])
        middles: list[int] = []
        last = len(total) - 1
        waiting = [(0, last)]
        while waiting:
            low, high = waiting.pop()
            if high - low < 2:
                continue
            if missing and high == last and low == 0:
                middle = last - 1
            else:
                below = 2 * total[low + 1 : high] - total[low] - total[high]
                middle = low + 1 + int(np.argmin(np.abs(below)))
            middles.append(middle)
            waiting += [(middle, high), (low, middle)]
        return cls(np.array(middles, dtype=np.int32))

    def __reduce__(self) -> tuple[Any, ...]:
        return DigitTree, (self.middle,)


def digit_arrays(tree: DigitTree | None) -> Ints:
    """[low, middle, high] of each vertex; of no tree, none."""
    return np.zeros((3, 0), dtype=np.int32) if tree is None else tree.arrays


def theta_of(sums: Scores, digits: DigitTree | None = None) -> FloatArray:
    """Theta [N, states] of summed scores, with the same bits everywhere: exp of each, divided by their sum.

    With `digits`, column v is the logit of vertex v, and theta the product over the vertices on the way to a state.
    """
    theta: FloatArray = np.empty(sums.shape)
    native.probabilities(np.ascontiguousarray(sums, dtype=np.int32), digit_arrays(digits), theta)
    return theta


def on_grid(scores: FloatArray) -> Scores:
    """Scores in nats, less their mean over states, as whole multiples of `UNIT`."""
    centred = scores - scores.mean(axis=-1, keepdims=True)
    return np.asarray(np.rint(centred / UNIT), dtype=np.int32)
