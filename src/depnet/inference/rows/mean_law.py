r"""The laws of holes, averaged over several networks: what imputation needs, without a verdict on every row.

Each row's chains go from one network to the next, some sweeps in each to forget the last one and some that count. The
Rao-Blackwell averages of a network's sweeps estimate its law of the hole, and their mean over networks is

.. math:: \bar\pi(x_h \mid o) = \frac1M \sum_m \pi_{\theta_m}(x_h \mid o)

A row with one hole is exact: its average is of equal terms. For error bars and R-hat, ask `query_rows`.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.inference.clamped.chains import Chains, Order
from depnet.inference.clamped.laid_out import planned, start_laws
from depnet.inference.rows.rows import NOTHING, checked_rows, distinct_rows, start_chains
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan

CHAINS = 4
BURN_IN = 8
LEAST_SWEEPS = 4
CHUNK_CELLS = 8_000_000


def mean_laws(
    networks: Sequence[Network],
    codes: NDArray[np.integer],
    hidden: NDArray[np.bool_],
    *,
    tolerance: float = 0.02,
    scan: Scan = RandomScan(),  # noqa: B008  # a frozen value
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> dict[str, FloatArray]:
    """[row, state] by name: of a hole the mean of the networks' laws, certainty for what was observed.

    There are as many sweeps as make 0.25 / tolerance^2 visits of each hole in all, about what a standard error below
    `tolerance` takes where sweeps forget each other.

    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> mean_laws([network, network], np.array([[0, 0]]), np.array([[False, True]]))["X1"].round(3).tolist()
    [[0.8, 0.2]]
    """
    if not (isinstance(tolerance, (int, float)) and 0 < tolerance < 1):
        raise ValueError(f"tolerance is a standard error between 0 and 1; got {tolerance!r}.")
    rng = np.random.default_rng() if rng is None else rng
    domain = networks[0].domain
    rows, holes = checked_rows(domain, codes, hidden)
    first, which = distinct_rows(rows, holes)
    rows, holes = rows[first], holes[first]
    begin = np.concatenate([[0], np.cumsum(domain.cardinalities)])
    values = np.zeros((len(rows), int(begin[-1])))
    values[np.arange(len(rows))[:, None], begin[:-1] + rows] = 1.0
    sweeps = max(LEAST_SWEEPS, math.ceil(0.25 / tolerance**2 / (CHAINS * len(networks))))
    chosen = np.flatnonzero(holes.any(axis=1))
    size = max(1, CHUNK_CELLS // (CHAINS * (int(begin[-1]) + len(domain))))
    for start in range(0, len(chosen), size):
        at = chosen[start : start + size]
        found = _averaged(networks, rows[at], holes[at], sweeps, scan, rng, n_jobs)
        values[at] = np.where(np.repeat(holes[at], domain.cardinalities, axis=1), found, values[at])
    return {name: read_only(values[which, begin[i] : begin[i + 1]]) for i, name in enumerate(domain.names)}


def _averaged(
    networks: Sequence[Network],
    rows: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    sweeps: int,
    scan: Scan,
    rng: np.random.Generator,
    threads: int | None,
) -> FloatArray:
    domain = networks[0].domain
    of_cell: IntArray = np.repeat(np.arange(len(domain)), domain.cardinalities)
    total = np.zeros((len(rows), len(of_cell)))
    states: NDArray[np.uint16] | None = None
    for network in networks:
        plan = planned(network, NOTHING, [(i,) for i in range(len(domain))])
        laws = start_laws(network, NOTHING)
        if states is None:
            chains = start_chains(network, rows, holes, plan, scan, CHAINS, rng, threads)
        else:
            order = Order.of(network, scan, ~holes)
            chains = Chains(plan, len(domain), order, states, ~holes, CHAINS, rng, threads)
        chains.run(BURN_IN, record=False)
        chains.run(sweeps, record=True)
        states = chains.codes
        sums, weights = (part.sum(axis=1) for part in chains.rounds[-1])
        visits = weights[:, of_cell]
        # A hole that no sweep has come to, under a scan that hardly ever does: what chains start from stands in.
        total += np.where(visits > 0, sums / np.where(visits > 0, visits, 1.0), np.concatenate(laws))
    return total / len(networks)
