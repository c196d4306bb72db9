"""`python -m benchmarks cluster`: from which size on a cluster pays, a whole fit by one process and by workers side by side.

Both go from a Parquet file to the fitted model with one thread a process, as `depnet fit --jobs 1` does; the cluster is of
processes on this machine, and is there already. Beside the wall time, which the neighbours of a busy machine are part of,
stands the CPU time of the longest way: that of the driver, and of the busiest worker. With cores enough it is what one waits
for, but for what travels. `--memory` prints the bytes a cell that a fit takes instead, `--sample` what a table larger than
memory costs: the seconds of a fit of all rows in one place, those of a fit by a sample whose tables are counted over all
rows, and the score of both laws on all rows.
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
from depnet.cluster import table as chunked_table
from depnet.cluster.fit import CountedModel, fit_chunks, score
from depnet.cluster.table import TableRequest, Where
from depnet.errors import STEADY_SEED
from depnet.fitting.fit import FitOptions, Fitted, fit

COLUMNS = 20
Frame = Callable[[int], Any]


class Case(NamedTuple):
    """Tables of one kind, by their rows."""

    name: str
    frame: Frame
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
    Case("categories", categories, (200_000, 1_000_000)),
    Case("numbers", numbers, (50_000, 200_000)),
)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks cluster", description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument(
        "--sample", type=float, metavar="SHARE", help="of the rows, those that fit into memory"
    )
    parser.add_argument("--only", help="of the kinds of tables, those whose name begins so")
    options = parser.parse_args(arguments)
    cases = [case for case in CASES if options.only is None or case.name.startswith(options.only)]
    if options.memory:
        for case in cases:
            print_memory(case)
        return 0
    if options.sample is not None:
        for case in cases:
            print_sample(case, options.sample)
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
        by_cluster(warm, client)
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
    one, wall, cpu = by_one_process(path)
    other, wall_there, here, busiest = by_cluster(path, client)
    way = here + busiest
    same = one.network == other.network and one.law == other.law
    print(
        f"  {case.name}, {rows:,} rows: one process {wall:.1f} s ({cpu:.1f} CPU s); cluster {wall_there:.1f} s "
        f"({here:.1f} CPU s of the driver + {busiest:.1f} of the busiest worker): {cpu / way:.2f} times as fast; "
        f"{'the same model' if same else 'ANOTHER MODEL'}",
        flush=True,
    )


def by_one_process(path: Path) -> tuple[Fitted, float, float]:
    """The model, and the wall and CPU seconds that it took."""
    began, cpu = time.perf_counter(), time.process_time()
    table = depnet.read(path, keep="all")
    found = fit(table, FitOptions(n_jobs=1), np.random.default_rng(STEADY_SEED))
    return found, time.perf_counter() - began, time.process_time() - cpu


def by_cluster(path: Path, client: Any) -> tuple[Any, float, float, float]:
    """The model, the wall seconds, and the CPU seconds of the driver and of the busiest worker."""
    before = client.run(time.process_time)
    began, cpu = time.perf_counter(), time.process_time()
    options = FitOptions(n_jobs=1)
    request = TableRequest(str(path), keep="all")
    found, _ = fit_chunks(request, options, np.random.default_rng(STEADY_SEED), Where(client))
    wall, here = time.perf_counter() - began, time.process_time() - cpu
    after = client.run(time.process_time)
    return found, wall, here, max(after[worker] - before[worker] for worker in after)


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
    options = FitOptions(n_jobs=1)
    fit(dataset, options, np.random.default_rng(STEADY_SEED))
    over.set()
    watcher.join()
    more = (highest[0] - before) / (rows * COLUMNS)
    print(f"  {case.name}, {rows:,} rows x {COLUMNS}: {more:.1f} bytes a cell beside the codes", flush=True)


def print_sample(case: Case, share: float) -> None:
    """Fits of the largest table: all rows in one place, and a share of them whose tables are counted over all."""
    rows = case.rows[-1]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "table.parquet")
        case.frame(rows).to_parquet(path, row_group_size=rows // 16)
        one, wall, cpu = by_one_process(path)
        usual = chunked_table.CELL_BYTES
        chunked_table.CELL_BYTES = int(10**9 / (share * rows * COLUMNS))  # as if the rows were more
        began, before = time.perf_counter(), time.process_time()
        found, _ = fit_chunks(
            TableRequest(str(path), keep="all"),
            FitOptions(n_jobs=1),
            np.random.default_rng(STEADY_SEED),
            Where(memory="1.3GB"),
        )
        counted, counted_cpu = time.perf_counter() - began, time.process_time() - before
        chunked_table.CELL_BYTES = usual
    assert isinstance(found, CountedModel)
    print(
        f"  {case.name}, {rows:,} rows: all {wall:.1f} s ({cpu:.1f} CPU s), score {score(one.law):.5f} nats a row; "
        f"sample of {found.sample:,} {counted:.1f} s ({counted_cpu:.1f} CPU s), score {score(found.law):.5f}",
        flush=True,
    )


def _resident() -> int:
    """Bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
