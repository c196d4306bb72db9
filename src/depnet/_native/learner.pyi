from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

def xlogx(x: int) -> float:
    """T(x) = x log x, and 0 at 0: the one function behind every entropy."""

class Stop:
    """A word to the growers of other threads: once `set`, they raise InterruptedError."""

    def __init__(self) -> None: ...
    def set(self) -> None:
        """End every `grow` that was given this."""

class Table:
    """A coded table ([N, n], column-major), made ready once and shared by all nodes and threads."""

    def __init__(
        self,
        codes: NDArray[np.uint8] | NDArray[np.uint16],
        cardinalities: Sequence[int],
        weights: NDArray[np.int64] | None,
        in_bits: bool = True,
    ) -> None:
        """`in_bits` keeps the table in bits beside the codes, for speed; without, memory is the codes' alone."""

    def grow(
        self,
        *,
        targets: Sequence[Sequence[int]],
        barred: Sequence[Sequence[int]],
        readable: NDArray[np.int32],
        per_parameter: float,
        penalty: Callable[[int], float] | None,
        name_factors: tuple[float, float] | None,
        max_leaves: int | None,
        min_leaf_rows: int,
        seconds: float | None,
        slice_seconds: float,
        stop: Stop,
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int64],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int64],
    ]:
        """Algorithm 3 for some nodes in turn, at least one and until `slice_seconds` are over.

        Node k updates `targets[k]` and may be split by what is `readable` less its targets and `barred[k]`.
        Returned are (kinds, first, second, counts, variable, begin, children, sizes), the nodes' arrays one behind
        the other. `kinds[t]` is 0 for Split(first, second) and 1 for Merge(first, second); `counts` is [leaf, state];
        (variable, begin, children) is the compiled graph. `sizes` has five numbers a node: those of its operations,
        counts, vertices and children, and 0 if `seconds` passed before it was complete; what was grown until then
        is valid. `penalty(k)` is R(k, N), called once for each k; without it R(k, N) = k * `per_parameter`.
        """

class CountedNode:
    """One node grown from counts alone, wherever the rows are; the same node as `Table.grow` gives."""

    def __init__(
        self,
        cardinalities: Sequence[int],
        root: NDArray[np.int64],
        *,
        targets: Sequence[int],
        inputs: Sequence[int],
        per_parameter: float,
        penalty: Callable[[int], float] | None,
        name_factors: tuple[float, float] | None,
        max_leaves: int | None,
        min_leaf_rows: int,
    ) -> None:
        """`root` is how many rows have each state of the target."""

    def advance(
        self, counts: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], bool]:
        """Go on until counts are wanted: (kinds, first, second, wanted, done).

        `counts` are those wanted last, `width` for each id. The operations since then are what the parts shall do
        to their rows, by ids: those of the node, and splits that are foreseen, which a merge may take back.
        `wanted` are the ids to count next.
        """

    def result(self) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """(kinds, first, second, counts) as of `Table.grow`; once, at the end."""

    @property
    def width(self) -> int:
        """How many counts a leaf has: [z][x] for each input, one after the other."""

    @property
    def leaves(self) -> int:
        """How many leaves it has by now."""

class NodeRows:
    """The rows of one node's leaves in one part of the table: what `CountedNode` wants counted."""

    def __init__(self, table: Table, *, targets: Sequence[int], inputs: Sequence[int]) -> None: ...
    def apply(self, kinds: NDArray[np.uint8], first: NDArray[np.int64], second: NDArray[np.int64]) -> None:
        """Split and merge as `CountedNode.advance` says; an unknown leaf is an IndexError."""

    def add_counts(self, ids: NDArray[np.int64], out: NDArray[np.int64]) -> None:
        """Add the counts of these leaves to `out`, one after the other."""
