"""The exact stationary law against power iteration, to one residual: ||pi K - pi||_1 <= 1e-12.

Networks are learned from rows of random Bayesian networks. Power iteration runs on the same projections,
from the same start, on one thread as all of it; the ratio is of CPU seconds in this run.
"""

import argparse
import math
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from depnet import Dataset, Network, learn
from depnet.arrays import FloatArray
from depnet.exact.solve import RESIDUAL, SolveReport, random_laws, sequential_laws, uniform
from depnet.geometry.chain import FreeChain

ROWS, PARENTS = 20_000, 3
REACH = 5.0
"""Times less CPU than power iteration, on 2^12 to 2^16 binary states."""
MEMORY = 1 << 30
"""Bytes at most, for 2^20 binary states."""
CHECK_EVERY = 10
"""Steps of power iteration between two looks at its residual."""


def random_network(cardinalities: Sequence[int], seed: int) -> Network:
    """A network learned, with smoothing, from rows of a random Bayesian network."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((ROWS, len(cardinalities)), dtype=np.int64)
    for i, k in enumerate(cardinalities):
        parents = rng.choice(i, size=min(i, PARENTS), replace=False)
        context = np.zeros(ROWS, dtype=np.int64)
        for j in parents:
            context = context * cardinalities[j] + codes[:, j]
        theta = rng.dirichlet(np.full(k, 0.5), size=math.prod(cardinalities[j] for j in parents))
        codes[:, i] = (rng.random(ROWS)[:, None] > theta.cumsum(axis=1)[context, :-1]).sum(axis=1)
    return learn(Dataset.from_codes(codes, cardinalities), smoothing=0.5)


@dataclass(frozen=True, slots=True)
class Run:
    """One method on one network."""

    domain: str
    method: str
    iterations: int
    seconds: float
    residual: float
    law: FloatArray


def exact_run(domain: str, network: Network) -> Run:
    """The random scan's law, all set-up included."""
    effort = SolveReport()
    start = time.process_time()
    chain = FreeChain.of(network)
    (law,) = random_laws(chain, _weights(network), [None], effort)
    return Run(domain, "GMRES", effort.applications, time.process_time() - start, effort.residual, law)


def sequential_run(domain: str, network: Network) -> Run:
    """pi^0 of the sequential scan, all set-up included."""
    effort = SolveReport()
    start = time.process_time()
    chain = FreeChain.of(network)
    (law,) = sequential_laws(chain, range(len(network)), [None], effort)
    seconds = time.process_time() - start
    return Run(domain, "GMRES, sequential scan", effort.applications, seconds, effort.residual, law)


def power_run(domain: str, network: Network) -> Run:
    """Power iteration: p <- p K until the residual is reached."""
    start = time.process_time()
    chain, weights = FreeChain.of(network), _weights(network)
    p = uniform(chain, None)
    iterations, residual = 0, math.inf
    while residual > RESIDUAL:
        for _ in range(CHECK_EVERY):
            q, p = p, chain.mix(weights, p)
        iterations += CHECK_EVERY
        residual = float(np.abs(p - q).sum())
    return Run(domain, "power iteration", iterations, time.process_time() - start, residual, p)


def _weights(network: Network) -> FloatArray:
    return np.full(len(network), 1 / len(network))


def _row(run: Run, ratio: float | None) -> str:
    against = "" if ratio is None else f"{ratio:8.1f}"
    return f"{run.domain:>18}  {run.method:<24}{run.iterations:>10}{run.seconds:>12.4f}{run.residual:>12.1e}{against:>10}"


def compare(domain: str, cardinalities: Sequence[int], seeds: Sequence[int]) -> Iterator[tuple[str, float]]:
    """Rows of the table, each with its ratio to power iteration (1 for power iteration itself)."""
    for seed in seeds:
        network = random_network(cardinalities, seed)
        power = power_run(domain, network)
        fast = exact_run(domain, network)
        apart = float(np.abs(fast.law - power.law).sum())
        if apart > 1e-6:
            raise AssertionError(f"{domain}: the two laws are {apart:.2g} apart in L1")
        yield _row(power, None), 1.0
        yield _row(fast, power.seconds / fast.seconds), power.seconds / fast.seconds
        yield _row(sequential_run(domain, network), None), math.inf


def alone(variables: int) -> int:
    """One large binary domain, in a process of its own so that its peak memory can be read."""
    network = random_network((2,) * variables, 0)
    run = exact_run(f"2^{variables}", network)
    print(_row(run, None))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    return 0


def large(variables: int) -> int:
    """Print the row of a large domain with its peak memory, and return that, in bytes."""
    command = [sys.executable, "-m", "benchmarks", "exact", "--alone", str(variables)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row, peak = done.stdout.splitlines()
    print(f"{row}   peak memory {int(peak) / 2**20:.0f} MiB, interpreter and learning included", flush=True)
    return int(peak)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks exact", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1, help="networks for each domain")
    parser.add_argument("--large", action="store_true", help="also 2^22 states: a minute and over 1 GB")
    parser.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.alone:
        return alone(options.alone)
    domains: dict[str, tuple[tuple[int, ...], float]] = {
        "2^12": ((2,) * 12, REACH),
        "2^14": ((2,) * 14, REACH),
        "2^16": ((2,) * 16, REACH),
        "2^5 3^3 4^2 5": ((3, 2, 4, 2, 3, 5, 2, 3, 2, 4, 2), 1.0),
        "6^6": ((6,) * 6, 1.0),
    }
    missed = []
    print(f"{'states':>18}  {'method':<24}{'iterations':>10}{'CPU s':>12}{'residual':>12}{'ratio':>10}")
    for domain, (cardinalities, reach) in domains.items():
        for row, ratio in compare(domain, cardinalities, range(options.seeds)):
            print(row, flush=True)
            if "GMRES" in row and ratio < reach:
                missed.append(f"{domain}: {ratio:.1f} times less CPU than power iteration, below {reach:g}")
    if large(20) > MEMORY:
        missed.append(f"2^20: more than {MEMORY >> 20} MiB")
    if options.large:
        large(22)
    for line in missed:
        print(f"MISSED  {line}", file=sys.stderr)
    return 1 if missed else 0
