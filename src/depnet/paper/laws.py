r"""The true laws p* of the paper's data sets (Sec. 3.2), and data drawn from them.

*Ising*: spins x in {-1, +1} on a grid, p(x) proportional to exp(J times the sum of x_i x_j over
neighbours). The paper does not print its coupling; J = 1 gives its values. Code 1 is spin +1, and
variables go through the grid row by row. *RBn-e*: a random Bayesian network with n nodes and e edges, its
conditional probabilities uniform on the simplex.

Every random choice of an experiment comes from its seed: the law of a random Bayesian network from one
stream, the rows of each size from another. So Ising4x3S and Ising4x3L are independent samples of one law.
Only counts matter to learning, so data are drawn as multinomial counts of joint states: a `Dataset` has one
row, with its weight, for each state that occurs. A hundred thousand rows or ten million cost the same.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Dataset
from depnet.geometry.size import check_dense
from depnet.paper.report import ExperimentError

FAMILIES = ("Ising4x3", "RB12-21")
SIZES = {"S": 1_000, "L": 100_000}


class Sample(NamedTuple):
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
        return random_bayesian_network(np.random.default_rng([seed, 0]), int(found[1]), int(found[2]))
    raise ExperimentError(
        f"there is no family {family!r}; expected IsingHxW, such as Ising4x3, or RBn-e (n nodes, e edges), such as "
        "RB12-21."
    )


def rows_rng(seed: int, rows: int) -> np.random.Generator:
    return np.random.default_rng([seed, 1, rows])


def sample(family: str, rows: int, seed: int, *, coupling: float = 1.0) -> Sample:
    if rows < 1:
        raise ExperimentError(f"a data set has at least 1 row; got {rows}.")
    law = true_law(family, seed, coupling=coupling)
    size = next((letter for letter, known in SIZES.items() if known == rows), f", {rows:,} rows")
    return Sample(f"{family}{size}", law, draw(law, rows, rows_rng(seed, rows)))


def ising(height: int = 4, width: int = 3, coupling: float = 1.0, field: float = 0.0) -> FloatArray:
    r"""The Ising model on a grid, without wrapping round.

    .. math:: p(x) \propto \exp\Big(J \sum_{i \sim j} x_i x_j + h \sum_i x_i\Big)

    >>> p = ising(4, 3, coupling=1.0)
    >>> p.shape == (2,) * 12, bool(np.isclose(p[(0,) * 12], p[(1,) * 12]))
    (True, True)
    """
    n = height * width
    if height < 1 or width < 1:
        raise ExperimentError(f"an Ising grid is at least 1 x 1; got {height} x {width}.")
    check_dense([2] * n, bytes_per_state=24, what="the Ising model")
    energy = np.zeros((2,) * n)
    spins = [np.array([-1.0, 1.0]).reshape([-1 if a == i else 1 for a in range(n)]) for i in range(n)]
    for i in range(n):
        energy = energy + field * spins[i]
        if i % width + 1 < width:
            energy = energy + coupling * spins[i] * spins[i + 1]
        if i + width < n:
            energy = energy + coupling * spins[i] * spins[i + width]
    p = np.exp(energy - energy.max())
    return np.asarray(p / p.sum())


def random_bayesian_network(
    rng: np.random.Generator, variables: int = 12, edges: int = 21, cardinality: int = 2
) -> FloatArray:
    r"""The law of a random Bayesian network, :math:`p(X) = \prod_i p(X_i \mid X_{pa(i)})`.

    `edges` pairs i < j are chosen uniformly as i -> j; every conditional distribution is uniform on the
    simplex. Twelve binary nodes with 21 edges are the paper's RB12-21.
    """
    pairs = list(itertools.combinations(range(variables), 2))
    if not 0 <= edges <= len(pairs):
        raise ExperimentError(
            f"a Bayesian network of {variables} nodes has 0..{len(pairs)} edges; got {edges}."
        )
    check_dense([cardinality] * variables, bytes_per_state=24, what="the random Bayesian network")
    chosen = [pairs[e] for e in rng.choice(len(pairs), size=edges, replace=False)]
    p = np.ones((1,) * variables)
    for j in range(variables):
        parents = [i for i, child in chosen if child == j]
        shape = [cardinality if i in parents else 1 for i in range(variables)]
        rows = rng.dirichlet(np.ones(cardinality), size=shape)  # the states of X_j last
        p = p * np.swapaxes(rows, j, -1)[..., 0]
    return np.ascontiguousarray(np.broadcast_to(p, (cardinality,) * variables))


def draw(p: FloatArray, rows: int, rng: np.random.Generator) -> Dataset:
    """`rows` independent samples of the law `p`: one weighted row for each state that occurs."""
    return next(growing(p, [rows], rng))


def growing(p: FloatArray, sizes: Sequence[int], rng: np.random.Generator) -> Iterator[Dataset]:
    """omega(N) for each N of `sizes`, ascending: the first N samples of one infinite sequence (Sec. 4.4)."""
    counts = np.zeros(p.size, dtype=np.int64)
    drawn = 0
    for size in sizes:
        if size <= drawn:
            raise ExperimentError(f"sample sizes are positive and ascending; got {list(sizes)}.")
        counts += rng.multinomial(size - drawn, p.ravel())
        drawn = size
        seen = np.flatnonzero(counts)
        codes = np.stack(np.unravel_index(seen, p.shape), axis=1)
        yield Dataset.from_codes(codes, p.shape, counts[seen])
