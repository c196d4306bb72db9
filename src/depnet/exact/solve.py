"""Fixed points of a scan on one recurrent class."""

from collections.abc import Sequence

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.exact.free import FreeChain, Update
from depnet.exact.projection import project


def mixture(p: FloatArray, chain: FreeChain, weights: FloatArray) -> FloatArray:
    """Sum of c_i p_i (Eq. p^(t+1))."""
    q = np.zeros_like(p)
    for c, update in zip(weights, chain.updates, strict=True):
        q += c * project(p, update, chain.shape)
    return q


def sweep(p: FloatArray, chain: FreeChain, order: Sequence[Update]) -> FloatArray:
    """All updates in turn."""
    for update in order:
        p = project(p, update, chain.shape)
    return p


def random_law(chain: FreeChain, weights: FloatArray, members: IntArray) -> FloatArray:
    """Pi = pi K on a class."""
    p = np.zeros(chain.size)
    p[members] = 1 / len(members)
    for _ in range(100_000 if chain.updates else 0):
        q = mixture(p, chain, weights)
        if np.abs(q - p).sum() < 1e-13:
            break
        p = q / q.sum()
    return p


def sequential_law(chain: FreeChain, order: Sequence[Update], members: IntArray) -> FloatArray:
    """pi^0 = pi^0 K_0 ... K_(n-1) on a class; averaged, since the sweep may be periodic."""
    p = np.zeros(chain.size)
    p[members] = 1 / len(members)
    for _ in range(100_000 if order else 0):
        q = (p + sweep(p, chain, order)) / 2
        if np.abs(q - p).sum() < 1e-13:
            break
        p = q / q.sum()
    return p
