r"""What learned networks are worth: Table 1, convergence to the true law, and rare evidence.

**Table 1** (Sec. 3.2): how tight the FC-limit is on four data sets, beside the paper's numbers. For each data set a network
is learned with the paper's MDL and no smoothing, pi is the solution of the linear equations of the random scan, and
FC(p^D||pi) <= FC_lim(p^D) are compared. Without smoothing a table may hold zeros. States that no update leads to are then
transient and have probability 0 under pi; every table gives the data's own states a positive probability, so FC(p^D||pi)
stays finite unless a state of the data is transient, which the theory excludes: it assumes ergodic chains. A chain with
several recurrent classes has no unique pi. Such lines have no finite FC, and the report counts them. An empty leaf is
uniform, which only adds transitions.

**Convergence**, Theorems 5 and 6 (Sec. 4.4): as N grows the model distribution goes to the true law p*. One infinite
sequence of samples is drawn, and for growing N its first N are learned from, twice:

- *greedy*: splits and merges, the algorithm of Sec. 4.5;
- *with lossless*: the same, with the lossless source among the candidates of every step, which is what the
  theorems ask for; then cost_i(Y_i(N)) <= cost_i(Y_i^ll) = R(k^ll, N), as in the proof of Theorem 5.

Algorithm 3 takes the best single step. Costs fall along its path, so it takes the lossless source at once, if that is
cheaper than what the best first operation gives, or never. Measured are KL(p^D||E(theta_i)) (Theorem 5; its mean is
FC_lim(p^D)), the ideal cost FC_lim(p*) of Sec. 4.1, and how far pi is from p* (Theorem 6). Without smoothing a table may
have zeros where p* has none; divergences of p* are then infinite, though the pointwise error, which Theorem 6 speaks of, is
not.

**Rare evidence**: inference by conditional pseudo-Gibbs sampling (Sec. 5), and no consistent joint (Sec. 5.1). Clamping
X_C = x_C leaves a chain with a law pi'(X_Cbar | x_C) of its own. Eq. inference_KL tells what learning minimised apart by
evidence,

.. math:: KL(p\|E(\theta_i)) = \sum_{x_C} p(x_C)\, KL(p(X_{\bar C} \mid x_C)\|E(\theta_i(X_i \mid X_B;\, x_C))),

so evidence of small p*(x_C) weighs little in it and may be served badly. For every x_C of several sets C are
measured: the error KL(p*(X_Cbar|x_C)||pi'), the nodes' terms above (they bound the FC of the same two laws, by
Theorem 3 for the clamped chain), and how far pi' is from the conditional of the unclamped chain's law pi.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Dataset
from depnet.errors import ReducibleError
from depnet.exact import stationary
from depnet.geometry import (
    empirical,
    fc_limit,
    full_conditional_divergence,
    kl,
    kl_by_evidence,
    kl_to_manifold,
    manifolds,
    total_variation,
)
from depnet.learning.certificate import certificate
from depnet.learning.framework import STEP, learn_parameters
from depnet.learning.learn import learn
from depnet.model import DecisionGraph, LosslessSource, Network, RandomScan
from depnet.paper.laws import FAMILIES, SIZES, growing, rows_rng, sample, true_law
from depnet.paper.report import Claim, ExperimentError, Report, Row, columns, within_limit

PAPER: Mapping[str, tuple[float, float]] = {
    "Ising4x3S": (4.0e-3, 5.3e-3),
    "Ising4x3L": (1.1e-3, 1.1e-3),
    "RB12-21S": (1.5e-1, 1.6e-1),
    "RB12-21L": (6.8e-3, 7.4e-3),
}
"""FC(p^D||pi) and FC_lim(p^D) as printed in the paper, in nats."""

TABLE1 = columns("""
    data            data
    rows            rows         ,d
    fc              FC(p^D||pi)  .2e
    paper_fc        paper        .1e
    fc_limit        FC_lim(p^D)  .2e
    paper_fc_limit  paper        .1e
    ratio           FC / FC_lim  .2f
""")
SPREAD = columns("""
    data      data
    quantity  quantity
    least     least          .2e
    low       5 %            .2e
    median    median         .2e
    high      95 %           .2e
    greatest  greatest       .2e
    paper     paper          .1e
    place     paper's place  .0%
""")
SHARES = {"least": 0, "low": 0.05, "median": 0.5, "high": 0.95, "greatest": 1}
CONVERGENCE = columns("""
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
GROWING = tuple(round(10**exponent) for exponent in np.arange(2, 7.25, 0.5))
RARE = columns("""
    bin            p*(x_C)
    count          evidence            d
    kl             KL(p*(.|x_C)||pi')  .3e
    tv             TV(p*(.|x_C), pi')  .3e
    fc             FC(p*(.|x_C)||pi')  .3e
    terms          mean node term      .3e
    inconsistency  TV(pi(.|x_C), pi')  .3e
""")


def table1(
    seed: int = 0,
    *,
    seeds: int = 1,
    coupling: float = 1.0,
    families: Iterable[str] = FAMILIES,
    sizes: Mapping[str, int] = SIZES,
) -> Report:
    """Every family and size, for `seeds` seeds from `seed` on; of several, the spread and the paper's place in it."""
    if seeds < 1:
        raise ExperimentError(f"Table 1 needs at least one seed; got {seeds}.")
    records = [
        record(f"{family}{letter}", sample(family, rows, own, coupling=coupling).dataset, own)
        for own in range(seed, seed + seeds)
        for family in families
        for letter, rows in sizes.items()
    ]
    finite = [r for r in records if is_determined(r)]
    kept = sum(within_limit(r["fc"], r["fc_limit"]) for r in finite)
    said = f"FC(p^D||pi) <= FC_lim(p^D) in {kept} of {len(finite)} networks (Theorem 3)"
    claims = (Claim(said, kept == len(finite)),)
    notes = [
        "Learned with the paper's MDL, no smoothing; pi of the random scan from the linear equations; nats."
    ]
    if len(finite) < len(records):
        notes.append(
            f"{len(records) - len(finite)} of {len(records)} networks have no finite FC: zeros leave several recurrent "
            "classes, so no unique pi, or give a state of the data probability 0 under pi."
        )
    if seeds == 1:
        rows = [_beside_paper(r) for r in records]
        return Report("Table 1", TABLE1, rows, claims, tuple(notes), records)
    notes.append("The paper's place is the share of seeds below its number.")
    title = f"Table 1 over {seeds} seeds"
    return Report(title, SPREAD, _spreads(records), claims, tuple(notes), records)


def is_determined(record: Row) -> bool:
    """Is there a unique pi that gives every state of the data a positive probability?"""
    return record["fc"] is not None and math.isfinite(record["fc"])


def unique_law(network: Network) -> FloatArray | None:
    """The law pi of the random scan; None where several recurrent classes leave it undetermined."""
    try:
        return stationary(network, RandomScan())
    except ReducibleError:
        return None


def record(name: str, dataset: Dataset, seed: int) -> dict[str, Any]:
    """One line of Table 1; `fc` is None where the chain has no unique law."""
    network, p = learn(dataset), empirical(dataset)
    pi = unique_law(network)
    fc = None if pi is None else full_conditional_divergence(p, pi)
    return {"data": name, "rows": dataset.total, "seed": seed, "fc": fc, "fc_limit": fc_limit(p, network)}


def _beside_paper(record: Row) -> Row:
    fc, limit = PAPER.get(record["data"], (None, None))
    ratio = record["fc"] / record["fc_limit"] if is_determined(record) and record["fc_limit"] else None
    return {**record, "paper_fc": fc, "paper_fc_limit": limit, "ratio": ratio}


def _spreads(records: Sequence[Row]) -> list[Row]:
    """FC and FC_lim of every data set, over the seeds."""
    rows: list[Row] = []
    for name in dict.fromkeys(r["data"] for r in records):
        own = [r for r in records if r["data"] == name]
        values = [r["fc"] for r in own if is_determined(r)], [r["fc_limit"] for r in own]
        said = PAPER.get(name, (None, None))
        for quantity, these, paper in zip(("FC(p^D||pi)", "FC_lim(p^D)"), values, said, strict=True):
            spread = {
                key: np.quantile(these, share, method="nearest") if these else None
                for key, share in SHARES.items()
            }
            place = None if paper is None or not these else float(np.mean(np.array(these) < paper))
            rows.append({"data": name, "quantity": quantity, **spread, "paper": paper, "place": place})
    return rows


def convergence(
    seed: int = 0,
    *,
    families: Sequence[str] = FAMILIES,
    sizes: Sequence[int] = GROWING,
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
                records.append({"family": family, "learner": learner, **_measures(network, dataset, law)})
    records.sort(key=lambda r: (r["family"], r["learner"]))  # stable: N stays ascending
    zeros = "a zero in a table where p* has none makes its divergences infinite; a dash: no unique pi."
    notes = (f"Smoothing {smoothing:g}; {zeros}", "Infinite values and dashes are null in JSON.")
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
    claims = Claim(lossless, bounded), Claim(smaller, falling), Claim(at_truth, within)
    return Report("Theorems 5 and 6: N grows", CONVERGENCE, records, claims, notes)


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


def _measures(network: Network, dataset: Dataset, law: FloatArray) -> dict[str, Any]:
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


def rare(
    family: str = "RB12-21",
    rows: int = 10_000,
    seed: int = 0,
    *,
    clamped: int = 4,
    sets: int = 8,
    smoothing: float = 0.5,
) -> Report:
    """Every evidence on `sets` random sets of `clamped` variables, for a network learned from a data set."""
    data = sample(family, rows, seed)
    n = len(data.dataset.domain)
    if not 1 <= clamped < n:
        raise ExperimentError(f"1..{n - 1} of {n} variables can be clamped; got {clamped}.")
    network = learn(data.dataset, smoothing=smoothing)
    rng = np.random.default_rng(seed)
    drawn = {tuple(sorted(rng.choice(n, clamped, replace=False).tolist())) for _ in range(sets)}
    return by_evidence(network, data.law, sorted(drawn), data.name)


def by_evidence(
    network: Network, p: FloatArray, sets: Sequence[tuple[int, ...]], name: str = "data"
) -> Report:
    """The quality of conditional inference for each evidence on each of the `sets` of variables."""
    pi = stationary(network, RandomScan())
    records: list[dict[str, Any]] = []
    gaps = []
    for known in sets:
        spaces = [space for i, space in enumerate(manifolds(network)) if i not in known]
        parts = [kl_by_evidence(p, space, known) for space in spaces]
        averages = [float((part.probabilities * part.divergences).sum()) for part in parts]
        gaps += [abs(mean - kl_to_manifold(p, space)) for mean, space in zip(averages, spaces, strict=True)]
        records += _of_set(network, p, pi, known, np.mean([part.divergences for part in parts], axis=0))
    mean = "KL(p*||E(theta_i)) is the average of its terms over p*(x_C) (Eq. inference_KL)"
    bound = "FC(p*(.|x_C)||pi') <= mean node term for every evidence (Theorem 3, clamped)"
    within = all(within_limit(r["fc"], r["terms"]) for r in records)
    claims = Claim(mean, max(gaps) < 1e-9), Claim(bound, within)
    title = f"Rare evidence: conditional inference with the network learned from {name}"
    places = [np.argsort(np.argsort([r[key] for r in records])) for key in ("probability", "kl")]
    rank = float(np.asarray(np.corrcoef(places))[0, 1])
    notes = (
        f"Rank correlation of p*(x_C) with the error KL(p*(.|x_C)||pi'): {rank:+.2f} over {len(records)} evidences.",
        "pi': the law of the clamped chain. pi(.|x_C): the conditional of the unclamped chain's law (Sec. 5.1).",
        "Means over the evidences of a line; nats.",
    )
    return Report(title, RARE, list(_decades(records)), claims, notes, records)


def _of_set(
    network: Network, p: FloatArray, pi: FloatArray, known: tuple[int, ...], terms: FloatArray
) -> Iterator[dict[str, Any]]:
    """One record for each evidence on the variables `known`; `terms` are the means over the nodes."""
    variables = network.domain.variables
    for codes in itertools.product(*(range(p.shape[j]) for j in known)):
        where = tuple(codes[known.index(j)] if j in known else slice(None) for j in range(p.ndim))
        weight = float(p[where].sum())
        if weight == 0:
            continue
        evidence = {variables[j].name: variables[j].states[c] for j, c in zip(known, codes, strict=True)}
        clamped = stationary(network, RandomScan(), evidence)[where]
        true = p[where] / weight
        yield {
            "evidence": evidence,
            "probability": weight,
            "kl": kl(true, clamped / clamped.sum()),
            "tv": total_variation(true, clamped),
            "fc": full_conditional_divergence(true, clamped / clamped.sum()),
            "terms": float(terms[codes]),
            "inconsistency": total_variation(pi[where] / pi[where].sum(), clamped),
        }


def _decades(records: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Means by decades of p*(x_C), the most likely evidence first."""
    decades: dict[int, list[dict[str, Any]]] = {}
    for record in records:
        decades.setdefault(int(np.floor(np.log10(record["probability"]))), []).append(record)
    for decade in sorted(decades, reverse=True):
        own = decades[decade]
        means = {k: float(np.mean([r[k] for r in own])) for k in ("kl", "tv", "fc", "terms", "inconsistency")}
        yield {"bin": f"1e{decade} to 1e{decade + 1}", "count": len(own), **means}
