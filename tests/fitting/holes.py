"""A table whose law is known, and holes in it."""

import itertools

import numpy as np
from numpy.typing import NDArray

from depnet import Dataset, Domain, Network, learn
from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Holed

ROWS = 20_000


def truth() -> FloatArray:
    """A chain of four variables, each a noisy copy of the one before."""
    p = np.zeros((3, 3, 2, 2))
    for a, b, c, d in itertools.product(*map(range, p.shape)):
        copies = (0.8 if a == b else 0.1) * (0.85 if c == (b > 0) else 0.15) * (0.8 if d == c else 0.2)
        p[a, b, c, d] = [0.5, 0.3, 0.2][a] * copies
    return p


def drawn_rows(rng: np.random.Generator) -> IntArray:
    p = truth()
    return np.stack(np.unravel_index(rng.choice(p.size, size=ROWS, p=p.ravel()), p.shape), axis=1)


def holes(kind: str, codes: IntArray, rng: np.random.Generator) -> NDArray[np.bool_]:
    if kind == "MCAR":
        return rng.random(codes.shape) < 0.45
    hidden = rng.random(codes.shape) < np.where(codes[:, :1] == 0, 0.6, 0.05)
    hidden[:, 0] = False  # whether the others are missing depends on what is always observed
    return hidden


def learned(rows: Dataset) -> Network:
    return learn(rows, smoothing=0.5)


def domain_of() -> Domain:
    return Domain.from_cardinalities(truth().shape)


def holed_of(codes: IntArray, hidden: NDArray[np.bool_]) -> Holed:
    rows = Dataset.from_codes(np.where(hidden, 0, codes), domain=domain_of())
    return Holed(rows.domain, rows.codes, hidden)
