"""A table larger than it should be: Parquet and CSV files encoded, then learned, with the peak of memory.

The Parquet file (10 million rows of 30 columns: 12 of floats, 6 of whole numbers, 10 of labels, 2 of moments, with
holes in one of them) is made by DuckDB in a temporary directory, and read and learned in a process of its own: its peak
resident memory, as the system counts it, is of this work alone. To reach: 2 GB. Codes are learned with the default
penalty; missing values are a state. Seconds are CPU seconds of all threads, and wall-clock beside them.

Then the whole command, `depnet fit table -o model.json` with no option set, on a million rows of 30 mixed columns
(`_mixed_rows`); without holes, and with 5 % of all cells missing.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._mixed_rows import write_mixed
from benchmarks._reach import at_most

ROWS, REACH = 10_000_000, 2e9
FIT_ROWS, FIT_REACH = 1_000_000, {"csv": 12.0, "parquet": 6.0}

_WORK = """
import json, resource, sys, time
path, learn, memory, jobs = sys.argv[1], sys.argv[2] == "learn", sys.argv[3], int(sys.argv[4])
import depnet

def now():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024

start = now()
table = depnet.read(path, missing="state", memory=memory)
read = now()
result = {"rows": table.rows, "read": [b - a for a, b in zip(start, read)][:2], "peak read": read[2]}
if learn:
    network = depnet.learn(table, n_jobs=jobs)
    learned = now()
    result |= {"learn": [b - a for a, b in zip(read, learned)][:2], "peak": learned[2],
               "leaves": sum(node.source.size for node in network.nodes)}
print(json.dumps(result))
"""


def make_table(target: Path, rows: int, form: str) -> None:
    """Columns that hang together, so that there is something to learn: each label follows a hidden number of the row."""
    import duckdb

    base = "SELECT i, (hash(i) % 1000)::DOUBLE / 1000 AS z FROM range({rows}) t(i)"
    uniform = "(hash(i * 31 + {k}) % 1000003)::DOUBLE / 1000003"
    columns = [f"z * {1 + k % 3} + {uniform.format(k=k)} AS f{k}" for k in range(12)]
    columns[0] = f"CASE WHEN hash(i * 7) % 10 = 0 THEN NULL ELSE z + {uniform.format(k=0)} END AS f0"
    columns += [
        f"floor(z * {10 * (k + 1)} + 5 * {uniform.format(k=20 + k)})::BIGINT AS i{k}" for k in range(6)
    ]
    columns += [
        f"'state ' || floor((z + {uniform.format(k=40 + k)}) * {1 + k})::INT AS s{k}" for k in range(10)
    ]
    columns += [
        f"TIMESTAMP '2020-01-01' + to_seconds((1e8 * {uniform.format(k=60 + k)})::BIGINT) AS t{k}"
        for k in range(2)
    ]
    options = "FORMAT parquet" if form == "parquet" else "FORMAT csv, HEADER"
    with duckdb.connect(config={"memory_limit": "1GB"}) as connection:
        connection.execute(
            f"COPY (SELECT {', '.join(columns)} FROM ({base.format(rows=rows)})) TO '{target}' ({options})"
        )


def fit_whole(path: Path) -> tuple[float, float, int]:
    """`depnet fit` in a process of its own: CPU seconds of all its threads, wall-clock seconds, and peak resident bytes.

    Modules are compiled already, as those of an installation are.
    """
    bytecode = {**os.environ, "PYTHONPYCACHEPREFIX": str(path.parent / "bytecode")}
    bytecode.pop("PYTHONDONTWRITEBYTECODE", None)
    if not (path.parent / "bytecode").exists():
        small = path.parent / f"small{path.suffix}"
        make_table(small, 1000, path.suffix[1:])
        made = [sys.executable, "-m", "depnet", "fit", str(small), "-o", str(small.with_suffix(".json"))]
        subprocess.run(made, env=bytecode, check=True, capture_output=True)
    command = [
        sys.executable,
        "-m",
        "depnet",
        "fit",
        str(path),
        "-o",
        str(path.with_suffix(".json")),
        "--force",
    ]
    began = time.perf_counter()
    with subprocess.Popen(
        command, env=bytecode, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed.")
    return used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss * 1024


def fit_lines(directory: Path, rows: int) -> None:
    for holes in (False, True):
        paths = {form: directory / f"fit.{form}" for form in FIT_REACH}
        write_mixed(list(paths.values()), 0, rows, holes=holes, threads=2)
        for form, path in paths.items():
            cpu, wall, peak = fit_whole(path)
            what = f"depnet fit, {form}, {rows:,} x 30{', 5 % holes' if holes else ''}"
            beside = f"{wall:.1f} s by the clock, peak {peak / 1e6:,.0f} MB"
            if holes or rows != FIT_ROWS:
                print(f"{what}: {cpu:.1f} CPU s; {beside}", flush=True)
            else:
                at_most(f"{what}: {beside}; CPU s", cpu, FIT_REACH[form], ".1f")


def work(path: Path, what: str, memory: str, jobs: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", _WORK, str(path), what, memory, str(jobs)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return dict(json.loads(done.stdout))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks read", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--csv-rows", type=int, default=ROWS // 10, help="rows of the CSV file; 0: none")
    parser.add_argument("--memory", default="800MB", help="what depnet.read may use beside the codes")
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--no-learn", action="store_true")
    parser.add_argument(
        "--fit-rows", type=int, default=FIT_ROWS, help="rows of the whole command's table; 0: none"
    )
    chosen = parser.parse_args(arguments)
    what = "read" if chosen.no_learn else "learn"
    peaks = []
    with tempfile.TemporaryDirectory(prefix="depnet-bench-") as directory:
        for form, rows in (("parquet", chosen.rows), ("csv", chosen.csv_rows)):
            if not rows:
                continue
            path = Path(directory) / f"table.{form}"
            start = time.perf_counter()
            make_table(path, rows, form)
            print(
                f"{form}: {rows:,} rows x 30 columns, {path.stat().st_size / 1e6:,.0f} MB, made in "
                f"{time.perf_counter() - start:.0f} s",
                flush=True,
            )
            result = work(path, what, chosen.memory, chosen.n_jobs)
            path.unlink()
            wall, cpu = result["read"]
            print(
                f"  read:  {cpu:.1f} CPU s, {wall:.1f} s by the clock, {rows * 30 / cpu / 1e6:.1f} million cells a CPU s; "
                f"peak {result['peak read'] / 1e6:,.0f} MB"
            )
            if what == "learn":
                wall, cpu = result["learn"]
                print(
                    f"  learn: {cpu:.1f} CPU s, {wall:.1f} s by the clock, {result['leaves']:,} leaves; peak of both "
                    f"{result['peak'] / 1e6:,.0f} MB"
                )
            if form == "parquet":
                peaks.append(float(result.get("peak", result["peak read"])))
        if chosen.fit_rows:
            fit_lines(Path(directory), chosen.fit_rows)
    for peak in peaks:
        print(
            f"peak memory {peak / 1e9:.2f} GB; to reach: {REACH / 1e9:.0f} GB: {'reached' if peak <= REACH else 'MISSED'}"
        )
    return 0
