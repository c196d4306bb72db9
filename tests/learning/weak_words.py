"""Hashes of rows that collide."""

import numpy as np
import pytest


def weak_words(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """Words of few bits instead of 64 for the first three seeds."""
    default_rng = np.random.default_rng

    class Weak:
        def __init__(self, seed: int) -> None:
            self.rng, self.seed = default_rng(seed), seed
            self.shuffle = self.rng.shuffle

        def integers(self, low: int, high: int, size: tuple[int, int], dtype: type) -> np.ndarray:
            words = self.rng.integers(low, high, size=size, dtype=dtype)
            if self.seed < 3:
                words[0] %= 2**bits
            return words

    monkeypatch.setattr("numpy.random.default_rng", Weak)
