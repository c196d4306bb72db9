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

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Dataset
from depnet.errors import ReducibleError
from depnet.exact import stationary
from depnet.geometry import empirical, fc_limit, full_conditional_divergence
from depnet.learning.learn import learn
from depnet.model import Network, RandomScan
from depnet.paper.laws import FAMILIES, SIZES, sample
from depnet.paper.report import Claim, ExperimentError, Report, Row, columns

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
SHARES = {"least": 0, "low": 0.05, "median": 0.5, "high": 0.95, "greatest": 1}
ROUNDING = 1e-9


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
    finite = [r for r in records if determined(r)]
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
        return Report("table1", "Table 1", COLUMNS, rows, claims, tuple(notes), records)
    notes.append("The paper's place is the share of seeds below its number.")
    title = f"Table 1 over {seeds} seeds"
    return Report("table1", title, SPREAD_COLUMNS, _spreads(records), claims, tuple(notes), records)


def determined(record: Row) -> bool:
    """Is there a unique pi that gives every state of the data a positive probability?"""
    return record["fc"] is not None and math.isfinite(record["fc"])


def within_limit(fc: float, limit: float) -> bool:
    return fc <= limit * (1 + ROUNDING) + ROUNDING


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
    ratio = record["fc"] / record["fc_limit"] if determined(record) and record["fc_limit"] else None
    return {**record, "paper_fc": fc, "paper_fc_limit": limit, "ratio": ratio}


def _spreads(records: Sequence[Row]) -> list[Row]:
    """FC and FC_lim of every data set, over the seeds."""
    rows: list[Row] = []
    for name in dict.fromkeys(r["data"] for r in records):
        own = [r for r in records if r["data"] == name]
        values = [r["fc"] for r in own if determined(r)], [r["fc_limit"] for r in own]
        said = PAPER.get(name, (None, None))
        for quantity, these, paper in zip(("FC(p^D||pi)", "FC_lim(p^D)"), values, said, strict=True):
            shares = [
                np.quantile(these, share, method="nearest") if these else None for share in SHARES.values()
            ]
            place = None if paper is None or not these else float(np.mean(np.array(these) < paper))
            spread = dict(zip(SHARES, shares, strict=True))
            rows.append({"data": name, "quantity": quantity, **spread, "paper": paper, "place": place})
    return rows
