"""Decision graphs: information sources recorded as a list of splits and merges (Sec. 4.5).

The value Y(x) starts at 0 and is updated by every recorded operation in turn,

    Split(y, j):      Y <- Y           if Y < y          Merge(y0, y1):   Y <- Y       if Y < y1
    (newYsplit)            Y - 1       if Y > y          (newYmerge)           Y - 1   if Y > y1
                           |Y|-1+x_j   if Y = y                                y0      if Y = y1

`replay` does exactly that. Calling the graph walks the same function compiled into a directed acyclic
graph, where a row meets only the tests on its own path.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet._native import network as native
from depnet.arrays import CodeArray, LeafArray, code_type, read_only, set_fields
from depnet.errors import ModelError, brief, is_whole
from depnet.model.sources.source import MAX_LEAVES, checked_rows


class Split(NamedTuple):
    """Split(y, j): leaf y is replaced by one leaf for each state of X_j (Eq. newYsplit).

    A pair of numbers, and equal to it, but not to a merge of the same numbers.

    Args:
        leaf: y.
        variable: j.

    >>> Split(0, 1) == Split(0, 1), Split(0, 1) == Merge(0, 1)
    (True, False)
    """

    leaf: int
    variable: int

    def __eq__(self, other: object) -> bool:
        return not isinstance(other, Merge) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:  # a tuple has its own
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)


class Merge(NamedTuple):
    """Merge(y_0, y_1), y_0 < y_1: leaf y_1 joins leaf y_0 (Eq. newYmerge).

    Args:
        first: y_0.
        second: y_1.

    >>> Merge(0, 1).second
    1
    """

    first: int
    second: int

    def __eq__(self, other: object) -> bool:
        return not isinstance(other, Split) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)


Operation: TypeAlias = Split | Merge


class CompiledGraph(NamedTuple):
    """The graph as flat arrays; vertex 0 is the root.

    Vertex v with `variable[v] >= 0` tests that variable and goes on to `children[begin[v] + code]`;
    one with `variable[v] == -1` is the leaf `begin[v]`.
    """

    variable: NDArray[np.int32]
    begin: NDArray[np.int32]
    children: NDArray[np.int32]


Recorded: TypeAlias = tuple[NDArray[Any], ...]
"""Operations as arrays: kinds (0 for Split, 1 for Merge), and their two numbers."""


@dataclass(frozen=True)
class DecisionGraph:
    """A learned information source: splits and merges of leaves, recorded in the order in which they were made.

    Args:
        operations: `Split` and `Merge`, applied to one leaf, 0.
        cardinalities: how many states each variable of a row has.

    >>> y = DecisionGraph((Split(0, 1), Merge(0, 2)), cardinalities=(2, 3))
    >>> y.size, y([[0, 0], [0, 1], [0, 2]]).tolist()
    (2, [0, 1, 0])
    """

    operations: tuple[Operation, ...]  # of a recorded graph: made when first asked for (__getattr__)
    cardinalities: tuple[int, ...]
    _size: int = field(init=False, repr=False, compare=False)
    _recorded: Recorded | Callable[[], Recorded] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # A domain's own tuple is kept, not copied: nodes of a wide network share it.
        operations, cards = tuple(self.operations), tuple(self.cardinalities)
        size = checked_size(operations, cards)
        set_fields(self, operations=operations, cardinalities=cards, _size=size, _recorded=())

    @classmethod
    def from_record(
        cls,
        record: Recorded | Callable[[], Recorded],
        cardinalities: tuple[int, ...],
        size: int,
        compiled: CompiledGraph | None = None,
    ) -> "DecisionGraph":
        """A graph of operations that are possible by construction, as arrays, or as a function that works them out.

        They are not checked one by one again, and stay arrays until somebody reads them: a wide network may have a hundred
        thousand.
        """
        graph = object.__new__(cls)
        vars(graph).update(cardinalities=cardinalities, _size=size, _recorded=record)
        if compiled is not None:
            vars(graph)["compiled"] = compiled
        return graph

    def __getattr__(self, name: str) -> tuple[Operation, ...]:
        """Called for what is not there: `operations` of a recorded graph, before they are first read."""
        if name != "operations" or not self._recorded:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        operations = tuple(_operations_in(self.arrays))
        object.__setattr__(self, "operations", operations)
        return operations

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The operations as arrays: kinds (0 for Split, 1 for Merge), and their two numbers."""
        if callable(self._recorded):
            object.__setattr__(self, "_recorded", self._recorded())
        recorded: Recorded = self._recorded  # type: ignore[assignment]  # called above, where it was a function
        return recorded or record_of(self.operations)

    @property
    def size(self) -> int:
        """|Y|, the number of leaves after all operations."""
        return self._size

    @cached_property
    def compiled(self) -> CompiledGraph:
        """The directed acyclic graph: merged leaves are one vertex, tests that decide nothing are gone."""
        kinds, first, second = self.arrays
        tested = zip(kinds.tolist(), second.tolist(), strict=True)
        branches = [0 if merge else self.cardinalities[variable] for merge, variable in tested]
        arrays = native.compile_operations(kinds, first, second, np.array(branches, dtype=np.int32))
        return CompiledGraph(*map(read_only, arrays))

    @cached_property
    def inputs(self) -> tuple[int, ...]:
        """The variables tested in the compiled graph."""
        tested = np.unique(self.compiled.variable)
        return tuple(tested[tested >= 0].tolist())

    def __call__(self, codes: ArrayLike) -> LeafArray:
        """The leaf of every row, by walking the compiled graph in the native core."""
        return self.walk(self._checked_codes(codes))

    def walk(self, codes: CodeArray) -> LeafArray:
        """The leaf of every row of codes of this domain, column-major, which are not checked."""
        leaves = np.empty(len(codes), dtype=np.int32)
        native.walk(*self.compiled, codes, leaves)
        return leaves

    def replay(self, codes: ArrayLike) -> LeafArray:
        """The leaf of every row, by the paper's equations newYsplit and newYmerge, to the letter.

        Args:
            codes: [row, variable].

        Returns:
            [row].
        """
        table = self._checked_codes(codes)
        y = np.zeros(len(table), dtype=np.int32)
        size = 1
        for operation in self.operations:
            if isinstance(operation, Split):
                leaf, j = operation
                appended = size - 1 + table[:, j].astype(np.int32)
                y = np.where(y < leaf, y, np.where(y > leaf, y - 1, appended))
                size += self.cardinalities[j] - 1
            else:
                first, second = operation
                y = np.where(y < second, y, np.where(y > second, y - 1, first))
                size -= 1
        return y.astype(np.int32)

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        """The graph must have been recorded on this domain."""
        if cardinalities is self.cardinalities:
            return
        if tuple(cardinalities) != self.cardinalities:
            raise ModelError(
                f"a decision graph was recorded on the cardinalities {_shorten(self.cardinalities)}; the domain "
                f"has {_shorten(cardinalities)}."
            )

    def _checked_codes(self, codes: ArrayLike) -> CodeArray:
        table = checked_rows(codes, self.inputs, self.cardinalities)
        return np.asarray(table, dtype=code_type(self.cardinalities), order="F")


def record_of(operations: Sequence[Operation]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Operations as arrays, nine bytes each: 1 for a merge, its first and its second number."""
    kinds = np.array([isinstance(operation, Merge) for operation in operations], dtype=np.uint8)
    pairs = np.array(operations, dtype=np.int32).reshape(-1, 2)
    return kinds, np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def checked_size(operations: Sequence[Operation], cardinalities: Sequence[int]) -> int:
    """|Y| after `operations`; what is no operation, or one on a leaf that is not there, is an error."""
    for t, operation in enumerate(operations):
        if not isinstance(operation, (Split, Merge)) or not all(map(is_whole, operation)):
            raise ModelError(
                f"operation {t} is {brief(operation)}; expected Split(leaf, variable) or Merge(first, second), "
                "in whole numbers."
            )
        if isinstance(operation, Split) and 0 <= operation.variable < len(cardinalities):
            branches = cardinalities[operation.variable]
            if not is_whole(branches) or branches < 1:
                raise ModelError(
                    f"variable {operation.variable} has a whole number of states of at least 1; got {brief(branches)}."
                )
        if not all(0 <= number <= MAX_LEAVES for number in operation):
            size = checked_size(operations[:t], cardinalities)
            raise ModelError(_impossible(t, operation, size, len(cardinalities)))
    return size_of_record(*record_of(operations), cardinalities)


def size_of_record(
    kinds: NDArray[np.uint8],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    cardinalities: Sequence[int],
) -> int:
    """The same for operations as arrays of numbers from 0 to `MAX_LEAVES`."""
    merges = kinds == 1
    n = len(cardinalities)
    tested = np.where(merges | (second >= n), 0, second).tolist()
    more = np.where(merges, -1, [cardinalities[j] - 1 for j in tested])
    after = 1 + np.cumsum(more, dtype=np.int64)
    before = after - more
    possible = np.where(merges, (first < second) & (second < before), (first < before) & (second < n))
    wrong = np.flatnonzero(~possible | (after > MAX_LEAVES))
    if len(wrong) == 0:
        return int(after[-1]) if len(after) else 1
    t = int(wrong[0])
    if possible[t]:
        raise ModelError(f"operation {t} makes {after[t]:,} leaves; at most {MAX_LEAVES:,} are possible.")
    operation = next(_operations_in((kinds[t:], first[t:], second[t:])))
    raise ModelError(_impossible(t, operation, int(before[t]), n))


def _impossible(t: int, operation: Operation, size: int, variables: int) -> str:
    if isinstance(operation, Split):
        return f"operation {t} is {brief(operation)}; there are {size} leaves and {variables} variables then."
    return (
        f"operation {t} is {brief(operation)}; a merge needs two leaves, first < second, and there are {size} "
        "leaves then."
    )


def _operations_in(recorded: Recorded) -> Iterator[Operation]:
    for kind, a, b in zip(*(array.tolist() for array in recorded), strict=True):
        yield Merge(a, b) if kind else Split(a, b)


def _shorten(cardinalities: Sequence[int], shown: int = 8) -> str:
    some = ", ".join(map(str, cardinalities[:shown]))
    rest = len(cardinalities) - shown
    return f"({some}{f', and {rest} more' if rest > 0 else ''})"
