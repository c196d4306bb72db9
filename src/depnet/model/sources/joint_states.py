"""All joint states of some variables: how many there are, and as rows of codes."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, LeafArray, code_type
from depnet.errors import how_many
from depnet.model.sources.limits import CELLS_AT_ONCE


def product_within(cardinalities: Iterable[int], limit: int) -> bool:
    """Is the number of joint states within a limit? Stops as soon as it is not."""
    states = 1
    for k in cardinalities:
        states *= k
        if states > limit:
            return False
    return True


def how_many_joint_states(cardinalities: Sequence[int]) -> str:
    """The number of joint states, for a message: found without multiplying out thousands of factors."""
    if product_within(cardinalities, 10**15):
        return how_many(math.prod(cardinalities))
    return f"about 10^{round(math.fsum(map(math.log10, cardinalities)))}"


class JointStates(NamedTuple):
    """All joint states of `inputs`, row-major (the last moves fastest), as rows of codes of all variables.

    Variable j runs through `allowed[j]` where that is given, through all its states otherwise. Variables that do not run
    have their `fixed` code, or 0.

    >>> JointStates((2, 2, 3), (0, 2), {1: 1}).codes().tolist()
    [[0, 1, 0], [0, 1, 1], [0, 1, 2], [1, 1, 0], [1, 1, 1], [1, 1, 2]]
    """

    cardinalities: Sequence[int]
    inputs: Sequence[int]
    fixed: Mapping[int, int] | None = None
    allowed: Mapping[int, NDArray[np.int64]] | None = None

    @property
    def runs(self) -> list[NDArray[np.integer]]:
        """The codes that each of the inputs runs through."""
        cards, allowed = self.cardinalities, self.allowed
        return [np.arange(cards[j]) if allowed is None else allowed[j] for j in self.inputs]

    def codes(self) -> CodeArray:
        """All rows at once, [joint states, n], column-major."""
        runs = self.runs
        sizes = [len(run) for run in runs]
        codes: CodeArray = np.zeros(
            (math.prod(sizes), len(self.cardinalities)), dtype=code_type(self.cardinalities), order="F"
        )
        for j, code in (self.fixed or {}).items():
            codes[:, j] = code
        if not len(codes):
            return codes
        inner = len(codes)
        for j, run in zip(self.inputs, runs, strict=True):
            outer, inner = len(codes) // inner, inner // len(run)
            column = codes[:, j].reshape(outer, len(run), inner)  # a view: a column lies in one place
            column[...] = run[:, None]
        return codes

    def parts(self) -> Iterator[CodeArray]:
        """The rows one part after the other, each in the same memory."""
        runs = self.runs
        sizes = [len(run) for run in runs]
        inner = len(runs)  # the last inputs, that run through all their states within one part
        while inner > 0 and math.prod(sizes[inner - 1 :]) * len(self.cardinalities) <= CELLS_AT_ONCE:
            inner -= 1
        codes = self._replace(inputs=self.inputs[inner:]).codes()
        for values in itertools.product(*runs[:inner]):
            codes[:, list(self.inputs[:inner])] = values
            yield codes

    def leaves(self, source: Callable[[CodeArray], LeafArray]) -> LeafArray:
        """The leaf of every joint state; only a part of the codes is in memory at any time.

        >>> from depnet import FunctionSource
        >>> JointStates((2, 5, 3), (0, 2)).leaves(FunctionSource(lambda x: x.sum(axis=1), (0, 2), 4)).tolist()
        [0, 1, 2, 1, 2, 3]
        """
        find = getattr(source, "walk", source)  # a decision graph need not check codes that are made here
        leaves: LeafArray = np.empty(math.prod(map(len, self.runs)), dtype=np.int32)
        done = 0
        for codes in self.parts():
            leaves[done : done + len(codes)] = find(codes)
            done += len(codes)
        return leaves
