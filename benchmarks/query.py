"""`python -m benchmarks query`: what clamping costs beside a law, and how fast both answer.

From rows of a known Bayesian network a dependency network and an ordered one are learned; random marginals given one or
two pieces of evidence are compared with exact inference in the true network. The error of clamping is split along

    truth  ->  pi(T | x_C), the learned joint law conditioned      what learning left
           ->  pi'(T), its chain with X_C clamped                  what inconsistent tables add (Sec. 5)
           ->  the answer                                          Monte Carlo

The conditioned law is counted in a long unclamped run; the clamped one is the mean of two independent answers,
which also give the Monte Carlo part and whether their standard errors cover it. The ordered network's law is conditioned
itself: beside learning it has Monte Carlo errors only, judged in the same way.

Queries are made twice: the states of the evidence chosen alike, so that rare ones are asked about as often as
common ones, and, half as many, drawn as they occur. A few queries decide the mean, so its own standard error is
given. The first queries are also put to networks that pyAgrum and pgmpy learned from the same rows. Then a batch:
10,000 rows of NLTCS with half of the cells hidden, all marginals.
"""

import argparse
import math
import resource
import time
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import depnet
from benchmarks._bif import Query, random_queries, read
from benchmarks._query_peers import peers
from benchmarks._questions import labels
from benchmarks._tables import add_data, debd
from depnet import Dataset, Network
from depnet.arrays import FloatArray, IntArray
from depnet.model import Scan

TO_REACH = 0.003


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks query", description=__doc__)
    add_data(parser)
    parser.add_argument("--networks", nargs="*", default=["alarm", "insurance"])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
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
        rows = Dataset.from_codes(codes, domain=truth.domain)
        network, law = (_learned(rows, order, options) for order in (None, "auto"))
        drawn = _long_run(network, options.reference, np.random.default_rng(1))
        _clamped("evidence states chosen alike", network, drawn, alike, options.tolerance)
        _of_the_law(law, alike, options.tolerance)
        if not options.no_peers:
            peers(truth, codes, alike[: options.few])
        _clamped("evidence drawn as it occurs", network, drawn, occurring, options.tolerance)
        _of_the_law(law, occurring, options.tolerance)
    if not options.no_batch:
        _batch(options.data / "debd")
    print(f"\nthe whole run: {_cpu():.0f} s CPU, {time.monotonic() - started:.0f} s wall")
    return 0


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _learned(rows: Dataset, order: Literal["auto"] | None, options: argparse.Namespace) -> Network:
    began = _cpu()
    network = depnet.learn(rows, order=order, smoothing=options.smoothing)
    print(f"  {'dependency network' if order is None else 'law'}: learned in {_cpu() - began:.2f} s CPU")
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


class Asked:
    """Every query put twice to a network: errors, what of them is Monte Carlo, and CPU and wall seconds of the first."""

    def __init__(self, network: Network, queries: list[Query], tolerance: float) -> None:
        rng = np.random.default_rng(1)
        self.total: list[float] = []
        self.monte_carlo: list[float] = []
        self.means: list[FloatArray] = []
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.unread = 0
        within: list[bool] = []
        for target, evidence, expected in queries:
            given, name = labels(network.domain, evidence), network.domain.names[target]
            began, started = _cpu(), time.monotonic()
            first = depnet.query(network, name, given, tolerance=tolerance, rng=rng)
            self.cpu.append(_cpu() - began)
            self.wall.append(time.monotonic() - started)
            again = depnet.query(network, name, given, tolerance=tolerance, rng=rng)
            found, second = np.asarray(first.probabilities), np.asarray(again.probabilities)
            errors = np.hypot(np.asarray(first.standard_errors), np.asarray(again.standard_errors))
            self.total.append(_error(found, expected))
            self.monte_carlo.append(_error(found, second) / math.sqrt(2))
            self.means.append((found + second) / 2)
            self.unread += bool(first.evidence_ignored)
            if errors.any():
                within.extend((np.abs(found - second) <= 2 * errors + 1e-12).tolist())
        self.within = within

    def __str__(self) -> str:
        covered = f"; {np.mean(self.within):.1%} of {len(self.within)}" if self.within else ""
        return (
            f"{_summary(self.total)}; {1000 * np.mean(self.cpu):.1f} ms CPU a query ({1000 * np.mean(self.wall):.1f} ms "
            f"wall), Monte Carlo {np.mean(self.monte_carlo):.5f}{covered}{' within 2 standard errors' if covered else ''}"
        )


def _clamped(which: str, network: Network, drawn: IntArray, queries: list[Query], tolerance: float) -> None:
    asked = Asked(network, queries, tolerance)
    learning, inconsistency = [], []
    for (target, evidence, expected), mean in zip(queries, asked.means, strict=True):
        matching = np.all([drawn[:, j] == x for j, x in evidence.items()], axis=0)
        counts = np.bincount(drawn[matching, target], minlength=len(expected))
        conditioned = counts / max(counts.sum(), 1)
        learning.append(_error(conditioned, expected))
        inconsistency.append(_error(mean, conditioned))
    print(f"  {which}, {len(queries)} queries ({asked.unread} with evidence that no relevant node reads):")
    print(f"    clamped: {asked}")
    print(
        f"      of which learning {np.mean(learning):.4f}, inconsistent tables {np.mean(inconsistency):.4f}"
    )
    print(f"    its law conditioned, from {len(drawn):,} rows drawn once: {_summary(learning)}", flush=True)


def _of_the_law(law: Network, queries: list[Query], tolerance: float) -> None:
    asked = Asked(law, queries, tolerance)
    reached = "reached" if np.mean(asked.total) <= TO_REACH else "missed"
    print(f"    the ordered law: {asked}\n    to reach {TO_REACH}: {reached}", flush=True)


def _batch(folder: Path) -> None:
    parts = {part: debd(folder, "nltcs", part) for part in ("test", "valid", "train")}
    network = depnet.learn(parts["train"], smoothing=0.5)
    rows = np.concatenate([part.codes for part in parts.values()])[:10_000].astype(np.int64)
    hidden = np.random.default_rng(0).random(rows.shape) < 0.5
    print("\nnltcs: 10,000 rows, half of the cells hidden, all marginals to a standard error of 0.01")
    for label, scan in (("random scan", depnet.RandomScan()), ("sequential scan", depnet.SequentialScan())):
        _timed_batch(label, network, rows, hidden, scan)


def _timed_batch(label: str, network: Network, rows: IntArray, hidden: NDArray[np.bool_], scan: Scan) -> None:
    began, started = _cpu(), time.monotonic()
    result = depnet.query_rows(network, rows, hidden, scan=scan, tolerance=0.01, rng=np.random.default_rng(2))
    cpu, wall = _cpu() - began, time.monotonic() - started
    print(f"  {label}: {wall:.2f} s wall, {cpu:.2f} s CPU (to reach: 5 s on 2 cores). {result}")
