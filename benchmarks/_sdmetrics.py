"""The figures of `depnet.quality` beside those of SDMetrics, which wants pandas < 3: an environment of its own.

`beside` writes the rows of three tables, runs this file by an interpreter that has `sdmetrics` (0.32.0 was), and says how
far the two are apart. The tables have few rows, for of more `depnet.quality` looks at some of them, drawn at random.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

ROWS = 400
SIDES = ("real", "drawn", "fresh")


def beside(python: str, tables: dict[str, Any], found: Any) -> dict[str, float]:
    """The largest difference by measure; `tables` are frames of real, drawn and fresh rows, `found` their `Quality`."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        for side, frame in tables.items():
            frame.to_csv(Path(folder) / f"{side}.csv", index=False)
        (Path(folder) / "numbers.json").write_text(json.dumps(found.numbers))
        done = subprocess.run([python, __file__, folder], check=True, stdout=subprocess.PIPE, text=True)
    gaps: dict[str, float] = {}
    for measure, figures in json.loads(done.stdout).items():
        for names, (drawn, fresh) in figures:
            ours = found.each[measure][tuple(names) if isinstance(names, list) else names]
            pairs = [(ours.drawn, drawn), (ours.fresh, fresh)]
            apart = [0.0 if np.isnan(a) and np.isnan(b) else abs(a - b) for a, b in pairs if b is not None]
            gaps[measure] = max(gaps.get(measure, 0.0), *apart)
    return gaps


def figures(folder: Path) -> dict[str, Any]:
    """[name or names, [of drawn rows, of fresh rows]] by measure, in SDMetrics's own code."""
    import pandas as pd
    from sdmetrics import single_column
    from sdmetrics.single_table import DCROverfittingProtection, DisclosureProtection
    from sdmetrics.single_table.privacy.dcr_utils import calculate_dcr

    numbers = json.loads((folder / "numbers.json").read_text())
    real, *others = (pd.read_csv(folder / f"{side}.csv") for side in SIDES)
    names = list(real)
    for frame in (real, *others):
        for name in names:
            if name in numbers and not pd.api.types.is_numeric_dtype(frame[name]):
                frame[name] = pd.to_datetime(frame[name])
            elif name not in numbers:
                frame[name] = frame[name].where(frame[name].isna(), frame[name].astype(str)).astype(object)
    kinds = {True: "datetime", False: "numerical"}
    dates = {name: pd.api.types.is_datetime64_any_dtype(real[name]) for name in numbers}
    sdtypes = {name: {"sdtype": kinds[dates[name]] if name in numbers else "categorical"} for name in names}
    about = {"columns": sdtypes}

    def column(metric: Any, some: list[str]) -> list[Any]:
        return [(name, [float(metric.compute(real[name], other[name])) for other in others]) for name in some]

    categories = [name for name in names if name not in numbers]
    found = {
        "column shapes": [
            *column(single_column.KSComplement, numbers),
            *column(single_column.TVComplement, categories),
        ],
        "range coverage": column(single_column.RangeCoverage, numbers),
        "category coverage": column(single_column.CategoryCoverage, categories),
    }
    if any(frame.isna().any(axis=None) for frame in (real, *others)):
        found["missing values"] = column(single_column.MissingValueSimilarity, names)
    found["column pair trends"] = [
        (pair, trends(pair, real, others, numbers)) for pair in itertools.combinations(names, 2)
    ]
    apart = [float(calculate_dcr(other, real, about).median()) for other in others]
    found["distance to closest record"] = [("", apart)]
    over = DCROverfittingProtection.compute_breakdown(real, others[0], others[1], about, None)
    closer = over["synthetic_data_percentages"]["closer_to_training"]
    found["closer to learned than to fresh"] = [("", [closer, None])]
    plain = [
        frame.assign(**{n: frame[n].astype("int64") for n in numbers if dates[n]})
        for frame in (real, *others)
    ]
    found["disclosure"] = []
    for name in names:
        known = [each for each in names if each != name]
        rates = [
            1
            - DisclosureProtection.compute_breakdown(
                plain[0], other, known, [name], "generalized_cap", numbers or None
            )["cap_protection"]
            for other in plain[1:]
        ]
        found["disclosure"].append((name, rates))
    return found


def trends(pair: tuple[str, str], real: Any, others: list[Any], numbers: list[str]) -> list[float]:
    """The similarity of a pair of columns of the real rows and of each of the others."""
    import pandas as pd
    from sdmetrics.column_pairs import ContingencySimilarity, CorrelationSimilarity
    from sdmetrics.errors import ConstantInputError

    numeric = [name for name in pair if name in numbers]
    # Its report bins each table by itself; the metric bins both as the real one.
    how = {} if len(numeric) != 1 else {"continuous_column_names": numeric}
    metric = CorrelationSimilarity if len(numeric) == 2 else ContingencySimilarity
    scores = []
    for other in others:
        sides = [frame[[*pair]].copy() for frame in (real, other)]
        for side, name in itertools.product(sides, numeric if how else ()):
            side[name] = pd.to_numeric(side[name]).where(side[name].notna())
        try:
            scores.append(float(metric.compute(*sides, **how)))
        except ConstantInputError:
            scores.append(float("nan"))
    return scores


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(figures(Path(sys.argv[1]))))
