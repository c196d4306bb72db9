r"""Ours: Theorem 3's bound and the sequential scan: how often its centroid is beyond it, and what holds instead.

Networks with random positive tables, and networks learned from data; p random, the data's law, or the worst
there is. For any law q the slack of the bound is linear in p,

.. math:: FC_{\lim}(p) - FC(p\|q)
          = \Big\langle \sum_i c_i \log\frac{q(X_i \mid X_{-i})}{\theta_i(X_i \mid X_{-i})} \Big\rangle_p,

so the worst p is a point mass: q keeps the bound for all p if and only if the sum is at least 0 in every state.
The proof of Theorem 3 shows just that for pi of the random scan.

With two nodes and equal weights the centroid is the law of the random scan: each pi^i is its own projection onto
the manifold that it lies on, so the centroid is the mean of its two projections. With more nodes it is not,
and Theorem 3 does not hold for it in general. Along the cycle, for every p,

.. math:: \frac1n \sum_i KL(p\|E_i(\pi^i)) = FC_{\lim}(p), \qquad
          \sum_i \big(KL(p\|\pi^i) - KL(p\|\pi^{i+1})\big) = 0,

the second being trivial and the first its parts: KL(p||pi^i) - KL(p||pi^{i+1}) = KL(p||E_i(pi^i)) - KL(p||E(theta_i)).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.exact import stationary, stationary_cycle
from depnet.geometry import (
    empirical,
    fc_limit,
    full_conditional,
    full_conditional_divergence,
    manifolds,
    total_variation,
)
from depnet.learning.learn import learn
from depnet.model import Network, RandomScan, SequentialScan
from depnet.paper.data_sets import sample
from depnet.paper.laws import lossless_network
from depnet.paper.report import Claim, Report, columns
from depnet.paper.scans import cycle_sum
from depnet.paper.table1 import within_limit

COLUMNS = columns("""
    networks           networks
    variables          n                      d
    p                  p
    count              tried                  d
    random_beyond      random scan beyond     .0%
    sequential_beyond  sequential beyond      .0%
    worst              largest FC / FC_lim    .3f
    tv                 mean TV(centroid, pi)  .3f
    cycle_gap          cycle identity: gap    .0e
""")


def random_network(rng: np.random.Generator, variables: int) -> Network:
    """Binary variables whose tables have rows that are uniform on the simplex: nothing fits anything."""
    tables = [rng.dirichlet(np.ones(2), size=2 ** (variables - 1)) for _ in range(variables)]
    return lossless_network(tables)


def sequential(seed: int = 0, seeds: int = 100) -> Report:
    """Random networks of 2 to 6 variables and learned ones, `seeds` of each."""
    cases: dict[tuple[str, int], list[tuple[Network, FloatArray]]] = {}
    span = range(seed, seed + seeds)
    for n in (2, 3, 4, 6):
        cases["random tables", n] = [
            (
                random_network(np.random.default_rng([s, n]), n),
                np.random.default_rng([s, n, 1]).dirichlet(np.ones(2**n)).reshape((2,) * n),
            )
            for s in span
        ]
    for family in ("RB8-14", "Ising3x3"):
        data = [sample(family, 1_000, s, coupling=0.5).dataset for s in span]
        cases[f"learned, {family}", len(data[0].domain)] = [
            (learn(d, smoothing=0.5), empirical(d)) for d in data
        ]
    rows = []
    for (kind, n), pairs in cases.items():
        worst = [(network, worst_law(network)) for network, _ in pairs]
        for name, own in (("random" if kind == "random tables" else "p^D", pairs), ("worst", worst)):
            rows.append({"networks": kind, "variables": n, "p": name, **_compared(own)})
    claims = (
        Claim("random scan: never beyond the bound (Theorem 3)", all(r["random_beyond"] == 0 for r in rows)),
        Claim("two nodes: the centroid is pi", all(r["tv"] < 1e-8 for r in rows if r["variables"] == 2)),
        Claim(
            "the mean of KL(p||E_i(pi^i)) along the cycle is FC_lim(p), always",
            all(r["cycle_gap"] < 1e-6 for r in rows),
        ),
    )
    note = "Order 0..n-1. Beyond: FC(p||law) > FC_lim(p). Worst: the point mass p that keeps the bound least."
    return Report(
        "sequential", "Ours: the bound and the sequential scan", COLUMNS, tuple(rows), claims, (note,)
    )


def worst_law(network: Network) -> FloatArray:
    """The p for which the centroid of 0..n-1 exceeds the bound most, or keeps it least: a point mass."""
    centroid = stationary(network, SequentialScan())
    slack = np.zeros(centroid.shape)
    for space in manifolds(network):
        slack += np.log(full_conditional(centroid, space.variable)) - np.log(space.theta)
    p = np.zeros(centroid.shape)
    p.flat[int(np.argmin(slack))] = 1.0
    return p


def _compared(pairs: Sequence[tuple[Network, FloatArray]]) -> dict[str, Any]:
    found = []
    for network, p in pairs:
        pi = stationary(network, RandomScan())
        cycle = stationary_cycle(network, SequentialScan())
        centroid = np.mean(cycle, axis=0)
        limit = fc_limit(p, network)
        fc = full_conditional_divergence(p, centroid)
        gap = abs(cycle_sum(p, cycle, [node.variables for node in network.nodes]) - limit)
        random_beyond = not within_limit(full_conditional_divergence(p, pi), limit)
        beyond = not within_limit(fc, limit)
        found.append((random_beyond, beyond, fc / limit, total_variation(centroid, pi), gap / limit))
    random_beyonds, beyonds, ratios, distances, gaps = zip(*found, strict=True)
    return {
        "count": len(pairs),
        "random_beyond": sum(random_beyonds) / len(pairs),
        "sequential_beyond": sum(beyonds) / len(pairs),
        "worst": float(max(ratios)),
        "tv": float(np.mean(distances)),
        "cycle_gap": float(max(gaps)),
    }
