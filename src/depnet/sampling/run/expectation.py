r"""Monte Carlo integration: the mean of a function of rows under the network's law.

.. math:: \langle f(X) \rangle_\pi = \lim_{N \to \infty} \frac1N \sum_{t=0}^{N-1} f(X^t)

(Eq. ergodicity; under the sequential scan the law is the centroid, Eq. ordered). The standard error comes
from chains that are independent of each other: it is the deviation of their means over sqrt(chains), which
is right however strongly the rows of one chain depend on each other.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import CodeArray, FloatArray
from depnet.checks import whole_number
from depnet.errors import SamplingError, brief
from depnet.model import Evidence, Given, Network, Scan
from depnet.sampling.plan.reducible import IfReducible
from depnet.sampling.run.sampler import Auto, Progress, Sampler, SamplingReport

RowFunction: TypeAlias = Callable[[CodeArray], ArrayLike]
CHAINS = 256
BLOCK_CELLS = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """`mean` of f and its `standard_error`, a number each or an array where f gives several."""

    mean: FloatArray
    standard_error: FloatArray
    rows: int
    report: SamplingReport

    def __str__(self) -> str:
        drawn = f" of {self.report.chains:,} chains" if self.report.chains else ""
        return f"{self.mean} ± {self.standard_error}, from {self.rows:,} rows{drawn}"


def expectation(
    network: Network,
    f: RowFunction,
    *,
    rows: int = 100_000,
    scan: Scan | None = None,
    evidence: Given | Evidence | None = None,
    burn_in: int | Auto = "auto",
    thin: int | Auto = "auto",
    chains: int | Auto = "auto",
    rng: np.random.Generator | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    if_reducible: IfReducible = "raise",
) -> Expectation:
    """The mean of `f` under the network's law, with its standard error.

    `f` is given codes [N, n] and returns N numbers, or an array [N, ...] of numbers. At least `rows` rows are
    used, the same number of each chain.

    >>> network = Network.from_joint([[0.4, 0.1], [0.1, 0.4]])
    >>> equal = expectation(network, lambda x: x[:, 0] == x[:, 1], rng=np.random.default_rng(0))
    >>> bool(abs(equal.mean - 0.8) < 5 * equal.standard_error)
    True
    """
    if not callable(f):
        raise SamplingError(f"f is a function of codes [N, n] that returns N numbers; got {brief(f)}.")
    rows = whole_number("rows", rows, at_least=1)
    # Draws of an ordered law are independent: in as many groups as there would be chains, the error is found alike.
    of_chains = network.order is None or scan is not None
    groups = CHAINS if chains == "auto" else whole_number("chains", chains, at_least=2)
    draws = math.ceil(rows / groups)
    sampler = Sampler(
        network,
        scan=scan,
        evidence=evidence,
        burn_in=burn_in,
        thin=1 if thin == "auto" and of_chains else thin,
        chains=groups if of_chains else chains,
        rng=rng,
        n_jobs=n_jobs,
        if_reducible=if_reducible,
    )
    a_block = max(1, BLOCK_CELLS // (groups * len(network.domain))) * groups
    sums: FloatArray | None = None
    for block in sampler.blocks(draws * groups, a_block, progress=progress):
        values = _values(f, block.codes)
        part = values.reshape(-1, groups, *values.shape[1:]).sum(axis=0)
        sums = part if sums is None else sums + part
    assert sums is not None
    means = sums / draws
    error = means.std(axis=0, ddof=1) / math.sqrt(groups)
    return Expectation(means.mean(axis=0), np.asarray(error), draws * groups, sampler.report)


def _values(f: RowFunction, codes: CodeArray) -> FloatArray:
    raw: NDArray[Any] = np.asarray(f(codes))
    if raw.ndim == 0 or len(raw) != len(codes) or raw.dtype.kind not in "buif":
        raise SamplingError(
            f"the function must return a number for each of {len(codes)} rows; got shape {raw.shape} of {raw.dtype}."
        )
    values = raw.astype(np.float64)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise SamplingError(
            f"the function gave {raw[row]} for the row {codes[row].tolist()}; it must be finite."
        )
    return values
