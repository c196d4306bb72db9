from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Chain:
    """The updates of a chain on a domain of this shape; laws are flat, row-major."""

    def __init__(self, shape: Sequence[int]) -> None: ...
    def add(
        self,
        axes: Sequence[int],
        leaves: NDArray[np.unsignedinteger[Any]],
        theta: NDArray[np.float64],
        impossible: NDArray[np.uint8],
    ) -> None:
        """Append the update of `axes` (ascending) by theta ([leaf, state], flat), where leaf is `leaves[context]`.

        A context is a joint state of the other axes, row-major. `impossible[leaf]`: the update stays put.
        """

    def project(self, update: int, p: NDArray[np.float64]) -> None:
        """P <- p(X_-B) theta_B, in place (Theorem 2)."""

    def mix(self, weights: NDArray[np.float64], p: NDArray[np.float64], q: NDArray[np.float64]) -> None:
        """Q <- sum of c_i p_i (Eq. p^(t+1))."""

    def random_classes(self) -> tuple[NDArray[np.int32], int, int]:
        """Each state's recurrent class, -1 if transient; and an update and a state of a class where it is
        impossible, or -1 twice.
        """

    def sequential_classes(self, order: Sequence[int]) -> tuple[NDArray[np.int32], int, int]:
        """The same for the states before place 0 of a sequential scan."""

class _Map:
    """A linear map G with the fixed point x = G x, non-negative, unique up to a factor."""

    @property
    def dimension(self) -> int:
        """The length of x."""

    def start(self, p: NDArray[np.float64], x: NDArray[np.float64]) -> None:
        """X <- what belongs to the law p."""

    def law(self, x: NDArray[np.float64], p: NDArray[np.float64]) -> None:
        """P <- the law that belongs to x, after one more application of G, not normalised."""

    def residual(self, x: NDArray[np.float64], r: NDArray[np.float64]) -> None:
        """R <- G x - x."""

    def cycle(self, x: NDArray[np.float64], r: NDArray[np.float64], basis: int, target: float) -> int:
        """One cycle of GMRES from x, whose residual is r, in place; how often G was applied.

        It stops at `basis` vectors, or when the 2-norm of the residual is under `target`; negative
        numbers in x are then set to zero.
        """

class Coloured(_Map):
    """Gauss-Seidel on the jumps of a random scan, colour by colour; all updates are of one axis."""

    def __init__(self, chain: Chain, weights: NDArray[np.float64]) -> None: ...

class Jumping(_Map):
    """The jumps of a random scan; updates of any axes."""

    def __init__(self, chain: Chain, weights: NDArray[np.float64]) -> None: ...

class Sweep(_Map):
    """A sweep of a sequential scan; its law is the one just before the first update of `order`."""

    def __init__(self, chain: Chain, order: Sequence[int]) -> None: ...
