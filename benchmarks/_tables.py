"""Synthetic tables from random Bayesian networks, and the standard binary tables."""

import argparse
import gzip
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from depnet import Dataset


def add_data(parser: argparse.ArgumentParser) -> None:
    """The option that says where the folders `debd` and `bif` are, of tables and of networks."""
    default = Path(os.environ.get("DEPNET_DATA", "../shared/data"))
    parser.add_argument(
        "--data", type=Path, default=default, help="the folder of debd and bif  (%(default)s)"
    )


def from_random_network(
    rows: int, cardinalities: Sequence[int], *, seed: int = 0, most_parents: int = 3, sparse: bool = False
) -> Dataset:
    """Rows drawn from a random Bayesian network: up to `most_parents` parents a variable, Dirichlet tables.

    `sparse`: state 0 is by far the most frequent, as in baskets and clicks.
    """
    rng = np.random.default_rng(seed)
    codes = np.zeros((rows, len(cardinalities)), dtype=np.uint8, order="F")
    for i, states in enumerate(cardinalities):
        parents = rng.permutation(i)[: int(rng.integers(1, most_parents + 1))]
        context, contexts = np.zeros(rows, dtype=np.int64), 1
        for parent in parents:
            context = context * cardinalities[parent] + codes[:, parent]
            contexts *= cardinalities[parent]
            if contexts > 200:  # large parents: groups of joint states share a distribution
                context, contexts = rng.integers(0, 50, contexts)[context], 50
        concentration = [8.0] + [0.3] * (states - 1) if sparse else [0.6] * states
        cumulative = np.cumsum(rng.dirichlet(concentration, size=contexts), axis=1)[:, :-1]
        uniform = rng.random(rows)
        for begin in range(0, rows, 1 << 16):
            part = slice(begin, begin + (1 << 16))
            codes[part, i] = (uniform[part, None] > cumulative[context[part]]).sum(axis=1)
    return Dataset.from_codes(codes, cardinalities)


def debd(folder: Path, name: str, part: str = "train") -> Dataset:
    """The rows of a binary table, NAME.PART.data.gz: one row a line, comma-separated 0/1."""
    with gzip.open(folder / f"{name}.{part}.data.gz", "rb") as file:
        lines = file.read().split()
    codes = np.frombuffer(b"".join(line.replace(b",", b"") for line in lines), dtype=np.uint8) - ord("0")
    codes = codes.reshape(len(lines), -1)
    return Dataset.from_codes(codes, [2] * codes.shape[1])
