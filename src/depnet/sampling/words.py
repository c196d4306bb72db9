"""Random words: counter generators, so that results depend on seeds alone.

Word k of a chain's stream is a fixed function of (key, k), SplitMix64 of Steele, Lea and Flood (2014); of a pass of an
ordered law it is one of (seed, stream, row, k), Philox4x32-10 of Salmon, Moraes, Dror and Shaw (2011). Threads, chunks,
block sizes and instruction sets cannot change them.

Distributions as 32-bit thresholds: state s is drawn when a random word falls into its interval.

A uniform word w of 32 bits draws the state #{s : T_s <= w}, where T_s is the cumulative probability of
the states 0..s times 2^32. T_s = 2^32 does not fit into 32 bits, so the largest word is read as the one
below it, and T_s = 2^32 - 1 means "beyond every word". A cumulative probability is then off by at most
2^-32; 0 and 1 stay exact.
"""

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import FloatArray

START = 48
"""The stream of the starts of chains."""


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


def split_words(keys: NDArray[np.uint64], counter: int) -> NDArray[np.uint64]:
    """Word `counter` of the streams of `keys`, as the native core makes it."""
    z = keys + np.uint64((counter + 1) * 0x9E3779B97F4A7C15 & 2**64 - 1)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


ALWAYS = 2**32 - 1
"""The threshold that no word reaches: the probability up to here is 1."""


def thresholds_of(weights: FloatArray) -> NDArray[np.uint32]:
    """Thresholds [rows, states - 1] of rows of non-negative weights [rows, states] with a positive sum.

    >>> thresholds_of(np.array([[0.25, 0.75], [1.0, 0.0]])).tolist()
    [[1073741824], [4294967295]]
    """
    cumulative = np.cumsum(weights, axis=1)
    share = cumulative[:, :-1] / cumulative[:, -1:]
    ends = np.clip(np.floor(share * 2.0**32 + 0.5), 1, ALWAYS - 1)
    ends[share >= 1 - 2.0**-32] = ALWAYS
    ends[cumulative[:, :-1] == 0] = 0
    return ends.astype(np.uint32)
