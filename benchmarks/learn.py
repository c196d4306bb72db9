"""`python -m benchmarks learn`: learning against library trees and a Bayesian network learner, in one run.

CPU seconds (process_time) of one thread on the same table, side by side; only the ratios travel from machine to
machine. scikit-learn: one DecisionTreeClassifier(criterion="entropy") a node. LightGBM: the table binned once, one
tree a node. Both get as many leaves as depnet learned for that node. pyAgrum: greedy hill climbing, one Bayesian
network. Where a peer would take too long, a few nodes are measured and scaled to all of them, and marked ~.
"""

import argparse
import contextlib
import importlib
import math
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._tables import debd, from_random_network
from depnet import Dataset, DecisionGraph, Network, learn

MIXED = tuple(int(k) for k in np.random.default_rng(5).integers(2, 21, 50))


@dataclass(frozen=True)
class Shape:
    """A synthetic table to learn from."""

    rows: int
    cardinalities: tuple[int, ...]
    sparse: bool = False

    def table(self) -> Dataset:
        """The rows."""
        return from_random_network(self.rows, self.cardinalities, sparse=self.sparse)


SHAPES = {
    "100k x 12": Shape(100_000, (2,) * 12),
    "16k x 16": Shape(16_000, (2,) * 16),
    "17k x 69": Shape(17_000, (2,) * 69),
    "15k x 100": Shape(15_000, (2,) * 100),
    "180k x 64": Shape(180_000, (2,) * 64),
    "100k x 190 sparse": Shape(100_000, (2,) * 190, sparse=True),
    "2k x 1500": Shape(2_000, (2,) * 1500),
    "1M x 50, 2-20 states": Shape(1_000_000, MIXED),
    "25k x 30, 20 states": Shape(25_000, (20,) * 30),
    "137k x 29": Shape(137_000, (2, 3, 4, 5) * 7 + (2,)),
    "5k x 600": Shape(5_000, (2,) * 600),
}
QUICK = ("16k x 16", "17k x 69", "25k x 30, 20 states")
TABLES = ("nltcs", "msnbc", "plants", "kosarek", "dna", "tretail", "bbc")


def cpu_seconds(call: Callable[[], object], *, at_least: float = 0.0) -> float:
    """The least CPU time of some calls that together take `at_least` seconds."""
    best, spent = math.inf, 0.0
    while spent <= at_least:
        began = time.process_time()
        call()
        best = min(best, time.process_time() - began)
        spent += max(time.process_time() - began, 1e-9)
    return best


def sklearn_trees(dataset: Dataset, network: Network, budget: float) -> tuple[float, bool]:
    from sklearn.tree import DecisionTreeClassifier

    def fit(i: int) -> None:
        leaves = network.nodes[i].source.size
        if leaves < 2:  # as a stump of depth 0 would be: the data is still read once
            DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(
                others(inputs, i), dataset.codes[:, i]
            )
        else:
            tree = DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=leaves, random_state=0)
            tree.fit(others(inputs, i), dataset.codes[:, i])

    inputs = dataset.codes.astype(np.float32)
    return node_by_node(fit, len(network.nodes), budget)


def others(table: np.ndarray, i: int) -> np.ndarray:
    return np.delete(table, i, axis=1)


def lightgbm_trees(dataset: Dataset, network: Network, budget: float) -> tuple[float, bool]:
    import lightgbm

    cards = dataset.domain.cardinalities
    common = {
        "verbosity": -1,
        "num_threads": 1,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0,
        "max_bin": 255,
        "feature_pre_filter": False,
        "force_col_wise": True,
    }
    began = time.process_time()
    binned = lightgbm.Dataset(dataset.codes.astype(np.float32), params=common, free_raw_data=False)
    binned.construct()
    binning = time.process_time() - began

    def fit(i: int) -> None:
        binned.set_label(dataset.codes[:, i].astype(np.float32))
        binary = cards[i] == 2
        parameters = {
            **common,
            "num_leaves": max(2, network.nodes[i].source.size),
            "objective": "binary" if binary else "multiclass",
            "boost_from_average": False,
            # The target itself is no input: its split is forbidden by never being sampled.
            "interaction_constraints": [[j for j in range(len(cards)) if j != i]],
        }
        if not binary:
            parameters["num_class"] = cards[i]
        booster = lightgbm.Booster(parameters, binned)
        booster.update()

    seconds, scaled = node_by_node(fit, len(network.nodes), budget)
    return binning + seconds, scaled


PYAGRUM_VARIABLES = 200
"""Past so many columns its first round alone takes minutes, whatever its time limit."""


def pyagrum_greedy(dataset: Dataset, network: Network, budget: float) -> tuple[float, bool]:
    import pandas as pd

    pyagrum: Any = importlib.import_module("pyagrum")  # a module without types
    frame = pd.DataFrame(
        {name: dataset.codes[:, i].astype(str) for i, name in enumerate(dataset.domain.names)}
    )
    began = time.process_time()
    learner = pyagrum.BNLearner(frame)
    learner.setNumberOfThreads(1)
    learner.useGreedyHillClimbing()
    learner.useSmoothingPrior()  # else a context that never occurs is an error
    learner.setMaxTime(budget * 1000)
    learner.useScoreMDL() if hasattr(learner, "useScoreMDL") else learner.useScoreBIC()
    learner.learnBN()
    seconds = time.process_time() - began
    return seconds, seconds > 0.9 * budget  # stopped: at least so much


def node_by_node(fit: Callable[[int], None], nodes: int, budget: float) -> tuple[float, bool]:
    """CPU seconds for all nodes; from evenly spread ones if the budget does not last."""
    spread = sorted(range(nodes), key=lambda i: (i * 0.6180339887) % 1.0)
    began = time.process_time()
    for done, i in enumerate(spread, start=1):
        fit(i)
        spent = time.process_time() - began
        if spent > budget and done < nodes:
            return spent / done * nodes, True
    return time.process_time() - began, False


PEERS = {"scikit-learn": sklearn_trees, "LightGBM": lightgbm_trees, "pyAgrum": pyagrum_greedy}


def goal(peer: str, variables: int) -> float | None:
    """The ratio to reach (PERFORMANCE.md), or None."""
    if peer == "scikit-learn":
        return 25 if variables <= 16 else 100 if variables >= 64 else None
    if peer == "LightGBM":
        return 25 if variables >= 64 else None
    return 15


def compare(name: str, dataset: Dataset, budget: float, peers: Sequence[str]) -> None:
    network = learn(dataset)
    ours = cpu_seconds(lambda: learn(dataset), at_least=0.3)
    leaves = sum(node.source.size for node in network.nodes)
    operations = sum(len(source.operations) for source in sources(network))
    print(f"{name:22} {ours:9.4f} s {leaves:7,} leaves {operations:8,} operations", end="", flush=True)
    for peer in peers:
        if peer == "pyAgrum" and len(dataset.domain) > PYAGRUM_VARIABLES:
            print(
                " | pyAgrum left out: does not stop at its time limit on so many columns", end="", flush=True
            )
            continue
        with warnings.catch_warnings(), contextlib.redirect_stderr(None):
            warnings.simplefilter("ignore")
            seconds, scaled = PEERS[peer](dataset, network, budget)
        ratio, wanted = seconds / ours, goal(peer, len(dataset.domain))
        verdict = "" if wanted is None else " reached" if ratio >= wanted else f" MISSED ({wanted:.0f})"
        print(f" | {peer} {'~' if scaled else ''}{seconds:.3g} s = {ratio:.3g}x{verdict}", end="", flush=True)
    print()


def sources(network: Network) -> list[DecisionGraph]:
    return [node.source for node in network.nodes if isinstance(node.source, DecisionGraph)]


def timed(dataset: Dataset) -> float:
    return cpu_seconds(lambda: learn(dataset), at_least=0.5)


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of log seconds against log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def growth(quick: bool) -> None:
    """Seconds against N and against n, on one random network whose rows or columns are taken away."""
    rows = (20_000, 40_000, 80_000, 160_000) if quick else (50_000, 100_000, 200_000, 400_000, 800_000)
    whole = from_random_network(rows[-1], (2,) * 40)
    seconds = [
        timed(part) for part in (Dataset.from_codes(whole.codes[:n], domain=whole.domain) for n in rows)
    ]
    report("growth against N (n = 40)", exponent(rows, seconds), 1.1, rows, seconds)
    columns = (40, 80, 160) if quick else (50, 100, 200, 400)
    wide = from_random_network(10_000, (2,) * columns[-1])
    seconds = [timed(part) for part in (Dataset.from_codes(wide.codes[:, :n], [2] * n) for n in columns)]
    report("growth against n (N = 10k)", exponent(columns, seconds), 2.1, columns, seconds)


def report(what: str, slope: float, wanted: float, sizes: Sequence[int], seconds: Sequence[float]) -> None:
    verdict = "reached" if slope <= wanted else "MISSED"
    detail = ", ".join(f"{n:,}: {t:.4f} s" for n, t in zip(sizes, seconds, strict=True))
    print(f"{what}: exponent {slope:.2f} (<= {wanted}) {verdict}   [{detail}]", flush=True)


def threads() -> None:
    """Wall time of two threads over one; only meaningful where two cores are idle.

    A fit of a tenth of a second is too short for joblib, which takes about 20 ms of its own: it is shown,
    and the larger table judged.
    """
    for rows, judged in ((180_000, False), (1_000_000, True)):
        dataset = from_random_network(rows, (2,) * 64)
        times = {1: math.inf, 2: math.inf}
        for n_jobs in (2, 1, 2, 1, 2, 1, 2, 1):
            began = time.perf_counter()
            learn(dataset, n_jobs=n_jobs)
            times[n_jobs] = min(times[n_jobs], time.perf_counter() - began)
        ratio = times[1] / times[2]
        verdict = "" if not judged else " reached" if ratio >= 1.8 else " MISSED"
        print(
            f"two threads over one, {rows:,} x 64 ({times[1]:.2f} s): {ratio:.2f} (>= 1.8 on an idle machine)"
            f"{verdict}; load average {os.getloadavg()[0]:.1f}",
            flush=True,
        )


def memory() -> None:
    """Peak memory of learning over N x n bytes, the codes themselves included, in a process of its own."""
    for name in ("180k x 64", "100k x 190 sparse", "1M x 50, 2-20 states"):
        script = f"from benchmarks.learn import peak; peak({name!r})"
        out = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout.split()
        over, with_codes = float(out[0]), float(out[1])
        verdict = "reached" if with_codes <= 3 else "MISSED"
        print(
            f"peak memory, {name}: {over:.2f} x N n beside the codes, {with_codes:.2f} with them (<= 3) {verdict}",
            flush=True,
        )


def peak(name: str) -> None:
    dataset = SHAPES[name].table()
    path = f"/proc/{os.getpid()}/clear_refs"
    learn(Dataset.from_codes(dataset.codes[:1000], domain=dataset.domain))  # what learning needs anyway
    with Path(path).open("w") as file:
        file.write("5")  # the peak starts anew from what is there now
    before = status("VmRSS")
    learn(dataset, max_seconds=20)
    over = (status("VmHWM") - before) / dataset.codes.size
    print(over, over + dataset.codes.nbytes / dataset.codes.size)


def status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks learn", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("DEPNET_DATA", "../shared/data")))
    parser.add_argument("--quick", action="store_true", help="a few small tables, a minute or two")
    parser.add_argument("--budget", type=float, default=20.0, help="CPU seconds for each peer on each table")
    parser.add_argument("--only", nargs="*", metavar="TABLE", help="only these tables, and nothing else")
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), default=list(PEERS))
    options = parser.parse_args(arguments)
    budget = min(options.budget, 4.0) if options.quick else options.budget
    names = options.only or (QUICK if options.quick else (*SHAPES, *TABLES))
    for name in names:
        if name in SHAPES:
            compare(name, SHAPES[name].table(), budget, options.peers)
        elif (options.data / "debd" / f"{name}.train.data.gz").exists():
            compare(name, debd(options.data / "debd", name), budget, options.peers)
        else:
            print(f"{name}: not in {options.data / 'debd'}, left out")
    if not options.only:
        growth(options.quick)
        threads()
        memory()
    return 0
