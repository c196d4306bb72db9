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
    ) -> None: ...
    def grow(
        self,
        *,
        targets: Sequence[int],
        inputs: Sequence[int],
        per_parameter: float,
        penalty: Callable[[int], float] | None,
        name_factors: tuple[float, float] | None,
        max_leaves: int | None,
        min_leaf_rows: int,
        seconds: float | None,
        stop: Stop,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], bool]:
        """Algorithm 3 for one node: (kinds, first, second, counts, complete).

        `kinds[t]` is 0 for Split(first, second) and 1 for Merge(first, second). `counts` is [leaf, state],
        flat. `complete` is false if `seconds` passed first; what was grown until then is valid.
        `penalty(k)` is R(k, N), called once for each k; without it R(k, N) = k * `per_parameter`.
        """
