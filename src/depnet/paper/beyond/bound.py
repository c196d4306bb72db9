"""Ours: Table 1's bound over many seeds.

`couplings` has the paper's Ising lines at several couplings, since the paper does not print its own; `tightness`
has FC(p^D||pi) / FC_lim(p^D) as J, N, n and the number of states vary one at a time.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from depnet.paper.data_sets import SIZES, sample
from depnet.paper.report import Report, columns
from depnet.paper.table1 import PAPER, determined, record

COUPLINGS_COLUMNS = columns("""
    data            data
    coupling        J               .2f
    fc              FC: median      .2e
    fc_range        5 % to 95 %
    fc_place        paper's place   .0%
    fc_limit        FC_lim: median  .2e
    fc_limit_range  5 % to 95 %
    fc_limit_place  paper's place   .0%
    undetermined    no unique pi    d
""")
TIGHTNESS_COLUMNS = columns("""
    varied        varied
    value         value           ,.7g
    family        law
    rows          N               ,d
    fc            FC: median      .2e
    fc_limit      FC_lim: median  .2e
    ratio         ratio: median   .3f
    low           least           .3f
    high          greatest        .3f
    undetermined  no unique pi    d
""")


def couplings(
    seed: int = 0,
    seeds: int = 20,
    *,
    values: Sequence[float] = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.4),
    family: str = "Ising4x3",
    sizes: Mapping[str, int] = SIZES,
) -> Report:
    """FC and FC_lim for each coupling and size: their spread over seeds, and where the paper's numbers fall."""
    span = range(seed, seed + seeds)
    rows = [
        {"data": f"{family}{letter}", "coupling": coupling}
        | _spread(f"{family}{letter}", _records(span, family, size, coupling=coupling))
        for letter, size in sizes.items()
        for coupling in values
    ]
    inside = [f"{r['data']} at J = {r['coupling']:g}" for r in rows if r["all_inside"]]
    note = (
        f"The paper's place: the share of {seeds} seeds below its number. Both of its numbers lie within the range of the "
        f"seeds for {', '.join(inside) or 'no line'}."
    )
    return Report(
        "couplings", "Ours: Table 1 over seeds and couplings", COUPLINGS_COLUMNS, tuple(rows), notes=(note,)
    )


def _records(seeds: range, family: str, rows: int, **options: Any) -> list[dict[str, Any]]:
    """The line of Table 1 of each seed."""
    return [record(family, sample(family, rows, seed, **options).dataset, seed) for seed in seeds]


def _spread(name: str, drawn: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    undetermined = sum(not determined(r) for r in drawn)
    summary: dict[str, Any] = {"undetermined": undetermined, "all_inside": name in PAPER}
    for key, paper in zip(("fc", "fc_limit"), PAPER.get(name, (None, None)), strict=True):
        values = np.array([r[key] for r in drawn if key == "fc_limit" or determined(r)])
        some = len(values) > 0
        low, middle, high = map(float, np.quantile(values, (0.05, 0.5, 0.95))) if some else (None,) * 3
        summary |= {
            key: middle,
            f"{key}_low": low,
            f"{key}_high": high,
            f"{key}_range": f"{low:.1e} to {high:.1e}" if some else None,
            f"{key}_place": float((values < paper).mean()) if some and paper else None,
        }
        # the paper prints two digits: a number stands for an interval
        inside = some and paper and values.min() <= paper * 1.05 and values.max() >= paper * 0.95
        summary["all_inside"] = bool(summary["all_inside"] and inside)
    return summary


def tightness(seed: int = 0, seeds: int = 10, *, largest: int = 1_000_000) -> Report:
    """The ratio's median and range over seeds; 1 is tight. `largest` bounds N."""
    rows = [measured(case, range(seed, seed + seeds)) for case in _cases() if case["rows"] <= largest]
    note = (
        "1 is tight. Learned with the paper's MDL, no smoothing; networks without a unique pi are left out."
    )
    return Report(
        "tightness", "Ours: how tight the FC-limit is", TIGHTNESS_COLUMNS, tuple(rows), notes=(note,)
    )


def _cases() -> Iterator[dict[str, Any]]:
    ising, rows = {"family": "Ising4x3"}, {"rows": 10_000}
    for coupling in (0.1, 0.25, 0.5, 0.75, 1.0, 1.25):
        yield {"varied": "J", "value": coupling, **ising, **rows, "coupling": coupling}
    for family in ("Ising4x3", "RB12-21"):
        for size in (300, 1_000, 10_000, 100_000, 1_000_000):
            yield {"varied": f"N ({family})", "value": size, "family": family, "rows": size, "coupling": 0.5}
    for n in (3, 4, 6, 8, 10, 12, 14):
        edges = min(round(1.75 * n), n * (n - 1) // 2)
        yield {"varied": "n", "value": n, "family": f"RB{n}-{edges}", **rows}
    for states in (2, 3, 4, 5, 6):
        yield {"varied": "cardinality", "value": states, "family": "RB5-8", **rows, "cardinality": states}


def measured(case: Mapping[str, Any], seeds: range) -> dict[str, Any]:
    """One line: what is varied, its value and the data's family and rows, with the ratio over the seeds."""
    shown = ("varied", "value", "family", "rows")
    options = {key: value for key, value in case.items() if key not in shown}
    drawn = _records(seeds, case["family"], case["rows"], **options)
    own = [r for r in drawn if determined(r) and r["fc_limit"] > 0]
    ratios = [r["fc"] / r["fc_limit"] for r in own]
    medians = {
        "fc": _median([r["fc"] for r in own]),
        "fc_limit": _median([r["fc_limit"] for r in own]),
        "ratio": _median(ratios),
    }
    ends = {"low": min(ratios, default=None), "high": max(ratios, default=None)}
    return {**{key: case[key] for key in shown}, **medians, **ends, "undetermined": len(drawn) - len(own)}


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None
