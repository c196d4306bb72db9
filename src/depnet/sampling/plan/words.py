"""Random words: a counter generator, so that results depend on the seed alone.

Word k of a chain's stream is a fixed function of (seed, stream, chain, k): Philox4x32-10 of Salmon,
Moraes, Dror and Shaw (2011). Threads, chunks, block sizes and instruction sets cannot change it.
"""

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native

UPDATE, PLACE, START = 16, 32, 48
"""Streams: the updates of a chain, the places of the sweep at which rows are recorded, the starts."""


def new_seeds(rng: np.random.Generator | None, count: int) -> list[int]:
    """Seeds of the counter generator; None: fresh entropy."""
    return [int(seed) for seed in generator(rng).integers(0, 2**64, size=count, dtype=np.uint64)]


def generator(rng: np.random.Generator | None) -> np.random.Generator:
    """`rng` itself, or for None a generator with fresh entropy; anything else is an error."""
    if rng is None:
        return np.random.default_rng()
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng is a numpy.random.Generator or None; got {rng!r}. Make one with numpy.random.default_rng(seed)."
        )
    return rng


def words(seed: int, stream: int, first: int, rows: int, first_chain: int, chains: int) -> NDArray[np.uint32]:
    """Words first, first + 1, ... of neighbouring chains: [rows, chains]."""
    made = np.empty((rows, chains), dtype=np.uint32)
    native.words(seed, stream, first, first_chain, made)
    return made
