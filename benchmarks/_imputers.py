"""The imputers that are compared, each run in a process of its own with one thread and a limit of CPU seconds.

`run` saves a table, starts `python -m benchmarks._imputers`, and reads what that leaves: for every hole its filling, for a
category the probabilities of its states (where the tool has any), for a number the quantiles at `LEVELS`; and the CPU
seconds of fitting and filling, without imports, and without what is done afterwards to find laws and quantiles. Where a
tool gives no quantiles, they are made for it: those of forests (missForest, as scikit-learn's forests make it) are of the
residuals of rows out of their bags; IterativeImputer's predictions have the residuals of three-fold
cross-validation on the completed table added, miceforest's draws are taken for normal. IterativeImputer's regression of a
binary column is its probability; of other categories it has none, and the nearest code is its filling.
"""

import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from depnet.arrays import FloatArray

NUMBER = 0
"""In `Table.states`: the column has numbers."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
IMPORTS, AFTERWARDS = 10, 600
"""CPU seconds allowed for importing a tool, and for finding laws and quantiles after it."""

LEVELS = [level / 20 for level in range(1, 20)]
NORMAL = [NormalDist().inv_cdf(level) for level in LEVELS]
MICE_DATASETS, MICE_ITERATIONS = 5, 2
FOREST_TREES, FOREST_ROUNDS = 100, 5


@dataclass(frozen=True)
class Table:
    """Values [rows, columns], nan in the holes; `states[i]` is the number of codes of a category, or NUMBER."""

    values: FloatArray
    states: tuple[int, ...]


@dataclass
class Filled:
    """What a tool says of every hole, by column, in the order of rows."""

    seconds: float
    points: dict[int, FloatArray] = field(default_factory=dict)
    laws: dict[int, FloatArray] = field(default_factory=dict)
    quantiles: dict[int, FloatArray] = field(default_factory=dict)


@dataclass(frozen=True)
class Over:
    """A tool that was stopped at its limit of CPU seconds."""

    seconds: float


@dataclass(frozen=True)
class Failed:
    """A tool that ended with an error of its own."""

    message: str


def run(tool: str, table: Table, limit: float) -> Filled | Over | Failed:
    """A tool's fillings, or that it took more than `limit` CPU seconds, or failed."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        np.save(place / "values.npy", table.values)
        (place / "states.json").write_text(json.dumps(table.states))
        command = [sys.executable, "-m", "benchmarks._imputers", tool, folder, str(limit)]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | ONE_THREAD
        )
        try:
            _, errors = process.communicate(timeout=20 * limit + 120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return Over(limit)
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return Over(limit)
        if process.returncode != 0:
            if tool.startswith("depnet"):
                raise RuntimeError(f"depnet failed ({process.returncode}): {errors[-2000:]}")
            return Failed(errors.strip().splitlines()[-1] if errors.strip() else f"exit {process.returncode}")
        return Filled(**pickle.loads((place / "filled.pickle").read_bytes()))


def _frame(table: Table) -> Any:
    import pandas as pd

    columns = {}
    for i, k in enumerate(table.states):
        column = pd.Series(table.values[:, i])
        columns[f"c{i}"] = (
            column if k == NUMBER else column.astype("Int64").astype(pd.CategoricalDtype(range(k)))
        )
    return pd.DataFrame(columns)


def _holes(table: Table) -> dict[int, np.ndarray]:
    return {i: np.flatnonzero(np.isnan(table.values[:, i])) for i in range(len(table.states))}


def depnet_imputer(table: Table, **options: Any) -> tuple[float, Callable[[Filled], None]]:
    from depnet import DependencyNetworkImputer

    frame = _frame(table)
    began = time.process_time()
    imputer = DependencyNetworkImputer(random_state=0, n_jobs=1, **options).fit(frame)
    whole = imputer.transform(frame)
    seconds = time.process_time() - began

    def tell(filled: Filled) -> None:
        numbers = NUMBER in table.states
        laws, quantiles = imputer.laws(frame), imputer.quantiles(frame, LEVELS) if numbers else {}
        for i, holes in _holes(table).items():
            name = frame.columns[i]
            filled.points[i] = whole.iloc[holes, i].astype(float).to_numpy()
            if table.states[i] != NUMBER:
                filled.laws[i] = laws[name][holes]
            elif name in quantiles:
                filled.quantiles[i] = quantiles[name][holes]
            else:  # two numbers are left in the table, which are a category
                states = np.array(imputer.model_.domain_.variables[i].states, dtype=float)
                below = np.cumsum(laws[name][holes], axis=1)[:, :1] < LEVELS
                filled.quantiles[i] = states[below.astype(int)]

    return seconds, tell


def iterative_imputer(table: Table) -> tuple[float, Callable[[Filled], None]]:
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer
    from sklearn.model_selection import cross_val_predict

    model = HistGradientBoostingRegressor(random_state=0)
    began = time.process_time()
    imputer = IterativeImputer(model, random_state=0, keep_empty_features=True)
    whole = imputer.fit_transform(table.values)
    seconds = time.process_time() - began

    def tell(filled: Filled) -> None:
        for i, holes in _holes(table).items():
            k, predicted = table.states[i], whole[holes, i]
            if k != NUMBER:
                filled.points[i] = np.clip(np.rint(predicted), 0, k - 1)
                if k == 2:
                    p = np.clip(predicted, 1e-3, 1 - 1e-3)
                    filled.laws[i] = np.stack([1 - p, p], axis=1)
                continue
            filled.points[i] = predicted
            seen = np.setdiff1d(np.arange(len(whole)), holes)
            own = cross_val_predict(model, np.delete(whole[seen], i, axis=1), whole[seen, i], cv=3)
            filled.quantiles[i] = predicted[:, None] + np.quantile(whole[seen, i] - own, LEVELS)

    return seconds, tell


def miceforest(table: Table) -> tuple[float, Callable[[Filled], None]]:
    import miceforest as mf

    frame = _frame(table)
    began = time.process_time()
    kernel = mf.ImputationKernel(frame, num_datasets=MICE_DATASETS, random_state=0)
    kernel.mice(MICE_ITERATIONS, num_threads=1)
    wholes = [kernel.complete_data(d) for d in range(MICE_DATASETS)]
    seconds = time.process_time() - began

    def tell(filled: Filled) -> None:
        for i, holes in _holes(table).items():
            drawn = np.stack([whole.iloc[holes, i].astype(float).to_numpy() for whole in wholes])
            k = table.states[i]
            if k == NUMBER:
                filled.points[i] = drawn.mean(axis=0)
                spread = drawn.std(axis=0, ddof=1) * np.sqrt(1 + 1 / len(drawn))
                filled.quantiles[i] = filled.points[i][:, None] + spread[:, None] * NORMAL
                continue
            counts = np.stack([(drawn == x).sum(axis=0) for x in range(k)], axis=1)
            filled.points[i] = counts.argmax(axis=1).astype(float)
            filled.laws[i] = (counts + 0.5) / (len(drawn) + 0.5 * k)

    return seconds, tell


def missforest(table: Table) -> tuple[float, Callable[[Filled], None]]:
    """As missForest does: random forests in rounds, a classifier of each category, until the fillings change more again."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    began = time.process_time()
    holes = {i: rows for i, rows in _holes(table).items() if len(rows)}
    whole = table.values.copy()
    for i, rows in holes.items():
        seen = table.values[~np.isnan(table.values[:, i]), i]
        number = table.states[i] == NUMBER
        whole[rows, i] = seen.mean() if number else np.bincount(seen.astype(int)).argmax()
    kept, forests, change = whole.copy(), dict[int, Any](), np.inf
    for _ in range(FOREST_ROUNDS):
        before = whole.copy()
        for i in sorted(holes, key=lambda i: len(holes[i])):
            kind = RandomForestRegressor if table.states[i] == NUMBER else RandomForestClassifier
            rest, seen = np.delete(whole, i, axis=1), np.setdiff1d(np.arange(len(whole)), holes[i])
            forests[i] = kind(FOREST_TREES, random_state=0, n_jobs=1, oob_score=True)
            forests[i].fit(rest[seen], table.values[seen, i])
            whole[holes[i], i] = forests[i].predict(rest[holes[i]])
        moved = float(((whole - before) ** 2).sum() / (whole**2).sum())
        if moved >= change:
            whole = kept
            break
        kept, change = whole.copy(), moved
    seconds = time.process_time() - began

    def tell(filled: Filled) -> None:
        for i, rows in holes.items():
            k = table.states[i]
            filled.points[i] = whole[rows, i]
            seen = np.setdiff1d(np.arange(len(whole)), rows)
            if k == NUMBER:
                own = np.nan_to_num(table.values[seen, i] - forests[i].oob_prediction_)
                filled.quantiles[i] = whole[rows, i][:, None] + np.quantile(own, LEVELS)
                continue
            law = np.full((len(rows), k), 0.5 / FOREST_TREES)
            said = forests[i].predict_proba(np.delete(whole, i, axis=1)[rows])
            law[:, forests[i].classes_.astype(int)] += said
            filled.laws[i] = law / law.sum(axis=1, keepdims=True)
        for i in set(_holes(table)) - set(holes):
            filled.points[i], filled.quantiles[i] = np.zeros(0), np.zeros((0, len(LEVELS)))

    return seconds, tell


def mode(table: Table) -> tuple[float, Callable[[Filled], None]]:
    from sklearn.impute import SimpleImputer

    began = time.process_time()
    SimpleImputer(strategy="most_frequent", keep_empty_features=True).fit_transform(table.values)
    seconds = time.process_time() - began

    def tell(filled: Filled) -> None:
        for i, holes in _holes(table).items():
            seen = table.values[~np.isnan(table.values[:, i]), i]
            k = table.states[i]
            if k == NUMBER:
                filled.points[i] = np.full(len(holes), np.median(seen))
                filled.quantiles[i] = np.tile(np.quantile(seen, LEVELS), (len(holes), 1))
                continue
            counts = np.bincount(seen.astype(int), minlength=k) + 0.5
            filled.points[i] = np.full(len(holes), float(counts.argmax()))
            filled.laws[i] = np.tile(counts / counts.sum(), (len(holes), 1))

    return seconds, tell


TOOLS: dict[str, Callable[[Table], tuple[float, Callable[[Filled], None]]]] = {
    "depnet": depnet_imputer,
    "depnet, boosted": partial(depnet_imputer, boost="auto"),
    "IterativeImputer": iterative_imputer,
    "miceforest": miceforest,
    "missForest": missforest,
    "mode": mode,
}


def scale(rows: int) -> str:
    """Fit and transform of a large table in a process of its own, with one thread: CPU seconds and peak memory."""
    command = [sys.executable, "-m", "benchmarks._imputers", "--scale", str(rows)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | ONE_THREAD, check=True, timeout=3600
    )
    return done.stdout.strip()


def large_table(rows: int) -> tuple[Any, np.ndarray]:
    """20 numbers, a third of them skewed, and 10 categories of five states that four normal factors make; what is hidden."""
    import pandas as pd

    rng = np.random.default_rng(0)
    factors = rng.normal(size=(rows, 4))
    numbers = factors @ rng.normal(size=(4, 20)) + rng.normal(size=(rows, 20))
    numbers[:, ::3] = np.exp(numbers[:, ::3] / 2)
    classes = np.floor(factors @ rng.normal(size=(4, 10)) + rng.normal(size=(rows, 10))).clip(-2, 2)
    columns = {f"n{i}": numbers[:, i] for i in range(20)}
    columns |= {f"c{i}": np.array(list("abcde"))[classes[:, i].astype(int) + 2] for i in range(10)}
    return pd.DataFrame(columns), rng.random((rows, 30)) < 0.1


def told_scale(rows: int) -> None:
    from depnet import DependencyNetworkImputer

    whole, hidden = large_table(rows)
    frame = whole.mask(hidden)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    began = time.process_time()
    imputer = DependencyNetworkImputer(random_state=0, n_jobs=1).fit(frame)
    fitted = time.process_time()
    filled = imputer.transform(frame)
    ended = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    errors = [
        (((filled[name] - whole[name]) / whole[name].std())[gone] ** 2).mean()
        for name, gone in zip(whole.columns[:20], hidden.T[:20], strict=True)
    ]
    right = [
        (filled[name] == whole[name])[gone].mean()
        for name, gone in zip(whole.columns[20:], hidden.T[20:], strict=True)
    ]
    print(
        f"{rows:,} x 30, 10 % hidden: {fitted - began:.1f} + {ended - fitted:.1f} CPU s of fit and transform, "
        f"peak {peak} MB ({before} MB before); error {np.sqrt(np.mean(errors)):.4f}, accuracy {np.mean(right):.4f}"
    )


def main() -> None:
    if sys.argv[1] == "--scale":
        warnings.simplefilter("ignore")
        told_scale(int(sys.argv[2]))
        return
    tool, folder, limit = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
    warnings.simplefilter("ignore")
    states = tuple(json.loads((folder / "states.json").read_text()))
    table = Table(np.load(folder / "values.npy"), states)
    used = time.process_time()
    # The soft limit ends the tool; what follows to find laws and quantiles is not the tool's own time.
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + limit) + IMPORTS, resource.RLIM_INFINITY))
    seconds, tell = TOOLS[tool](table)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + AFTERWARDS), resource.RLIM_INFINITY))
    filled = Filled(seconds)
    tell(filled)
    (folder / "filled.pickle").write_bytes(pickle.dumps(vars(filled)))


if __name__ == "__main__":
    main()
