"""The learners that depnet is measured against, each run in a process of its own that cannot overrun.

`measure` saves the table, starts `python -m benchmarks._peers`, and reads what that prints: the CPU seconds of one
thread, without reading the data and importing the library. After so much CPU time the process ends itself by an alarm
that no library can hold up; what it had used by then is a lower bound. scikit-learn: one
DecisionTreeClassifier(criterion="entropy") a node. LightGBM: the table binned once, one tree a node. Both get as many
leaves as depnet learned for that node. pyAgrum: greedy hill climbing, one Bayesian network.

`sequential_cart` makes rows as synthpop does, one column after another by trees, `gaussian_copula` by correlated normal
scores, `arf` by arfpy's adversarial random forests; they are called, not measured so.
"""

import importlib
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _pyagrum
from depnet import Dataset

PREPARATION = 60.0
"""Wall seconds in which a peer must have been imported and have its data."""

WAITED = 6.0
"""Wall seconds for each second that a peer is given, before it is killed: on a busy machine."""

REPEATED = 2.0
"""A peer that is faster than this is run again until this time is over, and its best run counts."""


@dataclass(frozen=True)
class Measured:
    """CPU seconds of a peer for all nodes."""

    seconds: float
    over: bool = False
    """It was stopped: `seconds` is a lower bound."""
    share: float = 1.0
    """The share of the nodes that was run, and scaled to all."""
    runs: int = 1
    """The number of runs, of which the best counts."""

    def __str__(self) -> str:
        if self.over:
            return f"over {self.seconds:.3g} s"
        if self.share < 1:
            return f"~{self.seconds:.3g} s ({self.share:.0%} of the nodes)"
        return f"{self.seconds:.3g} s" + (f" (best of {self.runs})" if self.runs > 1 else "")


def measure(peer: str, dataset: Dataset, leaves: Sequence[int], seconds: float) -> Measured | None:
    """A peer's CPU seconds on this table, in at most about `seconds` of them; None: it did not get ready."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "codes.npy", dataset.codes)
        about = {"cardinalities": dataset.domain.cardinalities, "leaves": list(leaves)}
        (Path(folder) / "about.json").write_text(json.dumps(about))
        before = _children_seconds()
        command = [sys.executable, "-m", "benchmarks._peers", peer, folder, str(seconds)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, errors = process.communicate(timeout=PREPARATION + WAITED * seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, errors = process.communicate()
        used = _children_seconds() - before
    said = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if len(said) == 2:
        return Measured(**said[1])
    if process.returncode not in (-signal.SIGPROF, -signal.SIGKILL):
        raise RuntimeError(f"{peer} failed ({process.returncode}): {errors[-2000:]}")
    return Measured(used - said[0]["ready"], over=True) if said else None


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


Fit = Callable[[int], object]
"""One node, by its number."""


def sklearn_trees(codes: np.ndarray, cardinalities: Sequence[int], leaves: Sequence[int]) -> Fit:
    from sklearn.tree import DecisionTreeClassifier

    inputs = codes.astype(np.float32)

    def fit(i: int) -> None:
        # A node of one leaf: a stump, which reads the data once.
        limit: dict[str, int] = {"max_depth": 1} if leaves[i] < 2 else {"max_leaf_nodes": leaves[i]}
        tree = DecisionTreeClassifier(criterion="entropy", random_state=0, **limit)
        tree.fit(np.delete(inputs, i, axis=1), codes[:, i])

    return fit


LIGHTGBM = {
    "verbosity": -1,
    "num_threads": 1,
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 0,
    "max_bin": 255,
    "feature_pre_filter": False,
    "force_col_wise": True,
    "boost_from_average": False,
}


def lightgbm_bins(codes: np.ndarray) -> Any:
    lightgbm = importlib.import_module("lightgbm")
    binned = lightgbm.Dataset(codes.astype(np.float32), params=LIGHTGBM, free_raw_data=False)
    return binned.construct()


def lightgbm_trees(
    binned: Any, codes: np.ndarray, cardinalities: Sequence[int], leaves: Sequence[int]
) -> Fit:
    lightgbm = importlib.import_module("lightgbm")

    def fit(i: int) -> None:
        binned.set_label(codes[:, i].astype(np.float32))
        parameters = {
            **LIGHTGBM,
            "num_leaves": max(2, leaves[i]),
            "objective": "binary" if cardinalities[i] == 2 else "multiclass",
            # The target itself is no input.
            "interaction_constraints": [[j for j in range(len(cardinalities)) if j != i]],
        }
        if cardinalities[i] > 2:
            parameters["num_class"] = cardinalities[i]
        lightgbm.Booster(parameters, binned).update()

    return fit


LEAF_ROWS = 5
"""The least rows of a leaf of sequential CART's trees: synthpop's `minbucket`."""


def sequential_cart(train: Any, rows: int, seed: int) -> Any:
    """A frame of new rows: each column is drawn, given those before it, from the rows in the leaf of a CART tree.

    The first is drawn from the column itself. Trees read categories as one column for each state.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    pd = importlib.import_module("pandas")
    rng = np.random.default_rng(seed)
    names = list(train)
    made = pd.DataFrame({names[0]: train[names[0]].iloc[rng.integers(0, len(train), rows)].array})
    for at, name in enumerate(names[1:], start=1):
        real, own = (pd.get_dummies(part[names[:at]]).astype(np.float32) for part in (train, made))
        kind = DecisionTreeClassifier if train[name].dtype == "category" else DecisionTreeRegressor
        tree = kind(min_samples_leaf=LEAF_ROWS, random_state=seed).fit(real, train[name])
        there, wanted = tree.apply(real), tree.apply(own[real.columns])
        order = np.argsort(there, kind="stable")
        begin, end = (np.searchsorted(there[order], wanted, side=side) for side in ("left", "right"))
        made[name] = train[name].iloc[order[rng.integers(begin, end)]].array
    return made


def gaussian_copula(train: Any, rows: int, seed: int) -> Any:
    """A frame of new rows whose normal scores are correlated as those of the table; each column has the table's values.

    A value's score is that of its rank, equal ones (also of a category, by its place) at random among theirs.
    """
    from scipy.stats import norm

    rng = np.random.default_rng(seed)
    ranks = [
        np.lexsort((rng.random(len(train)), column.cat.codes if column.dtype == "category" else column))
        for _, column in train.items()
    ]
    scores = np.empty((len(train), len(ranks)))
    for i, order in enumerate(ranks):
        scores[order, i] = norm.ppf((np.arange(len(train)) + 0.5) / len(train))
    drawn = rng.multivariate_normal(np.zeros(len(ranks)), np.corrcoef(scores.T), rows)
    places = np.minimum((norm.cdf(drawn) * len(train)).astype(int), len(train) - 1)
    pd = importlib.import_module("pandas")
    values = zip(train.items(), ranks, places.T, strict=True)
    return pd.DataFrame({name: column.iloc[order[place]].array for (name, column), order, place in values})


def arf(train: Any, rows: int, seed: int) -> Any:
    """A frame of new rows by arfpy 0.1.1, which calls numpy's `in1d` of before 2.4, and takes column names for places."""
    vars(np).setdefault("in1d", np.isin)
    np.random.seed(seed)  # noqa: NPY002  # which it draws by
    model = importlib.import_module("arfpy.arf").arf(
        x=train.set_axis(range(train.shape[1]), axis=1), verbose=False, random_state=seed
    )
    model.forde()
    return model.forge(n=rows).set_axis(list(train), axis=1)


PEERS = ("scikit-learn", "LightGBM", "pyAgrum")
SCALED = ("scikit-learn", "LightGBM")
"""Those that learn node by node, so that some nodes stand for all."""


def main(peer: str, folder: str, limit: str) -> None:
    """What the process does: say when it is ready, then what it measured."""
    warnings.simplefilter("ignore")
    seconds = float(limit)
    codes = np.load(Path(folder) / "codes.npy")
    about = json.loads((Path(folder) / "about.json").read_text())
    cardinalities, leaves = about["cardinalities"], about["leaves"]
    before = 0.0
    if peer == "pyAgrum":
        learner = _pyagrum.learner(codes, cardinalities)
        _ready(seconds)
        began = time.process_time()
        learner.learnBN()
        _say(seconds=time.process_time() - began)
        return
    if peer == "scikit-learn":
        fit = sklearn_trees(codes, cardinalities, leaves)
        _ready(3 * seconds)
    else:
        importlib.import_module("lightgbm")
        _ready(3 * seconds)
        began = time.process_time()
        binned = lightgbm_bins(codes)
        before = time.process_time() - began
        fit = lightgbm_trees(binned, codes, cardinalities, leaves)
    started = time.perf_counter()
    best, share = _all_nodes(fit, len(cardinalities), started + seconds)
    runs = 1
    while share == 1 and time.perf_counter() - started + best < min(REPEATED, seconds):
        best = min(best, _all_nodes(fit, len(cardinalities), started + seconds)[0])
        runs += 1
    _say(seconds=before + best, share=share, runs=runs)


def _ready(alarm: float) -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, whatever it is doing
    signal.setitimer(signal.ITIMER_PROF, alarm)
    _say(ready=time.process_time())


def _say(**what: object) -> None:
    print(json.dumps(what), flush=True)


def _all_nodes(fit: Fit, nodes: int, ends: float) -> tuple[float, float]:
    """CPU seconds for all nodes, and the share that was run: evenly spread ones if the time does not last."""
    spread = sorted(range(nodes), key=lambda i: (i * 0.6180339887) % 1.0)
    began = time.process_time()
    for done, i in enumerate(spread, start=1):
        fit(i)
        if time.perf_counter() > ends and done < nodes:
            return (time.process_time() - began) / done * nodes, done / nodes
    return time.process_time() - began, 1.0


if __name__ == "__main__":
    main(*sys.argv[1:])
