"""`python -m benchmarks scale`: learning from rows in parts, on a Dask cluster of processes on this machine.

Rows learned from a second, against workers and parts; then what travels: bytes of operations to each part and of counts
from each part, per round, against the rows N, the variables n and the leaves. Counts do not grow with N but through the
leaves that more rows pay for. These tables would fit one place; here their rows stay in parts, as those of tables that do
not (`python -m benchmarks cluster` has the others). The network is compared with the one of `depnet.learn` each time. Last,
what tables that fit no single machine would cost, by power laws through the measured figures: see docs/scale.md for the
arithmetic.
"""

import argparse
import importlib
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import depnet
from benchmarks._tables import from_random_network
from benchmarks._timing import timed
from depnet import Dataset
from depnet.cluster import forecast, learn
from depnet.learning.grow.rounds import Round


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale", description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--variables", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--parts", type=int, nargs="*", default=[2, 8])
    options = parser.parse_args(arguments)
    distributed: Any = importlib.import_module("distributed")  # it is typed in part only
    forecast.CELL_BYTES = 1 << 40  # so that no table fits one place

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
    measured = []
    for rows, variables in (
        (options.rows, options.variables),
        (options.rows * 4, options.variables),
        (options.rows * 16, options.variables),
        (options.rows * 4, options.variables // 2),
        (options.rows * 4, options.variables * 2),
        (options.rows * 4, options.variables * 4),
    ):
        dataset = table(rows, variables)
        measured.append(
            run(
                dataset,
                depnet.learn(dataset),
                4,
                None,
                f"{rows:,} rows x {variables}, {cpu_of_learn(dataset)}",
            )
        )
    extrapolate(measured)
    return 0


def cpu_of_learn(dataset: Dataset) -> str:
    """What the same fit takes where all rows are at hand."""
    return f"depnet.learn {timed(lambda: depnet.learn(dataset))[1]:.2f} CPU s"


class Cost(NamedTuple):
    """What one fit took."""

    rows: int
    variables: int
    cpu: float
    rounds: int
    leaves: int
    told: int
    counted: int


def extrapolate(costs: list[Cost]) -> None:
    """Power laws c N^a n^b through the measured figures, and where they lead."""
    place = np.array([[1.0, np.log(cost.rows), np.log(cost.variables)] for cost in costs])
    laws = {}
    for name in ("cpu", "rounds", "leaves", "counted"):
        seen = np.log([getattr(cost, name) for cost in costs])
        law, *_ = np.linalg.lstsq(place, seen, rcond=None)
        off = np.exp(np.abs(place @ law - seen).max())
        print(
            f"  {name}: grows as N^{law[1]:.2f} n^{law[2]:.2f} (no figure is off by more than {off:.2f} times)"
        )
        laws[name] = law
    for rows, variables in ((10**9, 100), (10**7, 10**4)):
        at = np.array([1.0, np.log(rows), np.log(variables)])
        found = {name: float(np.exp(at @ law)) for name, law in laws.items()}
        print(
            f"  {rows:.0e} rows x {variables:,}: {found['cpu'] / 3600:,.1f} CPU hours, {found['rounds']:,.0f} rounds, "
            f"{found['leaves']:,.0f} leaves, {found['counted'] / 1e9:,.2f} GB of counts from each part, "
            f"{rows * variables / 1e9:,.0f} GB of codes"
        )


def table(rows: int, variables: int) -> Dataset:
    return from_random_network(rows, [2, 3, 4, 2] * (variables // 4) + [2] * (variables % 4))


def run(dataset: Dataset, expected: depnet.Network, parts: int, client: object, label: str) -> Cost:
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
        began, cpu = time.perf_counter(), time.process_time()
        place: dict[str, Any] = {"memory": "4GB"} if client is None else {"client": client}
        found = learn(directory, report=rounds.append, **place)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    same = all(
        np.array_equal(np.asarray(a.table.counts), np.asarray(b.table.counts))
        for a, b in zip(found.nodes, expected.nodes, strict=True)
    )
    told = sum(each.told for each in rounds)
    counted = sum(each.counted for each in rounds)
    leaves = sum(node.source.size for node in found.nodes)
    print(
        f"  {label}: {seconds:.2f} s ({cpu:.2f} CPU s here), {dataset.rows / seconds:,.0f} rows/s, "
        f"{len(rounds)} rounds, {leaves:,} leaves; "
        f"to each part {told / len(rounds) / 1e3:,.1f} kB a round, from each {counted / len(rounds) / 1e3:,.1f} kB "
        f"({told / 1e6:.2f} and {counted / 1e6:.2f} MB in all); "
        f"{'the same network' if same else 'ANOTHER NETWORK'}"
    )
    return Cost(dataset.rows, len(dataset.domain), cpu, len(rounds), leaves, told, counted)
