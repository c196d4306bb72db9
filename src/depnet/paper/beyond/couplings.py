"""Ours: Table 1's Ising lines over many seeds and couplings, since the paper does not print its coupling."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from depnet.paper.data_sets import SIZES, sample
from depnet.paper.report import Column, Report
from depnet.paper.table1 import PAPER, determined, record

COLUMNS = (
    Column("data", "data"),
    Column("coupling", "J", ".2f"),
    Column("fc", "FC: median", ".2e"),
    Column("fc_range", "5 % to 95 %"),
    Column("fc_place", "paper's place", ".0%"),
    Column("fc_limit", "FC_lim: median", ".2e"),
    Column("fc_limit_range", "5 % to 95 %"),
    Column("fc_limit_place", "paper's place", ".0%"),
    Column("undetermined", "no unique pi", "d"),
)


def couplings(
    seed: int = 0,
    seeds: int = 20,
    *,
    values: Sequence[float] = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.4),
    family: str = "Ising4x3",
    sizes: Mapping[str, int] = SIZES,
) -> Report:
    """FC and FC_lim for each coupling and size: their spread over seeds, and where the paper's numbers fall."""
    rows = []
    for letter, size in sizes.items():
        for coupling in values:
            drawn = [
                record(f"{family}{letter}", sample(family, size, s, coupling=coupling).dataset, s)
                for s in range(seed, seed + seeds)
            ]
            rows.append({"data": f"{family}{letter}", "coupling": coupling, **_spread(drawn)})
    inside = [f"{r['data']} at J = {r['coupling']:g}" for r in rows if r["all_inside"]]
    note = (
        f"The paper's place: the share of {seeds} seeds below its number. Both of its numbers lie within the range of the "
        f"seeds for {', '.join(inside) or 'no line'}."
    )
    return Report("couplings", "Ours: Table 1 over seeds and couplings", COLUMNS, tuple(rows), notes=(note,))


def _spread(drawn: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    name = drawn[0]["data"]
    summary: dict[str, Any] = {
        "undetermined": sum(not determined(r) for r in drawn),
        "all_inside": name in PAPER,
    }
    for place, key in enumerate(("fc", "fc_limit")):
        values = np.array([r[key] for r in drawn if key == "fc_limit" or determined(r)])
        low, middle, high = map(float, np.quantile(values, (0.05, 0.5, 0.95))) if len(values) else (None,) * 3
        summary[key], summary[f"{key}_low"], summary[f"{key}_high"] = middle, low, high
        summary[f"{key}_range"] = None if low is None else f"{low:.1e} to {high:.1e}"
        paper = PAPER[name][place] if name in PAPER else None
        summary[f"{key}_place"] = None if paper is None or not len(values) else float((values < paper).mean())
        # the paper prints two digits: a number stands for an interval
        inside = (
            paper is not None
            and len(values)
            and values.min() <= paper * 1.05
            and values.max() >= paper * 0.95
        )
        summary["all_inside"] = bool(summary["all_inside"] and inside)
    return summary
