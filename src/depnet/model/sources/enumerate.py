"""All joint states of some variables: rows of codes, and the leaves of a source on them, which write it out."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, LeafArray
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import InformationSource

CELLS_AT_A_TIME = 1 << 22
"""Codes that are made at once while a source is evaluated."""


def code_type(cardinalities: Sequence[int]) -> np.dtype[Any]:
    """What codes are kept in: a byte, or two where a variable has more than 256 states."""
    return np.dtype(np.uint8 if max(cardinalities, default=1) <= 256 else np.uint16)


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
        while inner > 0 and math.prod(sizes[inner - 1 :]) * len(self.cardinalities) <= CELLS_AT_A_TIME:
            inner -= 1
        codes = self._replace(inputs=self.inputs[inner:]).codes()
        for values in itertools.product(*runs[:inner]):
            codes[:, list(self.inputs[:inner])] = values
            yield codes

    def leaves(self, source: InformationSource) -> LeafArray:
        """The leaf of every joint state; only a part of the codes is in memory at any time.

        >>> from depnet import FunctionSource
        >>> JointStates((2, 5, 3), (0, 2)).leaves(FunctionSource(lambda x: x.sum(axis=1), (0, 2), 4)).tolist()
        [0, 1, 2, 1, 2, 3]
        """
        leaves: LeafArray = np.empty(math.prod(map(len, self.runs)), dtype=np.int32)
        done = 0
        for codes in self.parts():
            found = source.walked(codes) if isinstance(source, DecisionGraph) else source(codes)
            leaves[done : done + len(codes)] = found
            done += len(codes)
        return leaves
