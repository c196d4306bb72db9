"""`python -m benchmarks scale`: learning from rows in parts, on a Dask cluster of processes on this machine.

Rows learned from a second, against workers and parts; then what travels: bytes of operations to each part and of counts
from each part, per round, against the rows N, the variables n and the leaves. Counts do not grow with N but through the
leaves that more rows pay for. The network is compared with the one of `depnet.learn` each time.
"""

import argparse
import importlib
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import depnet
from benchmarks._tables import from_random_network
from depnet import Dataset
from depnet.cluster import learn
from depnet.learning.rounds import Round


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale", description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--variables", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--parts", type=int, nargs="*", default=[2, 8])
    options = parser.parse_args(arguments)
    distributed: Any = importlib.import_module("distributed")  # it is typed in part only

    print(f"{options.rows:,} rows x {options.variables} variables; workers of one thread each")
    dataset = table(options.rows, options.variables)
    began = time.perf_counter()
    expected = depnet.learn(dataset)
    local = time.perf_counter() - began
    print(f"  depnet.learn, one thread: {local:.2f} s, {options.rows / local:,.0f} rows/s")
    for workers in options.workers:
        with (
            distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            for parts in options.parts:
                run(dataset, expected, parts, client, f"{workers} workers, {parts} parts")
    print("what travels, on disk instead of workers (the same bytes): 4 parts")
    for rows, variables in (
        (options.rows // 4, 20),
        (options.rows, 20),
        (options.rows, 10),
        (options.rows, 40),
    ):
        dataset = table(rows, variables)
        run(dataset, depnet.learn(dataset), 4, None, f"{rows:,} rows x {variables}")
    return 0


def table(rows: int, variables: int) -> Dataset:
    return from_random_network(rows, [2, 3, 4, 2] * (variables // 4) + [2] * (variables % 4))


def run(dataset: Dataset, expected: depnet.Network, parts: int, client: object, label: str) -> None:
    """Learn from `parts` files and print what it took."""
    import pyarrow as pa
    from pyarrow import parquet

    rounds: list[Round] = []
    with tempfile.TemporaryDirectory() as directory:
        cuts = np.linspace(0, dataset.rows, parts + 1).astype(int)
        for number in range(parts):
            codes = dataset.codes[cuts[number] : cuts[number + 1]]
            columns = {name: codes[:, i] for i, name in enumerate(dataset.domain.names)}
            parquet.write_table(pa.table(columns), Path(directory) / f"{number:04}.parquet")
        began = time.perf_counter()
        place: dict[str, Any] = {"memory": "4GB"} if client is None else {"client": client}
        found = learn(directory, report=rounds.append, **place)
        seconds = time.perf_counter() - began
    same = all(
        np.array_equal(np.asarray(a.table.counts), np.asarray(b.table.counts))
        for a, b in zip(found.nodes, expected.nodes, strict=True)
    )
    told = sum(each.told for each in rounds)
    counted = sum(each.counted for each in rounds)
    leaves = sum(node.source.size for node in found.nodes)
    print(
        f"  {label}: {seconds:.2f} s, {dataset.rows / seconds:,.0f} rows/s, {len(rounds)} rounds, {leaves:,} leaves; "
        f"to each part {told / len(rounds) / 1e3:,.1f} kB a round, from each {counted / len(rounds) / 1e3:,.1f} kB "
        f"({told / 1e6:.2f} and {counted / 1e6:.2f} MB in all); "
        f"{'the same network' if same else 'ANOTHER NETWORK'}"
    )
