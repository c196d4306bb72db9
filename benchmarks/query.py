"""`python -m benchmarks query`: how good and how fast answers are.

On networks learned from rows of a known Bayesian network, random marginals given one or two pieces of evidence
are compared with exact inference in the true network. The error is split along

    truth  ->  pi(T | x_C), the learned joint law conditioned      what learning left
           ->  pi'(T), its chain with X_C clamped                  what inconsistent tables add (Sec. 5)
           ->  the answer                                          Monte Carlo

The conditioned law is counted in a long unclamped run; the clamped one is the mean of two independent answers,
which also give the Monte Carlo part and whether their standard errors cover it. The same queries are put to
networks that pyAgrum and pgmpy learned from the same rows. Then a batch: 10,000 rows of NLTCS with half of the
cells hidden, all marginals.
"""

import argparse
import gzip
import importlib
import logging
import math
import os
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import depnet
from benchmarks.bif import BayesianNetwork, random_queries, read
from depnet import Dataset, Network
from depnet.arrays import FloatArray, IntArray
from depnet.model import Scan

Query = tuple[int, dict[int, int], FloatArray]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks query", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("DEPNET_DATA", "../shared/data")))
    parser.add_argument("--networks", nargs="*", default=["alarm", "insurance"])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--blocks", action="store_true", help='learn with blocks="auto"')
    parser.add_argument("--tolerance", type=float, default=0.01)
    parser.add_argument("--reference", type=int, default=200_000, help="rows of the long unclamped run")
    parser.add_argument("--peer-queries", type=int, default=50)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--no-batch", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    for name in options.networks:
        truth = read(options.data / "bif" / f"{name}.bif")
        rng = np.random.default_rng(options.seed)
        codes = truth.sample(options.rows, rng)
        queries = random_queries(truth, options.queries, rng)
        print(f"\n{name}: {len(truth.domain)} variables, {options.rows:,} rows, {len(queries)} queries")
        _own(truth, codes, queries, options)
        if not options.no_peers:
            few = queries[: options.peer_queries]
            _peer("pyAgrum", _pyagrum, truth, codes, few)
            _peer("pgmpy on pyAgrum's structure", _pgmpy, truth, codes, few)
    if not options.no_batch:
        _batch(options.data / "debd")
    return 0


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _long_run(network: Network, rows: int, rng: np.random.Generator) -> IntArray:
    """Rows of the unclamped law; chains are long, since near-deterministic tables mix slowly."""
    drawn = depnet.sample(network, rows, burn_in=2000, thin=20, chains=2000, rng=rng)
    return np.asarray(drawn.codes, dtype=np.int64)


def _error(found: FloatArray, truth: FloatArray) -> float:
    return float(np.abs(found - truth).mean())


def _own(truth: BayesianNetwork, codes: IntArray, queries: list[Query], options: argparse.Namespace) -> None:
    domain = truth.domain
    began = _cpu()
    network = depnet.learn(
        Dataset.from_codes(codes, domain=domain), smoothing=0.5, blocks="auto" if options.blocks else None
    )
    print(f"  depnet learn: {_cpu() - began:.2f} s CPU")
    rng = np.random.default_rng(1)
    drawn = _long_run(network, options.reference, rng)
    total, learning, inconsistency, monte_carlo, within, seconds, wall = [], [], [], [], [], [], []
    approximate, methods = [], []
    for target, evidence, expected in queries:
        given = {domain.variables[j].name: domain.variables[j].states[x] for j, x in evidence.items()}
        name = domain.variables[target].name
        began, started = _cpu(), time.monotonic()
        answer = depnet.query(network, name, given, tolerance=options.tolerance, rng=rng)
        seconds.append(_cpu() - began)
        wall.append(time.monotonic() - started)
        again = depnet.query(network, name, given, tolerance=options.tolerance, rng=rng)
        rough = depnet.query(network, name, given, method="mean-field")
        matching = np.all([drawn[:, j] == x for j, x in evidence.items()], axis=0)
        counts = np.bincount(drawn[matching, target], minlength=len(expected))
        conditioned = counts / max(counts.sum(), 1)
        found, second = np.asarray(answer.probabilities), np.asarray(again.probabilities)
        errors = np.hypot(np.asarray(answer.standard_errors), np.asarray(again.standard_errors))
        methods.append(answer.method)
        total.append(_error(found, expected))
        learning.append(_error(conditioned, expected))
        inconsistency.append(_error((found + second) / 2, conditioned))
        monte_carlo.append(_error(found, second) / math.sqrt(2))
        approximate.append(_error(np.asarray(rough.probabilities), expected))
        if answer.method == "sample":
            within.extend((np.abs(found - second) <= 2 * errors + 1e-12).tolist())
    sampled = methods.count("sample")
    print(
        f"  depnet query: mean absolute error {np.mean(total):.4f} (to reach: 0.02), largest {np.max(total):.3f}; "
        f"{1000 * np.mean(seconds):.1f} ms CPU a query ({1000 * np.mean(wall):.1f} ms wall), {sampled} sampled, "
        f"{len(methods) - sampled} exact or looked up"
    )
    print(
        f"    of which learning {np.mean(learning):.4f}, inconsistent tables {np.mean(inconsistency):.4f}, Monte Carlo "
        f"{np.mean(monte_carlo):.5f}; within 2 standard errors: {100 * np.mean(within or [1.0]):.1f} % of "
        f"{len(within)} probabilities"
    )
    print(f"    mean field instead: mean absolute error {np.mean(approximate):.4f}")


Answerer = Callable[[int, dict[int, int]], FloatArray]


def _peer(
    who: str,
    learned: Callable[[BayesianNetwork, IntArray], Answerer],
    truth: BayesianNetwork,
    codes: IntArray,
    queries: list[Query],
) -> None:
    try:
        began = _cpu()
        answer = learned(truth, codes)
        learning = _cpu() - began
    except ImportError as error:
        print(f"  {who}: not installed ({error})")
        return
    errors, seconds = [], []
    for target, evidence, expected in queries:
        began = _cpu()
        found = answer(target, evidence)
        seconds.append(_cpu() - began)
        errors.append(_error(found, expected))
    print(
        f"  {who}: learn {learning:.1f} s CPU; mean absolute error {np.mean(errors):.4f}, largest "
        f"{np.max(errors):.3f}; {1000 * np.mean(seconds):.1f} ms CPU a query, over {len(queries)} queries"
    )


def _frame(truth: BayesianNetwork, codes: IntArray) -> Any:
    pd = importlib.import_module("pandas")
    return pd.DataFrame(
        {
            variable.name: pd.Categorical.from_codes(
                codes[:, i], categories=[f"s{x}" for x in range(variable.cardinality)]
            )
            for i, variable in enumerate(truth.domain.variables)
        }
    ).astype(str)


def _pyagrum(truth: BayesianNetwork, codes: IntArray) -> Answerer:
    gum = importlib.import_module("pyagrum")
    names = truth.domain.names
    template = gum.BayesNet()
    for i, name in enumerate(names):
        template.add(
            gum.LabelizedVariable(name, name, [f"s{x}" for x in range(truth.domain.cardinalities[i])])
        )
    learner = gum.BNLearner(_frame(truth, codes), template)
    learner.useGreedyHillClimbing()
    learner.useScoreBIC()
    learner.useSmoothingPrior(0.5)
    network = learner.learnBN()

    def answer(target: int, evidence: dict[int, int]) -> FloatArray:
        engine = gum.LazyPropagation(network)
        engine.setEvidence({names[j]: x for j, x in evidence.items()})
        engine.setTargets({names[target]})
        engine.makeInference()
        return np.asarray(engine.posterior(names[target]).toarray())

    return answer


def _pgmpy(truth: BayesianNetwork, codes: IntArray) -> Answerer:
    """Parameters and elimination by pgmpy, on pyAgrum's structure: its own search takes minutes on 1,000 rows."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    gum = importlib.import_module("pyagrum")
    elimination = importlib.import_module("pgmpy.inference").VariableElimination
    bayesian_network = importlib.import_module("pgmpy.models").DiscreteBayesianNetwork
    names, frame = truth.domain.names, _frame(truth, codes)
    learner = gum.BNLearner(frame)
    learner.useGreedyHillClimbing()
    learner.useScoreBIC()
    learner.useSmoothingPrior(0.5)
    found = learner.learnBN()
    model = bayesian_network([(found.variable(a).name(), found.variable(b).name()) for a, b in found.arcs()])
    model.add_nodes_from(names)
    began = _cpu()
    model.fit(frame)
    print(f"  pgmpy fits parameters in {_cpu() - began:.1f} s CPU")
    engine = elimination(model)

    def answer(target: int, evidence: dict[int, int]) -> FloatArray:
        known = {names[j]: f"s{x}" for j, x in evidence.items()}
        factor = engine.query([names[target]], evidence=known, show_progress=False)
        states = factor.state_names[names[target]]
        values = dict(zip(states, factor.values, strict=True))
        return np.array([values.get(f"s{x}", 0.0) for x in range(truth.domain.cardinalities[target])])

    return answer


def _batch(folder: Path) -> None:
    parts = {}
    for part in ("train", "valid", "test"):
        with gzip.open(folder / f"nltcs.{part}.data.gz", "rt") as lines:
            parts[part] = np.loadtxt(lines, delimiter=",", dtype=np.int64)
    cards = [2] * parts["train"].shape[1]
    network = depnet.learn(Dataset.from_codes(parts["train"], cards), smoothing=0.5)
    rows = np.concatenate([parts["test"], parts["valid"], parts["train"]])[:10_000]
    hidden = np.random.default_rng(0).random(rows.shape) < 0.5
    print("\nnltcs: 10,000 rows, half of the cells hidden, all marginals to a standard error of 0.01")
    for label, scan in (("random scan", depnet.RandomScan()), ("sequential scan", depnet.SequentialScan())):
        _timed_batch(label, network, rows, hidden, scan)


def _timed_batch(label: str, network: Network, rows: IntArray, hidden: NDArray[np.bool_], scan: Scan) -> None:
    began, started = _cpu(), time.monotonic()
    result = depnet.query_rows(network, rows, hidden, scan=scan, tolerance=0.01, rng=np.random.default_rng(2))
    cpu, wall = _cpu() - began, time.monotonic() - started
    print(f"  {label}: {wall:.2f} s wall, {cpu:.2f} s CPU (to reach: 5 s on 2 cores). {result}")
