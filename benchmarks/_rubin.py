"""Multiple imputation by draws: do intervals by Rubin's rules cover the truth?

A simulated table has 400 rows of three numbers and a category: x1 and x2 depend on the category and on each other, y on all.
x1 and x2 are hidden at random given y and the category (MAR), in about a quarter of their cells. Each tool learns the table
with its holes and fills it `IMPUTATIONS` times; the mean of x1 and the two slopes of y are estimated in each, and
their 95 % intervals are those of Rubin's rules (with the degrees of freedom of Barnard and Rubin).
"""

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks._frames import Frame
from depnet.arrays import FloatArray

ROWS, IMPUTATIONS = 400, 10
SLOPES = (1.0, -0.8)
ESTIMATES = ("mean of x1", "slope of x1", "slope of x2")
GROUPS = np.array([-0.7, 0.0, 1.0])
SHARES = np.array([0.3, 0.4, 0.3])


def simulated(seed: int) -> tuple[Frame, Frame]:
    """A table, and the same with its holes."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    group = rng.choice(3, ROWS, p=SHARES)
    x1 = GROUPS[group] + rng.normal(size=ROWS)
    x2 = 0.5 * x1 + rng.normal(size=ROWS)
    y = 1.0 + SLOPES[0] * x1 + SLOPES[1] * x2 + 0.5 * (group == 2) + rng.normal(size=ROWS)
    frame = pd.DataFrame({"x1": x1, "x2": x2, "y": y, "group": np.array(["a", "b", "c"])[group]})
    holed = frame.copy()
    for name, by in (("x1", y - y.mean()), ("x2", (group == 1) - 0.3 * (y - y.mean()))):
        hidden = rng.random(ROWS) < 1 / (1 + np.exp(1.3 - by))
        holed.loc[hidden, name] = np.nan
    return frame, holed


def estimates(frame: Frame) -> tuple[FloatArray, FloatArray]:
    """The mean and the slopes in a full table, and their variances."""
    x1, x2, y = (frame[name].to_numpy(dtype=float) for name in ("x1", "x2", "y"))
    groups = [(frame["group"] == each).to_numpy(dtype=float) for each in ("b", "c")]
    design = np.column_stack([x1, x2, np.ones(len(y)), *groups])
    inverse = np.linalg.inv(design.T @ design)
    slopes = inverse @ (design.T @ y)
    left = y - design @ slopes
    variances = np.diag(inverse) * (left @ left) / (len(y) - design.shape[1])
    return np.array([x1.mean(), *slopes[:2]]), np.array([x1.var(ddof=1) / len(y), *variances[:2]])


def pooled(found: Sequence[tuple[FloatArray, FloatArray]], rows: int = ROWS) -> tuple[FloatArray, FloatArray]:
    """The estimates over all imputations, and half the width of their 95 % intervals."""
    from scipy import stats

    each, within = np.array([one for one, _ in found]), np.mean([variance for _, variance in found], axis=0)
    m = len(each)
    between = (1 + 1 / m) * each.var(axis=0, ddof=1)
    total = within + between
    share = np.maximum(between / total, 1e-9)
    known = rows - 5
    observed = (known + 1) / (known + 3) * known * (1 - share)
    freedom = 1 / (share**2 / (m - 1) + 1 / observed)
    return each.mean(axis=0), stats.t.ppf(0.975, freedom) * np.sqrt(total)


def by_model(holed: Frame) -> list[Frame]:
    from depnet import DependencyNetwork

    model = DependencyNetwork(random_state=0).fit(holed)
    return [
        model.set_params(random_state=m).impute(holed, method="draw", all=True) for m in range(IMPUTATIONS)
    ]


def by_imputer(holed: Frame) -> list[Frame]:
    from depnet import DependencyNetworkImputer

    imputer = DependencyNetworkImputer(random_state=0, n_imputations=IMPUTATIONS).fit(holed)
    return list(imputer.transform_many(holed))


TOOLS: dict[str, Callable[[Frame], list[Frame]]] = {
    "model.impute": by_model,
    "DependencyNetworkImputer": by_imputer,
}


def rubin(tables: int, seed: int = 0) -> str:
    """A line for each tool: how many of the intervals cover, and how far estimates are from the truth in the mean."""
    warnings.simplefilter("ignore")
    truth = np.array([float(SHARES @ GROUPS), *SLOPES])
    lines = [f"{tables} tables of {ROWS} rows, {IMPUTATIONS} imputations: {', '.join(ESTIMATES)}"]
    cases = [simulated(seed + k) for k in range(tables)]
    whole: dict[str, Any] = {"full tables": lambda frame: [frame]}
    for name, tool in (whole | TOOLS).items():
        began, inside, errors = time.process_time(), [], []
        for full, holed in cases:
            if name in TOOLS:
                mean, reach = pooled([estimates(frame) for frame in tool(holed)])
            else:
                mean, variance = estimates(full)
                reach = 1.96 * np.sqrt(variance)
            inside.append(np.abs(mean - truth) <= reach)
            errors.append(mean - truth)
        covered, off = np.mean(inside, axis=0), np.mean(errors, axis=0)
        seconds = time.process_time() - began
        said = "  ".join(f"{share:4.0%} ({error:+.3f})" for share, error in zip(covered, off, strict=True))
        lines.append(f"  {name:26} {said}   {seconds:.0f} CPU s")
    return "\n".join(lines)
