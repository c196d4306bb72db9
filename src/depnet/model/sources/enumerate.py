"""All joint states of some variables, as rows of codes: what a function of them is evaluated on to write it out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from depnet.arrays import CodeArray


def code_type(cardinalities: Sequence[int]) -> np.dtype[Any]:
    """What codes are kept in: a byte, or two where a variable has more than 256 states."""
    return np.dtype(np.uint8 if max(cardinalities) <= 256 else np.uint16)


def input_codes(
    cardinalities: Sequence[int], inputs: Sequence[int], fixed: Mapping[int, int] | None = None
) -> CodeArray:
    """[joint states, n]: a row for each joint state of `inputs`, row-major (the last moves fastest).

    The `fixed` variables have these codes in every row, all others 0.

    >>> input_codes((2, 2, 3), (0, 2), {1: 1})[:, :].tolist()
    [[0, 1, 0], [0, 1, 1], [0, 1, 2], [1, 1, 0], [1, 1, 1], [1, 1, 2]]
    """
    cards = [cardinalities[j] for j in inputs]
    states = int(np.prod(cards, dtype=np.int64))
    codes: CodeArray = np.zeros((states, len(cardinalities)), dtype=code_type(cardinalities), order="F")
    for j, code in (fixed or {}).items():
        codes[:, j] = code
    if cards:
        for j, column in zip(inputs, np.unravel_index(np.arange(states), cards), strict=True):
            codes[:, j] = column
    return codes
