r"""Theorems 5 and 6 (Sec. 4.4): as N grows the model distribution goes to the true law p*.

One infinite sequence of samples is drawn, and for growing N its first N are learned from, twice:

- *greedy*: splits and merges, the algorithm of Sec. 4.5;
- *with lossless*: the same, with the lossless source among the candidates of every step, which is what the
  theorems ask for; then cost_i(Y_i(N)) <= cost_i(Y_i^ll) = R(k^ll, N), as in the proof of Theorem 5.

Algorithm 3 takes the best single step. Costs fall along its path, so it takes the lossless source at once, if
that is cheaper than what the best first operation gives, or never.
Measured are KL(p^D||E(theta_i)) (Theorem 5; its mean is FC_lim(p^D)), the ideal cost FC_lim(p*) of Sec. 4.1,
and how far pi is from p* (Theorem 6). Without smoothing a table may have zeros where p* has none; divergences
of p* are then infinite, though the pointwise error, which Theorem 6 speaks of, is not.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Dataset
from depnet.geometry import fc_limit, full_conditional_divergence, kl
from depnet.learning.certificate import certificate
from depnet.learning.framework import STEP
from depnet.learning.learn import learn
from depnet.learning.parameters import learn_parameters
from depnet.model import DecisionGraph, LosslessSource, Network
from depnet.paper.laws import FAMILIES, growing, rows_rng, true_law
from depnet.paper.report import Claim, Report, columns
from depnet.paper.table1 import unique_law, within_limit

COLUMNS = columns("""
    family         law
    learner        candidates
    rows           N                ,d
    kl_data        mean KL(p^D||E)  .2e
    kl_data_worst  largest          .2e
    ideal_cost     FC_lim(p*)       .2e
    fc_true        FC(p*||pi)       .2e
    kl_true        KL(p*||pi)       .2e
    pointwise      max |pi - p*|    .2e
    leaves         leaves           ,d
""")
SIZES = tuple(round(10**exponent) for exponent in np.arange(2, 7.25, 0.5))


def convergence(
    seed: int = 0,
    *,
    families: Sequence[str] = FAMILIES,
    sizes: Sequence[int] = SIZES,
    most: int | None = None,
    smoothing: float = 0.0,
) -> Report:
    """Both learners on growing samples of each family's law, of sizes up to `most`."""
    sizes = [size for size in sizes if most is None or size <= most]
    records: list[dict[str, Any]] = []
    bounded = True
    for family in families or FAMILIES:
        law = true_law(family, seed)
        for dataset in growing(law, sizes, rows_rng(seed, 0)):
            greedy = learn(dataset, smoothing=smoothing)
            admitted, cheap = with_lossless(greedy, dataset, smoothing)
            bounded &= cheap
            for learner, network in (("greedy", greedy), ("with lossless", admitted)):
                records.append({"family": family, "learner": learner, **measures(network, dataset, law)})
    records.sort(key=lambda r: (r["family"], r["learner"]))  # stable: N stays ascending
    zeros = "a zero in a table where p* has none makes its divergences infinite; a dash: no unique pi."
    notes = (f"Smoothing {smoothing:g}; {zeros}", "Infinite values and dashes are null in JSON.")
    claims = _claims(records, bounded)
    return Report("convergence", "Theorems 5 and 6: N grows", COLUMNS, records, claims, notes)


def with_lossless(greedy: Network, dataset: Dataset, smoothing: float = 0.0) -> tuple[Network, bool]:
    """What Algorithm 3 gives with the lossless source admitted; and does each node cost at most R(k^ll, N)?

    Equal to `learn_with(dataset, WithLossless())`, from the network that `learn` gave without it.
    """
    cardinalities = dataset.domain.cardinalities
    sources = [node.source for node in greedy.nodes]
    graphs = (source for source in sources if isinstance(source, DecisionGraph))
    first_steps = [DecisionGraph(graph.operations[:1], cardinalities) for graph in graphs]
    lossless = [LosslessSource.of_all_but(node.variable, cardinalities) for node in greedy.nodes]
    candidates = (sources, first_steps, lossless)
    ends, firsts, full = (certificate(learn_parameters(dataset, each), dataset).nodes for each in candidates)
    taken = [all_known.cost < first.cost - STEP for all_known, first in zip(full, firsts, strict=True)]
    chosen = [b if take else a for a, b, take in zip(sources, lossless, taken, strict=True)]
    costs = [b.cost if take else a.cost for a, b, take in zip(ends, full, taken, strict=True)]
    bounded = all(cost <= node.penalty + 1e-12 for cost, node in zip(costs, full, strict=True))
    return learn_parameters(dataset, chosen, smoothing=smoothing), bounded


def measures(network: Network, dataset: Dataset, law: FloatArray) -> dict[str, Any]:
    """How far the network is from its data, and its law from the true one; None without a unique law."""
    proven = certificate(network, dataset)
    pi = unique_law(network)
    return {
        "rows": dataset.total,
        "kl_data": proven.total("kl"),
        "kl_data_worst": max(node.kl for node in proven.nodes),
        "ideal_cost": fc_limit(law, network),
        "fc_true": None if pi is None else full_conditional_divergence(law, pi),
        "kl_true": None if pi is None else kl(law, pi),
        "pointwise": None if pi is None else float(np.abs(pi - law).max()),
        "leaves": sum(node.source.size for node in network.nodes),
    }


def _claims(records: Sequence[dict[str, Any]], bounded: bool) -> tuple[Claim, ...]:
    lawful = [r for r in records if r["fc_true"] is not None]
    falling = True
    for _, same in itertools.groupby(lawful, key=lambda r: (r["family"], r["learner"])):
        own = list(same)
        falling &= len(own) < 2 or all(own[-1][key] < own[0][key] for key in ("kl_data", "pointwise"))
    finite = (r for r in lawful if np.isfinite(r["ideal_cost"]))
    within = all(within_limit(r["fc_true"], r["ideal_cost"]) for r in finite)
    lossless = "cost_i(Y_i(N)) <= R(k^ll, N) for every N with the lossless source (proof of Theorem 5)"
    smaller = (
        "mean KL(p^D||E(theta_i)) and the pointwise error are smaller at the largest N than at the least"
    )
    at_truth = "FC(p*||pi) <= FC_lim(p*) wherever it is finite (Theorem 3 at p*)"
    return Claim(lossless, bounded), Claim(smaller, falling), Claim(at_truth, within)
