"""Ours: how tight Theorem 3's bound is, FC(p^D||pi) / FC_lim(p^D), as J, N, n and cardinality vary one at a time."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from depnet.paper.data_sets import sample
from depnet.paper.report import Column, Report
from depnet.paper.table1 import determined, record

COLUMNS = (
    Column("varied", "varied"),
    Column("value", "value", ",.7g"),
    Column("family", "law"),
    Column("rows", "N", ",d"),
    Column("fc", "FC: median", ".2e"),
    Column("fc_limit", "FC_lim: median", ".2e"),
    Column("ratio", "ratio: median", ".3f"),
    Column("low", "least", ".3f"),
    Column("high", "greatest", ".3f"),
    Column("undetermined", "no unique pi", "d"),
)


def tightness(seed: int = 0, seeds: int = 10, *, largest: int = 1_000_000) -> Report:
    """The ratio's median and range over seeds; 1 is tight. `largest` bounds N."""
    rows = [_measured(case, range(seed, seed + seeds)) for case in _cases() if case["rows"] <= largest]
    note = (
        "1 is tight. Learned with the paper's MDL, no smoothing; networks without a unique pi are left out."
    )
    return Report("tightness", "Ours: how tight the FC-limit is", COLUMNS, tuple(rows), notes=(note,))


def _cases() -> Iterator[dict[str, Any]]:
    for coupling in (0.1, 0.25, 0.5, 0.75, 1.0, 1.25):
        yield {"varied": "J", "value": coupling, "family": "Ising4x3", "rows": 10_000, "coupling": coupling}
    for family in ("Ising4x3", "RB12-21"):
        for rows in (300, 1_000, 10_000, 100_000, 1_000_000):
            yield {"varied": f"N ({family})", "value": rows, "family": family, "rows": rows, "coupling": 0.5}
    for n in (3, 4, 6, 8, 10, 12, 14):
        yield {
            "varied": "n",
            "value": n,
            "family": f"RB{n}-{min(round(1.75 * n), n * (n - 1) // 2)}",
            "rows": 10_000,
        }
    for cardinality in (2, 3, 4, 5, 6):
        yield {
            "varied": "cardinality", "value": cardinality, "family": "RB5-8", "rows": 10_000, "cardinality": cardinality,
        }  # fmt: skip


def _measured(case: dict[str, Any], seeds: range) -> dict[str, Any]:
    options = {key: case[key] for key in ("coupling", "cardinality") if key in case}
    drawn = [record("", sample(case["family"], case["rows"], s, **options).dataset, s) for s in seeds]
    own = [r for r in drawn if determined(r) and r["fc_limit"] > 0]
    ratios = np.array([r["fc"] / r["fc_limit"] for r in own])
    known = len(own) > 0
    return {
        **{key: case[key] for key in ("varied", "value", "family", "rows")},
        "fc": float(np.median([r["fc"] for r in own])) if known else None,
        "fc_limit": float(np.median([r["fc_limit"] for r in own])) if known else None,
        "ratio": float(np.median(ratios)) if known else None,
        "low": float(ratios.min()) if known else None,
        "high": float(ratios.max()) if known else None,
        "undetermined": len(drawn) - len(own),
    }
