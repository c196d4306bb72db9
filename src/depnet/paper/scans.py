r"""Scans (Sec. 2.2, 3.1, 3.2): the law of the random scan beside the cycle and centroid of sequential ones.

Pseudo-Gibbs sampling with inconsistent tables has a different law for each scan and each order. Theorem 3
speaks of the random scan only. Along a sequential cycle this holds instead, for every p:

.. math:: \frac1n \sum_i KL(p\|E_i(\pi^i)) = FC_{\lim}(p)

where pi^i is the law just before node i is updated: that update multiplies pi^i by theta_i / pi^i(X_i | X_-i),
and round the cycle these factors multiply to 1. (After the update the term is KL(p||E(theta_i)) itself.)
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.exact import stationary, stationary_cycle
from depnet.geometry import (
    FullConditionalManifold,
    empirical,
    fc_limit,
    full_conditional_divergence,
    kl,
    kl_to_manifold,
    total_variation,
)
from depnet.learning.learn import learn
from depnet.model import Network, RandomScan, SequentialScan
from depnet.paper.laws import sample
from depnet.paper.report import Claim, Report, columns
from depnet.paper.table1 import within_limit

COLUMNS = columns("""
    scan         scan
    tv_random    TV to pi                 .2e
    tv_first     TV to first order        .2e
    cycle_width  widest TV(pi^i, pi^j)    .2e
    kl           KL(p^D||law)             .3e
    fc           FC(p^D||law)             .3e
    fc_limit     FC_lim(p^D)              .3e
    bound        bound holds
    cycle_sum    mean KL(p^D||E_i(pi^i))  .3e
""")


def scans(
    family: str = "RB12-21", rows: int = 1_000, seed: int = 0, *, orders: int = 6, smoothing: float = 0.5
) -> Report:
    """The random scan and `orders` orders of the sequential scan, on one network learned from a data set."""
    data = sample(family, rows, seed)
    network = learn(data.dataset, smoothing=smoothing)
    nodes, rng = range(len(network)), np.random.default_rng(seed)
    drawn = [tuple(rng.permutation(len(nodes)).tolist()) for _ in range(orders - 2)]
    chosen = list(dict.fromkeys([tuple(nodes), tuple(reversed(nodes)), *drawn]))[:orders]
    return compare_scans(network, empirical(data.dataset), chosen, data.name)


def compare_scans(
    network: Network, p: FloatArray, orders: Sequence[tuple[int, ...]], name: str = "a network"
) -> Report:
    """Distances between the laws of the scans of `network`, and the bound checked for each against `p`."""
    limit = fc_limit(p, network)
    pi = stationary(network, RandomScan())
    rows: list[dict[str, Any]] = [_row("random", pi, p, limit, pi)]
    first: FloatArray | None = None
    for order in orders:
        cycle = stationary_cycle(network, SequentialScan(order))
        centroid = np.mean(cycle, axis=0)
        first = centroid if first is None else first
        widths = (total_variation(a, b) for a, b in itertools.combinations(cycle, 2))
        own = {
            "tv_first": total_variation(centroid, first),
            "cycle_width": max(widths, default=0.0),
            "cycle_sum": cycle_sum(p, cycle, order),
        }
        rows.append(_row("sequential " + " ".join(map(str, order)), centroid, p, limit, pi) | own)
    beyond = sum(not r["bound"] for r in rows[1:])
    note = (
        f"Theorem 3 is about the random scan; the centroids of {beyond} of {len(rows) - 1} orders are beyond its bound. "
        "TV: total variation. pi^i: the law just before the i-th place of the order is updated."
    )
    cycles = all(np.isclose(r["cycle_sum"], limit, rtol=1e-6, atol=1e-10) for r in rows[1:])
    claims = (
        Claim("random scan: FC(p^D||pi) <= FC_lim(p^D) (Theorem 3)", rows[0]["bound"]),
        Claim("every sequential cycle: mean of KL(p^D||E_i(pi^i)) = FC_lim(p^D)", cycles),
    )
    title = f"Scans of the network learned from {name}"
    return Report("scans", title, COLUMNS, rows, claims, (note,))


def cycle_sum(p: FloatArray, cycle: Sequence[FloatArray], order: Sequence[int]) -> float:
    """The mean of KL(p||E_i(pi^i)) along a cycle, i being the next variable of the order."""
    spaces = [FullConditionalManifold.of_joint(law, i) for law, i in zip(cycle, order, strict=True)]
    return float(np.mean([kl_to_manifold(p, space) for space in spaces]))


def _row(scan: str, law: FloatArray, p: FloatArray, limit: float, pi: FloatArray) -> dict[str, Any]:
    fc = full_conditional_divergence(p, law)
    return {
        "scan": scan,
        "tv_random": total_variation(law, pi),
        "tv_first": None,
        "cycle_width": None,
        "kl": kl(p, law),
        "fc": fc,
        "fc_limit": limit,
        "bound": within_limit(fc, limit),
        "cycle_sum": None,
    }
