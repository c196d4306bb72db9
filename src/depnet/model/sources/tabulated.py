"""A function written out: the leaf of every joint state of its inputs.

The form in which a user's own function can be kept in a model file, which holds no code.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import ByFields, CodeArray, LeafArray, read_only
from depnet.checks import is_whole
from depnet.errors import ModelError, brief
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import (
    MAX_LEAVES,
    InformationSource,
    check_input_cardinalities,
    checked_input_cardinalities,
    checked_inputs,
    how_many_joint_states,
    joint_state,
    product_within,
)

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


MAX_TABULATED = 2**20
"""A function of more joint input states is not written out."""


@dataclass(frozen=True, slots=True, eq=False)
class TabulatedSource(ByFields):
    """An information source as a list: the leaf of every joint state of its inputs.

    Args:
        inputs: the numbers of the variables it reads, ascending.
        input_cardinalities: how many states each of them has.
        leaves: `leaves[s]` is the leaf where the joint state of the inputs is s, row-major (the last moves fastest).
        size: how many leaves it has.

    >>> neighbours_up = TabulatedSource((1, 3), (2, 2), [0, 1, 1, 2], size=3)
    >>> neighbours_up([[0, 1, 0, 1]])
    array([2], dtype=int32)
    """

    inputs: tuple[int, ...]
    input_cardinalities: tuple[int, ...]
    leaves: LeafArray
    size: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", checked_inputs(self.inputs))
        cards = checked_input_cardinalities("a tabulated source", self.inputs, self.input_cardinalities)
        object.__setattr__(self, "input_cardinalities", cards)
        if not is_whole(self.size) or not 1 <= self.size <= MAX_LEAVES:
            raise ModelError(
                f"a tabulated source has 1 to {MAX_LEAVES:,} leaves; got size={brief(self.size)}."
            )
        leaves = np.asarray(self.leaves)
        states = math.prod(cards)
        if leaves.shape != (states,) or leaves.dtype.kind not in "ui":
            raise ModelError(
                f"a tabulated source over {len(cards)} inputs needs {states:,} integers, the leaf of every "
                f"joint state; got shape {leaves.shape} of {leaves.dtype}."
            )
        if not (leaves.min() >= 0 and leaves.max() < self.size):
            state = int(np.flatnonzero((leaves < 0) | (leaves >= self.size))[0])
            raise ModelError(
                f"joint state {state} of a tabulated source has the leaf {leaves[state]}, outside "
                f"0..{self.size - 1} (size={self.size})."
            )
        object.__setattr__(self, "size", int(self.size))
        object.__setattr__(self, "leaves", read_only(np.array(leaves, dtype=np.int32)))

    @classmethod
    def of(
        cls, source: InformationSource, cardinalities: Sequence[int], max_states: int = MAX_TABULATED
    ) -> "TabulatedSource":
        """Any information source, written out: the same inputs, the same leaf for every row.

        Args:
            source: the source.
            cardinalities: how many states each variable of a row has.
            max_states: more joint states of its inputs than these are refused.

        Returns:
            The list.
        """
        inputs = tuple(source.inputs)
        cards = tuple(cardinalities[j] for j in inputs)
        if not product_within(cards, max_states):
            raise ModelError(
                f"a function of {len(inputs)} inputs has {how_many_joint_states(cards)} joint input states; at "
                f"most {max_states:,} are written out. Declare fewer inputs, or learn a DecisionGraph."
            )
        return cls(inputs, cards, JointStates(cardinalities, inputs).leaves(source), source.size)

    def __call__(self, codes: ArrayLike) -> LeafArray:
        return self.leaves[joint_state(codes, self.inputs, self.input_cardinalities)]

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        check_input_cardinalities("a tabulated source", self.inputs, self.input_cardinalities, cardinalities)

    def __hash__(self) -> int:  # type: ignore[override]  # its leaves are bytes, then
        return hash((self.inputs, self.input_cardinalities, self.size, self.leaves.tobytes()))
