import numpy as np
from numpy.typing import NDArray

def compile_operations(
    kinds: NDArray[np.uint8],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    branches: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Compile recorded operations into (variable, begin, children) of a directed acyclic graph.

    `kinds[t]` is 0 for Split(first, second), where `branches[t]` is the number of states of the variable,
    and 1 for Merge(first, second). Vertex 0 is the root.
    A vertex v with `variable[v] >= 0` tests that variable and goes on to
    `children[begin[v] + code]`; one with `variable[v] == -1` is the leaf `begin[v]`.
    """

def walk(
    variable: NDArray[np.int32],
    begin: NDArray[np.int32],
    children: NDArray[np.int32],
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    leaves: NDArray[np.int32],
) -> None:
    """Write the leaf of every row of `codes` ([N, n], column-major) into `leaves` ([N])."""
