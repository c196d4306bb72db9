"""A function written out: the leaf of every joint state of its inputs.

The form in which a user's own function can be kept in a model file, which holds no code.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import LeafArray, read_only
from depnet.checks import is_whole
from depnet.errors import ModelError, brief
from depnet.model.sources.enumerate import JointStates
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

MAX_TABULATED = 2**20
"""A function of more joint input states is not written out."""


@dataclass(frozen=True, slots=True, eq=False)
class TabulatedSource:
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
        """The leaf that is written down for the joint state of the inputs."""
        return self.leaves[joint_state(codes, self.inputs, self.input_cardinalities)]

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        """The inputs must exist and have the declared cardinalities."""
        check_input_cardinalities("a tabulated source", self.inputs, self.input_cardinalities, cardinalities)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TabulatedSource):
            return NotImplemented
        return (
            self.inputs == other.inputs
            and self.input_cardinalities == other.input_cardinalities
            and self.size == other.size
            and np.array_equal(self.leaves, other.leaves)
        )

    def __hash__(self) -> int:
        return hash((self.inputs, self.input_cardinalities, self.size, self.leaves.tobytes()))
