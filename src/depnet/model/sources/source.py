"""Information sources: what node i knows of the other variables (Sec. 2.1).

An information source Y_i is any deterministic function of X_-i with values 0, ..., |Y_i| - 1, its
*leaves*. The learned kind is the `DecisionGraph`; the kinds here are the ends of the scale (nothing:
`ConstantSource`, everything: `LosslessSource`), a user's own function, and a function written out as a list of leaves, the
form in which it can be kept in a model file, which holds no code.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import ByFields, CodeArray, LeafArray, code_type, read_only, set_fields
from depnet.errors import ModelError, brief, how_many, is_whole
from depnet.model.sources.limits import CELLS_AT_ONCE, MAX_TABULATED


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


MAX_LEAVES = 2**31 - 1
"""Leaves are numbered by 32-bit integers."""


@runtime_checkable
class InformationSource(Protocol):
    """A deterministic function of the variables `inputs`, with values 0, ..., size - 1.

    A protocol: any object of this shape is an information source; called with codes [row, variable] it gives the leaf of
    every row. The kinds that depnet ships are frozen dataclasses.

    >>> isinstance(ConstantSource(), InformationSource)
    True
    """

    @property
    def size(self) -> int:
        """|Y_i|, the number of leaves."""

    @property
    def inputs(self) -> tuple[int, ...]:
        """The variables that the value can depend on, ascending."""

    def __call__(self, codes: ArrayLike) -> LeafArray:
        """The leaf of every row of `codes` [N, n]."""

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        """Raise a `ModelError` unless this is a function on such rows.

        Args:
            cardinalities: how many states each variable of a row has.
        """


@dataclass(frozen=True, slots=True)
class ConstantSource:
    """The identically-zero function: one leaf, nothing known. Learning starts here.

    >>> ConstantSource().size, ConstantSource()([[0, 1], [1, 1]]).tolist()
    (1, [0, 0])
    """

    @property
    def size(self) -> int:
        return 1

    @property
    def inputs(self) -> tuple[int, ...]:
        return ()

    def __call__(self, codes: ArrayLike) -> LeafArray:
        return np.zeros(len(checked_rows(codes, ())), dtype=np.int32)

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        """Fits every domain."""


@dataclass(frozen=True, slots=True)
class LosslessSource:
    """Y_i^ll: a one-to-one function of its inputs, their joint state in row-major order.

    Over all variables but X_i it is the paper's lossless information source; its size is the product of the
    cardinalities, so it is for few inputs.

    Args:
        inputs: the numbers of the variables it reads, ascending.
        input_cardinalities: how many states each of them has.

    >>> LosslessSource((0, 2), (2, 3))([[1, 0, 2]])
    array([5], dtype=int32)
    """

    inputs: tuple[int, ...]
    input_cardinalities: tuple[int, ...]

    def __post_init__(self) -> None:
        inputs = checked_inputs(self.inputs)
        cards = checked_input_cardinalities("a lossless source", inputs, self.input_cardinalities)
        set_fields(self, inputs=inputs, input_cardinalities=cards)

    @classmethod
    def of_all_but(cls, target: int, cardinalities: Sequence[int]) -> "LosslessSource":
        """The lossless source of a node: every other variable is an input.

        Args:
            target: the variable that the node updates.
            cardinalities: how many states each variable has.

        Returns:
            The source.
        """
        inputs = tuple(j for j in range(len(cardinalities)) if j != target)
        return cls(inputs, tuple(cardinalities[j] for j in inputs))

    @property
    def size(self) -> int:
        return math.prod(self.input_cardinalities)

    def __call__(self, codes: ArrayLike) -> LeafArray:
        """The joint state of the inputs, row-major: the last input moves fastest."""
        return joint_state(codes, self.inputs, self.input_cardinalities)

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        check_input_cardinalities("a lossless source", self.inputs, self.input_cardinalities, cardinalities)


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A user's own function, e.g. the number of up-neighbours in an Ising model.

    Args:
        function: is given the codes of its declared `inputs` only, an array [N, len(inputs)], and returns N integers in
            0..size-1: so it can depend on nothing else. It must be deterministic.
        inputs: the numbers of the variables it reads, ascending.
        size: how many leaves it has.

    >>> neighbours_up = FunctionSource(lambda x: x.sum(axis=1), inputs=(1, 3), size=3)
    >>> neighbours_up([[0, 1, 0, 1]])
    array([2], dtype=int32)
    """

    function: Callable[[NDArray[Any]], ArrayLike]
    inputs: tuple[int, ...]
    size: int

    def __post_init__(self) -> None:
        inputs = checked_inputs(self.inputs)
        if not callable(self.function):
            raise ModelError(f"a FunctionSource needs a function; got {brief(self.function)}.")
        set_fields(self, inputs=inputs, size=_checked_size("a FunctionSource", self.size))

    def __call__(self, codes: ArrayLike) -> LeafArray:
        table = checked_rows(codes, self.inputs)
        leaf = np.asarray(self.function(table[:, list(self.inputs)].astype(np.int64)))
        if leaf.shape != (len(table),) or (leaf.size and leaf.dtype.kind not in "bui"):
            raise ModelError(
                f"the function of a FunctionSource must return {len(table)} integers, one a row; got "
                f"shape {leaf.shape} of {leaf.dtype}."
            )
        if leaf.size and not (leaf.min() >= 0 and leaf.max() < self.size):
            wrong = leaf[(leaf < 0) | (leaf >= self.size)][0]
            raise ModelError(
                f"the function of a FunctionSource returned {wrong}, outside 0..{self.size - 1} "
                f"(size={self.size})."
            )
        return leaf.astype(np.int32)

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        if self.inputs and self.inputs[-1] >= len(cardinalities):
            raise ModelError(
                f"a FunctionSource reads variable {self.inputs[-1]}; the domain has {len(cardinalities)} variables."
            )


def _checked_size(who: str, size: object) -> int:
    if not is_whole(size) or not 1 <= size <= MAX_LEAVES:
        raise ModelError(f"{who} has 1 to {MAX_LEAVES:,} leaves; got size={brief(size)}.")
    return int(size)


def checked_inputs(inputs: Sequence[int]) -> tuple[int, ...]:
    """`inputs` as ascending, distinct, non-negative variable numbers."""
    given = tuple(inputs) if isinstance(inputs, Iterable) else None
    if (
        given is None
        or not all(map(is_whole, given))
        or any(a >= b for a, b in itertools.pairwise(given))
        or (given and given[0] < 0)
    ):
        raise ModelError(f"inputs are distinct variable numbers in ascending order; got {brief(inputs)}.")
    return tuple(int(j) for j in given)


def checked_input_cardinalities(
    who: str, inputs: tuple[int, ...], cardinalities: Sequence[int]
) -> tuple[int, ...]:
    """One cardinality for each input, whose product is not too many joint states."""
    given = tuple(cardinalities)
    if len(inputs) != len(given) or not all(is_whole(k) and k >= 1 for k in given):
        raise ModelError(
            f"{who} needs one cardinality of at least 1 for each of its {len(inputs)} inputs; got {brief(given)}."
        )
    if not product_within(given, MAX_LEAVES):
        raise ModelError(
            f"{who} over {len(inputs)} inputs would have {how_many_joint_states(given)} leaves, more than "
            f"{MAX_LEAVES:,}. Give it fewer inputs, or learn a DecisionGraph."
        )
    return tuple(int(k) for k in given)


def check_input_cardinalities(
    who: str, inputs: tuple[int, ...], input_cardinalities: tuple[int, ...], cardinalities: Sequence[int]
) -> None:
    """Raise a `ModelError` unless the inputs have these cardinalities in the domain."""
    for j, k in zip(inputs, input_cardinalities, strict=True):
        if j >= len(cardinalities) or cardinalities[j] != k:
            raise ModelError(
                f"{who} takes variable {j} to have {k} states; the domain has "
                f"{cardinalities[j] if j < len(cardinalities) else 'no such variable'}."
            )


def checked_rows(
    codes: ArrayLike, inputs: tuple[int, ...], cardinalities: Sequence[int] | Mapping[int, int] | None = None
) -> NDArray[Any]:
    """`codes` as an array [N, n] of integers that has a column for every input, of codes below these `cardinalities`."""
    table = np.asarray(codes)
    if table.ndim != 2 or (inputs and inputs[-1] >= table.shape[1]):
        raise ModelError(
            f"an information source that reads variable {max(inputs, default=0)} is evaluated on rows of codes "
            f"[N, n]; got the shape {table.shape}."
        )
    if table.size and table.dtype.kind not in "bui":
        raise ModelError(f"an information source is evaluated on integer codes; got {table.dtype}.")
    if cardinalities is None or not len(table):
        return table
    for j in inputs:  # before any cast, which would wrap a bad code into a good one
        least, greatest, most = table[:, j].min(), table[:, j].max(), cardinalities[j] - 1
        if not 0 <= least <= greatest <= most:
            raise ModelError(f"variable {j} has the codes 0..{most}; got {least}..{greatest}.")
    return table


def joint_state(codes: ArrayLike, inputs: tuple[int, ...], input_cardinalities: tuple[int, ...]) -> LeafArray:
    """The joint state of the inputs in every row, row-major: the last input moves fastest."""
    table = checked_rows(codes, inputs, dict(zip(inputs, input_cardinalities, strict=True)))
    state = np.zeros(len(table), dtype=np.int32)
    for j, cardinality in zip(inputs, input_cardinalities, strict=True):
        state *= cardinality
        state += table[:, j].astype(np.int32)
    return state


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
        inputs = checked_inputs(self.inputs)
        cards = checked_input_cardinalities("a tabulated source", inputs, self.input_cardinalities)
        size = _checked_size("a tabulated source", self.size)
        leaves = np.asarray(self.leaves)
        states = math.prod(cards)
        if leaves.shape != (states,) or leaves.dtype.kind not in "ui":
            raise ModelError(
                f"a tabulated source over {len(cards)} inputs needs {states:,} integers, the leaf of every "
                f"joint state; got shape {leaves.shape} of {leaves.dtype}."
            )
        if not (leaves.min() >= 0 and leaves.max() < size):
            state = int(np.flatnonzero((leaves < 0) | (leaves >= size))[0])
            raise ModelError(
                f"joint state {state} of a tabulated source has the leaf {leaves[state]}, outside 0..{size - 1} "
                f"(size={size})."
            )
        leaves = read_only(np.array(leaves, dtype=np.int32))
        set_fields(self, inputs=inputs, input_cardinalities=cards, size=size, leaves=leaves)

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
