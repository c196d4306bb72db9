"""`python -m benchmarks scale`: what fit, sample, impute and score take, and what a table of a billion rows would.

*One place*: the four commands with no option set but `--jobs 1`, each in a process of its own, on Parquet files of mixed
columns (`_mixed_rows`): `depnet fit`; `sample` of as many rows, to Parquet; `impute` of the same rows with one cell in
twenty missing; `score`. CPU seconds of all threads, seconds by the clock, and the peak of resident memory as the system
counts it; then the exponents of rows and of columns: x in time ~ rows^x, by least squares and from the two largest alone.

*Sample, then count*: `depnet fit --memory` of a directory of Parquet files, more rows than may be in memory. Two
sizes with one bound differ in the rows that are read and counted alone, so their difference is the price of a row of all
passes, and what is left that of the sample.

*A cluster*: the same on Dask workers of this machine, with the CPU seconds of the driver and of all workers.

*The price* of `--priced` rows and columns (10^9 x 100) follows from these: extrapolated, and printed as such.

Every part can be left out (`--rows`, `--wide`, `--counted`, `--cluster-rows` without a number). A quick run:
`--rows 10000 30000 --wide 10000 60 --counted 2000000 4000000 --memory 500MB --cluster-rows 200000 400000
--cluster-memory 400MB`.
"""

import argparse
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks._mixed_rows import BLOCK
from benchmarks._reach import head, line
from depnet.cluster.table import CELL_BYTES, PROGRAM_BYTES
from depnet.data.files.table import bytes_of

PART = 10_000_000
"""Rows of a file."""
DRIVER = ("driver, CPU s", "s by the clock", "peak MB")


COMMANDS = ("sample", "impute", "score")


class Cost(NamedTuple):
    """What a process took."""

    cpu: float
    wall: float
    peak: int

    def cells(self) -> list[str]:
        return [f"{self.cpu:,.1f}", f"{self.wall:,.1f}", f"{self.peak / 1e6:,.0f}"]


class Commands(NamedTuple):
    """What the commands took on one table."""

    rows: int
    columns: int
    costs: dict[str, Cost]


class Counted(NamedTuple):
    """A fit by a sample whose tables were counted over all rows."""

    rows: int
    columns: int
    sample: int
    cost: Cost


def run(command: Sequence[object]) -> tuple[Cost, str]:
    """Run a process to its end: what it took, and what it printed."""
    began = time.perf_counter()
    with (
        tempfile.TemporaryFile("w+") as out,
        subprocess.Popen([str(x) for x in command], stdout=out, stderr=out) as process,
    ):
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - began
        out.seek(0)
        said = out.read()
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{said}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * 1024), said


def depnet(*arguments: object) -> tuple[Cost, str]:
    """A command of depnet, of one thread."""
    return run([sys.executable, "-m", "depnet", *arguments, "--jobs", 1])


def make_file(path: Path, first: int, last: int, columns: int, kind: str = "none") -> None:
    """Some rows of the table, by a process of its own."""
    run([sys.executable, "-m", "benchmarks._mixed_rows", path, first, last, columns, kind])


def make(folder: Path, rows: int, columns: int) -> Path:
    """The table as a directory of Parquet files."""
    folder.mkdir()
    for first in range(0, rows, PART):
        make_file(folder / f"part{first // PART:04}.parquet", first, min(first + PART, rows), columns)
    return folder


def exponent(sizes: Sequence[int], found: Sequence[float]) -> str:
    """The x in found ~ size^x: of all sizes, and of the last two."""
    x, y = np.log(sizes), np.log(found)
    last = (y[-1] - y[-2]) / (x[-1] - x[-2])
    return f"{np.polyfit(x, y, 1)[0]:.2f} ({last:.2f})"


def one_place(shapes: Sequence[tuple[int, int]], wanted: Sequence[str]) -> list[Commands]:
    """A line for each command and shape."""
    head(["rows x columns", "what", "CPU s", "s by the clock", "peak MB", "CPU microseconds a cell"])
    found = []
    for rows, columns in shapes:
        with tempfile.TemporaryDirectory(prefix="depnet-bench-") as name:
            folder = Path(name)
            table, holes = folder / "table.parquet", folder / "holes.parquet"
            model, out = folder / "model.json", folder / "out.parquet"
            make_file(table, 0, rows, columns)
            commands: dict[str, tuple[object, ...]] = {
                "fit": ("fit", table, "-o", model),
                "sample": ("sample", model, "-n", rows, "--seed", 1, "-o", out, "--force"),
                "impute": ("impute", model, holes, "--seed", 1, "-o", out, "--force"),
                "score": ("score", model, table),
            }
            costs = {}
            for what in ("fit", *wanted):
                if what == "impute":
                    make_file(holes, 0, rows, columns, "holes")
                costs[what] = depnet(*commands[what])[0]
                each = costs[what].cpu / rows / columns * 1e6
                line([f"{rows:,} x {columns}", what, *costs[what].cells(), f"{each:.2f}"])
            found.append(Commands(rows, columns, costs))
    return found


def print_exponents(found: Sequence[Commands]) -> None:
    """Of rows, where several tables have as many columns; of columns, where several have as many rows."""
    for axis in ("rows", "columns"):
        other = "columns" if axis == "rows" else "rows"
        for same in sorted({int(getattr(each, other)) for each in found}):
            alike = [each for each in found if getattr(each, other) == same]
            sizes = [int(getattr(each, axis)) for each in alike]
            if len(alike) < 2:
                continue
            print(
                f"\nexponents of {axis}, of all sizes (of the last two): {', '.join(f'{n:,}' for n in sizes)}"
            )
            for command in alike[0].costs:
                costs = [each.costs[command] for each in alike]
                cpu, peak = (exponent(sizes, [getattr(c, key) for c in costs]) for key in ("cpu", "peak"))
                print(f"  {command}: CPU s {cpu}, peak memory {peak}", flush=True)


def sample_then_count(sizes: Sequence[int], columns: int, memory: str) -> list[Counted]:
    """A line for each size, and the price of a row."""
    found = []
    for rows in sizes:
        with tempfile.TemporaryDirectory(prefix="depnet-bench-") as name:
            table = make(Path(name, "rows"), rows, columns)
            size = sum(path.stat().st_size for path in table.iterdir())
            cost, said = depnet("fit", table, "--memory", memory, "-o", Path(name, "model.json"), "--json")
        sample = json.loads(said[said.index("{") :]).get("sample")
        if sample is None:
            raise SystemExit(f"{rows:,} x {columns} fits into {memory}: there is nothing to count.")
        found.append(Counted(rows, columns, sample, cost))
        line([f"{rows:,} x {columns}", f"{size / 1e9:.2f}", memory, f"{sample:,}", *cost.cells()])
    return found


def by_row(found: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """Seconds of a row, and those of no rows: the line through the first and the last size."""
    (few, least), (many, most) = found[0], found[-1]
    each = (most - least) / (many - few)
    return each, least - each * few


class Worked(NamedTuple):
    """A fit on a cluster: CPU seconds of the driver and of all workers, and the largest peak of a worker."""

    rows: int
    sample: int
    driver: Cost
    workers: float
    peak: int


def on_cluster(sizes: Sequence[int], columns: int, memory: str, count: int) -> list[Worked]:
    """A line for each size; the scheduler and the workers run already."""
    distributed: Any = importlib.import_module("distributed")  # it is typed in part only
    found = []
    for rows in sizes:
        with (
            tempfile.TemporaryDirectory(prefix="depnet-bench-") as name,
            distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            table = make(Path(name, "rows"), rows, columns)
            client.run(importlib.import_module, "depnet.cluster.fit")
            before = client.run(time.process_time)
            where = ("--cluster", cluster.scheduler_address, "--memory", memory)
            cost, said = depnet("fit", table, *where, "-o", Path(name, "model.json"), "--json")
            after = client.run(time.process_time)
            peak = max(client.run(peak_of_process).values())
        workers = sum(after[each] - before[each] for each in after)
        sample = json.loads(said[said.index("{") :])["sample"]
        found.append(Worked(rows, sample, cost, workers, peak))
        shown = [f"{sample:,}", *cost.cells(), f"{workers:,.1f}", f"{peak / 1e6:,.0f}"]
        line([f"{rows:,} x {columns}", memory, *shown])
    return found


def peak_of_process() -> int:
    """Bytes of memory that this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def price(chosen: argparse.Namespace, measured: Sequence[Worked]) -> None:
    """What a cluster would take, from what one of this machine took for as many columns."""
    (rows, columns), cores, memory = chosen.priced, chosen.priced_cores, chosen.priced_memory
    ratio = columns / chosen.cluster_columns  # of work on a row, taken as in proportion
    worker, started = by_row([(each.rows, each.workers) for each in measured])
    driver, learning = by_row([(each.rows, each.driver.cpu) for each in measured])
    sample = int((bytes_of(memory) - PROGRAM_BYTES) / (columns * CELL_BYTES))
    workers = started + worker * rows * ratio
    learned = learning * ratio * sample / measured[-1].sample
    here = driver * rows * ratio
    print(
        f"\nEXTRAPOLATED: {rows:,} rows x {columns} columns, {cores} cores of workers, a driver with {memory}\n"
        f"  workers: {worker * ratio * 1e6:.2f} CPU s for a million rows; {workers / 3600:,.1f} core hours, "
        f"{workers / 3600 / cores:.2f} h by the clock where reading keeps up; "
        f"peak of a worker {measured[-1].peak / 1e9:.1f} GB, as measured\n"
        f"  driver: {learned / 3600:.2f} h of one core for its sample of {sample:,} rows, "
        f"{here / 3600:.2f} h for what workers send it\n"
        f"  in all: {(workers + learned + here) / 3600:,.1f} core hours, "
        f"{workers / 3600 / cores + learned / 3600 + max(here / 3600 - workers / 3600 / cores, 0.0):.2f} h by the clock"
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks scale", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", nargs="*", type=int, default=[10**5, 10**6, 10**7])
    parser.add_argument("--columns", type=int, default=BLOCK)
    parser.add_argument("--wide", nargs="*", type=int, default=[10**5, 300], help="rows and columns")
    parser.add_argument("--commands", nargs="*", default=COMMANDS, choices=COMMANDS, help="beside fit")
    parser.add_argument("--counted", nargs="*", type=int, default=[2 * 10**7, 10**8], help="rows")
    parser.add_argument("--counted-columns", type=int, default=10)
    parser.add_argument("--memory", default="2GB", help="that sample-then-count may take  (%(default)s)")
    parser.add_argument("--cluster-rows", nargs="*", type=int, default=[2**21, 2**22])
    parser.add_argument("--cluster-columns", type=int, default=100)
    parser.add_argument("--cluster-memory", default="1.1GB", help="of the driver  (%(default)s)")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--priced", nargs=2, type=int, default=[10**9, 100], help="rows and columns")
    parser.add_argument("--priced-cores", type=int, default=64)
    parser.add_argument("--priced-memory", default="16GB", help="of the driver  (%(default)s)")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="depnet-bench-") as bytecode:
        # Modules are compiled already, as those of an installation are.
        os.environ["PYTHONPYCACHEPREFIX"] = bytecode
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        make_file(Path(bytecode, "small.parquet"), 0, 1000, BLOCK)
        depnet("fit", Path(bytecode, "small.parquet"), "-o", Path(bytecode, "small.json"))
        measure(chosen)
    return 0


def measure(chosen: argparse.Namespace) -> None:
    """The parts that are asked for."""
    shapes = [(rows, chosen.columns) for rows in chosen.rows]
    shapes += [(chosen.wide[0], chosen.wide[1])] if chosen.wide else []
    if shapes:
        print_exponents(one_place(shapes, chosen.commands))
    if chosen.counted:
        print()
        head(["rows x columns", "GB of Parquet", "--memory", "sample", "CPU s", "s by the clock", "peak MB"])
        counted = sample_then_count(chosen.counted, chosen.counted_columns, chosen.memory)
        if len(counted) > 1:
            each, start = by_row([(one.rows, one.cost.cpu) for one in counted])
            print(f"a million rows more: {each * 1e6:.2f} CPU s; the sample and the start: {start:.1f} CPU s")
    if chosen.cluster_rows:
        print()
        head(["rows x columns", "--memory", "sample", *DRIVER, "all workers, CPU s", "peak of a worker, MB"])
        worked = on_cluster(
            chosen.cluster_rows, chosen.cluster_columns, chosen.cluster_memory, chosen.workers
        )
        if len(worked) > 1:
            price(chosen, worked)
