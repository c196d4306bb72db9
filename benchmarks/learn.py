"""`python -m benchmarks learn`: learning against library trees and a Bayesian network learner, in one run.

CPU seconds of one thread on the same table, side by side; only the ratios travel from machine to machine. depnet's
figure is the median of its runs, a peer's the best of those that its time allows (benchmarks/_peers.py says what the
peers do). Where a peer takes too long, a few nodes are measured and scaled to all, marked ~, or it is stopped: then
its time is "over" so much and the ratio at least (>=) so much. It is not stopped before the ratio to reach is reached.
The trees have as many leaves as depnet's nodes, but a tree takes as many splits as it has leaves, where depnet
splits and merges again: the number of operations says how much more it did. The second line is the same with
StructuralMdl, which pays for naming operations. Last, rows with weights against the same rows repeated.
"""

import argparse
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks._peers import PEERS, SCALED, Measured, measure
from benchmarks._reach import at_most
from benchmarks._tables import add_data, debd, from_random_network
from depnet import Dataset, DecisionGraph, Mdl, Network, StructuralMdl, learn

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


RESERVED = 100.0
"""Wall seconds kept for growth, threads and memory."""


DECIDES = 1.2
"""A peer that is not scaled from some nodes has at least the time in which it reaches or misses its goal, times this."""


class Time:
    """The time of the whole command, shared evenly by the measurements that are left."""

    def __init__(self, minutes: float, measurements: int) -> None:
        self._ends = time.perf_counter() + 60 * minutes
        self._left = measurements

    def share(self, reserved: float) -> float:
        """Wall seconds for the next measurement."""
        share = (self._ends - reserved - time.perf_counter()) / max(self._left, 1)
        self._left -= 1
        return min(max(share, 2.0), 60.0)


def cpu_runs(call: Callable[[], object], *, at_least: float) -> list[float]:
    """The CPU times of three or more calls that together take `at_least` seconds."""
    runs: list[float] = []
    while len(runs) < 3 or sum(runs) < at_least:
        began = time.process_time()
        call()
        runs.append(max(time.process_time() - began, 1e-9))
        if sum(runs) > 10:
            break
    return runs


def goal(peer: str, variables: int) -> float | None:
    """The ratio to reach, or None."""
    if peer == "scikit-learn":
        return 25 if variables <= 16 else 100 if variables >= 64 else None
    if peer == "LightGBM":
        return 25 if variables >= 64 else None
    return 15


def compare(name: str, dataset: Dataset, clock: Time, reserved: float, peers: Sequence[str]) -> None:
    """One table: depnet with each penalty, and the peers with as many leaves as it learned."""
    for penalty in (Mdl(), StructuralMdl()):
        began = time.process_time()
        network = learn(dataset, penalty=penalty)
        runs = [time.process_time() - began]
        if runs[0] < 5:  # the first was a warm-up, or it is run enough
            runs = cpu_runs(partial(learn, dataset, penalty=penalty), at_least=0.5)
        ours = statistics.median(runs)
        leaves = [node.source.size for node in network.nodes]
        operations = sum(len(source.operations) for source in sources(network))
        print(
            f"{name if penalty == Mdl() else '  StructuralMdl':22} {ours:9.4f} s (median of {len(runs)}) "
            f"{sum(leaves):6,} leaves {operations:7,} operations {operations / sum(leaves):5.1f} a leaf",
            end="",
            flush=True,
        )
        for peer in peers if penalty == Mdl() else [peer for peer in peers if peer == "scikit-learn"]:
            wanted = goal(peer, len(dataset.domain)) if penalty == Mdl() else None
            deciding = 0.0 if wanted is None or peer in SCALED else DECIDES * wanted * ours
            found = measure(peer, dataset, leaves, max(clock.share(reserved), deciding))
            print(f" | {peer} {judged(found, ours, wanted)}", end="", flush=True)
        print()


def judged(found: Measured | None, ours: float, wanted: float | None) -> str:
    """A peer's time, how many times ours it is, and whether that is enough."""
    if found is None:
        return "left out: it did not take in the data in time"
    ratio = found.seconds / ours
    verdict = ""
    if wanted is not None:
        missed = f" UNDECIDED ({wanted:.0f})" if found.over else f" MISSED ({wanted:.0f})"
        verdict = " reached" if ratio >= wanted else missed
    return f"{found} = {'>=' if found.over else ''}{ratio:.3g}x{verdict}"


def sources(network: Network) -> list[DecisionGraph]:
    return [node.source for node in network.nodes if isinstance(node.source, DecisionGraph)]


def timed(dataset: Dataset) -> tuple[float, int]:
    """Seconds, and the operations that were made: more rows or columns show more structure."""
    made = sum(len(source.operations) for source in sources(learn(dataset)))
    return min(cpu_runs(lambda: learn(dataset), at_least=0.5)), made


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of log seconds against log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def growth(quick: bool) -> None:
    """Seconds against N and against n, on one random network whose rows or columns are taken away."""
    rows = (20_000, 40_000, 80_000, 160_000) if quick else (50_000, 100_000, 200_000, 400_000, 800_000)
    whole = from_random_network(rows[-1], (2,) * 40)
    found = [timed(Dataset.from_codes(whole.codes[:n], domain=whole.domain)) for n in rows]
    report("growth against N (n = 40)", 1.1, rows, found)
    columns = (40, 80, 160) if quick else (50, 100, 200, 400)
    wide = from_random_network(10_000, (2,) * columns[-1])
    found = [timed(Dataset.from_codes(wide.codes[:, :n], [2] * n)) for n in columns]
    report("growth against n (N = 10k)", 2.1, columns, found)


def report(what: str, wanted: float, sizes: Sequence[int], found: Sequence[tuple[float, int]]) -> None:
    """The exponent of the seconds, and beside it that of the operations."""
    slope = exponent(sizes, [seconds for seconds, _ in found])
    verdict = "reached" if slope <= wanted else "MISSED"
    operations = exponent(sizes, [made for _, made in found])
    detail = ", ".join(
        f"{size:,}: {seconds:.4f} s, {made:,} operations"
        for size, (seconds, made) in zip(sizes, found, strict=True)
    )
    print(
        f"{what}: exponent {slope:.2f} (<= {wanted}) {verdict}; of the operations {operations:.2f}   [{detail}]",
        flush=True,
    )


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


def weighted() -> None:
    """Rows drawn with replacement, once as weights and once repeated: the same network, in about the same time."""
    for name in ("15k x 100", "180k x 64"):
        whole = SHAPES[name].table()
        drawn = np.bincount(
            np.random.default_rng(0).integers(0, whole.rows, whole.rows), minlength=whole.rows
        )
        once = Dataset.from_codes(whole.codes, domain=whole.domain, weights=drawn)
        again = Dataset.from_codes(np.repeat(whole.codes, drawn, axis=0), domain=whole.domain)
        seconds = [min(cpu_runs(partial(learn, rows), at_least=0.5)) for rows in (once, again)]
        at_most(
            f"weighted rows over repeated ones, {name} ({seconds[1]:.4f} s)",
            seconds[0] / seconds[1],
            1.5,
            ".2f",
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
    add_data(parser)
    parser.add_argument("--quick", action="store_true", help="a few small tables, two minutes")
    parser.add_argument(
        "--minutes",
        type=float,
        default=12.0,
        help="about how long all may take (12), but that ratios are decided",
    )
    parser.add_argument("--only", nargs="*", metavar="TABLE", help="only these tables, and nothing else")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    options = parser.parse_args(arguments)
    names = options.only or (QUICK if options.quick else (*SHAPES, *TABLES))
    minutes = min(options.minutes, 2.0) if options.quick else options.minutes
    clock = Time(minutes, len(names) * (len(options.peers) + ("scikit-learn" in options.peers)))
    for name in names:
        reserved = 0.0 if options.only else 0.4 * RESERVED if options.quick else RESERVED
        if name in SHAPES:
            compare(name, SHAPES[name].table(), clock, reserved, options.peers)
        elif (options.data / "debd" / f"{name}.train.data.gz").exists():
            compare(name, debd(options.data / "debd", name), clock, reserved, options.peers)
        else:
            print(f"{name}: not in {options.data / 'debd'}, left out")
    if not options.only:
        growth(options.quick)
        weighted()
        threads()
        memory()
    return 0
