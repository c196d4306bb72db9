"""`python -m benchmarks cluster`: from which size on a cluster pays, a whole fit by one process and by workers side by side.

Both go from a Parquet file to the fitted model with one thread a process, as `depnet fit --jobs 1` does; the cluster is of
processes on this machine, and is there already. Beside the wall time, which the neighbours of a busy machine are part of,
stands the CPU time of the longest way: that of the driver, and of the busiest worker. With cores enough it is what one waits
for, but for what travels. `--memory` prints the bytes a cell that a fit takes instead.
"""

import argparse
import importlib
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import depnet
from benchmarks._tables import from_random_network
from depnet import Dataset
from depnet.checks import STEADY_SEED
from depnet.cluster.fit import fit_on_cluster
from depnet.cluster.placed import TableRequest
from depnet.data.table.holed import with_holes
from depnet.fitting.fit import FitOptions, Fitted, fit

COLUMNS = 20
Frame = Callable[[int], Any]


class Case(NamedTuple):
    """Tables of one kind, by their rows, and how they are fitted."""

    name: str
    frame: Frame
    boost: str | None
    rows: tuple[int, ...]


def categories(rows: int) -> Any:
    """A random network's rows, of 2 to 4 states."""
    import pandas as pd

    dataset = from_random_network(rows, [2, 3, 4, 2] * (COLUMNS // 4))
    return pd.DataFrame({name: dataset.codes[:, i] for i, name in enumerate(dataset.domain.names)})


def numbers(rows: int) -> Any:
    """Correlated numbers, which become bins."""
    import pandas as pd

    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, 3)) @ rng.normal(size=(3, COLUMNS)) + rng.normal(size=(rows, COLUMNS))
    return pd.DataFrame(values, columns=[f"X{i}" for i in range(COLUMNS)])


CASES = (
    Case("categories", categories, None, (200_000, 1_000_000, 4_000_000)),
    Case("numbers", numbers, None, (50_000, 200_000, 1_000_000)),
    Case("categories, boosted", categories, "auto", (5_000, 100_000)),
    Case("numbers, boosted", numbers, "auto", (2_000,)),
)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks cluster", description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--only", help="of the kinds of tables, those whose name begins so")
    options = parser.parse_args(arguments)
    cases = [case for case in CASES if options.only is None or case.name.startswith(options.only)]
    if options.memory:
        for case in cases:
            if case.rows[-1] >= 100_000:  # of fewer rows, what a process holds anyway is all there is to see
                print_memory(case)
        return 0
    distributed: Any = importlib.import_module("distributed")  # it is typed in part only
    print(
        f"{options.workers} workers of one thread each; {COLUMNS} columns; seconds from the file to the model"
    )
    with (
        distributed.LocalCluster(
            n_workers=options.workers, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        tempfile.TemporaryDirectory() as directory,
    ):
        warm = Path(directory, "warm.parquet")
        numbers(2000).to_parquet(warm)
        by_cluster(warm, None, client)
        for name in ("pyarrow.parquet", "depnet.cluster.fit"):  # what each worker imports once
            client.run(importlib.import_module, name)
        for case in cases:
            for rows in case.rows:
                path = Path(directory, "table.parquet")
                case.frame(rows).to_parquet(path, row_group_size=max(rows // (2 * options.workers), 1))
                compare(case, rows, path, client)
    return 0


def compare(case: Case, rows: int, path: Path, client: Any) -> None:
    """One line: both ways, and whether they end in the same model."""
    one, wall, cpu = by_one_process(path, case.boost)
    other, wall_there, here, busiest = by_cluster(path, case.boost, client)
    way = here + busiest
    same = one.network == other.network and one.law == other.law
    print(
        f"  {case.name}, {rows:,} rows: one process {wall:.1f} s ({cpu:.1f} CPU s); cluster {wall_there:.1f} s "
        f"({here:.1f} CPU s of the driver + {busiest:.1f} of the busiest worker): {cpu / way:.2f} times as fast; "
        f"{'the same model' if same else 'ANOTHER MODEL'}",
        flush=True,
    )


def by_one_process(path: Path, boost: str | None) -> tuple[Fitted, float, float]:
    """The model, and the wall and CPU seconds that it took."""
    began, cpu = time.perf_counter(), time.process_time()
    table = with_holes(depnet.read(path, keep="all"))
    found = fit(table, FitOptions(n_jobs=1, boost=boost), np.random.default_rng(STEADY_SEED))
    return found, time.perf_counter() - began, time.process_time() - cpu


def by_cluster(path: Path, boost: str | None, client: Any) -> tuple[Any, float, float, float]:
    """The model, the wall seconds, and the CPU seconds of the driver and of the busiest worker."""
    before = client.run(time.process_time)
    began, cpu = time.perf_counter(), time.process_time()
    options = FitOptions(n_jobs=1, boost=boost)
    request = TableRequest(str(path), keep="all")
    done = fit_on_cluster(request, options, np.random.default_rng(STEADY_SEED), client)
    wall, here = time.perf_counter() - began, time.process_time() - cpu
    after = client.run(time.process_time)
    return done.found, wall, here, max(after[worker] - before[worker] for worker in after)


def print_memory(case: Case) -> None:
    """The bytes a cell that a fit of the largest table takes beside its codes."""
    rows = case.rows[-1]
    dataset = Dataset.from_frame(case.frame(rows))
    highest, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.01):
            highest[0] = max(highest[0], _resident())

    before = _resident()
    watcher = threading.Thread(target=watch)
    watcher.start()
    options = FitOptions(n_jobs=1, boost=case.boost)
    fit(with_holes(dataset), options, np.random.default_rng(STEADY_SEED))
    over.set()
    watcher.join()
    more = (highest[0] - before) / (rows * COLUMNS)
    print(f"  {case.name}, {rows:,} rows x {COLUMNS}: {more:.1f} bytes a cell beside the codes", flush=True)


def _resident() -> int:
    """Bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
