"""Whole numbers: what may stand for a code, a count, a variable's place or a leaf."""

from typing import TypeGuard

import numpy as np


def is_whole(value: object) -> TypeGuard[int]:
    """Is it an integer of Python or numpy? A boolean is not, nor is a float with nothing after the point.

    >>> is_whole(3), is_whole(np.int8(3)), is_whole(3.0), is_whole(True)
    (True, True, False, False)
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
