"""The data sets of Table 1, and others of their families by name: Ising4x3, RB12-21 with S or L rows.

Every random choice of an experiment comes from its seed: the law of a random Bayesian network from one
stream, the rows of each size from another. So Ising4x3S and Ising4x3L are independent samples of one law.
"""

import re
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Dataset
from depnet.paper.laws import draw, ising, random_bayesian_network
from depnet.paper.report import ExperimentError

SIZES = {"S": 1_000, "L": 100_000}
FAMILIES = ("Ising4x3", "RB12-21")
LAW_STREAM, ROWS_STREAM = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A data set with the law it was drawn from, which only an experiment knows."""

    name: str
    law: FloatArray
    dataset: Dataset


def true_law(family: str, seed: int, *, coupling: float = 1.0) -> FloatArray:
    """p* of a family: IsingHxW (with this coupling), or RBn-e, whose network depends on the seed.

    >>> true_law("Ising2x3", seed=0).shape
    (2, 2, 2, 2, 2, 2)
    """
    if found := re.fullmatch(r"Ising(\d+)x(\d+)", family):
        return ising(int(found[1]), int(found[2]), coupling)
    if found := re.fullmatch(r"RB(\d+)-(\d+)", family):
        rng = np.random.default_rng([seed, LAW_STREAM])
        return random_bayesian_network(rng, int(found[1]), int(found[2]))
    raise ExperimentError(
        f"there is no family {family!r}; expected IsingHxW, such as Ising4x3, or RBn-e (n nodes, e edges), such as "
        "RB12-21."
    )


def sample(family: str, rows: int, seed: int, *, coupling: float = 1.0) -> Sample:
    """`rows` samples of a family's law."""
    if rows < 1:
        raise ExperimentError(f"a data set has at least 1 row; got {rows}.")
    law = true_law(family, seed, coupling=coupling)
    size = next((letter for letter, known in SIZES.items() if known == rows), f", {rows:,} rows")
    return Sample(f"{family}{size}", law, draw(law, rows, rows_rng(seed, rows)))


def rows_rng(seed: int, rows: int) -> np.random.Generator:
    """The generator that draws a sample of this number of rows."""
    return np.random.default_rng([seed, ROWS_STREAM, rows])
