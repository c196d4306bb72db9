r"""Inference by conditional pseudo-Gibbs sampling (Sec. 5): rare evidence, and no consistent joint (Sec. 5.1).

Clamping X_C = x_C leaves a chain with a law pi'(X_Cbar | x_C) of its own. Eq. inference_KL tells what learning
minimised apart by evidence,

.. math:: KL(p\|E(\theta_i)) = \sum_{x_C} p(x_C)\, KL(p(X_{\bar C} \mid x_C)\|E(\theta_i(X_i \mid X_B;\, x_C))),

so evidence of small p*(x_C) weighs little in it and may be served badly. For every x_C of several sets C are
measured: the error KL(p*(X_Cbar|x_C)||pi'), the nodes' terms above (they bound the FC of the same two laws, by
Theorem 3 for the clamped chain), and how far pi' is from the conditional of the unclamped chain's law pi.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.exact import stationary
from depnet.geometry import full_conditional_divergence, kl, kl_by_evidence, kl_to_manifold, total_variation
from depnet.geometry.manifold import manifolds
from depnet.learning.learn import learn
from depnet.model import Network, RandomScan
from depnet.paper.laws import sample
from depnet.paper.report import Claim, ExperimentError, Report, columns
from depnet.paper.table1 import within_limit

COLUMNS = columns("""
    bin            p*(x_C)
    count          evidence            d
    kl             KL(p*(.|x_C)||pi')  .3e
    tv             TV(p*(.|x_C), pi')  .3e
    fc             FC(p*(.|x_C)||pi')  .3e
    terms          mean node term      .3e
    inconsistency  TV(pi(.|x_C), pi')  .3e
""")


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
    return Report("rare", title, COLUMNS, list(_bins(records)), claims, _notes(records), records)


def _notes(records: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    places = [np.argsort(np.argsort([r[key] for r in records])) for key in ("probability", "kl")]
    rank = np.asarray(np.corrcoef(places))[0, 1]
    return (
        f"Rank correlation of p*(x_C) with the error KL(p*(.|x_C)||pi'): {float(rank):+.2f} over {len(records)} evidences.",
        "pi': the law of the clamped chain. pi(.|x_C): the conditional of the unclamped chain's law (Sec. 5.1).",
        "Means over the evidences of a line; nats.",
    )


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
            "evidence": {str(k): v for k, v in evidence.items()},
            "probability": weight,
            "kl": kl(true, clamped / clamped.sum()),
            "tv": total_variation(true, clamped),
            "fc": full_conditional_divergence(true, clamped / clamped.sum()),
            "terms": float(terms[codes]),
            "inconsistency": total_variation(pi[where] / pi[where].sum(), clamped),
        }


def _bins(records: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Means by decades of p*(x_C), the most likely evidence first."""
    decades: dict[int, list[dict[str, Any]]] = {}
    for record in records:
        decades.setdefault(int(np.floor(np.log10(record["probability"]))), []).append(record)
    for decade in sorted(decades, reverse=True):
        own = decades[decade]
        means = {k: float(np.mean([r[k] for r in own])) for k in ("kl", "tv", "fc", "terms", "inconsistency")}
        yield {"bin": f"1e{decade} to 1e{decade + 1}", "count": len(own), **means}
