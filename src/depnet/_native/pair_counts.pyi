from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def pair_counts(
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    cardinalities: Sequence[int],
    weights: NDArray[np.int64] | None,
    *,
    first: int,
    last: int,
    out: NDArray[np.int64],
) -> None:
    """Write the 2-way counts of the pairs (i, j), first <= i < last and i < j, one after another.

    `codes` is [N, n], column-major. A table is [x_i, x_j], row-major; tables stand in the order of (i, j).
    """
