"""Million site updates per CPU second and core, and how they compare with other libraries.

Networks are learned from rows of random Bayesian networks. Everything is one thread; seconds are CPU
seconds of this run, the best of a few. pgmpy and pyAgrum run their own Gibbs samplers on the Bayesian
network behind the rows (they are in the dependency group `bench`); without them their lines are left out.
"""

import argparse
import contextlib
import dataclasses
import importlib
import io
import logging
import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet import Dataset, Network, RandomScan, SequentialScan, learn
from depnet._native import network as native
from depnet.arrays import FloatArray
from depnet.model import Scan
from depnet.model.sources import limits
from depnet.sampling.chains import chains_of, keys_of, start_codes
from depnet.sampling.plan import ChainPlan, chain_plan

ROWS, PARENTS = 20_000, 3
SINGLE_REACH, PGMPY_REACH, PYAGRUM_REACH = 0.3, 1e4, 1e3
MANY = 4096


@dataclass(frozen=True, slots=True)
class BayesianNetwork:
    """Variable i given its parents, all of them before it."""

    cardinalities: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[FloatArray, ...]  # [parents' joint state, state]

    @classmethod
    def random(cls, cardinalities: Sequence[int], seed: int) -> "BayesianNetwork":
        """Up to three parents each, tables that are neither flat nor certain."""
        rng = np.random.default_rng(seed)
        parents, tables = [], []
        for i, k in enumerate(cardinalities):
            own = tuple(sorted(rng.choice(i, size=min(i, PARENTS), replace=False).tolist()))
            parents.append(own)
            tables.append(rng.dirichlet(np.full(k, 0.7), size=math.prod(cardinalities[j] for j in own)))
        return cls(tuple(cardinalities), tuple(parents), tuple(tables))

    def learned(self, seed: int) -> Network:
        """A dependency network learned, with smoothing, from rows of this one."""
        rng = np.random.default_rng(seed)
        codes = np.zeros((ROWS, len(self.cardinalities)), dtype=np.int64)
        for i, own in enumerate(self.parents):
            context = np.zeros(ROWS, dtype=np.int64)
            for j in own:
                context = context * self.cardinalities[j] + codes[:, j]
            edges = self.tables[i].cumsum(axis=1)[context, :-1]
            codes[:, i] = (rng.random(ROWS)[:, None] > edges).sum(axis=1)
        return learn(Dataset.from_codes(codes, self.cardinalities), smoothing=0.5)


def best_rate(work: Callable[[], int], seconds: float, repeats: int = 3) -> float:
    """Millions a CPU second of what `work` does and counts, the best of some runs."""
    best = 0.0
    for _ in range(repeats):
        done, start = 0, time.process_time()
        while time.process_time() - start < seconds:
            done += work()
        best = max(best, done / (time.process_time() - start) / 1e6)
    return best


def rate(plan: ChainPlan, chains: int, seconds: float) -> float:
    """Million site updates a second, `chains` at a time."""
    running = chains_of(plan, start_codes(plan, 1, chains), keys_of(1, chains))
    sweeps = max(1, 2**21 // running.updates_a_sweep)

    def run() -> int:
        running.advance(sweeps)
        return sweeps * running.updates_a_sweep

    return best_rate(run, seconds)


def walking(plan: ChainPlan, chains: int, seconds: float) -> float:
    """The same where every decision graph is walked, tables left aside."""
    written_out, limits.TABLE_STATES = limits.TABLE_STATES, 0
    try:
        return rate(dataclasses.replace(plan, network=dataclasses.replace(plan.network)), chains, seconds)
    finally:
        limits.TABLE_STATES = written_out


def scalar_words(seconds: float) -> float:
    """The floor: million words a second of one scalar generator, NumPy's Philox, whose words have 64 bits."""
    made = np.random.Philox(1)

    def run() -> int:
        made.random_raw(200_000)
        return 200_000

    return best_rate(run, seconds)


def vector_words(seconds: float) -> float:
    """Million words a second as the kernels make them, into memory that stays in the cache."""
    out = np.empty((64, 64), dtype=np.uint32)

    def run() -> int:
        for _ in range(100):
            native.words(1, 1, 0, 0, out)
        return 100 * out.size

    return best_rate(run, seconds)


def pgmpy_rate(truth: BayesianNetwork, sweeps: int = 300) -> float | None:
    """Million site updates a second of pgmpy's GibbsSampling."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            logging.getLogger("pgmpy").setLevel(logging.ERROR)
            factors: Any = importlib.import_module("pgmpy.factors.discrete")
            models: Any = importlib.import_module("pgmpy.models")
            sampling: Any = importlib.import_module("pgmpy.sampling")
    except ImportError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = models.DiscreteBayesianNetwork()
        model.add_nodes_from([f"X{i}" for i in range(len(truth.parents))])
        for i, own in enumerate(truth.parents):
            model.add_edges_from([(f"X{j}", f"X{i}") for j in own])
        for i, own in enumerate(truth.parents):
            model.add_cpds(
                factors.TabularCPD(
                    f"X{i}",
                    truth.cardinalities[i],
                    truth.tables[i].T,
                    evidence=[f"X{j}" for j in own],
                    evidence_card=[truth.cardinalities[j] for j in own],
                )
            )
        gibbs = sampling.GibbsSampling(model)  # its set-up is not counted
        start = time.process_time()
        with contextlib.redirect_stderr(io.StringIO()):  # its progress bar
            gibbs.sample(size=sweeps)
        return sweeps * len(truth.parents) / (time.process_time() - start) / 1e6


def pyagrum_rate(truth: BayesianNetwork, iterations: int = 20_000) -> float | None:
    """Million site updates a second of pyAgrum's GibbsSampling."""
    try:
        gum: Any = importlib.import_module("pyagrum")
    except ImportError:
        return None
    model = gum.BayesNet()
    for i, k in enumerate(truth.cardinalities):
        model.add(gum.LabelizedVariable(f"X{i}", "", k))
    for i, own in enumerate(truth.parents):
        for j in own:
            model.addArc(j, i)
    model.generateCPTs()
    gibbs = gum.GibbsSampling(model)
    gibbs.setVerbosity(True)
    gibbs.setMaxIter(iterations)
    gibbs.setEpsilon(1e-12)
    gibbs.setMinEpsilonRate(1e-12)
    gibbs.setPeriodSize(1000)
    start = time.process_time()
    gibbs.makeInference()
    return float(gibbs.nbrIterations() * gibbs.nbrDrawnVar() / (time.process_time() - start) / 1e6)


def verdict(what: str, value: float, reach: float, unit: str = "") -> bool:
    good = value >= reach
    print(f"{what:64} {value:12,.2f}{unit} (reach {reach:g}{unit}): {'reached' if good else 'MISSED'}")
    return good


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks sample", description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.3, help="CPU seconds of each measurement")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    seconds, good = options.seconds, True

    floor = scalar_words(seconds)
    print(
        f"random words: {floor:,.0f} scalar, {vector_words(seconds):,.0f} as the kernels make them (million / s)"
    )
    print(
        f"\n{'network':22} {'scan':11} {'nodes':9} {'1 chain':>9} {'64':>9} {MANY:>9}   million site updates / s"
    )
    domains: dict[str, tuple[int, ...]] = {
        "12 binary": (2,) * 12,
        "16 binary": (2,) * 16,
        "64 binary": (2,) * 64,
        "30 of 2, 3, 4 states": (2, 3, 4) * 10,
    }
    single = math.inf
    scans: list[Scan] = [SequentialScan(), RandomScan()]
    figures: dict[tuple[str, str, str], list[float]] = {}
    for domain, cards in domains.items():
        network = BayesianNetwork.random(cards, options.seed).learned(options.seed)
        for scan in scans:
            made = chain_plan(network, scan)
            order = type(scan).__name__.removesuffix("Scan").lower()
            for name, measured in {"tables": rate, "walking": walking}.items():
                rates = [measured(made, chains, seconds) for chains in (1, 64, MANY)]
                figures[domain, order, name] = rates
                cells = " ".join(f"{r:9,.0f}" for r in rates)
                print(f"{domain:22} {order:11} {name:9} {cells}", flush=True)
        if len(cards) <= 16:
            single = min(single, figures[domain, "sequential", "tables"][0] / floor)
    print()
    good &= verdict(
        "single chain over scalar random words, n <= 16, worst", 100 * single, 100 * SINGLE_REACH, " %"
    )
    own_scan = figures["16 binary", "random", "tables"]
    print(
        f"random scan, 16 binary: {own_scan[0]:,.0f} in one chain, {own_scan[2]:,.0f} in {MANY} (million / s)"
    )

    truth = BayesianNetwork.random((2,) * 10, options.seed)
    made = chain_plan(truth.learned(options.seed), SequentialScan())
    best = rate(made, MANY, seconds)
    one = rate(made, 1, seconds)
    others = {"pgmpy": (pgmpy_rate(truth), PGMPY_REACH), "pyAgrum": (pyagrum_rate(truth), PYAGRUM_REACH)}
    for name, (theirs, reach) in others.items():
        if theirs is None:
            print(f"{name} is not installed: its line is left out")
            continue
        good &= verdict(
            f"{MANY} chains over {name} Gibbs ({1e6 * theirs:,.0f} updates / s)", best / theirs, reach
        )
        good &= verdict(f"one chain over {name} Gibbs", one / theirs, reach)
    return 0 if good else 1
