"""`python -m benchmarks draws`: a million rows of 30 columns, drawn from a model's law and written by the command.

The model is fitted on 20,000 rows of a random Bayesian network, shown as a frame with a third of its columns text, a third
whole numbers and a third floats. CPU seconds of drawing codes (`depnet.sample` of the law), of a frame of values
(`model.sample`), and of the whole process of `depnet sample`, which writes Parquet.
"""

import argparse
import importlib
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import depnet
from benchmarks._frames import Frame
from benchmarks._reach import at_most
from benchmarks._tables import from_random_network
from benchmarks._timing import command_seconds, least_seconds

COLUMNS = 30
DRAWN, WRITTEN = 3.0, 8.0
"""CPU seconds, at most: codes drawn; rows written by the command."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks draws", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--learned", type=int, default=20_000, help="rows to learn from  (%(default)s)")
    parser.add_argument("--times", type=int, default=3, help="runs of each, of which the least counts")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    model = depnet.DependencyNetwork(random_state=options.seed).fit(
        mixed_frame(options.learned, options.seed)
    )

    law = model.law_
    assert law is not None

    rng = np.random.default_rng(options.seed)
    what = f"{options.rows:,} rows x {COLUMNS} columns"
    good = at_most(
        f"{what}: drawn, CPU s",
        least_seconds(lambda: depnet.sample(law, options.rows, rng=rng), options.times),
        DRAWN,
        ".2f",
    )
    print(
        f"{what}: as a frame of values, CPU s: {least_seconds(lambda: model.sample(options.rows), options.times):.2f}",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "model.json", Path(folder) / "rows.parquet"
        model.save(path)
        command = [
            sys.executable,
            "-m",
            "depnet",
            "sample",
            str(path),
            "-n",
            str(options.rows),
            "-o",
            str(out),
        ]
        cpu, wall = command_seconds([*command, "--force", "--seed", "1"], options.times)
        good &= at_most(f"{what}: written to Parquet by `depnet sample`, CPU s", cpu, WRITTEN, ".2f")
        print(f"its wall-clock s: {wall:.2f}; {out.stat().st_size / 1e6:.0f} MB")
    return 0 if good else 1


def mixed_frame(rows: int, seed: int) -> Frame:
    """Text, whole numbers and floats in turn, of 2 to 9 states or around as many values."""
    pd = importlib.import_module("pandas")
    rng = np.random.default_rng(seed)
    cards = rng.integers(2, 10, COLUMNS).tolist()
    codes = from_random_network(rows, cards, seed=seed).codes
    columns: dict[str, object] = {}
    for i in range(COLUMNS):
        own = codes[:, i].astype(np.int64)
        kind = ("text", "whole", "float")[i % 3]
        if kind == "text":
            columns[f"{kind}{i}"] = np.array([f"state {x}" for x in range(cards[i])], dtype=object)[own]
        else:
            columns[f"{kind}{i}"] = own if kind == "whole" else own + rng.normal(0, 0.3, rows)
    return pd.DataFrame(columns)
