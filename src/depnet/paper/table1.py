"""Table 1 (Sec. 3.2): how tight the FC-limit is on four data sets, beside the paper's numbers.

For each data set a network is learned with the paper's MDL and no smoothing, pi is the solution of the
linear equations of the random scan, and FC(p^D||pi) <= FC_lim(p^D) are compared.

Without smoothing a table may hold zeros. States that no update leads to are then transient and have
probability 0 under pi; every table gives the data's own states a positive probability, so FC(p^D||pi)
stays finite unless a state of the data is transient, which the theory excludes: it assumes ergodic chains. A
chain with several recurrent classes has no unique pi. Such lines have no finite FC, and the report counts
them. An empty leaf is uniform, which only adds transitions.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from depnet.data import Dataset
from depnet.errors import ReducibleError
from depnet.exact import stationary
from depnet.geometry import empirical, fc_limit, full_conditional_divergence
from depnet.learning.learn import learn
from depnet.model import Network, RandomScan
from depnet.paper.data_sets import FAMILIES, SIZES, sample
from depnet.paper.report import Claim, ExperimentError, Report, columns

PAPER: Mapping[str, tuple[float, float]] = {
    "Ising4x3S": (4.0e-3, 5.3e-3),
    "Ising4x3L": (1.1e-3, 1.1e-3),
    "RB12-21S": (1.5e-1, 1.6e-1),
    "RB12-21L": (6.8e-3, 7.4e-3),
}
"""FC(p^D||pi) and FC_lim(p^D) as printed in the paper, in nats."""

COLUMNS = columns("""
    data            data
    rows            rows         ,d
    fc              FC(p^D||pi)  .2e
    paper_fc        paper        .1e
    fc_limit        FC_lim(p^D)  .2e
    paper_fc_limit  paper        .1e
    ratio           FC / FC_lim  .2f
""")

SPREAD_COLUMNS = columns("""
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

ROUNDING = 1e-9


def table1(
    seeds: Iterable[int] = (0,),
    *,
    coupling: float = 1.0,
    families: Iterable[str] = FAMILIES,
    sizes: Mapping[str, int] = SIZES,
) -> Report:
    """Every family and size, once for each seed; with several seeds, the spread and the paper's place in it."""
    seeds = tuple(seeds)
    if not seeds:
        raise ExperimentError("Table 1 needs at least one seed; got none.")
    records = [
        record(f"{family}{letter}", sample(family, rows, seed, coupling=coupling).dataset, seed)
        for seed in seeds
        for family in families
        for letter, rows in sizes.items()
    ]
    finite = [r for r in records if determined(r)]
    kept = sum(within_limit(r["fc"], r["fc_limit"]) for r in finite)
    bound = f"FC(p^D||pi) <= FC_lim(p^D) in {kept} of {len(finite)} networks (Theorem 3)"
    notes = [
        "Learned with the paper's MDL, no smoothing; pi of the random scan from the linear equations; nats."
    ]
    if len(finite) < len(records):
        notes.append(
            f"{len(records) - len(finite)} of {len(records)} networks have no finite FC: zeros leave several recurrent "
            "classes, so no unique pi, or give a state of the data probability 0 under pi."
        )
    title, shown, rows = "Table 1", COLUMNS, list(map(_beside_paper, records))
    if len(seeds) > 1:
        title, shown, rows = f"Table 1 over {len(seeds)} seeds", SPREAD_COLUMNS, _spreads(records)
        notes.append("The paper's place is the share of seeds below its number.")
    claim = Claim(bound, kept == len(finite))
    return Report("table1", title, shown, tuple(rows), (claim,), tuple(notes), records)


def determined(record: Mapping[str, Any]) -> bool:
    """Is there a unique pi that gives every state of the data a positive probability?"""
    return record["fc"] is not None and math.isfinite(record["fc"])


def within_limit(fc: float, limit: float) -> bool:
    """FC <= FC_lim, but for rounding."""
    return fc <= limit * (1 + ROUNDING) + ROUNDING


def record(name: str, dataset: Dataset, seed: int) -> dict[str, Any]:
    """One line of Table 1; `fc` is None where the chain has no unique law."""
    network = learn(dataset)
    p = empirical(dataset)
    return {
        "data": name,
        "rows": dataset.total,
        "seed": seed,
        "fc": divergence_of_model(p, network),
        "fc_limit": fc_limit(p, network),
    }


def divergence_of_model(p: Any, network: Network) -> float | None:
    """FC(p||pi) for the random scan; None where several recurrent classes leave pi undetermined."""
    try:
        pi = stationary(network, RandomScan())
    except ReducibleError:
        return None
    return full_conditional_divergence(p, pi)


def _beside_paper(record: Mapping[str, Any]) -> dict[str, Any]:
    fc, limit = PAPER.get(record["data"], (None, None))
    ratio = record["fc"] / record["fc_limit"] if determined(record) and record["fc_limit"] else None
    return {**record, "paper_fc": fc, "paper_fc_limit": limit, "ratio": ratio}


def _spreads(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """FC and FC_lim of every data set, over the seeds."""
    rows = []
    for name in dict.fromkeys(r["data"] for r in records):
        own = [r for r in records if r["data"] == name]
        paper_fc, paper_limit = PAPER.get(name, (None, None))
        fc = _spread([r["fc"] for r in own if determined(r)], paper_fc)
        limit = _spread([r["fc_limit"] for r in own], paper_limit)
        rows.append({"data": name, "quantity": "FC(p^D||pi)", **fc})
        rows.append({"data": name, "quantity": "FC_lim(p^D)", **limit})
    return rows


def _spread(values: Sequence[float], paper: float | None) -> dict[str, float | None]:
    ordered = sorted(values)
    shares = {"least": 0, "low": 0.05, "median": 0.5, "high": 0.95, "greatest": 1}
    place = None if paper is None or not ordered else sum(v < paper for v in ordered) / len(ordered)
    return {
        **{
            key: ordered[round(share * (len(ordered) - 1))] if ordered else None
            for key, share in shares.items()
        },
        "paper": paper,
        "place": place,
    }
