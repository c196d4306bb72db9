r"""The mean of a number given coded inputs, by boosted stages of one number a leaf (ours, beyond the paper).

.. math:: m(x) = c + u \Big(l(x) + \sum_m v_m[Y^m(x)]\Big)

l is 0, or a linear model (`depnet.learning.boost.linear`). Each stage is a least-squares step on what is left by then
(`_native/boost_mean.hpp`). Numbers are taken as whole multiples of a unit u, so that sums, and with them the stages, are
the same in any order and on every machine. The states of an input without an order are put in that of their means
first: stages then cut them as numbers.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from depnet._native import boost as native
from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.domain import Domain
from depnet.learning.boost.linear import Effects
from depnet.model.stages import UNIT, Stages

ORDER_SMOOTHING = 10.0
"""Rows of the mean of all that the mean of a state is taken together with, before states are put in order."""

FARTHEST = 2**24
"""What is left of a number is no more, in units."""

Ranks = tuple[NDArray[np.uint16] | None, ...]
Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class MeanBoost:
    """Stages of a mean: how many, of how many leaves of at least `least_rows` rows, and how far each goes."""

    stages: int = 2000
    leaves: int = 8
    rate: float = 0.05
    least_rows: int = 20
    share: float = 0.5
    shrinkage: float = 1.0
    patience: float = 2.0
    """Growing ends when steps that sum to this (stages times their rate) have not lessened the loss of held-out rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Numbers as whole multiples of a unit: `centre` is 0, and the farthest from it 2^20."""

    centre: float
    reach: float

    @classmethod
    def of(cls, numbers: FloatArray) -> "Scale":
        """The mean of the numbers, and how far they lie from it."""
        centre = math.fsum(numbers.tolist()) / max(len(numbers), 1)
        return cls(centre, float(np.abs(numbers - centre).max(initial=0.0)) or 1.0)

    def whole(self, numbers: FloatArray) -> IntArray:
        """The numbers in units."""
        return np.asarray(np.rint((numbers - self.centre) / self.reach / UNIT), dtype=np.int64)

    def numbers(self, whole: NDArray[np.integer]) -> FloatArray:
        """The way back."""
        return np.asarray(self.centre + self.reach * (whole * UNIT))


@dataclass(frozen=True, slots=True, eq=False)
class MeanStages:
    """Stages as they were grown, and the sum of squares of held-out rows at their start and after each."""

    scale: Scale
    ranks: Ranks
    """For each input without an order the rank of each state."""
    start: Effects | None
    """The linear model that stages are added to."""
    stages: Stages
    held_losses: FloatArray

    def first(self, stages: int) -> "MeanStages":
        """The first `stages` stages alone, or all where there are fewer."""
        return replace(self, stages=self.stages.first(min(stages, len(self.stages))))

    def means(self, codes: CodeArray) -> FloatArray:
        """m(x) of every row of codes [N, n]."""
        sums = self.stages.sums(ranked(codes, self.ranks))[:, 0]
        return self.scale.numbers(sums if self.start is None else sums + self.start.sums(codes))


def boosted_mean(
    domain: Domain,
    codes: CodeArray,
    whole: IntArray,
    settings: MeanBoost,
    *,
    scale: Scale,
    start: Effects | None = None,
    held: tuple[CodeArray, IntArray] | None = None,
    seed: int = 0,
    seconds: float | None = None,
    stop: native.Stop | None = None,
) -> MeanStages:
    """The stages of the mean of `whole` numbers of a scale given `codes` [N, n] of the domain, added to `start`.

    With rows held out, growing ends when these are no longer better predicted.

    >>> from depnet import Variable
    >>> domain = Domain((Variable("class", (1, 2, 3)),))
    >>> codes, numbers = np.array([[0], [1], [2]] * 20, dtype=np.uint8), np.array([1.0, 5.0, 6.0] * 20)
    >>> scale = Scale.of(numbers)
    >>> found = boosted_mean(domain, codes, scale.whole(numbers), MeanBoost(stages=200, least_rows=5), scale=scale)
    >>> found.means(codes[:3]).round(1).tolist()
    [1.0, 5.0, 6.0]
    """
    ranks = tuple(
        None if variable.has_cuts else _ranks(codes[:, i], whole, variable.cardinality)
        for i, variable in enumerate(domain.variables)
    )

    def left(rows: CodeArray, numbers: IntArray) -> Numbers:
        """What the start leaves."""
        rest = numbers if start is None else numbers - start.sums(rows)
        return np.clip(rest, -FARTHEST, FARTHEST).astype(np.int32)

    inputs = [  # where states have ranks, that of missing values is one among others
        (len(v.present_states), v.missing is not None) if own is None else (v.cardinality, False)
        for v, own in zip(domain.variables, ranks, strict=True)
    ]
    patience = max(round(settings.patience / settings.rate), 1)  # in stages
    begin, leaf, variable_of, low, high, values, held_losses = native.boost_mean(
        ranked(codes, ranks),
        left(codes, whole),
        inputs,
        native.MeanSettings(**asdict(settings) | {"patience": patience}, seed=seed),
        held_codes=None if held is None else ranked(held[0], ranks),
        held_numbers=None if held is None else left(*held),
        seconds=seconds,
        stop=native.Stop() if stop is None else stop,
    )
    every = np.stack([variable_of, low.astype(np.int32), high.astype(np.int32)], axis=1)
    tests, test = np.unique(every, axis=0, return_inverse=True)
    stages = Stages(
        tests[:, 0],
        tests[:, 1],
        tests[:, 2],
        begin,
        leaf,
        test.reshape(-1).astype(np.int32),
        values.reshape(-1, 1),
    )
    return MeanStages(scale, ranks, start, stages, np.asarray(held_losses))


def ranked(codes: CodeArray, ranks: Sequence[NDArray[np.uint16] | None]) -> NDArray[np.uint16]:
    """Codes [N, n], column-major, with the ranks of states in their place where there are some."""
    out: NDArray[np.uint16] = np.empty(codes.shape, dtype=np.uint16, order="F")
    for i, own in enumerate(ranks):
        out[:, i] = codes[:, i] if own is None else own[codes[:, i]]
    return out


def _ranks(own: NDArray[np.integer], whole: IntArray, states: int) -> NDArray[np.uint16]:
    """The rank of each state by the mean of its rows' numbers, drawn to that of all: few rows say little."""
    rows = np.bincount(own, minlength=states)
    sums: IntArray = np.zeros(states, dtype=np.int64)
    np.add.at(sums, own, whole)
    order = np.argsort(sums / (rows + ORDER_SMOOTHING), kind="stable")
    found: NDArray[np.uint16] = np.empty(states, dtype=np.uint16)
    found[order] = np.arange(states)
    return found
