"""`python -m benchmarks query`: how good and how fast answers are.

On networks learned from rows of a known Bayesian network, random marginals given one or two pieces of evidence
are compared with exact inference in the true network. The error is split along

    truth  ->  pi(T | x_C), the learned joint law conditioned      what learning left
           ->  pi'(T), its chain with X_C clamped                  what inconsistent tables add (Sec. 5)
           ->  the answer                                          Monte Carlo

The conditioned law is counted in a long unclamped run; the clamped one is the mean of two independent answers,
which also give the Monte Carlo part and whether their standard errors cover it. Beside it `method="bayes"`, which
asks for the conditioned law itself, every question from one `depnet.Pool` where that suffices for the tolerance, and mean
field. With --blocks the error of the better of the two documented ways is judged by what blocks are to reach.

Queries are made twice: the states of the evidence chosen alike, so that rare ones are asked about as often as
common ones, and, half as many, drawn as they occur. A few queries decide the mean, so its own standard error is
given. The first queries are also put to networks that pyAgrum and pgmpy learned from the same rows. Then a batch:
10,000 rows of NLTCS with half of the cells hidden, all marginals.
"""

import argparse
import gzip
import math
import resource
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import depnet
from benchmarks._tables import add_data
from benchmarks.bif import BayesianNetwork, Query, random_queries, read
from benchmarks.query_peers import peers
from depnet import Dataset, Network
from depnet.arrays import FloatArray, IntArray
from depnet.data.variable import Label
from depnet.model import Scan

TO_REACH = 0.02
WITH_BLOCKS = {"alarm": 0.008, "insurance": 0.006}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks query", description=__doc__)
    add_data(parser)
    parser.add_argument("--networks", nargs="*", default=["alarm", "insurance"])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--blocks", action="store_true", help='learn with blocks="auto"')
    parser.add_argument("--calibrated", action="store_true", help="calibrate what was learned")
    parser.add_argument("--smoothing", type=float, default=0.5)
    parser.add_argument("--tolerance", type=float, default=0.01)
    parser.add_argument("--reference", type=int, default=200_000, help="rows of the long unclamped run")
    parser.add_argument("--few", type=int, default=30, help="queries put to the peers")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--no-batch", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    started = time.monotonic()
    for name in options.networks:
        truth = read(options.data / "bif" / f"{name}.bif")
        rng = np.random.default_rng(options.seed)
        codes = truth.sample(options.rows, rng)
        alike = random_queries(truth, options.queries, rng)
        occurring = random_queries(truth, options.queries // 2, rng, as_it_occurs=True)
        print(f"\n{name}: {len(truth.domain)} variables, {options.rows:,} rows")
        network = _learned(truth, codes, options)
        goal = WITH_BLOCKS.get(name, TO_REACH) if options.blocks else TO_REACH
        pool = _pool(network)
        drawn = _long_run(network, options.reference, np.random.default_rng(1))
        clamped = _clamped("evidence states chosen alike", network, drawn, alike, options.tolerance)
        conditioned = _by_bayes_rule(network, pool, alike, options.tolerance)
        _judged(goal, clamped, conditioned)
        if not options.no_peers:
            peers(truth, codes, alike[: options.few])
        clamped = _clamped("evidence drawn as it occurs", network, drawn, occurring, options.tolerance)
        conditioned = _by_bayes_rule(network, pool, occurring, options.tolerance)
        _judged(goal, clamped, conditioned)
    if not options.no_batch:
        _batch(options.data / "debd")
    print(f"\nthe whole run: {_cpu():.0f} s CPU, {time.monotonic() - started:.0f} s wall")
    return 0


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _learned(truth: BayesianNetwork, codes: IntArray, options: argparse.Namespace) -> Network:
    began = _cpu()
    rows = Dataset.from_codes(codes, domain=truth.domain)
    network = depnet.learn(rows, smoothing=options.smoothing, blocks="auto" if options.blocks else None)
    if options.calibrated:
        network = depnet.calibrate(network, rows, rng=np.random.default_rng(2))
    print(f"  depnet: learn {_cpu() - began:.2f} s CPU")
    return network


def _long_run(network: Network, rows: int, rng: np.random.Generator) -> IntArray:
    """Rows of the unclamped law; chains are long, since near-deterministic tables mix slowly."""
    drawn = depnet.sample(network, rows, burn_in=2000, thin=20, chains=2000, rng=rng)
    return np.asarray(drawn.codes, dtype=np.int64)


def _error(found: FloatArray, truth: FloatArray) -> float:
    return float(np.abs(found - truth).mean())


def _summary(errors: list[float]) -> str:
    own = np.std(errors, ddof=1) / math.sqrt(len(errors))
    return (
        f"mean absolute error {np.mean(errors):.4f} ± {own:.4f}, median {np.median(errors):.4f}, "
        f"largest {np.max(errors):.3f}"
    )


def _given(network: Network, evidence: dict[int, int]) -> dict[str, Label]:
    variables = network.domain.variables
    return {variables[j].name: variables[j].states[x] for j, x in evidence.items()}


def _pool(network: Network) -> depnet.Pool:
    began = _cpu()
    pool = depnet.Pool.draw(network, rng=np.random.default_rng(3))
    mixing = f"mixing time {pool.mixing.time:.0f} sweeps{'' if pool.mixing.settled else ', not settled'}"
    print(f"  a pool of {len(pool):,} states: {_cpu() - began:.2f} s CPU ({mixing})", flush=True)
    return pool


def _judged(goal: float, clamped: float, conditioned: float) -> None:
    way, error = min((clamped, "clamped"), (conditioned, 'method="bayes"'))[::-1]
    print(f"    to reach {goal}: {'reached' if error <= goal else 'missed'} ({way}, {error:.4f})", flush=True)


def _clamped(which: str, network: Network, drawn: IntArray, queries: list[Query], tolerance: float) -> float:
    rng = np.random.default_rng(1)
    total, learning, inconsistency, monte_carlo, within, seconds, wall = [], [], [], [], [], [], []
    approximate, methods, unread = [], [], 0
    for target, evidence, expected in queries:
        given, name = _given(network, evidence), network.domain.variables[target].name
        began, started = _cpu(), time.monotonic()
        answer = depnet.query(network, name, given, tolerance=tolerance, rng=rng)
        seconds.append(_cpu() - began)
        wall.append(time.monotonic() - started)
        again = depnet.query(network, name, given, tolerance=tolerance, rng=rng)
        rough = depnet.query(network, name, given, method="mean-field")
        matching = np.all([drawn[:, j] == x for j, x in evidence.items()], axis=0)
        counts = np.bincount(drawn[matching, target], minlength=len(expected))
        conditioned = counts / max(counts.sum(), 1)
        found, second = np.asarray(answer.probabilities), np.asarray(again.probabilities)
        errors = np.hypot(np.asarray(answer.standard_errors), np.asarray(again.standard_errors))
        methods.append(answer.method)
        unread += bool(answer.evidence_ignored)
        total.append(_error(found, expected))
        learning.append(_error(conditioned, expected))
        inconsistency.append(_error((found + second) / 2, conditioned))
        monte_carlo.append(_error(found, second) / math.sqrt(2))
        approximate.append(_error(np.asarray(rough.probabilities), expected))
        if answer.method == "sample":
            within.extend((np.abs(found - second) <= 2 * errors + 1e-12).tolist())
    sampled = methods.count("sample")
    print(f"  {which}, {len(queries)} queries ({unread} with evidence that no relevant node reads):")
    print(
        f"    clamped: {_summary(total)}; {1000 * np.mean(seconds):.1f} ms CPU a query "
        f"({1000 * np.mean(wall):.1f} ms wall), {sampled} sampled, {len(methods) - sampled} exact or looked up"
    )
    print(
        f"      of which learning {np.mean(learning):.4f}, inconsistent tables {np.mean(inconsistency):.4f}, Monte Carlo "
        f"{np.mean(monte_carlo):.5f}; within 2 standard errors: {100 * np.mean(within or [1.0]):.1f} % of "
        f"{len(within)} probabilities"
    )
    print(f"    conditioned by Bayes' rule, from {len(drawn):,} rows drawn once: {_summary(learning)}")
    print(f"    mean field: {_summary(approximate)}", flush=True)
    return float(np.mean(total))


def _by_bayes_rule(network: Network, pool: depnet.Pool, queries: list[Query], tolerance: float) -> float:
    """All queries, each from the pool where it suffices; the mean error."""
    rng = np.random.default_rng(1)
    errors: list[float] = []
    from_pool: list[float] = []
    from_chains: list[float] = []
    for target, evidence, expected in queries:
        began = _cpu()
        name = network.domain.variables[target].name
        answer = depnet.query(
            network, name, _given(network, evidence), method="bayes", pool=pool, tolerance=tolerance, rng=rng
        )
        (from_pool if answer.method.startswith("pool") else from_chains).append(_cpu() - began)
        errors.append(_error(np.asarray(answer.probabilities), expected))
    asked = ", ".join(
        f"{len(some)} {how} ({1000 * np.mean(some):.1f} ms CPU each)"
        for how, some in (("from the pool", from_pool), ("exact or by chains", from_chains))
        if some
    )
    print(f'    method="bayes": {_summary(errors)}; {asked}', flush=True)
    return float(np.mean(errors))


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
